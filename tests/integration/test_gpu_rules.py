#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many GPUs a job may have, and what autotune would do: on recorded machines, where nothing is started."""

import copy
import shutil

import mxt
import mxt_plans
import sim_hip
import sim_rocm

HOSTS = mxt.FIXTURES / "hosts"
WORKLOAD = ("--model", "instella-3b", "--seq-len", "2048", "--micro-batch", "2")


class TestCase(mxt.TestCase):
    def outlook(self, host, *options, status=0):
        """autotune on a recorded machine; no plan comes of it."""
        result = self.run_program("autotune", *WORKLOAD, "--sysroot", HOSTS / host, *options, status=status)
        self.assertEqual(list(self.dir.glob("plan*")), [])
        return result

    def assert_refused(self, host, gpus, *words):
        for device in ((), ("--device", "hip")):
            result = self.outlook(host, "--gpus", gpus, *device, status=4)
            self.assert_error(result, 4, "MXT-246", *words)
            self.assertEqual(result.out, "")


class Counts(TestCase):
    """On a machine with eight MI300X as they should be."""

    def test_each_number_but_1_and_8(self):
        for gpus, rate in ((2, "48 GB/s (1 x 48)"), (3, "96 GB/s (2 x 48)"), (4, "144 GB/s (3 x 48)"),
                           (5, "192 GB/s"), (6, "240 GB/s"), (7, "288 GB/s")):
            with self.subTest(gpus):
                self.assert_refused("mi300x-8", gpus, f"{gpus} GPUs", f"{gpus - 1} of its 7 links", rate,
                                    "against 336 with all 8", "--gpus 1", "--gpus 8")

    def test_what_was_measured_of_5_to_7(self):
        for gpus in (5, 6, 7):
            self.assert_refused("mi300x-8", gpus, "MI355X", "a tenth")

    def test_more_than_there_are(self):
        self.assert_refused("mi300x-8", 9, "9 GPUs on a node are refused")
        self.assert_refused("mi300x-8", 16, "16 GPUs on a node are refused")

    def test_several_nodes(self):
        """Each of them is as one alone."""
        self.assertIn(", 8 GPUs on each of 2 nodes", self.outlook("mi300x-8", "--gpus", 8, "--nodes", 2).out)
        self.assertIn(", 1 GPU on each of 2 nodes", self.outlook("mi300x-8", "--nodes", 2).out)
        for gpus, words in ((4, "3 of its 7 links"), (16, "16 GPUs on a node are refused")):
            result = self.outlook("mi300x-8", "--gpus", gpus, "--nodes", 2, status=4)
            self.assert_error(result, 4, "MXT-246", words)


class Machines(TestCase):
    """What is wrong with a machine, where a job wants eight."""

    def test_seven_of_eight(self):
        self.assert_refused("mi300x-7-of-8", 8, "8 GPUs are asked for", "shows 7", "dmesg")
        self.assert_refused("mi300x-7-of-8", 7, "6 of its 7 links", "this job sees 7")

    def test_a_link_that_is_down_names_the_pair(self):
        self.assert_refused("mi300x-link-down", 8, "GPU 2 (0000:47:00.0) and GPU 5 (0000:a7:00.0)",
                            "no direct xGMI link", "--gpus 1")

    def test_partitions_of_one_card_are_not_eight(self):
        self.assert_refused("mi300x-cpx", 8, "partitions (CPX)", "8 of a card, and 1 card", "SPX")
        self.assert_refused("mi300x-cpx", 2, "partitions (CPX)")

    def test_cards_that_a_container_was_not_given(self):
        self.assert_refused("mi300x-cgroup", 8, "gives this process 1: it hides 7 more")

    def test_a_mix(self):
        cards = [sim_rocm.card(i) for i in range(7)] + [sim_rocm.card(7, device_id=0x74a5)]
        self.refused_cards(cards, "not alike", "MI325X")

    def test_cards_in_another_mode(self):
        cards = [sim_rocm.card(i, simd_count=608, num_xcc=4, compute_partition="DPX") for i in range(8)]
        self.refused_cards(cards, "partitions (DPX)")

    def refused_cards(self, cards, *words):
        env = sim_rocm.Environment(self.dir / "env")
        machine = sim_rocm.install(self.dir, sim_rocm.machine(cards))
        result = self.run_program("autotune", *WORKLOAD, "--gpus", 8, "--python", env.folder, env=machine)
        self.assert_error(result, 4, "MXT-246", *words)


class Live(mxt.TestCase):
    """The same before anything is started on a machine that is there."""

    def refused(self, gpus, machine, *words, **env):
        python = sim_rocm.Environment(self.dir / "env")
        shown = {**sim_rocm.install(self.dir, machine), **env}
        result = self.run_program("autotune", *WORKLOAD, "--gpus", gpus, "--python", python.folder, env=shown)
        self.assert_error(result, 4, "MXT-246", *words)
        self.assertEqual(result.out, "")  # not even the line that a run begins with
        self.assertFalse((self.dir / "plan.json").exists())

    def test_counts(self):
        for gpus in (2, 4):
            self.refused(gpus, sim_rocm.machine(8), f"{gpus - 1} of its 7 links", "--gpus 8")

    def test_a_link_down(self):
        self.refused(8, sim_rocm.machine(8, cut=[(1, 6)]), "GPU 1", "GPU 6", "no direct xGMI link")

    def test_cards_that_a_variable_hides(self):
        self.refused(8, sim_rocm.machine(8), "HIP_VISIBLE_DEVICES leaves 4 of 8", HIP_VISIBLE_DEVICES="0,1,2,3")


class Outlook(TestCase):
    def test_nvidia(self):
        out = self.outlook("h200-2x", "--gpus", 2).out
        for line in ("a recorded machine: nothing can be measured on it, and no plan is made",
                     "machine: nvidia sm_90, 132 units", "problems of one step",
                     "gemm       cublaslt  TORCH_BLAS_PREFER_CUBLASLT=1", "collectives are not measured"):
            self.assertIn(line, out)
        self.assert_error(self.outlook("h200-2x", "--gpus", 3, status=4), 4, "MXT-246", "sees 2")

    def test_hosts(self):
        self.assertIn("machine: intel x86_64-v4", self.outlook("xeon-container").out)
        out = self.outlook("no-blas", "--device", "self-test").out
        self.assertIn("blas=blis: would not race: libblis.so.4 is not installed", out)
        self.assertNotIn("collectives", out)

    def test_what_stands_for_one_gpu_says_why_it_was_taken(self):
        result = self.outlook("xeon-container", "--gpus", 8, status=4)
        self.assert_error(result, 4, "MXT-246", "8 GPUs on 1 node: ", "can only stand for one", "torch")
        result = self.outlook("xeon-container", "--nodes", 2, status=4)
        self.assert_error(result, 4, "MXT-246", "1 GPU on 2 nodes: ", "--gpus 1 --nodes 1")

    def test_one_node(self):
        self.assertIn(", 2 GPUs of one node", self.outlook("h200-2x", "--gpus", 2).out)

    def test_json(self):
        outlook, workload = self.outlook("h200-2x", "--gpus", 2, "--json").events()
        self.assertEqual((outlook["event"], outlook["v"], outlook["device"]), ("outlook", 1, "cuda"))
        self.assertEqual(outlook["platform"]["arch"], "sm_90")
        rows = [row for row in outlook["candidates"] if row["candidate"] == "cublaslt"]
        self.assertEqual(rows, [{"probe": "gemm", "candidate": "cublaslt", "env": {"TORCH_BLAS_PREFER_CUBLASLT": "1"}}])
        self.assertEqual(outlook["collective"]["winner"], "bare")
        self.assertTrue(workload["problems"])

    def test_what_does_not_go_with_it(self):
        for option in (("--out", "p.json"), ("--against", "p.json"), ("--dataset", "data")):
            self.assert_error(self.outlook("h200-2x", *option, status=2), 2, "MXT-110", option[0], "--sysroot")
        self.assert_error(self.run_program("autotune", *WORKLOAD, "--sysroot", ""), 2, "MXT-110", "name of a folder")
        self.assert_error(self.run_program("autotune", *WORKLOAD, "--sysroot", self.dir), 3, "MXT-230")


ANNOUNCED = {"GPU_MAX_HW_QUEUES": "1", "NCCL_MIN_NCHANNELS": "112"}


class MI300X(TestCase):
    """What one or eight GPUs would come to, and which plans fit where."""

    def record(self, host, *environment):
        """A record with another environment; its Python is still found."""
        folder = self.dir / host
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(HOSTS / host, folder, symlinks=True)
        entries = ("PATH=/opt/train/bin:/usr/bin", "VIRTUAL_ENV=/opt/train", *environment)
        (folder / "environ").write_bytes(b"".join(entry.encode() + b"\0" for entry in entries))
        return folder

    def seen(self, host, *options):
        return self.outlook(host, "--json", *options).events()[0]

    def collective(self, host, *options):
        """Who was there, who ships, why, and what it sets."""
        row = self.seen(host, "--gpus", 8, *options)["collective"]
        self.assertEqual([text.split(":")[0] for text in row["not_measured"]], ["bare", "announced", "queues2"])
        return row["incumbent"], row["winner"], row["source"], row["env"], row["rule"]

    def test_one(self):
        outlook = self.seen("mi300x-8", "--gpus", 1)
        self.assertEqual((outlook["device"], outlook["platform"]["arch"], outlook["platform"]["units"]),
                         ("hip", "gfx942", 304))
        self.assertNotIn("collective", outlook)

    def test_eight(self):
        *choice, rule = self.collective(self.record("mi300x-8"))
        self.assertEqual(choice, ["bare", "announced", "documented", ANNOUNCED])
        self.assertIn("not measured", rule)
        self.assertIn("ROCm 6.2 to 7.2", rule)

    def test_the_library_chooses(self):
        *choice, rule = self.collective(self.record("mi300x-8"), "--no-documented")
        self.assertEqual(choice, ["bare", "bare", "unresolved", {}])
        self.assertIn("--no-documented", rule)

    def test_a_container_that_has_it_already(self):
        *choice, rule = self.collective("mi300x-8")
        self.assertEqual(choice, ["yours", "announced", "documented", ANNOUNCED])
        self.assertIn("today's job has GPU_MAX_HW_QUEUES=1 NCCL_MIN_NCHANNELS=112, and the plan does not change", rule)

    def test_what_somebody_chose_stays(self):
        *choice, _ = self.collective(self.record("mi300x-8", "NCCL_MIN_NCHANNELS=64"))
        self.assertEqual(choice, ["yours", "yours", "forced", {"NCCL_MIN_NCHANNELS": "64"}])

    def test_several_nodes(self):
        """Nothing is planned, and nothing taken away."""
        for options in ((), ("--no-documented",)):
            row = self.seen("mi300x-8", "--gpus", 8, "--nodes", 2, *options)["collective"]
            self.assertEqual((row["incumbent"], row["winner"], row["source"], row["env"]),
                             ("bare", "bare", "unresolved", {}))
            self.assertIn("the announced rule is for one node", row["rule"])
        self.assertIn("collectives of 3 nodes", self.seen("mi300x-8", "--nodes", 3)["collective"]["rule"])

    def test_a_partition_alone(self):
        outlook = self.seen("mi300x-cpx")
        self.assertEqual((outlook["platform"]["compute_partition"], outlook["platform"]["units"]), ("CPX", 38))

    def check(self, host, status, *words, **platform):
        """A plan for eight cards of mi300x-8 on another machine."""
        outlook = self.seen("mi300x-8", "--gpus", 8)
        decision = copy.deepcopy(Plans.GPU)
        decision["platform"] = {**outlook["platform"], "link": "xgmi", **platform}
        decision["stack"] = outlook["stack"]
        path = self.write("eight.json", mxt_plans.text(mxt_plans.plan(decision)))
        result = self.run_program("plan", "check", path, "--sysroot", self.record(host), status=status)
        for word in words:
            self.assertIn(word, result.out + result.err)
        return result

    def test_plans_and_machines(self):
        self.check("mi300x-8", 0, "fits this machine (hip)")
        self.check("mi300x-8", 5, "platform.units: 228, here 304", units=228)
        self.check("mi300x-cpx", 5, "platform.units: 304, here 38", "platform.compute_partition", "here CPX",
                   "platform.memory_gib")
        self.check("mi300x-link-down", 5, "platform.link: xgmi, here pcie")
        self.assert_error(self.check("xeon-container", 4), 4, "MXT-134", "nothing here can be compared")
        self.assert_error(self.check("mi300x-7-of-8", 4), 4, "MXT-246", "8 GPUs are asked for", "shows 7")

    def test_the_command_that_makes_such_a_plan(self):
        path = self.write("eight.json", mxt_plans.text(mxt_plans.plan(copy.deepcopy(Plans.GPU))))
        out = self.run_program("plan", "show", "--format", "post", path, status=0).out
        self.assertIn("--device hip", out)


class Run(sim_hip.TestCase):
    """A whole run, on stand-ins."""

    def test_eight(self):
        self.tune("--gpus", 8, machine=sim_rocm.machine(8))
        decision = self.plan()["decision"]
        self.assertEqual((decision["env"], decision["collective"], decision["platform"]["link"]),
                         (ANNOUNCED, {"config": "8gpu_xgmi"}, "xgmi"))
        self.assertIn("TORCH_NCCL_HIGH_PRIORITY", decision["unset"])
        self.assertEqual(decision["unset"], sorted(set(decision["unset"])))
        row = self.choice("collective")
        self.assertEqual((row["incumbent"], row["winner"], row["source"]), ("bare", "announced", "documented"))
        self.assertEqual(len(row["not_measured"]), 3)


class Plans(mxt.TestCase):
    """RCCL keeps more than 64 channels for 8 ranks on one node only; so does every reader of a plan."""

    GPU = {"platform": {"vendor": "amd", "arch": "gfx942", "units": 304, "memory_gib": 192, "link": "xgmi"},
           "stack": {"torch": "2.9.1+rocm7.2", "hip": "7.2.53211"},
           "workload": {"model": mxt_plans.CPU_DECISION["workload"]["model"],
                        "training": {**mxt_plans.CPU_DECISION["workload"]["training"], "gpus": 8, "strategy": "ddp"}},
           "attention": {"backend": "ck"}, "unset": None, "contract": None,
           "gemm": {"library": "hipblaslt", "mode": "heuristic"},
           "collective": {"config": "8gpu_xgmi"},
           "env": {"GPU_MAX_HW_QUEUES": "1", "NCCL_MIN_NCHANNELS": "112"}}

    def read(self, verb, **changes):
        decision = copy.deepcopy(self.GPU)
        for key, value in changes.items():
            if key == "collective":
                decision[key] = value
            else:
                decision["workload"]["training"][key] = value
        path = self.write("plan.json", mxt_plans.text(mxt_plans.plan(decision)))
        return self.run_program("plan", verb, path)

    def test_8_on_one_node(self):
        for verb in ("show", "env"):
            self.assertEqual(self.read(verb).status, 0)
        self.assertIn("NCCL_MIN_NCHANNELS='112'", self.read("env").out)

    def test_fewer(self):
        for verb in ("show", "env", "check", "id"):
            for gpus in (2, 4, 7):
                self.assert_error(self.read(verb, gpus=gpus, collective=None), 3, "MXT-126", "decision.env.NCCL_MIN_NCHANNELS", "8 ranks on one node")

    def test_several_nodes(self):
        for verb in ("env", "check"):
            self.assert_error(self.read(verb, nodes=2), 3, "MXT-126", "decision.collective.config", "one node")
            self.assert_error(self.read(verb, nodes=2, collective=None), 3, "MXT-126",
                              "decision.env.NCCL_MIN_NCHANNELS", "several nodes")

    def test_config_and_number_agree(self):
        self.assert_error(self.read("show", gpus=4), 3, "MXT-126", "decision.collective.config")


if __name__ == "__main__":
    mxt.main()
