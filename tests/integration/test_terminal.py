# SPDX-License-Identifier: Apache-2.0
"""A run on a real terminal of 80 and of 200 columns, in a pipe, and with NO_COLOR."""

import fcntl
import os
import pty
import re
import struct
import termios

import autotune
import mxt

CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class Terminal(autotune.TestCase):
    def on_terminal(self, columns, **env):
        """What the program writes to a terminal, as text."""
        variables = {**autotune.NO_SELECTORS, "MINDXTRAIN_FAKE_SCENARIO": autotune.SCENARIOS / "clear_winner.json",
                     "TERM": "xterm", "NO_COLOR": None, "COLUMNS": None, "LC_ALL": "C.UTF-8", **env}
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        process = self.start("autotune", "--device", "fake", "--model", "instella-3b", env=variables, stdout=theirs,
                             stderr=theirs)
        os.close(theirs)
        written = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # EIO: the other end is closed
                break
            if not part:
                break
            written += part
        os.close(ours)
        self.assertEqual(process.wait(timeout=60), 0, written)
        return written.decode()

    def shown(self, text):
        """The lines that stay on the screen: a carriage return starts a line anew, erasing is to its end."""
        lines = []
        for line in text.replace("\r\n", "\n").split("\n"):
            lines.append(CONTROL.sub("", line.split("\r")[-1]))
        return lines

    def test_nothing_wraps(self):
        for columns in (80, 200):
            with self.subTest(columns):
                text = self.on_terminal(columns)
                for line in text.replace("\r\n", "\n").split("\n"):
                    for drawn in line.split("\r"):
                        self.assertLessEqual(len(CONTROL.sub("", drawn)), columns, drawn)

    def test_the_wide_terminal_shows_candidates_side_by_side(self):
        lines = self.shown(self.on_terminal(200))
        self.assertTrue(any("bare" in line and "blas=blis" in line for line in lines), lines)

    def test_the_progress_line_is_gone_at_the_end(self):
        self.assertIn("plan_id", "\n".join(self.shown(self.on_terminal(80))[-4:]))

    def test_colours_are_for_terminals_that_want_them(self):
        self.assertRegex(self.on_terminal(80), COLOUR)
        self.assertNotRegex(self.on_terminal(80, NO_COLOR="1"), COLOUR)
        self.assertNotRegex(self.on_terminal(80, TERM="dumb"), COLOUR)

    def test_a_pipe_gets_plain_lines(self):
        out = self.simulate("clear_winner").out
        self.assertNotIn("\x1b", out)
        self.assertNotIn("\r", out)
        self.assertTrue(all(ord(c) < 128 for c in out))

    def test_a_locale_without_utf8_gets_ascii(self):
        self.assertTrue(all(ord(c) < 128 for c in self.on_terminal(80, LC_ALL="C")))


if __name__ == "__main__":
    mxt.main()
