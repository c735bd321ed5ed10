# SPDX-License-Identifier: Apache-2.0
"""What the job would do today, by its config and by what its Python has, and the line that says so."""

import autotune
import mxt
import sim_cuda
import sim_torch

MODEL = "base_model: Qwen/Qwen3-8B\nsequence_len: 2048\nmicro_batch_size: 1\ngradient_accumulation_steps: 1\n"
PACKED = "sample_packing: true\n"


class TestCase(autotune.TestCase):
    def config(self, text):
        path = self.dir / "run.yaml"
        path.write_text(MODEL + text)
        return path

    def trainer(self, **packages):
        """A Python with a torch of stand-ins and these packages, by their records only."""
        env = sim_torch.Environment(self.dir / "venv")
        for name, version in packages.items():
            env.dist_info(name, version)
        return env

    def tune(self, text, *args, packages=None, scenario="calm"):
        """The run's events and its plan."""
        where = ["--python", self.trainer(**packages).folder] if packages is not None else []
        result = self.simulate(scenario, "--config", self.config(text), "--json", *where, *args, model=None)
        return result.events(), self.plan()

    def line(self, events):
        lines = [event for event in events if event["event"] == "today"]
        self.assertEqual(len(lines), 1)
        return lines[0]

    def notes(self, events):
        return [event["text"] for event in events if event["event"] == "note"]


class Line(TestCase):
    def test_nothing_set_is_torchs_default(self):
        events, plan = self.tune("seed: 1\n", packages={"axolotl": "0.18.0"})
        line = self.line(events)
        self.assertEqual(line["today"], "math attention (torch's default)")
        self.assertEqual(line["plan"], "the plan keeps it")
        self.assertEqual(plan["evidence"]["today"], f"{line['today']}; {line['plan']}")

    def test_a_winner_is_named_with_how(self):
        events, _ = self.tune("seed: 1\n", scenario="clear_winner")
        self.assertEqual(self.line(events)["plan"],
                         "the plan: flash attention inside torch, by MINDXTRAIN_CPU_ATTENTION=flash")

    def test_text_and_show_say_the_same(self):
        config = self.config("seed: 1\n")
        result = self.simulate("calm", "--config", config, model=None)
        sentence = self.plan()["evidence"]["today"]
        self.assertIn(f"today: {sentence} [simulated]\n", result.out)
        shown = self.run_program("plan", "show", self.dir / "plan.json")
        self.assertIn(f"today       {sentence}\n", shown.out)

    def test_against_a_plan_nothing_is_said_of_today(self):
        self.tune("seed: 1\n")
        events, plan = self.tune("seed: 1\n", "--against", self.dir / "plan.json")
        self.assertNotIn("today", [event["event"] for event in events])
        self.assertNotIn("today", plan["evidence"])

    def test_a_recording_alone_does_not_tell(self):
        shapes = sorted((mxt.FIXTURES / "recordings").glob("*.json"))[0]
        result = self.simulate("calm", "--shapes", shapes, "--json", model=None)
        self.assertNotIn("today", [event["event"] for event in result.events()])
        self.assertNotIn("today", self.plan()["evidence"])


class Packages(TestCase):
    def test_a_missing_package_is_said(self):
        events, _ = self.tune("flash_attention: true\n", packages={"axolotl": "0.18.0"})
        wanted = ("flash_attention_2 needs the package flash_attn, which this Python does not have: the job would end "
                  "at its start")
        self.assertIn(wanted, self.notes(events))
        self.assertEqual(self.line(events)["today"], wanted)

    def test_a_package_that_is_there_is_named(self):
        events, _ = self.tune("flash_attention: true\n", packages={"axolotl": "0.18.0", "flash_attn": "2.8.3"})
        self.assertEqual(self.line(events)["today"], "flash_attention_2 by flash_attn 2.8.3")
        self.assertEqual([note for note in self.notes(events) if "flash_attn" in note], [])

    def test_what_cannot_be_timed_is_left_alone(self):
        events, plan = self.tune("attn_implementation: sage\n",
                                 packages={"axolotl": "0.18.0", "sageattention": "2.2.0"})
        self.assertEqual(self.line(events)["today"], "sage by sageattention 2.2.0")
        self.assertEqual(self.line(events)["plan"], "the plan leaves it as it is")
        self.assertNotIn("attention", plan["decision"])
        self.assertEqual(plan["decision"]["workload"]["excluded"], ["attention"])

    def test_flash_attention_4_takes_the_place_of_2_on_gpus_only(self):
        events, _ = self.tune("flash_attention: true\n", packages={"axolotl": "0.18.0", "flash_attn": "2.8.3",
                                                                   "flash_attn_4": "4.0.0b7"})
        self.assertEqual(self.line(events)["today"], "flash_attention_2 by flash_attn 2.8.3")


class Examples(TestCase):
    def test_qwen3_8b_packed_with_flash_attn(self):
        example = mxt.SOURCE_ROOT / "examples" / "qwen3-8b-lora.yaml"
        packages = {"axolotl": "0.18.0", "flash_attn": "2.8.3"}
        self.simulate("calm", "--config", example, "--python", self.trainer(**packages).folder, model=None)
        self.assertEqual(self.plan()["evidence"]["today"],
                         "flash_attention_2 by flash_attn 2.8.3, documents isolated; the plan keeps it")


class OnGpu(sim_cuda.TestCase):
    """With Instella's heads, on a model that is small otherwise."""

    def setUp(self):
        super().setUp()
        self.write("config.json", {**sim_cuda.MODEL, "num_key_value_heads": 4, "head_dim": 80})
        self.torch.dist_info("axolotl", "0.18.0")

    def sentence(self, env=None, **scenario):
        """Of micro-batches of one sequence that nothing pads: no mask hides flash attention."""
        path = self.dir / "run.yaml"
        path.write_text(MODEL + "pad_to_sequence_len: false\n")
        self.tune("--config", path, env=env, **scenario)
        return self.plan()["evidence"]["today"]

    def test_torchs_default(self):
        self.tune("--config", mxt.SOURCE_ROOT / "examples" / "instella-3b-lora.yaml")
        self.assertEqual(self.plan()["evidence"]["today"], "cuDNN attention (torch's default); the plan keeps it")

    def test_a_switch_that_is_faster(self):
        faster = {"cudnn": sim_cuda.both(2), "flash": sim_cuda.both(1)}
        self.assertEqual(self.sentence(attention=faster),
                         "cuDNN attention (torch's default); the plan: flash attention inside torch, by "
                         "TORCH_CUDNN_SDPA_DEPRIORITIZED=1")

    def test_a_switch_of_the_callers_that_is_slower(self):
        self.assertEqual(self.sentence(env={"TORCH_CUDNN_SDPA_DEPRIORITIZED": "1"}),
                         "flash attention inside torch (by TORCH_CUDNN_SDPA_DEPRIORITIZED=1); the plan: cuDNN "
                         "attention, without TORCH_CUDNN_SDPA_DEPRIORITIZED")

    def test_a_python_that_does_not_start_changes_nothing(self):
        self.torch.dist_info("flash_attn", "2.8.3")
        path = self.dir / "run.yaml"
        path.write_text("flash_attention: true\n" + PACKED + MODEL)
        self.tune("--config", path)
        plan = self.plan()
        self.assertEqual(plan["evidence"]["today"], "flash_attention_2 by flash_attn 2.8.3, documents isolated; the plan "
                         "leaves it as it is")
        self.assertNotIn("attention", plan["decision"])
        self.assertTrue(any(text.startswith("fa2: ") for text in plan["evidence"]["budget"]["skipped"]))

    def test_flash_attention_4_is_not_timed(self):
        self.torch.dist_info("flash_attn", "2.8.3")
        self.torch.dist_info("flash_attn_4", "4.0.0b7")
        path = self.dir / "run.yaml"
        path.write_text("flash_attention: true\n" + MODEL)
        self.tune("--config", path)
        self.assertEqual(self.plan()["evidence"]["today"],
                         "FlashAttention 4 (flash_attn_4 4.0.0b7), in the place of 2; the plan leaves it as it is")
        self.assertNotIn("attention", self.plan()["decision"])


class Packing(TestCase):
    def test_documents_that_see_each_other_are_said(self):
        events, plan = self.tune(PACKED, packages={"axolotl": "0.18.0"})
        self.assertTrue(any("packed documents see each other" in note for note in self.notes(events)))
        self.assertIn("documents see each other", self.line(events)["today"])
        self.assertEqual(plan["decision"]["workload"]["training"]["documents"], "mixed")


if __name__ == "__main__":
    mxt.main()
