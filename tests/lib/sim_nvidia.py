# SPDX-License-Identifier: Apache-2.0
"""A machine with NVIDIA GPUs that is not there: stand-ins for the driver's libraries (tests/sim) and what they tell.

    class Test(mxt.TestCase):
        def test(self):
            env = sim_nvidia.install(self.dir, sim_nvidia.machine([sim_nvidia.h200(0)]))
            self.run_program("doctor", env=env)

`install` puts links to the stand-ins, under the names that programs look for, into a folder of the scratch folder,
writes the machine beside it, and returns the variables that make a program find both. Other stand-ins may be put into
the same folder (`libraries`), and may read the same file (MXT_SIM_MACHINE): each leaves alone the keys that it does not
know. The file's format is in tests/sim/nvml_machine.h.
"""

import json
import os
import pathlib

GIB = 1 << 30


def uuid(number, kind="GPU"):
    return f"{kind}-{number:08x}-1111-2222-3333-444444444444"


def h200(index, **changes):
    """A healthy H200, as its driver describes it; a change to None takes a key away."""
    gpu = {
        "name": "NVIDIA H200", "uuid": uuid(index + 1), "pci": f"00000000:{index + 0x18:02X}:00.0",
        "memory_bytes": 150754820096, "memory_used_bytes": 4194304, "compute_capability": "9.0", "sm_count": 132,
        "l2_bytes": 62914560, "max_sm_mhz": 1980, "sm_mhz": 345, "max_memory_mhz": 3201, "memory_bus_bits": 6144,
        "power_limit_mw": 700000, "default_power_limit_mw": 700000, "temperature_c": 31, "ecc": True,
        "persistence": True, "compute_mode": "default", "mig": "off", "throttle": ["idle"], "processes": [],
        "nvlinks": 18, "nvlinks_active": 18, "nvlink_mb_per_s": 26562,
    }
    gpu.update(changes)
    return {key: value for key, value in gpu.items() if value is not None}


def cut(index, *slices, **changes):
    """An H200 in MIG mode; a slice is {"uuid": ..., "sm_count": ..., ...}, its name and size have defaults."""
    rows = [{"name": "NVIDIA H200 MIG 1g.18gb", "uuid": uuid(index * 16 + i + 256, "MIG"), "memory_bytes": 18 * GIB,
             "memory_used_bytes": 12 << 20, "sm_count": 16, "processes": [], **row} for i, row in enumerate(slices)]
    return h200(index, mig="on", slices=rows, **changes)


def machine(gpus, faults=(), **changes):
    """A machine; a fault is fault(...) below."""
    return {"driver": "580.159.04", "cuda_driver_version": 13000, "gpus": list(gpus), "faults": list(faults), **changes}


def fault(call, do, status=999, gpu=None):
    """`call` is the exported name; `do` is return, hang, crash or garbage; of all GPUs, or of one."""
    row = {"call": call, "do": do, "status": status}
    return row if gpu is None else {**row, "gpu": gpu}


# Names that programs look for, and builds of tests/sim/meson.build.
LIBRARIES = {"libnvidia-ml.so.1": "sim-nvml", "libcuda.so.1": "sim-cuda-driver"}
OLD_LIBRARIES = {"libnvidia-ml.so.1": "sim-nvml-old", "libcuda.so.1": "sim-cuda-driver-old"}


def install(folder, what, libraries=None, search_path=()):
    """Lays out `what`, a machine(); `libraries` replaces LIBRARIES; `search_path` is the rest of LD_LIBRARY_PATH."""
    folder = pathlib.Path(folder)
    place = folder / "sim-nvidia"
    place.mkdir(exist_ok=True)
    for old in place.iterdir():
        old.unlink()
    for name, build in (LIBRARIES if libraries is None else libraries).items():
        (place / name).symlink_to(pathlib.Path(os.environ["MXT_SIM_LIBRARIES"]) / f"lib{build}.so")
    path = folder / "sim-machine.json"
    path.write_text(json.dumps(what))
    return {"LD_LIBRARY_PATH": os.pathsep.join(map(str, (place, *search_path))), "MXT_SIM_MACHINE": str(path),
            "CUDA_VISIBLE_DEVICES": None}
