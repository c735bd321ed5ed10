# SPDX-License-Identifier: Apache-2.0
"""Running autotune on a CUDA GPU that is not there: a torch of stand-ins (sim_torch.py), a driver of stand-ins
(sim_nvidia.py), and a model so small that its kernels are computed in no time."""

import planned
import sim_nvidia
import sim_torch

# Two layers, four heads that share two KV heads: 23 products, and attention at 64, 128 and 256 positions.
MODEL = {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 128, "intermediate_size": 256,
    "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 32, "vocab_size": 256,
    "max_position_embeddings": 512, "torch_dtype": "bfloat16", "tie_word_embeddings": False, "rms_norm_eps": 1e-6,
    "hidden_act": "silu",
}
L2_BYTES = 65536  # little, so that few operands rotate

# A developer's own switches must not race as `yours`, nor hide the stand-ins.
CLEAN = {name: None for name in (
    "CUBLASLT_HEURISTICS_CACHE_CAPACITY", "CUBLASLT_WORKSPACE_SIZE", "DISABLE_ADDMM_CUDA_LT", "PYTHONPATH",
    "TORCH_BLAS_PREFER_CUBLASLT", "TORCH_CUDNN_SDPA_AVOID_RECOMPILE", "TORCH_CUDNN_SDPA_DEPRIORITIZED",
    "TORCH_CUDNN_SDPA_PREFERRED", "VIRTUAL_ENV", "CONDA_PREFIX", "LD_LIBRARY_PATH", "MXT_SIM_TORCH")}


def ms(milliseconds, first_call=0.0):
    """A kernel that takes that long, whatever its size; slow kernels need few launches to be timed."""
    return {"fixed_ns": milliseconds * 1e6, "flops_per_s": 1e18, "first_call_ns": first_call * 1e6}


def both(milliseconds, first_call=0.0):
    return {"forward": ms(milliseconds, first_call), "backward": ms(2 * milliseconds, first_call)}


# Nobody gains anything: cuDNN and cuBLAS, which torch takes by itself, are the fastest.
CALM = {"seed": 1, "noise": {"sigma": 0.002}, "attention": {"cudnn": both(1), "flash": both(1.5)},
        "mm": {"cublas": ms(1), "cublaslt": ms(1.2)}}


class TestCase(planned.TestCase):
    def setUp(self):
        super().setUp()
        self.torch = sim_torch.Environment(self.dir / "env")
        self.write("config.json", MODEL)

    def variables(self, scenario, gpus=None, libraries=None):
        """The environment of a run."""
        gpus = [sim_nvidia.h200(0, l2_bytes=L2_BYTES)] if gpus is None else gpus
        played = {**CALM, **scenario}
        played["device"] = {"l2_bytes": L2_BYTES, **scenario.get("device", {})}
        return {**CLEAN, **sim_nvidia.install(self.dir, sim_nvidia.machine(gpus), libraries),
                **self.torch.scenario(**played)}

    def tune(self, *args, status=0, env=None, budget=60, seed=1, gpus=None, libraries=None, **scenario):
        """Runs autotune on a scenario over CALM, and on the GPUs that the driver tells; returns the result."""
        return self.run_program(
            "autotune", "--device", "cuda", "--python", self.torch.folder, "--model", self.dir / "config.json",
            "--seq-len", 128, "--micro-batch", 1, "--seed", seed, "--budget", budget, *args, status=status,
            env={**self.variables(scenario, gpus, libraries), **(env or {})})
