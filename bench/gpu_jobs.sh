#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: bench/gpu_jobs.sh OUT [KIND...]
#
# Holds what is generated from a config against recordings of real steps, on the machine that has the GPU, from an
# unpacked bundle (make bundle). For each kind of job below (all, or the named ones): a real step of two layers of
# Qwen3-8B is recorded, a plan is made from the recording, and bench/coverage.py says how much of it the problems that
# are generated from the config would have covered. PYTHON (python3) is the Python that trains; a kind whose packages
# it lacks is skipped. Recordings, plans and reports go to OUT; a recording that is there already is taken as it is,
# and RECORD_ONLY=1 stops after them. A summary is printed. Nothing here is a test.
set -uo pipefail
mkdir -p "$1" || exit
out=$(realpath "$1")
shift
cd "$(dirname "$0")/.." || exit
python=${PYTHON:-python3}
program=bin/mindxtrain
step=(bench/real_step.py --model qwen3-8b --layers 2 --seq-len 4096 --micro-batch 2 --steps 50)
kernels_off=$'lora_mlp_kernel: false\nlora_qkv_kernel: false\nlora_o_kernel: false'
lora=$'adapter: lora\nlora_r: 16\nlora_target_linear: true'

# kind | package that it needs | what the step is told
kinds() {
	cat <<-'END'
		autocast      | peft           | --padded
		checkpointing | peft           | --padded --checkpointing on
		float32       | peft           | --padded --autocast off
		full          | transformers   | --padded --lora-rank 0
		fused         | axolotl        | --padded --fused-lora
		qlora         | bitsandbytes   | --padded --quantised
		liger         | liger_kernel   | --padded --loss liger
		packed        | peft           | --documents 8
		fa2_packed    | flash_attn     | --attention flash_attention_2 --documents 8
	END
}

# What the config of a kind says beyond what all say.
config_of() {
	case $1 in
	autocast) printf '%s\n' "$lora" "$kernels_off" ;;
	checkpointing)
		printf '%s\n' "$lora" "$kernels_off" 'gradient_checkpointing: true' \
			'gradient_checkpointing_kwargs: {use_reentrant: false}'
		;;
	float32) printf '%s\n' "$lora" "$kernels_off" 'bf16: false' 'bfloat16: true' ;;
	full) ;;
	fused) printf '%s\n' "$lora" 'lora_mlp_kernel: true' 'lora_qkv_kernel: true' 'lora_o_kernel: true' ;;
	qlora) printf '%s\n' "${lora/adapter: lora/adapter: qlora}" "$kernels_off" 'load_in_4bit: true' ;;
	liger) printf '%s\n' "$lora" "$kernels_off" 'liger_fused_linear_cross_entropy: true' ;;
	packed) printf '%s\n' "$lora" "$kernels_off" 'sample_packing: true' ;;
	fa2_packed) printf '%s\n' "$lora" "$kernels_off" 'sample_packing: true' 'attn_implementation: flash_attention_2' ;;
	esac
}

write_config() {
	printf '%s\n' "base_model: $out/model" 'sequence_len: 4096' 'micro_batch_size: 2' \
		'gradient_accumulation_steps: 1' 'pad_to_sequence_len: true'
	config_of "$1" | grep -q '^bf16:' || echo 'bf16: true'
	config_of "$1"
}

mkdir -p "$out/model"
cat >"$out/model/config.json" <<'END'
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_act": "silu", "hidden_size": 4096,
 "intermediate_size": 12288, "num_hidden_layers": 2, "num_attention_heads": 32, "num_key_value_heads": 8,
 "head_dim": 128, "vocab_size": 151936, "tie_word_embeddings": false}
END

record() {
	local kind=$1 began=$SECONDS status=0
	shift
	"$program" record --out "$out/$kind.rec.json" -- "$python" "${step[@]}" "$@" >"$out/$kind.record.txt" 2>&1 ||
		status=$?
	echo "== $kind: record: exit $status after $((SECONDS - began)) s"
	tail -1 "$out/$kind.record.txt"
	return "$status"
}

job() {
	local kind=$1 package=$2 began status=0
	shift 2
	if ! "$python" -c "import importlib.util, sys; sys.exit(importlib.util.find_spec('$package') is None)"; then
		echo "== $kind: skipped, $python has no $package"
		return
	fi
	write_config "$kind" >"$out/$kind.yaml"
	[ -f "$out/$kind.rec.json" ] || record "$kind" "$@" || return
	[ -z "${RECORD_ONLY:-}" ] || return 0
	began=$SECONDS
	"$program" autotune --shapes "$out/$kind.rec.json" --config "$out/$kind.yaml" --python "$python" \
		--budget "${BUDGET:-25}" --out "$out/$kind.json" >"$out/$kind.txt" 2>&1 || status=$?
	echo "== $kind: autotune: exit $status after $((SECONDS - began)) s"
	grep -E '^(today|attention:|gemm:|heuristic|nothing|the plan|plan written)|error|mindxtrain:' "$out/$kind.txt" |
		cut -c1-300
	[ "$status" -ne 0 ] || "$python" bench/coverage.py "$program" "$out/$kind.rec.json" "$out/$kind.json" -- \
		--config "$out/$kind.yaml" --device cuda --python "$python" 2>&1 | tee "$out/$kind.coverage.txt"
}

kinds | while IFS='|' read -r kind package options; do
	read -r kind <<<"$kind"
	read -r package <<<"$package"
	if [ $# -gt 0 ] && ! printf '%s\n' "$@" | grep -qx "$kind"; then continue; fi
	# shellcheck disable=SC2086 # the options are words of a table
	job "$kind" "$package" $options </dev/null
done
