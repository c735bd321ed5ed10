# SPDX-License-Identifier: Apache-2.0
"""Whether modules can be imported: `python3 import_check.py [--descriptor N] MODULE...`.

Writes to the descriptor, or to standard output, for each module `try MODULE`, then `ok` or `bad` and
the last line of the traceback; at the end `end`. Where that is missing, the import of the last module
took the whole process with it.
"""

import importlib
import os
import sys

MOST_LETTERS = 600


def last_line(error):
    """What the last line of a traceback says, on one line."""
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return " ".join(text.split())[:MOST_LETTERS]


def check(module, out):
    """Imports one module and writes what came of it."""
    out.write(f"try {module}\n")
    out.flush()
    try:
        importlib.import_module(module)
    except BaseException as error:  # some modules end the process when they do not like it
        out.write(f"bad {last_line(error)}\n")
    else:
        out.write("ok\n")
    out.flush()


def main(arguments):
    """Returns the exit status."""
    descriptor = 1
    if arguments[:1] == ["--descriptor"]:
        descriptor, arguments = int(arguments[1]), arguments[2:]
    with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as out:
        for module in arguments:
            check(module, out)
        out.write("end\n")
    return 0


if __name__ == "__main__":
    # As under `python -m`, which trains: the working folder comes first, and not the folder of this file.
    if sys.path and os.path.abspath(sys.path[0]) == os.path.dirname(os.path.abspath(__file__)):
        sys.path[0] = os.getcwd()
    STATUS = main(sys.argv[1:])
    os._exit(STATUS)  # pylint: disable=protected-access
