#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Prints a source as the plain OpenMP compiler takes it: Muster's three directives, which clang without the plugin
# rejects, become empty lines, so line numbers stay. Usage: plain-source.sh FILE
exec sed -E '/^[ \t]*#[ \t]*pragma[ \t]+ompx?[ \t]+(managed|alloc_start|alloc_end)\b/s/.*//' "$1"
