#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What docs/events.md says of the events of a run, held against those of the report's golden files."""

import json
import re

import mxt

GOLDEN = mxt.SOURCE_ROOT / "tests" / "golden" / "report"


def table():
    """Of each event: the members that it always has, and those that it may have."""
    rows = {}
    for line in (mxt.SOURCE_ROOT / "docs" / "events.md").read_text().splitlines():
        columns = [set(re.findall(r"`(\w+)`", column)) for column in line.split("|")]
        if line.startswith("| `"):
            rows[columns[1].pop()] = (columns[2], columns[3])
    return rows


class Events(mxt.TestCase):
    def test_every_event_is_described(self):
        rows, seen = table(), set()
        for name in ("lines.jsonl", "lines-simulated.jsonl"):
            for line in (GOLDEN / name).read_text().splitlines():
                event = json.loads(line)
                always, sometimes = rows[event["event"]]
                members = set(event) - {"event", "v"}
                self.assertEqual(event["v"], 1)
                self.assertEqual(always - members, set(), event)
                self.assertEqual(members - always - sometimes, set(), event)
                seen.add(event["event"])
        self.assertEqual(seen, set(rows))

    def test_what_holds_times_says_that_they_are_simulated(self):
        timeless = {"progress", "probe", "skipped"}
        for line in (GOLDEN / "lines-simulated.jsonl").read_text().splitlines():
            event = json.loads(line)
            self.assertEqual(event.get("simulated", False), event["event"] not in timeless, event)


if __name__ == "__main__":
    mxt.main()
