# SPDX-License-Identifier: Apache-2.0
# A thin front: everything real is in meson.build and scripts/.

BUILD ?= build
MODEL ?= instella-3b
PLAN  ?= plan.json
ARGS  ?=

program = $(BUILD)/src/cli/mindxtrain

.PHONY: all build autotune check check-full fuzz bundle install clean

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

fuzz:
	scripts/fuzz.sh

bundle:
	scripts/bundle.sh

install: build
	meson install -C $(BUILD) --no-rebuild

clean:
	rm -rf $(BUILD) build-*
