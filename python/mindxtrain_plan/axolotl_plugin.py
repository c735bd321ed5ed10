# SPDX-License-Identifier: Apache-2.0
"""An Axolotl plugin for what no environment variable can set. `mindxtrain train` adds it to the config where a plan
needs it, and nowhere else:

    plugins:
      - mindxtrain_plan.axolotl_plugin.PlanPlugin

What it sets is what launch_hook.py sets at the start of Python, once more: in every rank, after the modules of the
training are loaded and before the model is. It does nothing in a run that `mindxtrain train` did not start.
"""

import os
import sys

from axolotl.integrations.base import BasePlugin

from . import launch_hook


class PlanPlugin(BasePlugin):
    """Sets and witnesses in this process."""

    def register(self, cfg):
        """Called once in every rank, before the config is validated."""
        super().register(cfg)
        self._attach()

    def pre_model_load(self, cfg):
        """The last moment before anything computes."""
        super().pre_model_load(cfg)
        self._attach()

    @staticmethod
    def _attach():
        request = launch_hook.Request(os.environ)
        if not (request.watches() or request.changes()):
            return
        try:
            launch_hook.attach_now()
        except Exception as error:  # pylint: disable=broad-except
            sys.stderr.write(f"mindxtrain: the plan's settings were not made again: {error!r}\n")
