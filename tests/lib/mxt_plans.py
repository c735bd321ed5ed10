# SPDX-License-Identifier: Apache-2.0
"""Plans for tests, sealed without the program: canonical bytes by Python's json, the id by b3sum."""

import copy
import json
import subprocess

CPU_DECISION = {
    "version": 1,
    "platform": {"vendor": "amd", "arch": "x86_64-v4", "family": 26, "model": 2, "units": 2, "memory_gib": 24},
    "stack": {"torch": "none", "provider": "built-in", "openblas": "0.3.21 pthread", "blis": "0.9.0 pthread"},
    "workload": {
        "model": {"layers": 36, "hidden": 2560, "heads": 32, "ffn": 6912, "vocab": 50304},
        "training": {"seq_len": 4096, "micro_batch": 8, "adapter": "lora", "lora_rank": 16, "lengths": "packed"},
        "scaled": {"gemm_tokens": 256, "attention_tokens": 512},
    },
    "attention": {"backend": "flash"},
    "gemm": {"library": "openblas", "mode": "heuristic"},
    "collective": {"config": "1gpu_noop"},
    "env": {"MINDXTRAIN_CPU_ATTENTION": "flash", "OPENBLAS_CORETYPE": "Haswell"},
    "unset": ["BLIS_NUM_THREADS", "OMP_NUM_THREADS"],
    "contract": {"CUBLAS_WORKSPACE_CONFIG": ":4096:8"},
    "policy": "aot_only",
}

ATTENTION = {"op": "attention", "batch": 1, "seq": 512, "heads": 32, "kv_heads": 32, "head_dim": 80, "causal": True,
             "dtype": "float32", "direction": "forward"}
GEMM = {"op": "gemm", "m": 256, "n": 2560, "k": 2560, "dtype": "float32", "trans_b": True}


def sample(probe, problem, candidate, median_ns):
    return {"probe": probe, "problem": problem, "candidate": candidate, "status": "ok", "n": 8, "median_ns": median_ns,
            "p20_ns": median_ns - 100000, "p80_ns": median_ns + 150000, "min_ns": median_ns - 200000, "error_ppb": 120}


EVIDENCE = {
    "version": 1,
    "created": "2026-11-30T12:00:00Z",
    "tool": "mindxtrain 0.1.0",
    "seed": "0x000000000000002a",
    "host": {"name": "example", "kernel": "6.1.0", "machine": "x86_64"},
    "devices": [{"name": "AMD EPYC"}],
    "budget": {"limit_ns": 60000000000, "used_ns": 41234567890, "skipped": ["blas=mkl: not installed"]},
    "samples": [
        sample("attention", ATTENTION, "bare", 12345678),
        sample("gemm", GEMM, "bare", 16700000),
        sample("attention", ATTENTION, "flash", 10811111),
        sample("gemm", GEMM, "coretype=Haswell", 16100000),
        {"probe": "gemm", "candidate": "blas=blis", "status": "failed", "reason": "killed by signal 11"},
    ],
    "choices": [
        {"probe": "attention", "incumbent": "bare", "winner": "flash", "best": "flash", "gain_ppm": 124300,
         "bound_ppm": 101000, "floor_ppm": 4200, "blocks": 8, "rule": "surely faster by more than the margin",
         "source": "measured"},
        {"probe": "gemm", "incumbent": "bare", "winner": "bare", "best": "coretype=Haswell", "gain_ppm": 35900,
         "bound_ppm": -2100, "floor_ppm": 6000, "blocks": 32, "rule": "no challenger is surely faster",
         "source": "measured"},
    ],
    "witnesses": [{"probe": "gemm", "candidate": "bare", "facts": {"library": "openblas"}}],
    "health": ["caf\u00e9: swap is in use"],
}


def canonical(value):
    """RFC 8785 for what plans hold."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def blake3(data):
    return subprocess.run(["b3sum", "--no-names"], input=data, capture_output=True, check=True).stdout.decode().strip()


def seal(decision, evidence=None):
    return {"schema": "mindxtrain.plan/1", "plan_id": blake3(canonical(decision)), "decision": decision,
            "evidence": EVIDENCE if evidence is None else evidence}


def plan(changes=None, evidence=None):
    """The CPU plan with changes to its decision, {"path.of.members": value}; the value None removes."""
    decision = copy.deepcopy(CPU_DECISION)
    for path, value in (changes or {}).items():
        *parents, key = path.split(".")
        place = decision
        for parent in parents:
            place = place.setdefault(parent, {})
        if value is None:
            del place[key]
        else:
            place[key] = value
    return seal(decision, evidence)


def text(document):
    """The file form."""
    return canonical(document).decode() + "\n"
