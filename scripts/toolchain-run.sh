#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs a command, such as bench/apps.py, on a machine without clang, from a folder that toolchain-bundle.sh made; $muster
# is there the folder with Muster's bin and lib. Usage: toolchain-run.sh BUNDLE COMMAND...
set -euo pipefail

bundle=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$bundle/toolchain-setup.sh"
export muster=$work/muster
"$muster/bin/muster-info" 2>&1 | head -n 16
bash -c "${*:2}"
