#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: scripts/fetch-python.sh [--where | --list]
#
# Fetches a Python that could train, for the tests that need one: a virtual environment of the Python that is here with
# the packages in the table below, from the Python index, with pip. --where prints its folder, --list the packages.
#   CACHE/python-TORCH/{bin/python3,pyvenv.cfg,lib/...}
# CACHE is the one of fetch-torch.sh. It takes 3.5 GB there, for torch's own build for CUDA is the only one that the
# index has, and it does not load without NVIDIA's libraries; what it does without on a host is left out.
#
# The folder appears when it is whole and its packages were imported once. Other pins make another one, under the same
# name. Exit status 77, after one line that says why: nothing can be fetched here.
set -euo pipefail
scripts=$(cd "$(dirname "$0")" && pwd)
# shellcheck source-path=SCRIPTDIR source=cache_lock.sh
. "$scripts/cache_lock.sh"
# shellcheck source-path=SCRIPTDIR source=python_tree.sh
. "$scripts/python_tree.sh"
me=fetch-python

# With all that they need. Not here, for it only serves GPUs: triton, and the packages without libraries that torch
# names.
packages() {
	cat <<-'END'
		accelerate==1.15.0
		annotated-doc==0.0.7
		anyio==4.16.0
		click==8.5.1
		datasets==5.2.0
		dill==0.4.1
		filelock==4.3.1
		fsspec==2026.9.0
		h11==0.16.0
		hf-xet==1.8.0
		httpcore2==2.16.2
		httpx2==2.16.2
		huggingface_hub==2.4.0
		idna==3.20
		Jinja2==3.1.6
		markdown-it-py==4.3.0
		MarkupSafe==3.0.4
		mdurl==0.1.2
		mpmath==1.3.0
		multiprocess==0.70.19
		networkx==3.6.1
		numpy==2.4.6
		nvidia-cublas==13.1.0.3
		nvidia-cuda-cupti==13.0.85
		nvidia-cuda-runtime==13.0.96
		nvidia-cudnn-cu13==9.19.0.56
		nvidia-cufft==12.0.0.61
		nvidia-cufile==1.15.1.6
		nvidia-curand==10.4.0.35
		nvidia-cusolver==12.0.4.66
		nvidia-cusparse==12.6.3.3
		nvidia-cusparselt-cu13==0.8.0
		nvidia-nccl-cu13==2.28.9
		nvidia-nvjitlink==13.0.88
		nvidia-nvshmem-cu13==3.4.5
		packaging==26.4
		pandas==3.1.1
		peft==0.21.2
		psutil==7.2.2
		pyarrow==26.0.1
		Pygments==2.21.0
		python-dateutil==4.0.0
		PyYAML==6.0.4
		regex==2026.11.19
		rich==15.0.0
		safetensors==0.8.0
		shellingham==1.5.4
		six==1.17.0
		sympy==1.14.0
		tokenizers==0.23.3
		torch==2.11.0
		tqdm==4.70.1
		transformers==5.24.0
		truststore==0.10.5
		typer==0.29.2
		typing_extensions==4.16.0
		xxhash==4.1.0
	END
}

# Libraries that are only opened when a GPU computes: below NVIDIA's folder.
unwanted=(cudnn/lib/libcudnn_*.so.9 cu13/lib/libcusolverMg.so.* cu13/lib/libnvperf_*.so cu13/include cudnn/include
	nccl/include cusparselt/include nvshmem/include nvshmem/lib/*.a nvshmem/lib/*.bc)

# shellcheck disable=SC2034 # of python_tree.sh
sources=:none:

# What the tests do with it.
# shellcheck disable=SC2034 # of python_tree.sh
try='
import accelerate, datasets, peft, pyarrow, torch, transformers
x = torch.ones(1, 2, 4, 8, requires_grad=True)
torch.nn.functional.scaled_dot_product_attention(x, x, x, is_causal=True).sum().backward()
'

fill() {
	cd "$1"/lib/python3*/site-packages/nvidia
	# shellcheck disable=SC2068 # patterns
	rm -rf ${unwanted[@]}
	cd "$OLDPWD"
}

cache=$("$scripts/fetch-torch.sh" --where)
case ${1:-}$(uname -m) in
-* | x86_64 | aarch64) ;;
*) skip "no torch is known for $(uname -m)" ;;
esac
answer_or_make "${1:-}" "$cache/python-$(packages | sed -n 's/^torch==//p')"
