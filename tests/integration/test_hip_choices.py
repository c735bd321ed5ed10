#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""autotune on a ROCm torch, with stand-ins for the GPU: CK or AOTriton, hipBLASLt or rocBLAS; and which torch a GPU
needs."""

import mxt
import sim_hip
import sim_rocm
import sim_torch
from sim_hip import both, ms

CK_WINS = {"attention": {"aotriton": both(1.5), "ck": both(1)}}
ROCBLAS_WINS = {"mm": {"hipblaslt": ms(1.4), "rocblas": ms(1)}}
USES_CK = {"TORCH_ROCM_FA_PREFER_CK": "1"}
USES_ROCBLAS = {"TORCH_BLAS_PREFER_HIPBLASLT": "0", "ROCBLAS_USE_HIPBLASLT": "0", "DISABLE_ADDMM_CUDA_LT": "1"}


class Choices(sim_hip.TestCase):
    def use(self, build):
        self.torch = sim_rocm.Environment(self.dir / build, build)

    def decided(self, **scenario):
        """Attention's backend, the products' library, and the variables of the plan that are of these."""
        self.result = self.tune(**scenario)
        decision = self.plan()["decision"]
        chosen = {name: value for name, value in decision.get("env", {}).items()
                  if name in {**USES_CK, **USES_ROCBLAS}}
        return decision["attention"]["backend"], decision["gemm"]["library"], chosen

    def said(self, candidate, probe, words, status="unsupported"):
        """That this is why the candidate could not compete."""
        rows = self.samples(candidate=candidate, probe=probe)
        self.assertTrue(rows)
        for row in rows:
            self.assertEqual(row["status"], status)
            self.assertIn(words, row["reason"])

    def test_the_default_stays_where_nothing_is_faster(self):
        self.assertEqual(self.decided(), ("aotriton", "hipblaslt", {}))
        self.assertIn("no difference found", self.result.out)
        self.assertIn("today: AOTriton attention (torch's default)", self.result.out)
        stack = self.plan()["decision"]["stack"]
        self.assertEqual((stack["torch"], stack["hip"]), ("2.9.1+rocm7.2.1", "7.2.53211"))
        self.assertEqual(stack["capabilities"], ["ck_sdpa"])
        self.assertRegex(stack["hipblaslt"], "^build-[0-9a-f]{12}$")
        self.assertRegex(stack["rocblas"], "^build-[0-9a-f]{12}$")
        self.assertNotIn("rccl", stack)
        self.assertEqual(self.plan()["decision"]["platform"],
                         {"vendor": "amd", "arch": "gfx942", "units": 304, "memory_gib": 192})

    def test_ck_wins(self):
        self.assertEqual(self.decided(**CK_WINS), ("ck", "hipblaslt", USES_CK))
        choice = self.choice("attention")
        self.assertEqual((choice["winner"], choice["source"]), ("ck", "measured"))
        for candidate, backend in (("bare", "aotriton"), ("ck", "ck")):
            rows = self.samples(candidate=candidate, probe="attention", status="ok")
            self.assertEqual({row["backend"] for row in rows}, {backend})
            self.assertEqual({row["problem"]["direction"] for row in rows}, {"forward", "backward"})

    def test_triton_wins_by_its_backward(self):
        """CK is faster forward; what counts is a step."""
        faster = {"aotriton": {"forward": ms(1.3), "backward": ms(2)}, "ck": {"forward": ms(1), "backward": ms(2.8)}}
        self.assertEqual(self.decided(attention=faster), ("aotriton", "hipblaslt", {}))
        rows = {(row["candidate"], row["problem"]["direction"]): row["median_ns"]
                for row in self.samples(probe="attention", status="ok")}
        self.assertLess(rows["ck", "forward"], rows["bare", "forward"])
        self.assertGreater(rows["ck", "backward"], rows["bare", "backward"])

    def test_a_tie_keeps_the_default(self):
        even = {"attention": {"aotriton": both(1), "ck": both(1)}, "mm": {"hipblaslt": ms(1), "rocblas": ms(1)}}
        self.use("2.13")
        self.assertEqual(self.decided(noise={"sigma": 0.02}, **even), ("aotriton", "hipblaslt", {}))

    def test_a_torch_without_ck(self):
        self.use("2.9")
        self.assertEqual(self.decided(**CK_WINS), ("aotriton", "hipblaslt", {}))
        self.assertNotIn("capabilities", self.plan()["decision"]["stack"])
        self.assertIn("skipped ck: this torch has no CK attention", self.result.out)
        self.assertFalse(self.samples(candidate="ck", status="ok"))

    def test_a_torch_that_falls_back(self):
        """CK is built in, but not for this card: torch warns, takes AOTriton, and says so itself (since 2.9)."""
        for build in ("2.13", "2.9-ck"):
            self.use(build)
            self.assertEqual(self.decided(attention={"aotriton": both(1)})[0], "aotriton")
            self.said("ck", "attention", "the same kernels as under bare")

    def test_a_torch_that_ignores_the_switch_to_rocblas(self):
        self.assertEqual(self.decided(**ROCBLAS_WINS), ("aotriton", "hipblaslt", {}))
        self.said("rocblas", "gemm", "torch 2.9.1+rocm7.2.1 ignores TORCH_BLAS_PREFER_HIPBLASLT=0")

    def test_rocblas_wins(self):
        """AMD's own build heeds the switch before the PyTorch project's."""
        self.use("2.10-fork")
        self.assertEqual(self.decided(**ROCBLAS_WINS), ("aotriton", "rocblas", USES_ROCBLAS))
        rows = self.samples(candidate="rocblas", probe="gemm", status="ok")
        self.assertEqual({row["backend"] for row in rows}, {"rocblas"})

    def test_a_container_that_sets_variables(self):
        self.tune(env=sim_rocm.ANNOUNCED, **CK_WINS)
        decision = self.plan()["decision"]
        self.assertEqual(decision["attention"]["backend"], "ck")
        self.assertTrue(self.samples(candidate="yours", status="ok"))


class Builds(sim_hip.TestCase):
    """A torch that is built for other GPUs than are here."""

    def look(self, torch, *args, env=None, **how):
        return self.run_program("autotune", "--python", torch.folder, "--model", self.dir / "config.json", "--seq-len",
                                128, "--micro-batch", 1, *args,
                                env={**sim_hip.CLEAN, **(env or sim_rocm.install(self.dir, sim_rocm.machine(1)))},
                                **how)

    def notes(self, torch, env=None):
        """What --device auto says; its budget is so small that nothing is measured."""
        result = self.look(torch, "--json", "--budget", 1, env=env)
        run = next(event for event in result.events() if event["event"] == "run")
        self.assertEqual(run["device"], "cpu-torch")
        return " ".join(event["text"] for event in result.events() if event["event"] == "note")

    def nvidia(self):
        device = self.dir / "nvidia/sys/bus/pci/devices/0000:1b:00.0"
        device.mkdir(parents=True)
        (device / "vendor").write_text("0x10de\n")
        (device / "class").write_text("0x030200\n")
        return sim_rocm.show(self.dir / "nvidia")

    def test_a_cuda_torch_on_an_amd_machine(self):
        torch = sim_torch.Environment(self.dir / "cuda")
        result = self.look(torch, "--device", "hip")
        self.assert_error(result, 4, "MXT-244", "an AMD GPU is here", "not built for ROCm but for CUDA")
        self.assertIn(f"an AMD GPU is here, but torch {torch.version}", self.notes(torch))

    def test_a_rocm_torch_on_an_nvidia_machine(self):
        seen = self.nvidia()
        result = self.look(self.torch, "--device", "cuda", env=seen)
        self.assert_error(result, 4, "MXT-244", "an NVIDIA GPU is here", "not built for CUDA but for ROCm")
        self.assertIn("an NVIDIA GPU is here, but torch 2.9.1+rocm7.2.1", self.notes(self.torch, seen))

    def test_a_torch_for_the_host_where_no_gpu_is(self):
        (self.dir / "empty/sys/bus/pci/devices").mkdir(parents=True)
        self.assertNotIn("GPU is here", self.notes(self.torch, sim_rocm.show(self.dir / "empty")))

    def test_a_torch_without_the_c_interface(self):
        torch = sim_rocm.Environment(self.dir / "old", "2.8", version="2.4.0+rocm6.1")
        self.assert_error(self.look(torch, "--device", "hip"), 4, "MXT-244", "torch 2.4.0+rocm6.1", "too old")

    def test_what_doctor_says(self):
        torch = sim_rocm.Environment(self.dir / "plain", "2.9")
        for folder, words in ((self.torch.folder, "holds Composable Kernel attention"),
                              (torch.folder, "AOTriton attention only")):
            result = self.run_program("doctor", "--python", folder, status=None,
                                      env={**sim_hip.CLEAN, **sim_rocm.install(self.dir, sim_rocm.machine(1))})
            text = " ".join(result.out.split())
            self.assertIn(words, text)
            self.assertRegex(text, r"hipBLASLt build-[0-9a-f]{12}: \S+/torch/lib/libhipblaslt.so")


if __name__ == "__main__":
    mxt.main()
