# SPDX-License-Identifier: Apache-2.0
"""Is a plan the one of a config? Plans are made of the config, of flags, and of recordings; configs are changed."""

import re
import shutil

import autotune
import mxt

CONFIG = mxt.FIXTURES / "axolotl" / "qwen3-8b-lora.yaml"


class PlanConfig(autotune.TestCase):
    def setUp(self):
        super().setUp()
        self.config = self.dir / "run.yaml"
        shutil.copy(CONFIG, self.config)

    def make(self, *args, model=None):
        """A plan of the config, unless a model is named."""
        what = [] if model else ["--config", self.config]
        self.simulate("calm", *what, "--out", "plan.json", *args, model=model)
        return self.plan()

    def check(self, *args, config=None, **how):
        env = {**autotune.NO_SELECTORS, "MINDXTRAIN_FAKE_SCENARIO": autotune.SCENARIOS / "calm.json"}
        return self.run_program("plan", "check", "plan.json", "--config", config or self.config, *args, env=env, **how)

    def differences(self):
        rows = self.check("--json", status=5).json()["differences"]
        return {row["path"]: row.get("where") for row in rows}

    def edit(self, **keys):
        """Sets top-level keys; those that are not there are appended. Returns the line of the last one."""
        text = self.config.read_text()
        for key, value in keys.items():
            text, n = re.subn(rf"(?m)^{key}:.*$", f"{key}: {value}", text)
            text += "" if n else f"{key}: {value}\n"
        self.config.write_text(text)
        return 1 + text[:re.search(rf"(?m)^{key}:", text).start()].count("\n")

    def test_same_config(self):
        self.make()
        out = self.check(status=0).out
        self.assertIn("fits this machine (fake) and this config\n", out)
        self.edit(learning_rate="0.1", wandb_project="other", val_set_size="0", lora_alpha="64", seed="7")
        self.assertEqual(self.check("--json", status=0).json()["differences"], [])

    def test_each_change_is_named_with_its_line(self):
        self.make()
        where = {"training.seq_len": ("sequence_len", self.edit(sequence_len="2048")),
                 "training.micro_batch": ("micro_batch_size", self.edit(micro_batch_size="3")),
                 "training.lora_rank": ("lora_r", self.edit(lora_r="8")),
                 "training.load_bits": ("load_in_4bit", self.edit(load_in_4bit="true"))}
        found = self.differences()
        self.assertEqual(sorted(found), sorted(f"workload.{path}" for path in where))
        for path, (key, line) in where.items():
            self.assertRegex(found[f"workload.{path}"], rf"(^|, ){re.escape(str(self.config))}:{line}: {key}(, |$)")
        result = self.check(status=5)
        self.assert_error(result, 5, "MXT-129", "the plan does not fit this config",
                          f"workload.training.seq_len: 4096, here 2048 ({self.config}:{where['training.seq_len'][1]}: ",
                          "make a plan of it with autotune --config")

    def test_absent_key(self):
        self.make()
        self.config.write_text(self.config.read_text().replace("sequence_len: 4096\n", "", 1))
        self.assertEqual(self.differences(), {"workload.training.seq_len": f"{self.config} does not have sequence_len"})

    def test_another_model(self):
        self.make()
        line = self.edit(base_model="Qwen/Qwen3-14B")
        found = self.differences()
        self.assertIn("workload.model.hidden", found)
        self.assertTrue(all(path.startswith("workload.model.") for path in found), found)
        self.assertEqual(set(found.values()), {f"{self.config}:{line}: base_model"})

    def test_unknown_model(self):
        self.make()
        self.edit(base_model="nobody/nothing")
        self.assert_error(self.check(), 3, "MXT-182", "base_model")

    def test_flags(self):
        """What flags changed is not what the config trains; what they repeat is."""
        self.make("--seq-len", "4096", "--lora-rank", "16")
        self.check(status=0)
        self.make("--seq-len", "1024", "--packing", "on")
        self.assertLessEqual({"workload.training.seq_len", "workload.training.lengths"}, set(self.differences()))

    def test_options_that_no_config_has(self):
        """The number of GPUs is the plan's; how shapes were cut and that results must repeat are, too."""
        plan = self.make("--deterministic")
        self.assertTrue(plan["decision"]["workload"]["training"]["deterministic"])
        self.check(status=0)

    def test_recordings(self):
        recording = next(iter(sorted((mxt.FIXTURES / "recordings").glob("*.json"))))
        plan = self.make("--shapes", recording)
        self.assertIn("recorded", plan["decision"]["workload"])
        self.check(status=0)
        self.simulate("calm", "--shapes", recording, "--out", "plan.json", model=None)
        self.assert_error(self.check(), 5, "MXT-129", "recording alone")

    def test_usage(self):
        self.make()
        self.assert_error(self.check("--files", self.dir), 2, "MXT-110", "--config")
        self.assert_error(self.check(config=self.dir / "none.yaml"), 3, "MXT-180")


if __name__ == "__main__":
    mxt.main()
