# SPDX-License-Identifier: Apache-2.0
# A thin front: everything real is in meson.build and scripts/.

BUILD ?= build
MODEL ?= instella-3b
PLAN  ?= plan.json
ARGS  ?=

program = $(BUILD)/src/cli/mindxtrain

.PHONY: all build autotune check check-full check-axolotl fuzz bundle install clean

all: build

build: $(BUILD)/build.ninja
	ninja -C $(BUILD)

# In lib, not in lib64, which Meson takes where it cannot ask for Debian's folder, and which nothing there searches.
$(BUILD)/build.ninja:
	scripts/setup.sh build
	meson setup --libdir lib $(BUILD)

# Sets up, builds, probes this machine with a real workload, writes the plan and shows it without its samples.
autotune: $(BUILD)/build.ninja
	ninja -C $(BUILD) src/cli/mindxtrain
	$(program) autotune --model $(MODEL) --out $(PLAN) $(ARGS)
	$(program) plan show $(PLAN) | sed '/^samples$$/,$$d'

check:
	scripts/check.sh

check-full:
	scripts/check-full.sh

# Trains with a real Axolotl on this host, under a plan: fetches one from the Python index (5 GB), once.
check-axolotl: $(BUILD)/build.ninja
	scripts/fetch-axolotl.sh
	ninja -C $(BUILD) src/cli/mindxtrain
	MINDXTRAIN=$(abspath $(program)) PYTHONPATH=tests/lib python3 tests/integration/test_real_axolotl.py

fuzz:
	scripts/fuzz.sh

bundle:
	scripts/bundle.sh

install: build
	meson install -C $(BUILD) --no-rebuild

clean:
	rm -rf $(BUILD) build-*
