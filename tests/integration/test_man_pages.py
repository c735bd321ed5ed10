#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What --help says, the manual pages say, and the other way round; and bash completes the same words."""

import re
import shutil
import subprocess
import unittest

import mxt

PAGES = mxt.SOURCE_ROOT / "docs" / "man"
COMPLETION = mxt.SOURCE_ROOT / "completions" / "mindxtrain"


def help_of(*command):
    return subprocess.run([mxt.PROGRAM, *command, "--help"], check=True, capture_output=True, text=True).stdout


def commands():
    return re.findall(r"^  ([a-z]+) ", help_of().partition("commands:\n")[2], re.MULTILINE)


def help_options(command):
    """{"json": None, "sysroot": "DIR"}: the options of a command and what their values are called."""
    block = help_of(command).partition("options:\n")[2]
    rows = re.findall(r"^  --([a-z][a-z-]*)(?: ([A-Z][A-Z0-9:|_-]*)(?:\.\.\.)?)? ", block, re.MULTILINE)
    return {name: value or None for name, value in rows if name != "help"}


def page_of(command):
    return (PAGES / f"mindxtrain-{command}.1").read_text().replace("\\-", "-")


def page_options(text):
    """The options that a page explains, the items of its lists: {name: what follows it, words and macros}."""
    return dict(re.findall(r"^\.It Fl -([a-z][a-z-]*) ?(.*)$", text, re.MULTILINE))


def section(text, name):
    return text.partition(f"\n.Sh {name}\n")[2].partition("\n.Sh ")[0]


class Pages(unittest.TestCase):
    def test_every_option_of_help_is_on_the_page_and_no_other(self):
        for command in commands():
            with self.subTest(command=command):
                page, told = page_options(page_of(command)), help_options(command)
                self.assertEqual(set(page), set(told))
                for name, value in told.items():
                    self.assertEqual(bool(page[name]), value is not None, name)
                    if page[name].startswith("Ar "):
                        self.assertEqual(page[name].split()[1].upper(), value, name)

    def test_synopsis_names_every_option(self):
        for command in commands():
            with self.subTest(command=command):
                named = set(re.findall(r"\bFl -([a-z][a-z-]*)", section(page_of(command), "SYNOPSIS")))
                self.assertEqual(named - {"help"}, set(help_options(command)))

    def test_every_page_is_of_a_command(self):
        pages = {path.name for path in PAGES.glob("mindxtrain-*.1")}
        self.assertLessEqual({f"mindxtrain-{command}.1" for command in commands()}, pages)
        for page in pages:
            command = page.removeprefix("mindxtrain-").removesuffix(".1")
            self.assertTrue((mxt.SOURCE_ROOT / "src" / "cli" / f"cmd_{command}.c").exists(), page)

    def test_the_main_page_lists_every_page(self):
        listed = re.findall(r"^\.It Cm (\S+)$", section((PAGES / "mindxtrain.1").read_text(), "DESCRIPTION"), re.MULTILINE)
        self.assertEqual({f"mindxtrain-{command}.1" for command in listed},
                         {path.name for path in PAGES.glob("mindxtrain-*.1")})

    def test_every_page_has_the_usual_sections(self):
        for command in commands():
            text = page_of(command)
            for name in ("NAME", "SYNOPSIS", "DESCRIPTION", "EXIT STATUS", "EXAMPLES", "SEE ALSO"):
                self.assertTrue(section(text, name), f"{command}: {name}")

    def test_every_file_format_has_the_usual_sections(self):
        pages = sorted(PAGES.glob("*.5"))
        self.assertEqual([page.name for page in pages], ["mindxtrain-manifest.5", "mindxtrain-plan.5"])
        for page in pages:
            for name in ("NAME", "DESCRIPTION", "FIELDS", "FILES", "EXAMPLES", "SEE ALSO"):
                self.assertTrue(section(page.read_text(), name), f"{page.name}: {name}")

    def test_every_page_is_installed(self):
        rules = (mxt.SOURCE_ROOT / "docs" / "meson.build").read_text()
        for path in PAGES.glob("*.[15]"):
            self.assertIn(f"'man/{path.name}'", rules)

    @unittest.skipUnless(shutil.which("mandoc"), "mandoc is not installed")
    def test_mandoc_has_no_complaint(self):
        run = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", *map(str, sorted(PAGES.glob("*.[15]")))],
                             capture_output=True, text=True, check=False)
        self.assertEqual(run.stdout, "")

    def test_help_fits_a_terminal(self):
        for command in commands():
            for line in help_of(command).splitlines():
                self.assertLessEqual(len(line), 100, f"{command}: {line}")


@unittest.skipUnless(shutil.which("bash"), "bash is not installed")
class Completion(unittest.TestCase):
    def complete(self, *words):
        """What bash would offer for the last word."""
        script = ('source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _mindxtrain; '
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        run = subprocess.run(["bash", "--norc", "-c", script, "bash", COMPLETION, mxt.PROGRAM, *words],
                             capture_output=True, text=True, check=True)
        self.assertEqual(run.stderr, "")
        return run.stdout.split()

    def test_commands(self):
        self.assertEqual(sorted(self.complete("")), sorted([*commands(), "--help", "--version"]))
        self.assertEqual(self.complete("doc"), ["doctor"])

    def test_options(self):
        for command in commands():
            expected = {f"--{name}" for name in help_options(command)} | {"--help"}
            self.assertEqual(set(self.complete(command, "--")), expected, command)
        self.assertEqual(self.complete("doctor", "--json", "--sys"), ["--sysroot"])

    def test_subcommands(self):
        self.assertIn("show", self.complete("plan", ""))
        self.assertEqual(self.complete("plan", "can"), ["canonical"])
        self.assertEqual(self.complete("manifest", ""), ["create", "sign", "export"])

    def test_files_are_left_to_bash(self):
        self.assertEqual(self.complete("doctor", "--sysroot", ""), [])
        self.assertEqual(self.complete("plan", "show", ""), [])
        self.assertEqual(self.complete("nonsense", ""), [])


if __name__ == "__main__":
    mxt.main()
