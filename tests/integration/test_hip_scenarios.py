#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What can become of a run on an MI300X: scenarios on stand-ins, and the plan that each must end in."""

import sim_hip
import sim_rocm
import mxt
from sim_hip import both, ms

CK = {"TORCH_ROCM_FA_PREFER_CK": "1"}
ROCBLAS = {"TORCH_BLAS_PREFER_HIPBLASLT": "0", "ROCBLAS_USE_HIPBLASLT": "0", "DISABLE_ADDMM_CUDA_LT": "1"}
CK_WINS = {"aotriton": both(1.5), "ck": both(1)}
DEFAULT = ("aotriton", "hipblaslt", {})


def fault(at, kind, **more):
    return {"at": at, "kind": kind, **more}


# What happens: attention's backend, the products' library, the plan's variables.
TABLE = {
    "ck wins": (dict(attention=CK_WINS), ("ck", "hipblaslt", CK)),
    "ck wins forward, the default backward and by weight": (
        dict(attention={"aotriton": {"forward": ms(1.2), "backward": ms(2)},
                        "ck": {"forward": ms(1), "backward": ms(2.6)}}), DEFAULT),
    "ck wins backward and by weight": (
        dict(attention={"aotriton": {"forward": ms(1), "backward": ms(2.6)},
                        "ck": {"forward": ms(1.1), "backward": ms(2)}}), ("ck", "hipblaslt", CK)),
    "a tie within the noise": (
        dict(attention={"aotriton": both(1), "ck": both(0.99)}, noise={"sigma": 0.015}), DEFAULT),
    "times drift by 15 % in a second": (
        dict(attention={"aotriton": both(1), "ck": both(1)}, mm={"hipblaslt": ms(1), "rocblas": ms(1)},
             drift_per_s=0.15), DEFAULT),
    "ck crashes in backward": (dict(attention=CK_WINS, faults=[fault("attention.ck.backward", "crash")]), DEFAULT),
    "ck hangs": (dict(attention=CK_WINS, faults=[fault("attention.ck.forward", "hang")]), DEFAULT),
    "ck computes wrongly": (dict(attention=CK_WINS, faults=[fault("attention.ck", "wrong")]), DEFAULT),
    "one backend falls off a cliff on the longest shape": (
        dict(attention={"aotriton": both(1), "ck": both(0.9)},
             cliffs=[{"at": "attention.ck", "dims": [64], "factor": 2}]), DEFAULT),
}


class TestCase(sim_hip.TestCase):
    def decided(self, *args, **how):
        result = self.tune(*args, **how)
        decision = self.plan()["decision"]
        return result, (decision["attention"]["backend"], decision["gemm"]["library"], decision.get("env", {}))

    def selectors(self, env):
        """Without what every plan on ROCm sets."""
        return {name: value for name, value in env.items() if name in {**CK, **ROCBLAS}}


class Choices(TestCase):
    def expect(self, name):
        scenario, (backend, library, env) = TABLE[name]
        _, decision = self.decided(**scenario)
        self.assertEqual((*decision[:2], self.selectors(decision[2])), (backend, library, env))


def add_rows():
    for name in TABLE:
        setattr(Choices, "test_" + name.replace(" ", "_").replace("%", "percent").replace(",", ""),
                lambda self, name=name: self.expect(name))


class Failures(TestCase):
    def test_what_crashed_is_told(self):
        self.decided(attention=CK_WINS, faults=[fault("attention.ck.backward", "crash")])
        rows = self.samples(candidate="ck", probe="attention")
        self.assertEqual({row["status"] for row in rows}, {"failed"})

    def test_the_default_computes_wrongly(self):
        """What everything is held against cannot be measured: there is no plan."""
        result = self.tune(status=6, faults=[fault("mm.hipblaslt", "wrong")])
        self.assert_error(result, 6, "MXT-241", "bare")

    def test_a_switch_that_torch_ignores(self):
        """Torch 2.9 of the PyTorch project stays with hipBLASLt on this card, whatever the variable says."""
        self.torch = sim_rocm.Environment(self.dir / "upstream", build="2.9")
        _, (_, library, env) = self.decided(mm={"hipblaslt": ms(1.4), "rocblas": ms(1)})
        self.assertEqual((library, self.selectors(env)), ("hipblaslt", {}))
        self.assertEqual({row["status"] for row in self.samples(candidate="rocblas")}, {"unsupported"})

    def test_a_switch_that_torch_heeds(self):
        self.torch = sim_rocm.Environment(self.dir / "fork", build="2.10-fork")
        _, (_, library, env) = self.decided(mm={"hipblaslt": ms(1.4), "rocblas": ms(1)})
        self.assertEqual((library, self.selectors(env)), ("rocblas", ROCBLAS))


class Solutions(TestCase):
    def heuristic(self, hipblaslt, factors=(1, 0.88, 1.3), **more):
        self.torch = sim_rocm.Environment(self.dir / hipblaslt, hipblaslt=hipblaslt)
        self.tune(solutions={"hipblaslt": {"factors": list(factors), **more}, "rocblas": {"factors": [1]}})
        return self.plan()["evidence"].get("heuristic")

    def test_the_default_is_12_percent_behind(self):
        for build in ("6.2", "7.2"):
            with self.subTest(build):
                self.assertAlmostEqual(self.heuristic(build)["gain_ppm"], 120000, delta=15000)

    def test_the_default_is_4_percent_behind(self):
        heuristic = self.heuristic("7.2", (1, 0.96, 1.3))
        self.assertAlmostEqual(heuristic["gain_ppm"], 40000, delta=10000)
        self.assertEqual(self.plan()["decision"]["gemm"]["mode"], "heuristic")

    def test_a_library_without_the_full_list(self):
        """hipBLASLt of ROCm 6.0 names what its heuristic ranks, and no more."""
        self.heuristic("6.0")
        self.assertEqual(self.plan()["decision"]["gemm"]["library"], "hipblaslt")

    def test_an_index_that_is_named_only_once(self):
        """No plan may pin what is not there a second time."""
        self.heuristic("7.2", vanish=50001)
        pins = self.plan()["decision"]["gemm"].get("pins", [])
        self.assertNotIn(50001, [pin["solution"] for pin in pins])


class Card(TestCase):
    def test_a_cold_card(self):
        """It needs seconds to its steady clock: they pass before anything is measured."""
        clock = {"cold_factor": 1.4, "warm_s": 3, "shared": str(self.dir / "clock")}
        _, decision = self.decided(clock=clock, attention={"aotriton": both(1), "ck": both(1)})
        first = self.plan()["evidence"]["warm_ups"][0]
        self.assertEqual(decision[0], "aotriton")
        self.assertIs(first["steady"], True)
        self.assertGreater(first["moved_ppm"], 150000)
        self.assertGreater(first["spent_ns"], 2500000000)

    def test_a_card_that_never_gets_steady(self):
        self.tune(clock={"cold_factor": 3, "warm_s": 12, "shared": str(self.dir / "clock")})
        evidence = self.plan()["evidence"]
        self.assertNotIn("steady", evidence["warm_ups"][0])
        self.assertIn("still changing", " ".join(evidence["health"]))

    def test_below_the_floor(self):
        """A product that stands for one of 8192 x 8192 x 8192, in some 2.2 ms: 500 TFLOP/s."""
        result = self.tune(mm={"hipblaslt": ms(2.2), "rocblas": ms(3)})
        verdict = r"gemm nn 8192x8192x8192 bfloat16: (49\d|50\d) TFLOP/s, fail: "
        self.assertRegex(result.out, "health, " + verdict)
        self.assertRegex(" ".join(self.plan()["evidence"]["health"]), verdict)

    def test_a_part_of_a_card(self):
        """CPX: one card that looks like several GPUs, and is named as what it is."""
        machine = sim_rocm.machine([sim_rocm.card(0, compute_partition="CPX", num_xcc=1, simd_count=152)])
        self.tune(machine=machine, device={"multiprocessors": 38})
        platform = self.plan()["decision"]["platform"]
        self.assertEqual((platform["compute_partition"], platform["units"]), ("CPX", 38))


class Announced(TestCase):
    def test_what_the_container_sets_races_as_yours(self):
        """ROCm 7.2.1 and torch 2.9.1 in a container that sets queues, channels and CK's backward by itself."""
        _, decision = self.decided(env=sim_rocm.ANNOUNCED, attention=CK_WINS)
        self.assertEqual((decision[0], decision[2].get("TORCH_ROCM_FA_PREFER_CK")), ("ck", "1"))
        self.assertTrue(self.samples(candidate="yours", probe="attention", status="ok"))

    def test_eight_of_eight(self):
        """Unmeasured, the announced rule ships as documented."""
        _, decision = self.decided(
            "--gpus", 8, machine=sim_rocm.machine(8), attention=CK_WINS)
        self.assertEqual(decision[2].get("NCCL_MIN_NCHANNELS"), "112")
        self.assertEqual(self.choice("collective")["source"], "documented")


class Budget(TestCase):
    def test_little(self):
        """Five seconds: a plan, or a word about how many would do."""
        result = self.tune(budget=5, status=None)
        self.assertIn(result.status, (0, 6), result)
        if result.status == 6:
            self.assert_error(result, 6, "MXT-240", "--budget")
        else:
            self.assertLess(self.plan()["evidence"]["budget"]["used_ns"], 5000000000)

    def test_over_in_the_middle_of_a_sweep(self):
        """A thousand solutions and a few seconds for them: what was compared is told, and no more."""
        self.tune(budget=30, solutions={"hipblaslt": {"count": 940, "gain": 0.04, "cliff_share": 0.1},
                                        "rocblas": {"factors": [1]}})
        self.assertLess(self.plan()["evidence"]["budget"]["used_ns"], 30000000000)


add_rows()

if __name__ == "__main__":
    mxt.main()
