#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: scripts/fetch-axolotl.sh [--where | --list]
#
# Fetches a real Axolotl that trains on a host without a GPU, for the tests that need one: a virtual environment of the
# Python that is here with the packages in the table below, from the Python index, with pip, and with the torch of
# fetch-python.sh, which is run first. --where prints its folder, --list the packages.
#   CACHE/axolotl-VERSION/{bin/python3,pyvenv.cfg,lib/...}
# CACHE is the one of fetch-torch.sh. It takes 1.8 GB there; torch's files are hard links and take nothing.
#
# The folder appears when it is whole and its packages were imported once. Other pins make another one, under the same
# name. Exit status 77, after one line that says why: nothing can be fetched here.
set -euo pipefail
scripts=$(cd "$(dirname "$0")" && pwd)
# shellcheck source-path=SCRIPTDIR source=cache_lock.sh
. "$scripts/cache_lock.sh"
# shellcheck source-path=SCRIPTDIR source=python_tree.sh
. "$scripts/python_tree.sh"
me=fetch-axolotl

# What Axolotl imports on its way to a LoRA training, in the versions that it asks for, with all that this needs. It
# asks for far more, which serves other trainings, storage and GPUs: xformers, liger-kernel, flash-linear-attention,
# kernels, optimum, the clients of cloud storage, lm_eval, gradio, modal, trackio and others.
packages() {
	cat <<-'END'
		accelerate==1.13.0
		addict==2.4.0
		annotated-doc==0.0.7
		annotated-types==0.8.0
		anyio==4.14.2
		axolotl==0.19.0
		axolotl-contribs-lgpl==0.0.7
		axolotl-contribs-mit==0.0.6
		backoff==2.2.1
		bitsandbytes==0.50.2
		certifi==2026.10.19.post1
		charset-normalizer==3.5.3
		click==8.5.1
		colorama==0.4.6
		datasets==4.8.4
		dill==0.4.1
		distro==1.9.0
		einops==0.8.2
		evaluate==0.4.1
		fastcore==2.2.41
		filelock==4.3.1
		fire==0.7.1
		fsspec==2026.2.0
		h11==0.16.0
		hf-xet==1.4.3
		httpcore==1.0.9
		httpx==0.28.1
		huggingface_hub==1.17.0
		idna==3.20
		Jinja2==3.1.6
		llvmlite==0.50.0
		markdown-it-py==4.3.0
		MarkupSafe==3.0.4
		mdurl==0.1.2
		mpmath==1.3.0
		multiprocess==0.70.19
		networkx==3.6.1
		numba==0.68.1
		numpy==2.4.6
		opentelemetry-api==1.45.2
		opentelemetry-sdk==1.45.2
		opentelemetry-semantic-conventions==0.66b2
		packaging==26.0
		pandas==3.1.1
		peft==0.20.0
		pillow==13.0.0
		platformdirs==4.14.9
		posthog==6.7.11
		protobuf==7.36.2
		psutil==7.2.2
		pyarrow==26.0.1
		pydantic==2.12.5
		pydantic_core==2.41.5
		Pygments==2.21.0
		python-dateutil==4.0.0
		python-dotenv==1.0.1
		PyYAML==6.0.3
		regex==2026.11.19
		requests==2.34.2
		rich==15.0.0
		safetensors==0.8.0
		scipy==1.17.1
		shellingham==1.5.4
		six==1.17.0
		sympy==1.14.0
		termcolor==3.3.0
		tokenizers==0.23.1
		torchao==0.17.0
		tqdm==4.70.1
		transformers==5.16.1
		triton==3.6.0
		trl==1.9.0
		typer==0.25.1
		typing-inspection==0.4.5
		typing_extensions==4.15.0
		urllib3==2.8.0
		wandb==0.31.0
		xxhash==4.1.0
	END
}

# shellcheck disable=SC2034 # of python_tree.sh
sources=axolotl-contribs-lgpl,axolotl-contribs-mit

# What `-m axolotl.cli.train` imports when it starts, and when it has read its config.
# shellcheck disable=SC2034 # of python_tree.sh
try='
import os
os.environ["AXOLOTL_DO_NOT_TRACK"] = "1"
import axolotl.cli.train, axolotl.train
'

# Torch and the libraries that it loads.
fill() {
	local site
	site=$(echo "$1"/lib/python3*/site-packages)
	cp --archive --link "$base/${site#"$1/"}"/{torch,torch-*,torchgen,functorch,nvidia,nvidia_*} "$site"
}

cache=$("$scripts/fetch-torch.sh" --where)
base=$("$scripts/fetch-python.sh" --where)
case ${1:-}$(uname -m) in
-*) ;;
x86_64) "$scripts/fetch-python.sh" ;;
*) skip "no Axolotl is known for $(uname -m)" ;;
esac
answer_or_make "${1:-}" "$cache/axolotl-$(packages | sed -n 's/^axolotl==//p')"
