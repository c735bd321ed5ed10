#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: bench/gpu.sh OUT
#
# The figures of docs/benchmarks.md for one NVIDIA GPU, from an unpacked bundle (make bundle) on the machine that has the
# GPU; the Python on PATH is the one that trains. Plans and tables go to the folder OUT; a summary is printed. Takes some
# eight minutes. Nothing here is a test.
set -uo pipefail
mkdir -p "$1" || exit
out=$(realpath "$1")
cd "$(dirname "$0")/.." || exit
program=bin/mindxtrain
torch=$(python3 -c 'import pathlib, torch; print(pathlib.Path(torch.__file__).parent)')
shape=(--micro-batch 8 --seq-len 4096 --lora-rank 16)
job=(--model qwen3-8b "${shape[@]}")

# Runs autotune and prints one line: status, seconds, plan_id, and what was chosen.
tune() {
	local name=$1 status=0 began ended
	shift
	began=$(date +%s.%N)
	"$program" autotune --out "$out/$name.json" "$@" >"$out/$name.txt" 2>&1 || status=$?
	ended=$(date +%s.%N)
	python3 - "$out/$name.json" "$name" "$status" "$began" "$ended" <<'EOF'
import json, pathlib, sys
path, name, status, began, ended = sys.argv[1:]
line = f"{name}: exit {status}, {float(ended) - float(began):.1f} s"
if status == "0":
    plan = json.loads(pathlib.Path(path).read_text())
    line += f", plan {plan['plan_id'][:12]}"
    for c in plan["evidence"]["choices"]:
        line += f"; {c['probe']} {c['winner']}" + "".join(
            f" {k[:-4]} {c[k] / 1e4:.1f}" for k in ("gain_ppm", "bound_ppm", "floor_ppm") if k in c)
print(line, flush=True)
EOF
}

nvidia-smi --query-gpu=name,uuid,driver_version,power.limit --format=csv,noheader
python3 -c 'import torch; print("torch", torch.__version__)'
for run in 1 2 3 4 5 6 7 8 9 10; do tune "run$run" "${job[@]}"; done
tune budget10 "${job[@]}" --budget 10
tune against1 "${job[@]}" --against "$out/run1.json"
tune against2 "${job[@]}" --against "$out/run1.json"
TORCH_CUDNN_SDPA_DEPRIORITIZED=1 tune yours "${job[@]}"
tune table --model examples/llama-7b/config.json "${shape[@]}"
"$program" plan show --format post "$out/table.json"
"$program" plan check "$out/run1.json"
# The regret: every candidate, many blocks.
timeout 200 bench/exhaustive "$program" qwen3-8b "${BLOCKS:-60}" cuda "$torch" 4096 8 16
python3 bench/fidelity.py bench/torch_times --rounds 3 --json "$out/fidelity.json"
for set in more deterministic; do
	python3 bench/fidelity.py bench/torch_times --rounds 3 --set "$set" --json "$out/fidelity-$set.json"
done
tune deterministic "${job[@]}" --deterministic
