# SPDX-License-Identifier: Apache-2.0
"""usage: axolotl_schema.py FILE...

For a Python with Axolotl: what its own validation makes of configs, as if for the GPUs that a MI300X node has. One JSON
object per file: the keys that it does not know, and those that it took otherwise than they are written.
"""

import json
import sys

import yaml
from axolotl.utils.config import validate_config
from axolotl.utils.dict import DictDefault
from axolotl.utils.schemas.config import AxolotlInputConfig
from axolotl.utils.schemas.fsdp import FSDPConfig


def look(path, gpus):
    with open(path, encoding="utf-8") as file:
        given = yaml.safe_load(file)
    unknown = set(given) - set(AxolotlInputConfig.model_fields)
    unknown |= {f"fsdp_config.{key}" for key in set(given.get("fsdp_config") or {}) - set(FSDPConfig.model_fields)}
    machine = {"bf16": True, "fp8": False, "tf32": False, "n_gpu": gpus, "n_node": 1, "compute_capability": "sm_94"}
    taken = validate_config(DictDefault({**given, "world_size": gpus}), capabilities=machine,
                            env_capabilities={"torch_version": "2.11.0"})
    plain = {key: value for key, value in given.items() if not isinstance(value, (dict, list))}
    return {"file": path, "unknown": sorted(unknown), "attention": taken.get("attn_implementation"),
            "changed": sorted(key for key, value in plain.items() if taken.get(key) != value)}


for argument in sys.argv[1:]:
    print(json.dumps(look(argument, 8 if "-8gpu" in argument else 1)))
