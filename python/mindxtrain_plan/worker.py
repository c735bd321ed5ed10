# SPDX-License-Identifier: Apache-2.0
"""Started by the program as `python3 .../mindxtrain_plan/worker.py`: a worker process in the Python
that trains.

Imports work as they do for a training that is started with `python3 -m`: the working folder
first. Only this package is looked for elsewhere, and nothing of it stays on the path.
"""

import os
import sys


def find_package():
    """Imports the worker from the folder above this file, and puts sys.path as a training has
    it."""
    here = os.path.dirname(os.path.abspath(__file__))
    path = [entry for entry in sys.path if os.path.abspath(entry or ".") != here]
    writes_bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    sys.path[:] = [os.path.dirname(here)] + path
    from mindxtrain_plan import worker_session

    sys.path[:] = ([] if getattr(sys.flags, "safe_path", False) else [os.getcwd()]) + path
    sys.dont_write_bytecode = writes_bytecode
    return worker_session


if __name__ == "__main__":
    find_package().main(sys.argv[1:])
