# SPDX-License-Identifier: Apache-2.0
"""An Axolotl plugin that records as `mindxtrain record` does where a Python ignores PYTHONPATH or sitecustomize:

    plugins:
      - mindxtrain_plan.axolotl_recorder.RecorderPlugin

It does nothing in a run that `mindxtrain record` did not start.
"""

from axolotl.integrations.base import BasePlugin

from .recorder_hook import wait_for_torch


class RecorderPlugin(BasePlugin):
    """Attaches the recorder to the optimizers of this process."""

    def register(self, cfg):
        """Called once in every rank, before the config is validated."""
        super().register(cfg)
        wait_for_torch()
