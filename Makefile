# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The commands of a newcomer. CMake does the work: see CMakePresets.json.
BUILD ?= build
PHOTO ?= $(BUILD)/photos/bridge.jpg

.PHONY: demo check fuzz build deps bench sanitize format tidy clean

demo: build
	@case "$(PHOTO)" in $(BUILD)/photos/*) scripts/fetch-photo.sh "$(abspath $(PHOTO))";; esac
	@scripts/demo.sh "$(BUILD)" "$(PHOTO)"

check: build
	@scripts/check.sh "$(BUILD)"

# make fuzz N=500 SEED=1: random programs, compared with their plain builds; what fails is kept in test/fuzz/found.
N ?= 100
SEED ?= 1
fuzz: build
	@test/fuzz/fuzz.py "$(BUILD)" --count $(N) --first $(SEED)

build: deps
	@cmake --preset default -B "$(BUILD)"
	@cmake --build "$(BUILD)"

deps:
	@scripts/install-deps.sh

bench: build
	@bench/run.py --build "$(BUILD)" --output "$(BUILD)/bench.json" --output "$(BUILD)/bench.csv" $(BENCH)

sanitize: deps
	@cmake --preset sanitize
	@cmake --build --preset sanitize
	@ctest --preset sanitize

format:
	@git ls-files '*.cpp' '*.h' '*.hpp' | grep -v '^lit-tests/' | xargs clang-format-19 -i

tidy: build
	@scripts/tidy.sh "$(BUILD)"

clean:
	rm -rf "$(BUILD)" build-sanitize
