#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Makes the recorded machines with AMD GPUs under tests/fixtures/hosts: amd_hosts.py FOLDER

No such machine was at hand: they are put together from what others published. Recorded, word by word:

- the properties of a node in SPX mode: makodevai/gpuq, tests/test_hip_runtime.py
- of a node in CPX mode, PCI addresses, hive and ids of eight cards, links of processors and of partitions:
  ROCm/k8s-device-plugin, testdata/topo-mi300-cpx
- memory banks, and how a card's memory is divided: the same, testdata/topology-parsing-mi308
- the link of a GPU to its processor: ROCm/ROCmValidationSuite, output of gpup
- the address and id of a virtual function: lspci in public reports; its driver: bayusupa/rocm-mi300x-vf-study

Derived from Linux drivers/gpu/drm/amd: links between cards in SPX mode (type 11, weight 15, 64000 MB/s), and the files
of partition modes. What a machine has of each is in its README.
"""

import pathlib
import shutil
import sys

# A node of a card in SPX mode, as recorded; what differs between cards is filled in.
SPX = """cpu_cores_count 0
simd_count 1216
mem_banks_count 1
caches_count 626
io_links_count {links}
p2p_links_count 1
cpu_core_id_base 0
simd_id_base {simd_base}
max_waves_per_simd 8
lds_size_in_kb 64
gds_size_in_kb 0
num_gws 64
wave_front_size 64
array_count 32
simd_arrays_per_engine 1
cu_per_simd_array 10
simd_per_cu 4
max_slots_scratch_cu 32
gfx_target_version 90402
vendor_id 4098
device_id {device}
location_id {location}
domain 0
drm_render_minor {minor}
hive_id {hive}
num_sdma_engines 2
num_sdma_xgmi_engines 14
num_sdma_queues_per_engine 8
num_cp_queues 24
max_engine_clk_fcompute 2100
local_mem_size 0
fw_version 166
capability 746037888
debug_prop 1511
sdma_fw_version 22
unique_id {unique}
num_xcc 8
max_engine_clk_ccompute 2400
"""

CPX = (
    SPX.replace("simd_count 1216", "simd_count 152")
    .replace("caches_count 626", "caches_count 80")
    .replace("array_count 32", "array_count 4")
    .replace("num_sdma_xgmi_engines 14", "num_sdma_xgmi_engines 0")
    .replace("fw_version 166", "fw_version 177")
    .replace("sdma_fw_version 22", "sdma_fw_version 24")
    .replace("capability 746037888", "capability 2893521536")
    .replace("num_xcc 8", "num_xcc 1")
    .replace("ccompute 2400", "ccompute 2750")
)

CPU = """cpu_cores_count {cores}
simd_count 0
mem_banks_count 1
caches_count 0
io_links_count {links}
p2p_links_count 0
cpu_core_id_base {base}
simd_id_base 0
max_waves_per_simd 0
lds_size_in_kb 0
gds_size_in_kb 0
num_gws 0
wave_front_size 0
array_count 0
simd_arrays_per_engine 0
cu_per_simd_array 0
simd_per_cu 0
max_slots_scratch_cu 0
gfx_target_version 0
vendor_id 0
device_id 0
location_id 0
domain 0
drm_render_minor 0
hive_id 0
num_sdma_engines 0
num_sdma_xgmi_engines 0
num_sdma_queues_per_engine 0
num_cp_queues 0
max_engine_clk_ccompute 2750
"""

LINK = """type {type}
version_major 0
version_minor 0
node_from {source}
node_to {target}
weight {weight}
min_latency 0
max_latency 0
min_bandwidth {least}
max_bandwidth {most}
recommended_transfer_size 0
recommended_sdma_engine_id_mask {mask}
flags 1
"""

BANK = """heap_type 1
size_in_bytes {size}
flags 0
width 8192
mem_clk_max 1300
"""

# Of the eight cards of the recorded machine: PCI bus and unique id, in the order of its nodes.
CARDS = [
    (0x05, 16404946649897475633),
    (0x27, 2472748907779728154),
    (0x47, 15565237874008425757),
    (0x65, 12035684874187068538),
    (0x85, 15304831566906821053),
    (0xA7, 13644590235195043050),
    (0xC7, 13326531576914550249),
    (0xE5, 15931900197903628278),
]
HIVE = 15188982192727901047
MEMORY = 206141652992  # of a card, as rocminfo shows it
QUARTER = 51539607552  # of the same, in NPS4; the last one lacks 16 MiB
MI300X, MI300X_VF = 0x74A1, 0x74B5
FIRST_GPU = 2  # nodes 0 and 1 are processors

# The engine that the kernel recommends for a copy between two cards, by their places on the board.
ENGINES = [
    [0, 14, 12, 2, 4, 8, 10, 6],
    [14, 0, 2, 10, 8, 4, 6, 12],
    [10, 2, 0, 12, 14, 6, 4, 8],
    [2, 12, 10, 0, 6, 14, 8, 4],
    [4, 8, 14, 6, 0, 10, 12, 2],
    [8, 4, 6, 14, 12, 0, 2, 10],
    [10, 6, 4, 8, 12, 2, 0, 14],
    [6, 12, 8, 4, 2, 10, 14, 0],
]

CPUINFO = """processor	: {processor}
vendor_id	: {vendor}
cpu family	: {family}
model		: {model}
model name	: {name}
physical id	: {processor}
core id		: 0
flags		: fpu sse sse2 ht syscall nx lm constant_tsc nonstop_tsc pni ssse3 fma cx16 sse4_1 sse4_2 movbe popcnt aes \
xsave avx f16c lahf_lm abm avx2 bmi1 bmi2 avx512f avx512dq avx512cd avx512bw avx512vl avx512_bf16{more}

"""

MEMINFO = """MemTotal:       1584909120 kB
MemFree:        1387099199 kB
MemAvailable:   1541221332 kB
"""

FILESYSTEMS = """811473469440 811473469440 /dev/shm
15360950534144 9218868437227 .
1888949035008 1613324255232 /tmp
"""

VERSION_PY = """from typing import Optional

__all__ = ['__version__', 'debug', 'cuda', 'git_version', 'hip']
__version__ = '{version}'
debug = False
cuda: Optional[str] = {cuda}
git_version = '0000000000000000000000000000000000000000'
hip: Optional[str] = {hip}
"""

# The head of a shared library for x86-64: more of a library is not recorded.
ELF_HEAD = bytes.fromhex("7f454c46020101000000000000000000" + "03003e0001000000" + "00" * 40)

# What the container that the first plan was announced on sets.
ANNOUNCED = [
    "GPU_MAX_HW_QUEUES=1",
    "NCCL_MIN_NCHANNELS=112",
    "NVTE_CK_USES_BWD_V3=1",
    "NVTE_CK_IS_V3_ATOMIC_FP32=1",
]


class Host:
    """One machine, written below a folder."""

    def __init__(self, folder, readme):
        self.folder = pathlib.Path(folder)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.devices = []
        self.write("README", readme.strip() + "\n")

    def write(self, path, text):
        target = self.folder / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def base(self, *, processors=2, guest=False, kernel="6.8.0-60-generic", balancing=0, environ=(), container=False):
        name = ("Intel(R) Xeon(R) Platinum 8470", "GenuineIntel", 6, 143)
        if not guest:
            name = ("AMD EPYC 9654 96-Core Processor", "AuthenticAMD", 25, 17)
        self.write(
            "/proc/cpuinfo",
            "".join(
                CPUINFO.format(
                    processor=i,
                    name=name[0],
                    vendor=name[1],
                    family=name[2],
                    model=name[3],
                    more=" hypervisor" if guest else "",
                )
                for i in range(processors)
            ),
        )
        self.write("/proc/meminfo", MEMINFO)
        self.write("/proc/sys/kernel/osrelease", kernel + "\n")
        self.write("/proc/sys/kernel/numa_balancing", f"{balancing}\n")
        self.write("/etc/os-release", 'PRETTY_NAME="Ubuntu 24.04.2 LTS"\nID=ubuntu\n')
        self.write("/filesystems", FILESYSTEMS)
        rows = ("PATH=/opt/train/bin:/usr/bin", "VIRTUAL_ENV=/opt/train", *environ)
        self.write("/environ", "".join(f"{row}\n" for row in rows))
        library = self.folder / "usr/lib/x86_64-linux-gnu/libopenblas.so.0"
        library.parent.mkdir(parents=True)
        library.write_bytes(ELF_HEAD)
        self.write("/etc/ld.so.conf", "/usr/lib/x86_64-linux-gnu\n")
        if container:
            self.write("/.dockerenv", "")

    def torch(self, version, cuda="None", hip="None"):
        self.write("/opt/train/pyvenv.cfg", "home = /usr/bin\nversion = 3.12.3\n")
        self.write("/opt/train/bin/python3", "recorded interpreter\n")
        site = "/opt/train/lib/python3.12/site-packages"
        self.write(f"{site}/torch/version.py", VERSION_PY.format(version=version, cuda=cuda, hip=hip))
        metadata = f"{site}/torch-{version.split('+')[0]}.dist-info/METADATA"
        self.write(metadata, f"Metadata-Version: 2.1\nName: torch\nVersion: {version}\n")

    def driver(self, version="6.12.12"):
        self.write("/sys/module/amdgpu/version", version + "\n")
        self.devices.append("open /dev/kfd")

    def pci(self, bus, device=MI300X, modes=("SPX", "NPS1")):
        place = f"/sys/bus/pci/devices/0000:{bus:02x}:00.0"
        for name, value in (("class", "0x120000"), ("vendor", "0x1002"), ("device", f"0x{device:04x}")):
            self.write(f"{place}/{name}", value + "\n")
        for name, mode in zip(("compute", "memory"), modes):
            self.write(f"{place}/current_{name}_partition", mode + "\n")

    def node(self, node, path, text):
        self.write(f"/sys/class/kfd/kfd/topology/nodes/{node}/{path}/properties".replace("//", "/"), text)

    def link(self, source, place, target, kind, weight, least, most, mask):
        values = {"type": kind, "source": source, "target": target, "weight": weight}
        self.node(source, f"io_links/{place}", LINK.format(least=least, most=most, mask=mask, **values))

    def processors(self, count, cores, links):
        for node in range(count):
            self.node(node, "", CPU.format(cores=cores, links=links, base=node * cores))

    def finish(self):
        self.write("/device-files", "".join(f"{row}\n" for row in self.devices))


def spx(host, cards, *, down=(), closed=()):
    """Cards of the recorded machine in SPX mode; the links of `down` are missing, nodes of `closed` cannot be read."""
    host.processors(2, 96, 5)
    for place, card in enumerate(cards):
        bus, unique = CARDS[card]
        node = FIRST_GPU + place
        minor = 128 + 8 * card
        if card in closed:
            host.node(node, "", "")
            continue
        host.devices.append(f"open /dev/dri/renderD{minor}")
        peers = [peer for peer in cards if peer != card and frozenset((card, peer)) not in down and peer not in closed]
        values = {"links": 1 + len(peers), "simd_base": 2147487784 + 304 * place, "location": bus << 8}
        host.node(node, "", SPX.format(minor=minor, hive=HIVE, unique=unique, device=MI300X, **values))
        host.node(node, "mem_banks/0", BANK.format(size=MEMORY))
        host.link(node, 0, 0 if card < 4 else 1, 2, 20, 312, 64000, 0)
        for i, peer in enumerate(peers):
            target = FIRST_GPU + cards.index(peer)
            host.link(node, 1 + i, target, 11, 15, 64000, 64000, 1 << ENGINES[card][peer])


def eight_cards(host, cards=range(8), base=None, **links):
    """The board of eight on the bus, and those of its cards that the driver shows."""
    host.base(**(base or {}))
    host.torch("2.9.1+rocm7.2", hip="'7.2.53211'")
    host.driver()
    spx(host, list(cards), **links)
    for bus, _ in CARDS:
        host.pci(bus)
    host.finish()


def eight(folder):
    host = Host(
        folder,
        """
Eight MI300X in SPX mode, in a container with the stack that the first plan was announced on.
Recorded: properties of a node (SPX), PCI addresses, ids, memory. Derived: links between cards, partition modes; the
processors are cut to one of each socket.
""",
    )
    eight_cards(host, base={"environ": ANNOUNCED, "container": True})


def seven(folder):
    host = Host(
        folder,
        """
The same machine after one card (a7:00.0) was lost: it is still on the bus, but the driver shows seven.
Recorded and derived as in mi300x-8; that the driver drops a card which does not come up is documented.
""",
    )
    eight_cards(host, [0, 1, 2, 3, 4, 6, 7], base={"balancing": 1})


def link_down(folder):
    host = Host(
        folder,
        """
The same machine with one xGMI link down: cards 2 (47:00.0) and 5 (a7:00.0) have no direct link.
Recorded and derived as in mi300x-8; the missing link is made up.
""",
    )
    eight_cards(host, down=[frozenset((2, 5))])


def cgroup(folder):
    host = Host(
        folder,
        """
A container that was given one of the eight cards (65:00.0): the kernel refuses the properties of the others, which a
record keeps as empty files. Recorded and derived as in mi300x-8; the refusal is from the kernel's source.
""",
    )
    eight_cards(host, base={"container": True}, closed=[card for card in range(8) if card != 3])


def cpx(folder):
    host = Host(
        folder,
        """
One MI300X in CPX mode with NPS4: eight nodes, one card.
Recorded: properties, addresses, ids and links of the nodes. Derived: memory (an eighth of the card, by the kernel's
source and a recorded MI308X) and the files of partition modes.
""",
    )
    host.base()
    host.torch("2.9.1+rocm7.2", hip="'7.2.53211'")
    host.driver()
    host.processors(2, 96, 33)
    bus, unique = CARDS[0]
    for part in range(8):
        node = FIRST_GPU + part
        host.devices.append(f"open /dev/dri/renderD{128 + part}")
        size = (QUARTER - (0 if part < 6 else 4 * QUARTER - MEMORY)) // 2
        values = {"links": 8, "simd_base": 2147488064 + 40 * part, "device": MI300X, "location": (bus << 8) + part}
        host.node(node, "", CPX.format(minor=128 + part, hive=HIVE, unique=unique, **values))
        host.node(node, "mem_banks/0", BANK.format(size=size))
        host.link(node, 0, 0, 2, 20, 0, 64000, 3)
        for i, peer in enumerate(other for other in range(8) if other != part):
            host.link(node, 1 + i, FIRST_GPU + peer, 11, 13, 819200, 819200, 3)
    host.pci(bus, modes=("CPX", "NPS4"))
    host.finish()


def guest(folder):
    host = Host(
        folder,
        """
A virtual machine with one MI300X VF, and a torch for CUDA as pip installs it.
Recorded: the device's id and PCI address, the driver's version, the processor; properties of a node (SPX) and memory of
mi300x-8. Derived: that a virtual function has no hive and no files of partition modes.
""",
    )
    host.base(processors=1, guest=True)
    host.torch("2.9.1+cu128", cuda="'12.8'")
    host.driver("6.16.13")
    host.processors(1, 20, 1)
    host.devices.append("open /dev/dri/renderD128")
    values = {"links": 1, "simd_base": 2147487784, "device": MI300X_VF, "location": 0x8300}
    host.node(1, "", SPX.format(minor=128, hive=0, unique=4376936076086227261, **values))
    host.node(1, "mem_banks/0", BANK.format(size=MEMORY))
    host.link(1, 0, 0, 2, 20, 312, 64000, 0)
    host.pci(0x83, MI300X_VF, ())
    host.finish()


HOSTS = {
    "mi300x-8": eight,
    "mi300x-7-of-8": seven,
    "mi300x-link-down": link_down,
    "mi300x-cgroup": cgroup,
    "mi300x-cpx": cpx,
    "mi300x-vf": guest,
}


def make(folder):
    """Makes all of them below a folder, replacing what is there."""
    for name, build in HOSTS.items():
        build(pathlib.Path(folder) / name)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: amd_hosts.py FOLDER")
    make(sys.argv[1])
