# SPDX-License-Identifier: Apache-2.0
"""Manifests for tests, sealed without the program: canonical bytes by Python's json, hashes by b3sum."""

import json
import subprocess

import mxt


def b3(data):
    return subprocess.run(["b3sum", "--no-names"], input=data, check=True, capture_output=True).stdout.decode().strip()


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def seal(document):
    """The same with its id."""
    rest = {key: value for key, value in document.items() if key != "manifest_id"}
    return {**rest, "manifest_id": b3(canonical(rest))}


def file_list(role, root):
    """A folder's files, without links and the record itself, as a manifest lists them."""
    files = [{"path": path.relative_to(root).as_posix(), "size": path.stat().st_size, "blake3": b3(path.read_bytes())}
             for path in root.rglob("*")
             if path.is_file() and not path.name.startswith("manifest.")]
    files.sort(key=lambda row: row["path"].encode())
    lines = "".join(f"{row['blake3']}  {row['path']}\n" for row in files)
    return {"role": role, "root": str(root.resolve()), "hash": b3(lines.encode()),
            "bytes": sum(row["size"] for row in files), "files": files}


def of_folder(folder):
    """Of a run of another launcher: what is known without looking into it."""
    return seal({"schema": "mindxtrain.manifest/1", "created": 1700000000, "tool": "0.1.0",
                 "run": {"name": folder.name}, "result": {"unknown": ["no plan"]},
                 "lists": [file_list("run", folder)]})


class RunWithData(mxt.TestCase):
    """The folder of a run of another launcher, and an empty one for its dataset."""

    def setUp(self):
        super().setUp()
        self.run_folder, self.data = self.dir / "run", self.dir / "data"
        self.data.mkdir()
        self.write("run/train.log", "done\n")

    def create(self, dataset=None, **how):
        return self.run_program("manifest", "create", self.run_folder, "--dataset", dataset or self.data, **how)

    def listed(self):
        """The dataset's list in the manifest."""
        lists = json.loads((self.run_folder / "manifest.json").read_text())["lists"]
        return next(one for one in lists if one["role"] == "dataset")


def write(folder):
    """manifest.json of a folder as it is now; returns its path."""
    path = folder / "manifest.json"
    path.write_bytes(canonical(of_folder(folder)) + b"\n")
    return path
