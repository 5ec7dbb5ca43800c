# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The commands of a newcomer. CMake does the work: see CMakePresets.json.
BUILD ?= build
PHOTO ?= $(BUILD)/photos/bridge.jpg

.PHONY: demo check quick fuzz configure build toolchain deps deps-tests bench sanitize format lint tidy packages docs drawings clean

demo: toolchain
	@case "$(PHOTO)" in $(BUILD)/photos/*) scripts/fetch-photo.sh "$(abspath $(PHOTO))";; esac
	@scripts/demo.sh "$(BUILD)" "$(PHOTO)"

check: build
	@scripts/check.sh "$(BUILD)"

# The loop of a person at work: what a minute tests.
quick: build
	@ctest --test-dir "$(BUILD)" --label-regex quick --output-on-failure -j "$$(nproc)"

# make fuzz N=500 SEED=1: random programs, compared with their plain builds; what fails is kept in test/fuzz/found.
N ?= 100
SEED ?= 1
fuzz: build
	@test/fuzz/fuzz.py "$(BUILD)" --count $(N) --first $(SEED)

configure: deps-tests
	@cmake --preset default -B "$(BUILD)" -DBUILD_TESTING=ON

# Huge pages for the compilers' memory: where a page fault is dear, as on virtual machines, a fifth of their time.
COMPILERS := GLIBC_TUNABLES=glibc.malloc.hugetlb=1

build: configure
	@$(COMPILERS) cmake --build "$(BUILD)"

# What a user needs: the plugin, the runtime, the wrappers, the tools. No tests, no benchmarks.
toolchain: deps
	@[ -e "$(BUILD)/build.ninja" ] || cmake --preset default -B "$(BUILD)" -DBUILD_TESTING=OFF
	@$(COMPILERS) cmake --build "$(BUILD)" --target toolchain

deps:
	@scripts/install-deps.sh

deps-tests:
	@scripts/install-deps.sh scripts/packages-tests.txt

bench: build
	@bench/run.py --build "$(BUILD)" --output "$(BUILD)/bench.json" --output "$(BUILD)/bench.csv" $(BENCH)

sanitize: deps-tests
	@cmake --preset sanitize
	@cmake --build --preset sanitize
	@ctest --preset sanitize

format:
	@test/programs/check_format.sh . -i

# The checks of the source tree alone; nothing is built for them.
lint: configure
	@ctest --test-dir "$(BUILD)" --label-regex source --output-on-failure

tidy: deps-tests
	@scripts/tidy.sh "$(BUILD)/tidy"

# Debian packages, into $(BUILD)/packages.
packages: build
	@cpack --config "$(BUILD)/CPackConfig.cmake" -B "$(BUILD)/packages"

# The pages of the public headers, into $(BUILD)/doxygen/html. Packages that only they need are installed here.
docs:
	@scripts/install-deps.sh scripts/packages-docs.txt
	@scripts/api-docs.sh "$(BUILD)"

# The drawings of docs/images, of their .dot files. Needs Graphviz, which nothing else here does.
drawings:
	@scripts/draw.sh

clean:
	rm -rf "$(BUILD)" build-sanitize
