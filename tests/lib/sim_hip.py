# SPDX-License-Identifier: Apache-2.0
"""Running autotune on an AMD GPU that is not there: a ROCm torch of stand-ins, a machine in a folder (sim_rocm.py), and a
model that is even smaller than that of sim_cuda.py: a cache of 256 MiB makes operands rotate through 64 windows."""

import planned
import sim_cuda
import sim_rocm
from sim_cuda import both, ms

__all__ = ["CALM", "CLEAN", "MODEL", "TestCase", "both", "ms"]

# Two layers, two heads that share a KV head: attention at 32, 64 and 128 positions.
MODEL = {**sim_cuda.MODEL, "hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 2, "num_key_value_heads": 1,
         "vocab_size": 128}

# A developer's own switches must not race as `yours`, nor hide the stand-ins.
CLEAN = {**sim_cuda.CLEAN, **{name: None for name in (
    "GPU_MAX_HW_QUEUES", "HIPBLASLT_TUNING_MODE", "HIPBLASLT_TUNING_OVERRIDE_FILE", "HIP_FORCE_DEV_KERNARG",
    "HSA_NO_SCRATCH_RECLAIM", "NCCL_MIN_NCHANNELS", "NVTE_CK_IS_V3_ATOMIC_FP32", "NVTE_CK_USES_BWD_V3",
    "PYTORCH_TUNABLEOP_ENABLED", "PYTORCH_TUNABLEOP_FILENAME", "PYTORCH_TUNABLEOP_TUNING", "ROCBLAS_USE_HIPBLASLT",
    "TORCH_BLAS_PREFER_HIPBLASLT", "TORCH_ROCM_FA_PREFER_CK")}}

# Nobody gains anything: AOTriton and hipBLASLt, which torch takes by itself, are the fastest, and the solution that
# hipBLASLt takes by itself is its best.
CALM = {"seed": 1, "noise": {"sigma": 0.002}, "attention": {"aotriton": both(1), "ck": both(1.5)},
        "mm": {"hipblaslt": ms(1), "rocblas": ms(1.4)},
        "solutions": {"hipblaslt": {"factors": [1, 1.1, 1.3]}, "rocblas": {"factors": [1, 1.2]}}}


class TestCase(planned.TestCase):
    def setUp(self):
        super().setUp()
        self.torch = sim_rocm.Environment(self.dir / "env")
        self.write("config.json", MODEL)

    def variables(self, scenario, machine=None):
        """The environment of a run."""
        machine = machine or sim_rocm.machine(1)
        played = {**CALM, **scenario}
        played["device"] = {**sim_rocm.devices(machine), **scenario.get("device", {})}
        return {**CLEAN, **sim_rocm.install(self.dir, machine), **self.torch.scenario(**played)}

    def tune(self, *args, status=0, env=None, budget=60, seed=1, machine=None, **scenario):
        """Runs autotune on a scenario over CALM, and on the cards of the machine; returns the result."""
        return self.run_program(
            "autotune", "--device", "hip", "--python", self.torch.folder, "--model", self.dir / "config.json",
            "--seq-len", 64, "--micro-batch", 1, "--seed", seed, "--budget", budget, *args, status=status,
            env={**self.variables(scenario, machine), **(env or {})})
