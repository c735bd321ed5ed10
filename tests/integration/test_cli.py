#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command line as a whole: help, version, mistakes, streams that are closed or full."""

import subprocess

import mxt


class Cli(mxt.TestCase):
    def test_version(self):
        result = self.run_program("--version", status=0)
        self.assertRegex(result.out, r"^mindxtrain \d+\.\d+\.\d+\n$")
        self.assertEqual(result.err, "")

    def test_help_lists_commands_that_have_help(self):
        result = self.run_program("--help", status=0)
        self.assertEqual(self.run_program("help").out, result.out)
        commands = [line.split()[0] for line in result.out.splitlines() if line.startswith("  ")]
        self.assertIn("plan", commands)
        for command in commands:
            text = self.run_program(command, "--help", status=0).out
            self.assertTrue(text.startswith(f"usage: mindxtrain {command}"), text)
            self.assertIn("--help", text)

    def test_mistakes_are_named(self):
        self.assert_error(self.run_program(), 2, "MXT-110", "--help")
        self.assert_error(self.run_program("plam"), 2, "MXT-110", "did you mean 'plan'?")
        self.assert_error(self.run_program("completely-different"), 2, "MXT-110", "see mindxtrain --help")
        self.assert_error(self.run_program("plan", "--nonsense"), 2, "MXT-110", "--nonsense")

    def test_errors_are_one_line_on_standard_error(self):
        result = self.run_program("nonsense", status=2)
        self.assertEqual(result.out, "")
        self.assertEqual(result.err.count("\n"), 1)

    def test_errors_do_not_reach_the_terminal_raw(self):
        """An argument or a file's name is shown as text, not carried out."""
        name = "a\033[2J\r\n\u202eb\udcff"
        for args in ((name,), ("plan", "show", name), ("plan", "show", "--" + name), ("autotune", "--config", name)):
            err = self.run_program(*args).err
            self.assertIn("a?[2J???b?", err)
            self.assertEqual(err.count("\n"), 1, err)
            self.assertTrue(err.rstrip("\n").isprintable(), err)

    def test_full_and_closed_output_is_a_failure(self):
        with open("/dev/full", "w", encoding="ascii") as full:
            self.assert_error(self.run_program("--help", stdout=full), 1, "MXT-102", "standard output")
        for status, redirection in ((1, ">&-"), (1, ">&- <&-"), (0, "<&-"), (0, "2>&-")):
            run = subprocess.run(["sh", "-c", f'"$0" --help {redirection}', mxt.PROGRAM], capture_output=True,
                                 text=True, env=self.environment())
            self.assertEqual(run.returncode, status, redirection)
            self.assertEqual("[MXT-102]" in run.stderr, status == 1, redirection)

    def test_reader_that_went_away(self):
        process = self.start("--help")
        process.stdout.close()
        err = process.stderr.read()
        process.stderr.close()
        status = process.wait(30)
        self.assertIn(status, (0, 1))  # 0: it was faster than the close
        if status == 1:
            self.assertIn("[MXT-102]", err)


if __name__ == "__main__":
    mxt.main()
