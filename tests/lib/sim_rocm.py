# SPDX-License-Identifier: Apache-2.0
"""A Python environment with a ROCm torch of stand-ins (tests/sim/README.md), laid out as the wheels of the real one are,
and a machine whose AMD cards are written down in a folder.

    class Test(mxt.TestCase):
        def test(self):
            env = sim_rocm.install(self.dir, sim_rocm.machine(8))
            self.run_program("doctor", env=env)

`install` writes the kernel's files about the machine below a folder, and returns the variables that make a program read
them in place of its own: it needs no rights, but a program that is linked dynamically. `write` only writes the files:
what --sysroot takes.
"""

import json
import os
import pathlib
import shutil

import sim_torch

VERSION_PY = """from typing import Optional

__all__ = ['__version__', 'debug', 'cuda', 'git_version', 'hip', 'xpu']
__version__ = {version!r}
debug = False
cuda: Optional[str] = None
git_version = '0000000000000000000000000000000000000000'
hip: Optional[str] = {hip!r}
xpu: Optional[str] = None
"""

# By build of torch (the README's table): version, version of HIP, ROCm's major number, hipBLASLt's build.
BUILDS = {
    "2.8": ("2.8.0+rocm6.4", "6.4.43484-123eb5128", "6", "6.4"),
    "2.9": ("2.9.1+rocm7.2.1", "7.2.53211", "7", "7.2"),
    "2.9-ck": ("2.9.1+rocm7.2.1", "7.2.53211", "7", "7.2"),
    "2.9-no-abi": ("2.9.1+rocm7.2.1", "7.2.53211", "7", "7.2"),
    "2.10": ("2.10.0+rocm7.2.1", "7.2.53211", "7", "7.2"),
    "2.10-fork": ("2.10.0+rocm7.2.1.gitb8c4f2b9", "7.2.53211", "7", "7.2"),
    "2.11": ("2.11.0+rocm7.2", "7.2.53211", "7", "7.2"),
    "2.13": ("2.13.0+rocm7.2", "7.2.53211", "7", "7.2"),
}

# The stack that the first plans were announced for: ROCm 7.2.1, torch 2.9.1 of AMD's own build, and a container that
# already sets these.
ANNOUNCED_BUILD = "2.9-ck"
ANNOUNCED = {"GPU_MAX_HW_QUEUES": "1", "NCCL_MIN_NCHANNELS": "112", "NVTE_CK_USES_BWD_V3": "1",
             "NVTE_CK_IS_V3_ATOMIC_FP32": "1"}


class Environment(sim_torch.Environment):
    """`build` is a row of BUILDS; `hip` what version.py says; `major` another build of HIP's runtime (5, 6, 7),
    `hipblaslt` another one of that library (6.0, 6.2, 6.4, 7.2, 7.2-wide). `packages`: as wheels of AMD's own index are,
    with ROCm's libraries in packages beside torch, from where torch's Python loads them first."""

    def __init__(self, folder, build=ANNOUNCED_BUILD, version=None, hip=None, major=None, hipblaslt=None, python="3.11",
                 libraries=sim_torch.LIBRARIES, packages=False):
        self.packages = packages
        self.hip, self.runtime = hip or BUILDS[build][1], major or BUILDS[build][2]
        self.hipblaslt = hipblaslt or BUILDS[build][3]
        super().__init__(folder, build, version or BUILDS[build][0], python=python, libraries=libraries)

    def _torch(self, build, cuda):
        self.write(self.torch / "version.py", VERSION_PY.format(version=self.version, hip=self.hip))
        self.dist_info("torch", self.version)
        self.write(self.torch / "lib" / "stand-in", "These libraries only stand in for torch's: nothing is measured.\n")
        major = BUILDS[build][2]  # rocBLAS goes with the build
        for name, stem in (("torch_cpu", f"rocm-torch-cpu-{build}"), ("torch_hip", f"torch-hip-{build}")):
            self.link(stem, self.torch / "lib" / f"lib{name}.so")
        kernels = "_rocm_sdk_libraries_gfx94X_dcgpu"
        for name, stem, package, number in (("amdhip64", f"amdhip64-{self.runtime}", "_rocm_sdk_core", self.runtime),
                                            ("hipblaslt", f"hipblaslt-{self.hipblaslt}", kernels, "1"),
                                            ("rocblas", f"rocblas-{major}", kernels, "5"), ("rccl", "rccl", kernels, "1")):
            self.link(stem, self.site / package / "lib" / f"lib{name}.so.{number}" if self.packages
                      else self.torch / "lib" / f"lib{name}.so")
        if self.packages:
            self.write(self.torch / "_rocm_init.py", "def initialize():\n    import rocm_sdk\n")

    def _nvidia(self):
        pass


# One MI300X in SPX, as its driver describes it to the kernel's users.
NODE = {
    "cpu_cores_count": 0, "simd_count": 1216, "mem_banks_count": 1, "caches_count": 626, "io_links_count": 8,
    "p2p_links_count": 1, "cpu_core_id_base": 0, "simd_id_base": 2147487784, "max_waves_per_simd": 8,
    "lds_size_in_kb": 64, "gds_size_in_kb": 0, "num_gws": 64, "wave_front_size": 64, "array_count": 32,
    "simd_arrays_per_engine": 1, "cu_per_simd_array": 10, "simd_per_cu": 4, "max_slots_scratch_cu": 32,
    "gfx_target_version": 90402, "vendor_id": 4098, "device_id": 29857, "location_id": 0, "domain": 0,
    "drm_render_minor": 128, "hive_id": 10631624818852212319, "num_sdma_engines": 2, "num_sdma_xgmi_engines": 14,
    "num_sdma_queues_per_engine": 8, "num_cp_queues": 24, "max_engine_clk_fcompute": 2100, "local_mem_size": 0,
    "fw_version": 166, "capability": 746037888, "debug_prop": 1511, "sdma_fw_version": 22, "unique_id": 0, "num_xcc": 8,
    "max_engine_clk_ccompute": 2400,
}
CPU_NODE = {
    "cpu_cores_count": 96, "simd_count": 0, "mem_banks_count": 1, "caches_count": 144, "io_links_count": 5,
    "p2p_links_count": 3, "cpu_core_id_base": 0, "simd_id_base": 0, "max_waves_per_simd": 0, "lds_size_in_kb": 0,
    "gds_size_in_kb": 0, "num_gws": 0, "wave_front_size": 0, "array_count": 0, "simd_arrays_per_engine": 0,
    "cu_per_simd_array": 0, "simd_per_cu": 0, "max_slots_scratch_cu": 0, "gfx_target_version": 0, "vendor_id": 0,
    "device_id": 0, "location_id": 0, "domain": 0, "drm_render_minor": 0, "hive_id": 0, "num_sdma_engines": 0,
    "num_sdma_xgmi_engines": 0, "num_sdma_queues_per_engine": 0, "num_cp_queues": 0, "max_engine_clk_ccompute": 2400,
}
BUSES = (0x0c, 0x22, 0x38, 0x5c, 0x9f, 0xaf, 0xbf, 0xdf)
MEMORY_BYTES = 206141652992
CPU_NODES = 2


def card(index, **changes):
    """One card; changes go to its node, or to the keys below. A change to None takes a key away."""
    node = {**NODE, "location_id": BUSES[index % len(BUSES)] << 8, "drm_render_minor": 128 + 8 * index,
            "unique_id": 4376936076086227261 + index}
    card = {"gpu_id": 4096 + 257 * index, "name": "ip discovery", "memory_bytes": MEMORY_BYTES,
            "compute_partition": "SPX", "memory_partition": "NPS1", "marketing_name": "AMD Instinct MI300X"}
    for key, value in changes.items():
        (node if key in node else card)[key] = value
    card["node"] = {key: value for key, value in node.items() if value is not None}
    return card


def machine(cards, cut=(), driver="6.16.13", numa_balancing=0):
    """`cards`: how many healthy ones, or a list of card(); `cut`: pairs of cards between which there is no link."""
    if isinstance(cards, int):
        cards = [card(i) for i in range(cards)]
    return {"cards": cards, "cut": {frozenset(pair) for pair in cut}, "driver": driver, "numa_balancing": numa_balancing}


def _put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{text}\n")


def _properties(path, rows):
    _put(path / "properties", "\n".join(f"{key} {value}" for key, value in rows.items()))


def _link(path, number, source, target, xgmi):
    row = {"type": 11 if xgmi else 2, "version_major": 0, "version_minor": 0, "node_from": source, "node_to": target,
           "weight": 15 if xgmi else 20, "min_latency": 0, "max_latency": 0, "min_bandwidth": 64000 if xgmi else 312,
           "max_bandwidth": 64000, "recommended_transfer_size": 0,
           "recommended_sdma_engine_id_mask": 4 if xgmi else 0, "flags": 1}
    _properties(path / "io_links" / str(number), row)


def _pci(row):
    location = row["node"]["location_id"]
    return f"{row['node']['domain']:04x}:{location >> 8:02x}:{location >> 3 & 31:02x}.{location & 7}"


def _kfd(nodes, what):
    for number in range(CPU_NODES):
        _put(nodes / str(number) / "gpu_id", 0)
        _put(nodes / str(number) / "name", "")
        _properties(nodes / str(number), CPU_NODE)
        _properties(nodes / str(number) / "mem_banks" / "0", {
            "heap_type": 0, "size_in_bytes": 1081101176832, "flags": 0, "width": 64, "mem_clk_max": 4800})
    for index, row in enumerate(what["cards"]):
        node = nodes / str(CPU_NODES + index)
        peers = [peer for peer in range(len(what["cards"]))
                 if peer != index and frozenset((peer, index)) not in what["cut"]]
        _put(node / "gpu_id", row["gpu_id"])
        _put(node / "name", row["name"])
        _properties(node, {**row["node"], "io_links_count": len(peers) + 1})
        _properties(node / "mem_banks" / "0", {"heap_type": 1, "size_in_bytes": row["memory_bytes"], "flags": 0,
                                               "width": 8192, "mem_clk_max": 1300})
        _link(node, 0, CPU_NODES + index, index * CPU_NODES // max(1, len(what["cards"])), False)
        for number, peer in enumerate(peers):
            _link(node, number + 1, CPU_NODES + index, CPU_NODES + peer, True)


def _drm(root, index, row):
    minor = row["node"]["drm_render_minor"]
    files = {
        "vendor": "0x1002", "device": f"{row['node']['device_id']:#06x}", "class": "0x120000",
        "unique_id": f"{row['node']['unique_id']:016x}", "mem_info_vram_total": row["memory_bytes"],
        "mem_info_vram_used": 297795584, "mem_info_vis_vram_total": row["memory_bytes"],
        "current_compute_partition": row["compute_partition"], "current_memory_partition": row["memory_partition"],
        "available_compute_partition": "SPX, DPX, QPX, CPX", "xgmi_physical_id": index, "product_name":
        row["marketing_name"], "subsystem_vendor": "0x1002", "subsystem_device": "0x74a1", "numa_node": index // 4,
        "current_link_speed": "32.0 GT/s PCIe", "current_link_width": 16, "uevent": f"PCI_SLOT_NAME={_pci(row)}",
    }
    device = root / "sys/bus/pci/devices" / _pci(row)
    for name, text in files.items():
        if text is not None:
            _put(device / name, text)
    for name in (f"card{index}", f"renderD{minor}"):
        place = root / "sys/class/drm" / name
        place.mkdir(parents=True, exist_ok=True)
        (place / "device").symlink_to(os.path.relpath(device, place))
        _put(root / "dev/dri" / name, "")


def write(root, what):
    """Writes `what`, a machine(), below the folder: what --sysroot takes."""
    root = pathlib.Path(root)
    shutil.rmtree(root, ignore_errors=True)
    topology = root / "sys/class/kfd/kfd/topology"
    _put(topology / "generation_id", 2)
    _put(topology / "system_properties", "platform_oem 0\nplatform_id 0\nplatform_rev 0")
    _kfd(topology / "nodes", what)
    _put(root / "dev/kfd", "")
    if what["driver"]:
        _put(root / "sys/module/amdgpu/version", what["driver"])
    _put(root / "proc/sys/kernel/numa_balancing", what["numa_balancing"])
    for index, row in enumerate(what["cards"]):
        _drm(root, index, row)
    return root


def show(root):
    """The variables that make a program see the machine below the folder."""
    shim = pathlib.Path(os.environ["MXT_SIM_LIBRARIES"]) / "libsim-sysroot.so"
    options = ":".join(filter(None, (os.environ.get("ASAN_OPTIONS"), "verify_asan_link_order=0")))
    return {"LD_PRELOAD": str(shim), "MXT_SIM_SYSROOT": str(root), "ASAN_OPTIONS": options,
            "ROCR_VISIBLE_DEVICES": None, "HIP_VISIBLE_DEVICES": None, "CUDA_VISIBLE_DEVICES": None,
            "GPU_DEVICE_ORDINAL": None}


def install(folder, what):
    return show(write(pathlib.Path(folder) / "sim-rocm", what))


def devices(what):
    """The same cards for a scenario's "device"."""
    first = what["cards"][0]
    node = first["node"]
    return {"count": len(what["cards"]), "name": first["marketing_name"], "memory_bytes": first["memory_bytes"],
            "multiprocessors": node["simd_count"] // node["simd_per_cu"], "pci": [_pci(row) for row in what["cards"]]}


if __name__ == "__main__":
    import sys
    print(json.dumps(devices(machine(int(sys.argv[2])))), write(sys.argv[1], machine(int(sys.argv[2]))))
