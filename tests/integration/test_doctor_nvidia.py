#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What NVIDIA's driver libraries tell, through the real survey worker, on machines that are not there."""

import json
import shutil
import subprocess

import mxt
import sim_nvidia
from sim_nvidia import cut, fault, h200, machine

CLEAN = {"NO_COLOR": None, "VIRTUAL_ENV": None, "CONDA_PREFIX": None, "PYTHONPATH": None, "CUDA_VISIBLE_DEVICES": None,
         "LD_LIBRARY_PATH": None}


class TestCase(mxt.TestCase):
    def survey(self, what, libraries=None, **env):
        """What the worker tells of a machine."""
        variables = {**CLEAN, **sim_nvidia.install(self.dir, what, libraries), **env}
        return self.run_program("doctor", "--survey", status=0, env=variables).json()

    def check(self, what, name="nvidia", libraries=None, args=(), **env):
        """A check of doctor on a machine."""
        variables = {**CLEAN, **sim_nvidia.install(self.dir, what, libraries), **env}
        result = self.run_program("doctor", "--json", *args, env=variables)
        self.assertIn(result.status, (0, 4), result)
        checks = {check["id"]: check for check in result.json()["checks"]}
        return checks[name]

    def finding(self, check, status, *words):
        """The one finding of that status that holds all words, in any of its texts."""
        rows = [row for row in check["findings"] if row["status"] == status
                and all(word in " ".join(row.values()) for word in words)]
        self.assertEqual(len(rows), 1, (status, words, check["findings"]))
        return rows[0]

    def worst(self, check):
        return [row["what"] for row in check["findings"] if row["status"] != "ok"]


class Facts(TestCase):
    def test_everything_that_is_told(self):
        gpu = h200(0)
        facts = self.survey(machine([gpu]))
        self.assertEqual(facts, {"driver": "580.159.04", "cuda_driver_version": 13000,
                                 "devices": [{**gpu, "index": 0, "ordinal": 0}]})

    def test_what_is_not_told_is_left_out(self):
        keys = ("pci", "compute_capability", "max_sm_mhz", "sm_mhz", "max_memory_mhz", "power_limit_mw",
                "default_power_limit_mw", "temperature_c", "ecc", "persistence", "compute_mode", "mig", "throttle",
                "nvlinks", "nvlinks_active", "nvlink_mb_per_s")
        row = self.survey(machine([h200(0, **{key: None for key in keys})]))["devices"][0]
        self.assertFalse(set(keys) & set(row), row)
        self.assertEqual(row["name"], "NVIDIA H200")

    def test_an_old_driver(self):
        gpu = h200(0)
        row = self.survey(machine([gpu], driver="440.33"), sim_nvidia.OLD_LIBRARIES)["devices"][0]
        for key in ("nvlinks", "mig", "processes"):
            self.assertNotIn(key, row)
        self.assertEqual((row["ordinal"], row["sm_count"], row["throttle"]), (0, 132, ["idle"]))

    def test_visible_devices(self):
        gpus = [h200(i) for i in range(8)]
        for visible, order in ((None, range(8)), ("3,1", (3, 1)), (gpus[5]["uuid"], (5,)), ("2,-1,4", (2,))):
            facts = self.survey(machine(gpus), CUDA_VISIBLE_DEVICES=visible)
            self.assertEqual([row["index"] for row in facts["devices"]], list(range(8)))
            shown = {row["ordinal"]: row["index"] for row in facts["devices"] if "ordinal" in row}
            self.assertEqual(shown, dict(enumerate(order)))
            hidden = [row for row in facts["devices"] if "ordinal" not in row]
            self.assertTrue(all("sm_count" not in row for row in hidden))

    def test_no_device_is_visible(self):
        facts = self.survey(machine([h200(0)]), CUDA_VISIBLE_DEVICES="")
        self.assertIn("CUDA_VISIBLE_DEVICES", facts["cuda_reason"])
        self.assertNotIn("ordinal", facts["devices"][0])
        self.assertEqual(facts["devices"][0]["name"], "NVIDIA H200")

    def test_slices(self):
        what = machine([h200(0), cut(1, {"sm_count": 16}, {"sm_count": 32})])
        slices = what["gpus"][1]["slices"]
        facts = self.survey(what)
        self.assertEqual([row["mig"] for row in facts["devices"]], ["off", "on", "slice", "slice"])
        self.assertNotIn("ordinal", facts["devices"][1])
        self.assertEqual((facts["devices"][2]["ordinal"], facts["devices"][2]["sm_count"]), (1, 16))
        self.assertEqual(facts["devices"][2]["memory_bytes"], 18 << 30)
        self.assertEqual(facts["devices"][2]["card"], what["gpus"][1]["uuid"])
        self.assertEqual(facts["devices"][2]["pci"], what["gpus"][1]["pci"])
        facts = self.survey(what, CUDA_VISIBLE_DEVICES=slices[1]["uuid"])
        shown = [row for row in facts["devices"] if "ordinal" in row]
        self.assertEqual([(row["uuid"], row["ordinal"], row["sm_count"]) for row in shown], [(slices[1]["uuid"], 0, 32)])

    def test_processes(self):
        rows = [{"pid": 4242, "used_bytes": 5 << 30, "name": "/opt/venv/bin/python3 train.py --token=secret"},
                {"pid": 4243}]
        told = self.survey(machine([h200(0, processes=rows)]))["devices"][0]["processes"]
        self.assertEqual(told, [{"pid": 4242, "used_bytes": 5 << 30, "name": "python3"}, {"pid": 4243}])

    def test_more_processes_than_fit(self):
        row = self.survey(machine([h200(0, processes=[{"pid": i} for i in range(100)])]))["devices"][0]
        self.assertEqual(row["process_count"], 100)
        self.assertNotIn("processes", row)

    def test_garbage_becomes_printable(self):
        calls = ("nvmlDeviceGetName", "nvmlSystemGetDriverVersion", "nvmlDeviceGetPciInfo_v3")
        facts = self.survey(machine([h200(0)], [fault(call, "garbage") for call in calls]))
        for text in (facts["driver"], facts["devices"][0]["name"], facts["devices"][0]["pci"]):
            self.assertTrue(text.isprintable() and text.isascii(), text)
            self.assertLess(len(text), 100)

    def test_a_card_that_is_lost(self):
        for call in ("nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetMemoryInfo", "nvmlDeviceGetUUID"):
            facts = self.survey(machine([h200(0), h200(1)], [fault(call, "return", 15, gpu=0)]))
            self.assertIn("GPU is lost", facts["devices"][0]["fault"])
            self.assertNotIn("fault", facts["devices"][1])

    def test_optional_calls_may_fail(self):
        calls = ("nvmlDeviceGetClockInfo", "nvmlDeviceGetComputeRunningProcesses_v3", "cuDeviceGetAttribute",
                 "nvmlDeviceGetMigMode", "nvmlDeviceGetFieldValues", "cuDriverGetVersion")
        facts = self.survey(machine([h200(0)], [fault(call, "return", 999) for call in calls]))
        row = facts["devices"][0]
        self.assertFalse({"sm_mhz", "processes", "sm_count", "mig", "nvlink_mb_per_s"} & set(row))
        self.assertNotIn("cuda_driver_version", facts)
        self.assertEqual(row["ordinal"], 0)


class NoFacts(TestCase):
    def reason(self, status, *words, what=None, libraries=None):
        answer = self.survey(what or machine([h200(0)]), libraries)
        self.assertEqual(set(answer), {"status", "reason"}, answer)
        self.assertEqual(answer["status"], status, answer)
        for word in words:
            self.assertIn(word, answer["reason"])

    def test_not_loaded(self):
        for status in (9, 12):
            self.reason("absent", "not loaded", what=machine([], [fault("nvmlInit_v2", "return", status)]))

    def test_not_installed(self):
        if self.run_program("doctor", "--survey", env=CLEAN).json().get("status") != "absent":
            self.skipTest("a driver is here")
        self.reason("absent", "not installed", "libnvidia-ml.so.1", libraries={})

    def test_two_releases(self):
        self.reason("failed", "two releases", "reboot", what=machine([], [fault("nvmlInit_v2", "return", 18)]))

    def test_broken(self):
        self.reason("failed", "cannot start", "999", what=machine([], [fault("nvmlInit_v2", "return", 999)]))
        self.reason("failed", "how many", what=machine([], [fault("nvmlDeviceGetCount_v2", "return", 999)]))

    def test_a_symbol_is_missing(self):
        self.reason("failed", "nvmlInit_v2", libraries={"libnvidia-ml.so.1": "sim-cuda-driver"})

    def test_crash(self):
        for call in ("nvmlInit_v2", "cuInit", "nvmlDeviceGetName"):
            self.reason("failed", "signal", what=machine([h200(0)], [fault(call, "crash")]))

    def test_hang(self):
        self.reason("late", what=machine([h200(0)], [fault("nvmlDeviceGetName", "hang")]))

    def test_cuda_is_broken_but_nvml_is_not(self):
        for status, word in ((802, "fabricmanager"), (803, "does not belong"), (34, "stub"), (999, "999")):
            facts = self.survey(machine([h200(0)], [fault("cuInit", "return", status)]))
            self.assertIn(word, facts["cuda_reason"])
            self.assertEqual(facts["devices"][0]["name"], "NVIDIA H200")

    def test_cuda_is_not_installed(self):
        facts = self.survey(machine([h200(0)]), {"libnvidia-ml.so.1": "sim-nvml"})
        if "ordinal" in facts["devices"][0]:
            self.skipTest("a driver is here")
        self.assertIn("libcuda.so.1", facts["cuda_reason"])

    def test_no_surveyor_among_the_devices_of_autotune(self):
        result = self.run_program("autotune", "--device", "nvml", "--model", "qwen3-8b")
        self.assert_error(result, 2, "MXT-110", "nvml")

    def test_survey_is_of_this_machine(self):
        self.assert_error(self.run_program("doctor", "--survey", "--sysroot", "/"), 2, "MXT-110", "--survey")


class Findings(TestCase):
    def test_healthy(self):
        check = self.check(machine([h200(0)]))
        self.assertEqual(self.worst(check), [])
        self.finding(check, "ok", "driver 580.159.04", "13.0")
        self.finding(check, "ok", "NVIDIA H200", "140.4 GiB", "sm_90", "132", "00000000:18:00.0", sim_nvidia.uuid(1))
        self.finding(check, "ok", "345 of 1980 MHz", "700 W", "ECC on", "18 NVLinks")
        self.assertEqual(check["facts"]["driver"], "580.159.04")
        self.assertEqual(check["facts"]["devices"][0]["memory_bytes"], 150754820096)

    def test_power_cap(self):
        check = self.check(machine([h200(0), h200(1, power_limit_mw=500000)]))
        row = self.finding(check, "warn", "500 W", "700 W")
        self.assertIn("nvidia-smi -i 1 -pl 700", row["todo"])
        self.assertEqual(len(self.worst(check)), 1)

    def test_other_processes(self):
        check = self.check(machine([h200(0, processes=[{"pid": 4242, "used_bytes": 5 << 30, "name": "python3"}])]))
        self.finding(check, "warn", "1 other process on it", "4242 python3 (5.0 GiB)", "CUDA_VISIBLE_DEVICES")

    def test_processes_that_cannot_be_seen(self):
        check = self.check(machine([h200(0, memory_used_bytes=40 << 30)]))
        self.finding(check, "warn", "40.0 GiB", "not visible here")
        self.assertEqual(self.worst(self.check(machine([h200(0, memory_used_bytes=600 << 20)]))), [])

    def test_modes(self):
        check = self.check(machine([h200(0, compute_mode="exclusive_process", persistence=False, ecc=False)]))
        self.finding(check, "note", "exclusive compute mode", "started anew", "-c DEFAULT")
        self.finding(check, "note", "persistence", "nvidia-persistenced")
        self.finding(check, "note", "ECC is off")
        check = self.check(machine([h200(0, compute_mode="prohibited")]))
        self.finding(check, "warn", "prohibited")

    def test_throttled(self):
        check = self.check(machine([h200(0, throttle=["hw_thermal", "application_clocks", "hw_slowdown"])]))
        self.finding(check, "warn", "heat", "cooling")
        self.finding(check, "warn", "the board")
        self.finding(check, "note", "fixed")
        self.assertEqual(self.worst(self.check(machine([h200(0, throttle=["power_cap"])]))), [])

    def test_slice(self):
        check = self.check(machine([cut(0, {})]))
        self.finding(check, "note", "cut into MIG slices", "CUDA_VISIBLE_DEVICES=MIG-")
        self.finding(check, "note", "slice of GPU 0 (CUDA 0)", "slices of this size")

    def test_cards_that_differ(self):
        check = self.check(machine([h200(0), h200(1, name="NVIDIA H100")]))
        self.finding(check, "note", "more than one model")
        check = self.check(machine([h200(0), h200(1, nvlinks_active=16)]))
        self.finding(check, "warn", "NVLinks", "slowest link")

    def test_a_hidden_card_is_only_named(self):
        check = self.check(machine([h200(0, power_limit_mw=500000), h200(1)]), CUDA_VISIBLE_DEVICES="1")
        self.assertEqual(self.worst(check), [])
        self.finding(check, "ok", "GPU 1 (CUDA 0): NVIDIA H200")
        self.finding(check, "ok", "GPU 0: NVIDIA H200", "not shown by CUDA")

    def test_lost(self):
        check = self.check(machine([h200(0), h200(1)], [fault("nvmlDeviceGetMemoryInfo", "return", 15, gpu=1)]))
        self.finding(check, "warn", "GPU 1", "GPU is lost", "Xid")

    def test_no_visible_device(self):
        check = self.check(machine([h200(0)]), CUDA_VISIBLE_DEVICES="7")
        row = self.finding(check, "warn", "CUDA shows no GPU")
        self.assertIn("look at CUDA_VISIBLE_DEVICES", row["todo"])

    def test_libraries_fail(self):
        check = self.check(machine([h200(0)], [fault("nvmlInit_v2", "crash")]))
        self.finding(check, "warn", "driver libraries fail", "signal", "dmesg")
        check = self.check(machine([h200(0)], [fault("cuInit", "hang")]))
        self.finding(check, "warn", "do not answer in time", "nvidia-smi -pm 1")
        check = self.check(machine([], [fault("nvmlInit_v2", "return", 18)]))
        row = self.finding(check, "warn", "two releases")
        self.assertTrue(row["todo"].startswith("reboot"), row)

    def test_recorded(self):
        root = self.dir / "host"
        (root / "proc").mkdir(parents=True)
        for content, word in ((self.survey(machine([h200(0)])), "driver 580.159.04"),
                              ({"status": "late", "reason": "x"}, "do not answer in time"),
                              ({"devices": [{"sm_count": "many"}]}, "devices[0].sm_count"),
                              (None, "not recorded")):
            (root / "nvidia.json").unlink(missing_ok=True)
            if content is not None:
                (root / "nvidia.json").write_text(json.dumps(content))
            result = self.run_program("doctor", "--sysroot", root)
            self.assertIn(word, " ".join(result.out.split()))

    def test_the_script_records_the_answer(self):
        if not shutil.which("bash"):
            self.skipTest("bash is not installed")
        what = machine([h200(0)])
        env = {**CLEAN, **sim_nvidia.install(self.dir, what)}
        script = mxt.SOURCE_ROOT / "scripts" / "record-host.sh"
        subprocess.run([script, self.dir / "record", mxt.PROGRAM], check=True, capture_output=True,
                       env=self.environment(env))
        recorded = self.run_program("doctor", "--json", "--sysroot", self.dir / "record").json()
        self.assertIn(self.check(what), recorded["checks"])

    def test_a_record_that_is_no_json(self):
        root = self.dir / "host"
        (root / "proc").mkdir(parents=True)
        (root / "nvidia.json").write_text("{")
        self.assert_error(self.run_program("doctor", "--sysroot", root), 3, "MXT-120", "nvidia.json")


class Stack(TestCase):
    """A CUDA torch in a virtual environment, and what is around it."""

    SITE = "venv/lib/python3.12/site-packages"

    def torch(self, version="2.11.0+cu130", cuda="13.0", wheels=()):
        self.write("venv/bin/python3", b"\x7fELF")
        self.write("venv/pyvenv.cfg", "version = 3.12.1\n")
        self.write(f"{self.SITE}/torch/version.py", f"__version__ = '{version}'\ncuda = '{cuda}'\nhip = None\n")
        for wheel in wheels:
            self.write(f"{self.SITE}/{wheel}.dist-info/METADATA", "Name: x\n")

    def libraries(self, *names, folder=None):
        for name in names:
            self.write(f"{folder or self.SITE}/{name}", b"\x7fELF")

    def stack(self, what=None, search_path=(), **env):
        variables = sim_nvidia.install(self.dir, what or machine([h200(0)]), search_path=search_path)
        return self.check(what or machine([h200(0)]), "cuda", VIRTUAL_ENV=self.dir / "venv",
                          LD_LIBRARY_PATH=variables["LD_LIBRARY_PATH"], **env)

    def whole(self):
        self.torch(wheels=("nvidia_cudnn_cu13-9.15.1.9", "nvidia_cublas-13.1.0.3", "nvidia_nccl_cu13-2.28.9"))
        self.libraries("nvidia/cudnn/lib/libcudnn.so.9", "nvidia/cudnn/lib/libcudnn_graph.so.9",
                       "nvidia/cu13/lib/libcublasLt.so.13", "nvidia/nccl/lib/libnccl.so.2")

    def test_whole(self):
        self.whole()
        check = self.stack()
        self.assertEqual(self.worst(check), [])
        self.finding(check, "ok", "CUDA 13.0, the driver runs CUDA up to 13.0")
        for words in (("cuDNN 9.15.1.9", "libcudnn.so.9"), ("cuBLAS 13.1.0.3", "libcublasLt.so.13"),
                      ("NCCL 2.28.9", "libnccl.so.2")):
            self.finding(check, "ok", *words)
        self.assertEqual([row["version"] for row in check["facts"]["libraries"]], ["9.15.1.9", "13.1.0.3", "2.28.9"])

    def test_driver_versions(self):
        self.torch(cuda="13.2")
        self.finding(self.stack(), "note", "13.2", "13.0", "unsupported PTX version")
        old = machine([h200(0)], driver="535.104.05", cuda_driver_version=12020)
        row = self.finding(self.stack(old), "warn", "13.2", "12.2", "too old")
        self.assertIn("580", row["todo"])
        self.assertIn("CUDA 12", row["todo"])
        newer = machine([h200(0)], cuda_driver_version=14000)
        self.finding(self.stack(newer), "ok", "14.0")
        unknown = machine([h200(0)], [fault("cuDriverGetVersion", "return", 999)])
        self.finding(self.stack(unknown), "ok", "13.2")

    def test_old_cards(self):
        gpus = [h200(0), h200(1, name="Tesla V100", compute_capability="7.0"), h200(2, compute_capability="12.0")]
        self.torch()
        self.finding(self.stack(machine(gpus)), "warn", "Tesla V100 (sm_70)", "CUDA 12")
        self.torch("2.11.0+cu128", "12.8")
        self.assertEqual(self.worst(self.stack(machine(gpus))), [])

    def test_no_driver(self):
        self.torch()
        check = self.stack(machine([], [fault("nvmlInit_v2", "return", 9)]))
        rows = [row for row in check["findings"] if "no NVIDIA driver" in row["what"]]
        self.assertEqual(len(rows), 1, check)
        self.assertIn(rows[0]["status"], ("note", "warn"))  # by what is on the PCI bus
        self.assertIn("--gpus all", rows[0]["todo"])

    def test_no_cuda(self):
        self.write("venv/bin/python3", b"\x7fELF")
        self.write("venv/pyvenv.cfg", "version = 3.12.1\n")
        self.finding(self.stack(), "ok", "no torch")
        self.write(f"{self.SITE}/torch/version.py", "__version__ = '2.11.0+cpu'\ncuda = None\nhip = None\n")
        check = self.stack()
        self.finding(check, "ok", "not built for CUDA")
        self.assertEqual(check["not_reported"], ["torch_cuda", "libraries"])

    def test_wheels_of_two_cudas(self):
        self.whole()
        self.torch(wheels=("nvidia_cudnn_cu12-9.10.2.21",))
        self.finding(self.stack(), "warn", "9.15.1.9", "9.10.2.21", "same files", "pip uninstall")

    def test_shadowed(self):
        self.whole()
        self.libraries("libcudnn.so.9", "libcudnn_graph.so.9", "libcublasLt.so.13", folder="cuda/lib")
        check = self.stack(search_path=[self.dir / "none", self.dir / "cuda" / "lib"])
        row = self.finding(check, "warn", "another cuDNN", "cuda/lib/libcudnn.so.9", "libcudnn_graph.so.9")
        self.assertIn(f"take {self.dir}/cuda/lib out of LD_LIBRARY_PATH", row["todo"])
        self.finding(check, "note", "another cuBLAS", "loads its own")
        self.assertEqual(len(self.worst(check)), 2)

    def test_the_same_library_by_another_name(self):
        self.whole()
        (self.dir / "link").symlink_to(self.dir / self.SITE / "nvidia/cudnn/lib")
        check = self.stack(search_path=[self.dir / "link", self.dir / self.SITE / "nvidia/nccl/lib", "relative"])
        self.assertEqual(self.worst(check), [])

    def test_a_torch_without_wheels(self):
        self.torch()
        self.libraries("libcudnn.so.9", "libnccl.so.2", folder="cuda/lib")
        check = self.stack(search_path=[self.dir / "cuda" / "lib"])
        self.finding(check, "ok", "cuDNN", "cuda/lib/libcudnn.so.9", "from LD_LIBRARY_PATH")
        self.assertEqual(self.worst(check), [])


if __name__ == "__main__":
    mxt.main()
