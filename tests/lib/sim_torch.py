# SPDX-License-Identifier: Apache-2.0
"""A Python environment with a CUDA torch of stand-ins (tests/sim/README.md), laid out as the wheels of the real one are.

usage as a program: sim_torch.py LIBRARIES CACHE
lays out what scripts/fetch-torch.sh would keep in CACHE, of the stand-ins in LIBRARIES, so that the tests of real
torches run on them.
"""

import json
import os
import pathlib
import sys

LIBRARIES = pathlib.Path(os.environ.get("MXT_SIM_LIBRARIES", "."))

VERSION_PY = """from typing import Optional

__all__ = ['__version__', 'debug', 'cuda', 'git_version', 'hip', 'xpu']
__version__ = {version!r}
debug = False
cuda: Optional[str] = {cuda!r}
git_version = '0000000000000000000000000000000000000000'
hip: Optional[str] = None
xpu: Optional[str] = None
"""

# Where the wheels of each CUDA put a library (folder below nvidia/), and what they are called.
PLACES = {
    "13": {"cudart": "cu13", "cublaslt": "cu13", "cudnn": "cudnn", "nccl": "nccl"},
    "12": {"cudart": "cuda_runtime", "cublaslt": "cublas", "cudnn": "cudnn", "nccl": "nccl"},
}
WHEELS = {
    "13": {"nvidia_cuda_runtime": "13.0.96", "nvidia_cublas": "13.1.0.3", "nvidia_cudnn_cu13": "9.26.0.51",
           "nvidia_nccl_cu13": "2.32.3"},
    "12": {"nvidia_cuda_runtime_cu12": "12.8.90", "nvidia_cublas_cu12": "12.8.4.1", "nvidia_cudnn_cu12": "9.26.0.51",
           "nvidia_nccl_cu12": "2.32.3"},
}


class Environment:
    """The folder is what --python takes. `build` is a row of the README's table of builds; what version.py says need not
    agree with it. Everything is a link or a small file: changes after the layout are made in `site`."""

    def __init__(self, folder, build="2.15", version=None, cuda=None, python="3.11", libraries=LIBRARIES):
        old = build == "2.8"
        self.folder = pathlib.Path(folder).resolve()
        self.libraries = pathlib.Path(libraries).resolve()
        self.major = "12" if old else "13"
        self.version = version or ("2.8.0+cu128" if old else "2.15.0+cu130")
        self.site = self.folder / "lib" / f"python{python}" / "site-packages"
        self.torch = self.site / "torch"
        self._interpreter(python)
        self._torch(build, cuda or ("12.8" if old else "13.0"))
        self._nvidia()

    @property
    def python(self):
        return self.folder / "bin" / "python3"

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def link(self, stem, path):
        """A file of the environment that is a library of the build."""
        path = pathlib.Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        path.symlink_to(self.libraries / f"libsim-{stem}.so")

    def dist_info(self, name, version):
        self.write(self.site / f"{name}-{version}.dist-info" / "METADATA",
                   f"Metadata-Version: 2.4\nName: {name.replace('_', '-')}\nVersion: {version}\n")

    def scenario(self, **scenario):
        """Writes the scenario and returns the variables that make the stand-ins play it."""
        return {"MXT_SIM_TORCH": self.write("scenario.json", json.dumps(scenario))}

    def _interpreter(self, python):
        # Never run; not a script, so that nobody looks behind it.
        self.write("bin/python3", "no program\n").chmod(0o755)
        self.write("pyvenv.cfg", f"home = /usr/bin\ninclude-system-site-packages = false\nversion = {python}.2\n")

    def _torch(self, build, cuda):
        self.write(self.torch / "version.py", VERSION_PY.format(version=self.version, cuda=cuda))
        self.dist_info("torch", self.version.partition("+")[0])
        self.write(self.torch / "lib" / "stand-in", "These libraries only stand in for torch's: nothing is measured.\n")
        for part in ("cpu", "cuda"):
            self.link(f"torch-{part}-{build}", self.torch / "lib" / f"libtorch_{part}.so")

    def _nvidia(self):
        names = {"cudart": f"libcudart.so.{self.major}", "cublaslt": f"libcublasLt.so.{self.major}",
                 "cudnn": "libcudnn.so.9", "nccl": "libnccl.so.2"}
        for stem, folder in PLACES[self.major].items():
            suffix = "" if stem in ("cudnn", "nccl") else f"-{self.major}"
            self.link(stem + suffix, self.site / "nvidia" / folder / "lib" / names[stem])
        for name, version in WHEELS[self.major].items():
            self.dist_info(name, version)


def fault(at, kind, **more):
    return {"at": at, "kind": kind, **more}


def lay_out_cache(libraries, cache):
    """As scripts/fetch-torch.sh does: CACHE/VERSION, with a file `contents` once it is whole."""
    for build in ("2.8", "2.15"):
        environment = Environment(pathlib.Path(cache) / f"{build}.0", build, libraries=libraries)
        environment.write("contents", "stand-ins\n")
        print(environment.folder)


if __name__ == "__main__":
    lay_out_cache(*map(pathlib.Path, sys.argv[1:]))
