#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`mindxtrain doctor` on machines with AMD GPUs. What it prints for each is in the golden files of test_doctor."""

import filecmp
import json
import shutil
import subprocess

import amd_hosts
import mxt

HOSTS = mxt.FIXTURES / "hosts"
SCRIPT = mxt.SOURCE_ROOT / "scripts" / "record-host.sh"
NODES = "sys/class/kfd/kfd/topology/nodes"


def differences(comparison):
    """Paths in which two folders differ, however deep."""
    found = comparison.left_only + comparison.right_only + comparison.diff_files + comparison.funny_files
    for below in comparison.subdirs.values():
        found += differences(below)
    return found


class Fixtures(mxt.TestCase):
    def test_they_are_what_the_script_makes(self):
        amd_hosts.make(self.dir)
        for name in amd_hosts.HOSTS:
            found = differences(filecmp.dircmp(self.dir / name, HOSTS / name))
            self.assertEqual(found, [], f"{name}: run tests/lib/amd_hosts.py tests/fixtures/hosts")


class Machine(mxt.TestCase):
    """What doctor finds on a recorded machine, or on a changed copy of it."""

    def copy(self, name):
        root = self.dir / name
        shutil.copytree(HOSTS / name, root)
        return root

    def checks(self, root, *args):
        report = json.loads(self.run_program("doctor", "--json", "--sysroot", root, *args, status=0).out)
        return {check["id"]: check for check in report["checks"]}

    def findings(self, root, check="amd"):
        """(status, what) of all that is not ok."""
        rows = self.checks(root)[check]["findings"]
        return [(row["status"], row["what"]) for row in rows if row["status"] != "ok"]

    def find(self, root, status, words, check="amd"):
        found = self.checks(root)[check]["findings"]
        rows = [row for row in found if words in row["what"]]
        self.assertEqual([row["status"] for row in rows], [status], (words, found))
        return rows[0]

    def visible(self, root, text):
        with open(root / "environ", "a", encoding="utf-8") as file:
            file.write(text + "\n")


class Changed(Machine):
    def test_nothing_is_wrong_with_eight(self):
        self.assertEqual(self.findings(HOSTS / "mi300x-8"), [])
        facts = self.checks(HOSTS / "mi300x-8")["amd"]["facts"]
        self.assertEqual((facts["cards"], facts["mesh"], facts["kfd"]), (8, "full", "open"))
        self.assertEqual({gpu["card_memory_bytes"] for gpu in facts["gpus"]}, {206141652992})
        self.assertEqual({gpu["xgmi_links"] for gpu in facts["gpus"]}, {7})

    def test_device_files(self):
        root = self.copy("mi300x-cgroup")
        for rights, kfd, render, words in (
            ("denied", "denied", "open", "groups render and video"),
            ("", "absent", "open", "--device=/dev/kfd"),
            ("open", "open", "forbidden", "--device=/dev/dri"),
        ):
            with self.subTest(kfd=kfd, render=render):
                rows = ([f"{rights} /dev/kfd"] if rights else []) + [f"{render} /dev/dri/renderD152"]
                (root / "device-files").write_text("\n".join(rows))
                name = "/dev/kfd" if kfd != "open" else "/dev/dri/renderD152"
                self.assertIn(words, self.find(root, "warn", name)["todo"])

    def test_modes_that_differ(self):
        root = self.copy("mi300x-8")
        device = root / "sys/bus/pci/devices/0000:a7:00.0"
        (device / "current_memory_partition").write_text("NPS4\n")
        self.assertIn("HIP_VISIBLE_DEVICES", self.find(root, "warn", "GPU 0 and GPU 5 differ")["todo"])

    def test_variables(self):
        root = self.copy("mi300x-8")
        self.visible(root, "ROCR_VISIBLE_DEVICES=6,1")
        self.find(root, "note", "ROCR_VISIBLE_DEVICES leaves 2 of 8 GPUs")
        self.find(root, "ok", "GPU 6 (HIP 0): AMD Instinct MI300X")
        self.find(root, "note", "2 cards, neither 1 nor 8")
        self.visible(root, "CUDA_VISIBLE_DEVICES=")
        self.find(root, "note", "CUDA_VISIBLE_DEVICES leaves 0 of 8 GPUs")
        self.assertEqual(self.checks(root)["amd"]["facts"]["gpus"], [])

    def test_no_driver(self):
        root = self.copy("mi300x-8")
        shutil.rmtree(root / "sys/class/kfd")
        self.assertIn("modprobe amdgpu", self.find(root, "warn", "no AMD driver for the 8 AMD GPUs")["todo"])
        self.find(root, "warn", "torch is built for ROCm 7.2.53211, and there is no AMD GPU", "rocm")
        shutil.rmtree(root / "sys/bus/pci/devices")
        (root / "sys/bus/pci/devices").mkdir()
        self.find(root, "ok", "no AMD driver")
        (root / NODES / "0").mkdir(parents=True)
        (root / NODES / "0/properties").write_text("cpu_cores_count 96\nsimd_count 0\n")
        self.find(root, "ok", "AMD's driver shows no GPU")
        self.find(root, "note", "torch is built for ROCm 7.2.53211, and there is no AMD GPU", "rocm")

    def test_no_gpu_for_a_container(self):
        root = self.copy("mi300x-cgroup")
        (root / NODES / "5/properties").write_text("")
        self.assertIn("--device=/dev/kfd", self.find(root, "warn", "8 GPUs of the machine are not accessible")["todo"])
        self.find(root, "warn", "there is no AMD GPU that it could use", "rocm")

    def test_damaged_node(self):
        root = self.copy("mi300x-vf")
        (root / NODES / "1/properties").write_text("simd_count many\n")
        self.find(root, "warn", "1 node of the driver's topology")

    def test_another_architecture(self):
        root = self.copy("mi300x-vf")
        path = root / NODES / "1/properties"
        path.write_text(path.read_text().replace("90402", "90010").replace("29877", "29711"))
        self.find(root, "note", "gfx90a is not gfx942")
        self.find(root, "ok", "AMD GPU 0x740f")


class Record(Machine):
    """scripts/record-host.sh, with the files of a recorded machine in the place of /sys."""

    def record(self, name):
        root = self.dir / "record"
        script = 'mount -t tmpfs none /sys && cp -r "$0/sys/." /sys/ && exec "$1" "$2"'
        apart = ["unshare", "-rm", "sh", "-c"]
        can = shutil.which("unshare") and subprocess.run([*apart, "mount -t tmpfs none /sys"], check=False).returncode == 0
        if not can:
            self.skipTest("no files can be put in the place of /sys here")
        command = [*apart, script, HOSTS / name, SCRIPT, root]
        subprocess.run(command, check=True, capture_output=True, cwd=self.dir, env=self.environment())
        return root

    def test_a_record_has_all_but_serial_numbers(self):
        for name in ("mi300x-cgroup", "mi300x-cpx"):
            with self.subTest(name):
                root = self.record(name)
                recorded, original = (self.checks(place)["amd"]["facts"] for place in (root, HOSTS / name))
                uuids = {gpu.pop("uuid") for gpu in recorded["gpus"]}
                self.assertEqual(uuids, {"GPU-0000000000000001"})
                serials = {gpu.pop("uuid") for gpu in original["gpus"]}
                for facts in (recorded, original):  # those of the machine that runs the test
                    facts.pop("kfd", None)
                    for gpu in facts["gpus"]:
                        gpu.pop("access")
                self.assertEqual(recorded, original)
                text = "".join(path.read_text() for path in (root / "sys").rglob("properties"))
                for serial in serials:
                    self.assertNotIn(str(int(serial[4:], 16)), text)
                shutil.rmtree(root)


if __name__ == "__main__":
    mxt.main()
