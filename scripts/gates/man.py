#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: man.py PROGRAM

Every command that the program lists has a manual page, which names every option of that command's --help; the main
page lists every command; and mandoc has no complaint about any page.
"""

import pathlib
import re
import subprocess
import sys

PAGES = pathlib.Path("docs/man")


def help_words(program, pattern, *command):
    text = subprocess.run([program, *command, "--help"], check=True, capture_output=True, text=True).stdout
    return re.findall(rf"^  ({pattern}[a-z][a-z-]*)", text, re.MULTILINE)


def check_command(program, command):
    page = PAGES / f"mindxtrain-{command}.1"
    if not page.exists():
        yield f"{page}: there is no page for the command {command}"
        return
    text = page.read_text().replace("\\-", "-")
    for option in help_words(program, "--", command):
        if option != "--help" and not re.search(rf"Fl -{option[2:]}\b(?!-)", text):
            yield f"{page}: does not name {option}"


def check_main_page(commands):
    text = (PAGES / "mindxtrain.1").read_text()
    for command in commands:
        if f".It Cm {command}\n" not in text:
            yield f"{PAGES}/mindxtrain.1: does not list {command}"


def lint():
    run = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", *map(str, sorted(PAGES.glob("*.1")))],
                         capture_output=True, text=True)
    return run.stdout.splitlines()


def main():
    program = sys.argv[1]
    commands = help_words(program, "")
    complaints = lint() + list(check_main_page(commands))
    complaints += [text for command in commands for text in check_command(program, command)]
    print("\n".join(complaints) if complaints else f"{len(commands)} commands")
    return 1 if complaints or not commands else 0


if __name__ == "__main__":
    sys.exit(main())
