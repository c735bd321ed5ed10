#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A card against what healthy ones of its kind do: a line of the report and of the evidence, never a decision."""

import autotune
import mxt

CARD = {"vendor": "amd", "arch": "gfx942", "units": 304, "memory_gib": 192}
WHAT = "health, gemm nn 8192x8192x8192 bfloat16"


class Health(autotune.TestCase):
    def look(self, tflops, platform=CARD, watts=750):
        """The lines about health in the report, and in the plan's evidence and list of what was skipped."""
        cost = {"fixed_ns": 0, "ns_per_flop": 1e-3 / tflops}
        device = {} if watts is None else {"power_cap_w": watts}
        scenario = self.write("scenario.json", {
            "seed": 1, "bare": {"gemm": {"cost": cost}}, "inventory": {"platform": platform, "devices": [device], "peak_gflops": 1307400}})
        result = self.simulate(scenario)
        evidence = self.plan()["evidence"]
        told = [line for line in result.out.splitlines() if "health, " in line]
        kept = [text for key in (evidence["health"], evidence["budget"].get("skipped", [])) for text in key
                if "health, " in text]
        return told, kept

    def test_a_healthy_card(self):
        told, kept = self.look(724)
        self.assertEqual(told, [f"note: {WHAT}: 724 TFLOP/s, as a healthy card of this kind (680 and more) [simulated]"])
        self.assertEqual(kept, [])

    def test_a_slow_card(self):
        told, kept = self.look(640)
        self.assertIn(f"{WHAT}: 640 TFLOP/s, warn: ", told[0])
        self.assertEqual(told, ["note: " + text + " [simulated]" for text in kept])

    def test_a_sick_card(self):
        told, kept = self.look(310)
        self.assertIn(f"{WHAT}: 310 TFLOP/s, fail: ", told[0])
        self.assertEqual(told, ["note: " + text + " [simulated]" for text in kept])

    def test_a_card_that_does_not_tell_its_power(self):
        told, _ = self.look(310, watts=None)
        self.assertIn("fail: ", told[0])

    def test_a_card_with_less_power(self):
        told, kept = self.look(310, watts=550)
        self.assertEqual(kept, [f"{WHAT}: this card may draw less power than its kind does"])
        self.assertNotIn("fail", told[0])

    def test_a_part_of_a_card(self):
        _, kept = self.look(80, platform={**CARD, "compute_partition": "CPX"})
        self.assertEqual(kept, [f"{WHAT}: this GPU is a part of its card"])

    def test_a_kind_without_a_floor(self):
        self.assertEqual(self.look(80, platform={**CARD, "units": 80}), ([], []))

    def test_it_decides_nothing(self):
        ids = set()
        for tflops in (310, 724):
            self.look(tflops)
            ids.add(self.plan()["plan_id"])
        self.assertEqual(len(ids), 1)


if __name__ == "__main__":
    mxt.main()
