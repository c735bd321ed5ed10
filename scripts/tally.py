#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: tally.py testlog.json...

Prints "PASSED FAILED SKIPPED": the test cases in Meson's test logs. A program that says how many cases it ran (cmocka,
unittest) counts with that number, any other as one case.
"""

import json
import re
import sys

CASES = {
    "passed": (r"^\[  PASSED  \] (\d+) test", r"^Ran (\d+) tests?"),
    "failed": (r"^\[  FAILED  \] (\d+) test", r"^FAILED \(.*?failures=(\d+)", r"^FAILED \(.*?errors=(\d+)"),
    "skipped": (r"^\[  SKIPPED \] (\d+) test", r"\(.*?skipped=(\d+)"),
}


def count(text, kind):
    return sum(int(n) for pattern in CASES[kind] for n in re.findall(pattern, text, re.MULTILINE))


def tally(entry):
    """(passed, failed, skipped) of one program."""
    text = entry.get("stdout", "") + "\n" + entry.get("stderr", "")
    passed, failed, skipped = (count(text, kind) for kind in CASES)
    if re.search(r"^Ran \d+ test", text, re.MULTILINE):  # unittest counts all, whatever became of them
        passed -= failed + skipped
    result = entry["result"]
    if result == "SKIP":
        return 0, 0, max(skipped, 1)
    if result in ("OK", "EXPECTEDFAIL"):
        return max(passed, 0 if skipped else 1), 0, skipped
    return max(passed, 0), max(failed, 1), skipped


def main():
    totals = [0, 0, 0]
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                totals = [a + b for a, b in zip(totals, tally(json.loads(line)))]
    print(*totals)


if __name__ == "__main__":
    main()
