# SPDX-License-Identifier: Apache-2.0
"""For scripts that make documents, or parts of them, from tables in the sources."""

import sys


def between(path, begin, end, text):
    """What the file has to be: `text` between its two marks."""
    old = path.read_text()
    if old.count(begin) != 1 or old.count(end) != 1:
        sys.exit(f"{path}: there is no place for what is generated")
    head, rest = old.split(begin)
    return head + begin + text + end + rest.split(end)[1]


def settle(wanted, usage):
    """Writes {path: text}; with --check on the command line only says which of them are not up to date. Exits."""
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(usage)
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text() != text]
    for path in stale:
        if sys.argv[1:]:
            print(f"{path} is not up to date: run {sys.argv[0]}")
        else:
            path.write_text(wanted[path])
    sys.exit(1 if stale and sys.argv[1:] else 0)
