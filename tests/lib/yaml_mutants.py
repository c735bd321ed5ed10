# SPDX-License-Identifier: Apache-2.0
"""Texts that try YAML readers: mutants of configs, and documents grown at random. The same seed gives the same texts."""
import random

# Fragments that are worth inserting anywhere: indicators, types that change between readers, odd characters.
FRAGMENTS = [
    "\t", " ", "\n", "\r", "\r\n", "\n\n", ": ", ":", " #", "#", "- ", "-", "? ", "?", "!", "!!str ", "!!int ", "! ",
    "!!float ", "!!null ", "!!bool ", "!foo ", "&a ", "*a", "*a ", "&b", "<<: *a\n", "<<", "=", "|", ">", "|-\n", ">+\n",
    "|2\n", "'", '"', "''", '\\', "[", "]", "{", "}", ",", "[a, b:]", "[?]", "{a: 1, b}", "{? a}", "[a: 1]", "%",
    "%YAML 1.1\n", "---\n", "...\n", "--- ", "---", "...", "@", "`", "~", "null", "yes", "no", "On", "off", "y", "True",
    "1e-4", "1.0e-4", "1.e+3", "0x1F", "0o14", "012", "08", "0b11", "1_000", "1:30", "1:60", "190:20:30.5", ".5", "+.5",
    "-.inf", ".nan", "-", "+1", "0x_", "0b_", "0_", "2024-01-01", "2024-13-01", "2024-1-1", "2001-12-14t21:59:43.1-05:00",
    "99999999999999999999", "-9223372036854775808", "\u00e9", "\u2028", "\u0085", "\ufeff", "\U0001f600", "\x7f", "\x00",
    "  ", "    ", "key:", "key: value", "\nkey: 1", "\n  - item", "a: b: c", "a:b", "a : b", "\\x41", "\\u00e9", "\\\n",
    "# comment\n", " # c\n", "\n\t", "\t\n", "- - - x", "a\tb", "'a\tb'",
]


def mutant(source, texts):
    """Some lines of one of the texts with a few fragments in them."""
    lines = source.choice(texts).splitlines(keepends=True) or [""]
    start = source.randrange(len(lines))
    text = "".join(lines[start:start + source.randint(1, 12)])
    for _ in range(source.randint(1, 4)):
        at = source.randint(0, len(text))
        cut = source.choice([0, 0, 0, 1, 2])
        text = text[:at] + source.choice(FRAGMENTS) + text[at + cut:]
    return text


WORDS = [
    "a", "b", "alpaca", "q_proj", "true", "No", "ON", "null", "~", "", "12", "-3", "0x1F", "017", "1_0", "1:30", "1e-4",
    "1.0e-4", ".5", "1.", ".inf", "-.INF", ".NaN", "2024-01-01", "2024-01-01 10:00:00 +2", "a b", "a#b", "a:b", "-x", "x?",
    "it's", 'x"y', "\u00e9", "\u65e5\u672c", "x  y", "/data/x", "http://x:80/#y", "<|im_end|>",
    # not everywhere
    "=", "<<", "a: b", "- x", "?x", ":x", "x:", "%x", "@x", "!x", "&x", "*x", "|", ">x", "[x", "x]", "{x", "x,y", "'x",
    "\\n", "{{ x }}", "[INST]", "...", "---",
]
TAME = WORDS.index("=")
BREAKS = ["\n", "\n", "\n", "\n", "\r\n", "\r", "\u0085", "\u2028"]


class Grower:
    """One document: maps, lists and scalars in every style that YAML has, mostly valid."""

    def __init__(self, source):
        self.source = source
        self.anchors = 0

    def pick(self, *choices):
        return self.source.choice(choices)

    def often(self, share):
        return self.source.random() < share

    def comment(self):
        return self.pick("", "", "", "", " # c", "   # c: d", " #", "  ")

    def lines_between(self, indent):
        return self.pick("", "", "", "", "\n", "\n\n", "# c\n", " " * indent + "# c\n", " " * (indent + 3) + "# c\n", "   \n")

    def properties(self):
        text = ""
        if self.often(0.008):
            text += self.pick("!!str ", "!!str ", "!!str ", "!!int ", "!!float ", "!!null ", "!!seq ", "!!map ", "! ", "!x ")
        if self.often(0.04):
            self.anchors += 1
            text += f"&n{self.anchors} "
        return text

    def plain(self, flow):
        word = self.source.choice(WORDS if self.often(0.1) else WORDS[:TAME])
        if flow and self.often(0.9):
            word = word.replace("?", "").replace(":", "")
        if self.often(0.02):
            word = "".join(self.source.choice("ab01 -+.:#,[]{}'\"\\?!&*|>%@`_~=/") for _ in range(self.source.randint(1, 8)))
        return word.replace(",", ";") if flow and self.often(0.8) else word

    def double(self):
        parts = ["x", " ", "\\n", "\\\"", "\\x41", "\\u00e9", "\\t", "'", "#", ": ", "\\\\", "\u00e9", "\\/", "\\_", "\\N"] + ["\\z"] * self.often(0.02)
        return '"' + "".join(self.source.choice(parts) for _ in range(self.source.randint(0, 5))) + '"'

    def single(self):
        return "'" + "".join(self.pick("x", " ", "\'\'", '"', "#", ": ", "\\", "\u00e9") for _ in range(self.source.randint(0, 5))) + "'"

    def scalar(self, indent, flow):
        if not flow and self.anchors and self.often(0.05):
            return f"*n{self.source.randint(1, self.anchors)}" + self.pick("", " ")
        text = self.pick(self.plain(flow), self.plain(flow), self.double(), self.single())
        if self.often(0.08) and len(text) > 2:  # on several lines
            at = self.source.randint(1, len(text) - 1)
            text = text[:at] + self.pick("\n", "\n\n", " \n", "\\\n") + " " * (indent + self.pick(0, 1, 1, 2)) + text[at:]
        return self.properties() + text

    def text_block(self, indent):
        header = self.pick("|", ">") + self.pick("", "", "", "", "-", "-", "+", "+", self.pick("2", "-1", "3+", "0")) + self.comment()
        pad = " " * (indent + self.pick(1, 2, 2, 4))
        lines = [self.pick("x", "x y", "  x", "", "# x", "- x", "x: y", "x\ty", "---", *["\tx", "   "] * self.often(0.1)) for _ in range(self.source.randint(0, 4))]
        return self.properties() + header + "\n" + "".join((pad + s if s else "") + "\n" for s in lines)

    def flow_key(self, indent):
        colon = self.pick(": ", ": ", ": ", ": ", " : ", ":") if self.often(0.9) else ":\n" + " " * (indent + 1)
        return self.scalar(indent, True) + colon

    def flow(self, depth, indent):
        start = self.properties()
        space = self.pick("", "", " ", "\n" + " " * (indent + 1), " # c\n" + " " * (indent + 1))
        keys = self.pick(0.1, 0.95)  # a list, or a map
        items = []
        for _ in range(self.source.randint(0, 3)):
            key = self.flow_key(indent) if self.often(keys) else ""
            value = self.flow(depth - 1, indent) if depth > 0 and self.often(0.3) else self.scalar(indent, True)
            items.append(key + value)
        body = ("," + self.pick(" ", "", space)).join(items) + (self.pick("", "", ",", ", ") if items else "")
        left, right = "[]" if keys < 0.5 else "{}"
        return f"{start}{left}{space}{body}{space}{right}"

    def value(self, depth, indent, in_map):
        """What stands behind `key:` or `-`, with its line break."""
        kind = self.source.random()
        if depth > 0 and kind < 0.25:
            step = self.pick(0, 1, 2, 2, 4) if in_map else self.pick(1, 2, 2, 4)
            head = self.properties().rstrip()
            return (" " + head if head else "") + self.comment() + "\n" + self.sequence(depth - 1, indent + step)
        if depth > 0 and kind < 0.45:
            head = self.properties().rstrip()
            return (" " + head if head else "") + self.comment() + "\n" + self.mapping(depth - 1, indent + self.pick(1, 2, 2, 4))
        if kind < 0.6:
            return " " + self.flow(2, indent) + self.comment() + "\n"
        if kind < 0.68:
            return " " + self.text_block(indent)
        if kind < 0.75:
            return self.comment() + "\n" + " " * (indent + 2) + self.scalar(indent + 2, False) + self.comment() + "\n"
        return self.pick(" ", " ", " ", "   ", " " * self.often(0.9)) + self.scalar(indent + 1, False) + self.comment() + "\n"

    def sequence(self, depth, indent):
        text = ""
        for _ in range(self.source.randint(1, 3)):
            text += self.lines_between(indent) + " " * indent + "-"
            if depth > 0 and self.often(0.2):  # a map that starts on the line of the dash
                text += " " + self.mapping(depth - 1, indent + 2).lstrip(" ")
            else:
                text += self.value(depth, indent, False)
        return text

    def key(self, number):
        name = self.pick("a", "b", "c", "d", "plugins", "seed", "fsdp") if self.often(0.3) else f"k{number}"
        name = self.pick(name, name, name, name, f'"{name}"', f"'{name}'", f"{name} ")
        if self.often(0.02):
            name = self.plain(False) or name
        return self.properties() + name if self.often(0.1) else name

    def mapping(self, depth, indent):
        text = ""
        for number in range(self.source.randint(1, 5)):
            text += self.lines_between(indent) + " " * indent
            if self.anchors and self.often(0.03):
                text += f"<<: *n{self.source.randint(1, self.anchors)}\n"
                continue
            text += self.key(number) + ":" + self.value(depth, indent, True)
        return text

    def document(self):
        indent = self.pick(0, 0, 0, 0, 0, 2)
        text = self.pick(self.mapping(3, indent), self.mapping(3, indent), self.mapping(3, indent), self.sequence(3, indent))
        head = self.pick("", "", "", "", "---\n", "%YAML 1.1\n---\n", "# c\n", "\ufeff", "--- # c\n", "\n")
        text = head + text + self.pick("", "", "", "...\n", "...", "# c", "\n\n", "# c\n", "---\n" * self.often(0.1))
        if self.often(0.2):
            text = text.removesuffix("\n")
        style = self.source.choice(BREAKS)
        return text if style == "\n" else text.replace("\n", style)


def grown(source):
    return Grower(source).document()


def texts(seed, count, configs):
    """Half of them mutants of configs, a third grown, the others mutants of grown ones."""
    source = random.Random(seed)
    for _ in range(count):
        kind = source.random()
        if kind < 0.5:
            yield mutant(source, configs)
        else:
            text = grown(source)
            yield text if kind < 0.83 else mutant(source, [text])
