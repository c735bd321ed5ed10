#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What goes wrong on a GPU, with a torch, or between the two: each costs what it must, with a reason and the right exit
status, and leaves no process (mxt.TestCase sees to that)."""

import fcntl

import mxt
import sim_cuda
import sim_nvidia
import sim_torch
from sim_cuda import both, ms
from sim_torch import fault

# cublaslt wins in every run here, so that a failed rival in attention must not cost it.
CUBLASLT_WINS = {"mm": {"cublas": ms(1.4), "cublaslt": ms(1)}}
IN_FLASH = {"TORCH_CUDNN_SDPA_DEPRIORITIZED": "1"}

# What happens to flash attention, and a word of the reason.
ATTENTION_FAULTS = (
    (fault("attention.flash.forward", "crash"), "signal 11"),
    (fault("attention.flash.backward", "crash"), "signal 11"),
    (fault("attention.flash.backward", "crash", after=6), "signal 11"),
    (fault("attention.flash.backward", "abort"), "signal 6"),
    (fault("attention.flash.backward", "exit"), "exited with status 0"),
    (fault("attention.flash.backward", "hang"), "within"),
    (fault("attention.flash.forward", "wrong"), "wrong result"),
    (fault("attention.flash.backward", "wrong"), "wrong result"),
    (fault("attention.flash.forward", "nan"), "not a number"),
    (fault("attention.flash.backward", "nan"), "not a number"),
    (fault("attention.flash.backward", "error", text="this kernel needs another card"), "needs another card"),
    (fault("attention.flash.backward", "illegal_address"), "illegal memory access"),
    (fault("attention.flash", "instant"), ""),
    (fault("alloc", "error", env=IN_FLASH), "out of memory"),
    (fault("event.record", "error", code=719, env=IN_FLASH, after=4), "unspecified launch failure"),
    (fault("load.cuda", "crash", env=IN_FLASH), "signal 11"),
    (fault("load.cpu", "hang", env=IN_FLASH), "within"),
    (fault("load.cuda", "exit", env=IN_FLASH, code=3), "status 3"),
    (fault("device", "error", env=IN_FLASH), "busy or unavailable"),
)


class Challengers(sim_cuda.TestCase):
    def test_a_fault_costs_its_candidate_and_nothing_else(self):
        for what, word in ATTENTION_FAULTS:
            with self.subTest(**what):
                self.tune(faults=[what], attention={"cudnn": both(1.5), "flash": both(1)}, **CUBLASLT_WINS)
                decision = self.plan()["decision"]
                self.assertEqual(decision["attention"]["backend"], "cudnn")
                self.assertEqual(decision["env"], {"TORCH_BLAS_PREFER_CUBLASLT": "1"})
                rows = self.samples(candidate="flash", probe="attention")
                self.assertTrue(rows)
                for row in rows:
                    self.assertIn(row["status"], ("failed", "timeout", "unsupported"))
                    self.assertIn(word, row["reason"])

    def test_faults_of_products(self):
        for kind, word in (("crash", "signal 11"), ("wrong", "wrong result"), ("nan", "not a number"),
                           ("error", "unspecified launch failure")):
            with self.subTest(kind):
                self.tune(faults=[fault("mm.cublaslt", kind)], attention={"cudnn": both(1.5), "flash": both(1)},
                          **CUBLASLT_WINS)
                self.assertEqual(self.plan()["decision"]["env"], IN_FLASH)
                for row in self.samples(candidate="cublaslt", probe="gemm"):
                    self.assertIn(word, row["reason"])

    def test_a_time_below_what_the_card_can_do(self):
        """One slow multiprocessor: 4 GFLOP/s at most, of which attention over 256 positions needs 4 ms."""
        slow = sim_nvidia.h200(0, l2_bytes=sim_cuda.L2_BYTES, sm_count=1, max_sm_mhz=1)
        self.tune(gpus=[slow], attention={"cudnn": both(12), "flash": both(0.5)}, mm={"cublas": ms(12)})
        self.assertEqual(self.plan()["decision"]["attention"]["backend"], "cudnn")
        reasons = {row["reason"] for row in self.samples(candidate="flash", probe="attention", status="failed")}
        self.assertTrue(any("needs at least" in reason for reason in reasons), reasons)

    def test_libraries_that_print(self):
        """Thousands of lines, some of them no text, while they are loaded: nobody else notices."""
        result = self.tune("--json", faults=[fault("load", "print")], attention={"cudnn": both(1.5), "flash": both(1)})
        self.assertEqual(self.plan()["decision"]["attention"]["backend"], "flash")
        self.assertEqual(result.events()[-1]["event"], "plan")


class Incumbents(sim_cuda.TestCase):
    def test_an_incumbent_that_fails(self):
        for what, word in (
                (fault("attention.cudnn.backward", "crash"), "signal 11"),
                (fault("attention.cudnn.backward", "wrong"), "wrong result"),
                (fault("attention.cudnn.forward", "error", text="no engine for this"), "no engine for this"),
                (fault("mm.cublas", "illegal_address"), "illegal memory access"),
                (fault("load.cuda", "crash"), "signal 11"),
                (fault("load.cuda", "abort", text="an assertion"), "signal 6"),
        ):
            with self.subTest(**what):
                self.incumbent_refused("bare", word, faults=[what])

    def test_an_incumbent_that_hangs(self):
        """Within the budget; a hang and a machine that is far too slow look the same, and no budget is recommended."""
        result = self.tune(status=6, faults=[fault("mm.cublas", "hang")], budget=10)
        self.assert_error(result, 6, "MXT-240", "something hangs")
        self.assertFalse((self.dir / "plan.json").exists())

    def test_a_card_that_is_taken(self):
        self.incumbent_refused("busy or unavailable", status=4, error_id="MXT-244", device={"status": 46})

    def test_a_driver_that_is_too_old(self):
        self.incumbent_refused("driver version is insufficient", status=4, error_id="MXT-244", device={"status": 35})

    def test_too_little_memory_for_anything(self):
        self.incumbent_refused("out of memory", device={"memory_bytes": 100000})

    def test_no_driver(self):
        self.incumbent_refused("libnvidia-ml.so.1", status=4, error_id="MXT-244", libraries={})

    def test_no_card(self):
        self.incumbent_refused("no NVIDIA GPU", status=4, error_id="MXT-244", gpus=[])


class Torches(sim_cuda.TestCase):
    def use(self, **how):
        self.torch = sim_torch.Environment(self.dir / "other", **how)

    def test_a_symbol_is_missing(self):
        self.use(build="no-empty")
        self.torch_refused("aoti_torch_empty_strided")

    def test_a_library_below_it_is_missing(self):
        self.use(build="orphan")
        self.torch_refused("libmxtstub-not-there.so.7")

    def test_the_runtime_is_missing(self):
        """One of the system's, if there is any, does not do for the stand-ins."""
        (self.torch.site / "nvidia" / "cu13" / "lib" / "libcudart.so.13").unlink()
        self.torch_refused("torch is installed but cannot be loaded")

    def test_the_version_is_another(self):
        self.use(version="2.14.0+cu130")
        self.torch_refused("2.14.0+cu130", "of version 2.15")

    def test_too_old(self):
        self.use(version="2.7.1+cu126", build="2.8")
        self.torch_refused("2.7.1+cu126", "too old")

    def test_not_for_cuda(self):
        text = (self.torch.torch / "version.py").read_text()
        (self.torch.torch / "version.py").write_text(text.replace("'13.0'", "None"))
        self.torch_refused("not built for CUDA")

    def test_no_torch(self):
        (self.torch.torch / "version.py").unlink()
        for folder in self.torch.site.glob("torch-*.dist-info"):
            (folder / "METADATA").unlink()
            folder.rmdir()
        self.torch_refused("no torch was found")

    def test_a_library_that_is_none(self):
        library = self.torch.torch / "lib" / "libtorch_cuda.so"
        library.unlink()
        library.write_text("not an ELF file\n")
        self.torch_refused("libtorch_cuda.so", "repair its installation")


class Sharing(sim_cuda.TestCase):
    def card(self, **changes):
        return sim_nvidia.h200(0, l2_bytes=sim_cuda.L2_BYTES, **changes)

    def test_one_process_at_a_time(self):
        """A card in exclusive mode holds one worker: they take turns, and the decision is the same."""
        result = self.tune(gpus=[self.card(compute_mode="exclusive_process")],
                           device={"exclusive": str(self.dir / "card"), "compute_mode": 3},
                           attention={"cudnn": both(1.5), "flash": both(1)})
        self.assertIn("one process at a time", result.out)
        self.assertNotIn("busy or unavailable", result.out)
        self.assertEqual(self.plan()["decision"]["attention"]["backend"], "flash")

    def test_one_process_at_a_time_and_it_is_another(self):
        with open(self.dir / "card", "w", encoding="utf-8") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            result = self.tune(status=4, gpus=[self.card(compute_mode="exclusive_process")],
                               device={"exclusive": held.name, "compute_mode": 3})
        self.assert_error(result, 4, "MXT-244", "busy or unavailable")

    def test_another_process_on_the_card(self):
        rows = [{"pid": 4242, "name": "python3", "memory_bytes": 1 << 30}]
        result = self.tune(gpus=[self.card(processes=rows)])
        self.assertIn("other process on this card", result.out)


if __name__ == "__main__":
    mxt.main()
