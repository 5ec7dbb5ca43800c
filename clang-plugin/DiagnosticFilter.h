// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps warnings about rewritten code from the user: of what the outer compile says about files that are rewritten,
// only what clang also said about the user's own text goes through.
#pragma once

#include <map>
#include <set>
#include <tuple>

#include "clang/Frontend/CompilerInstance.h"

namespace muster::plugin {

// Warnings stay warnings under -Werror: what clang says about rewritten code must not become an error.
void liftWarningsAsErrors(clang::DiagnosticsEngine& engine);

// Diagnostic, file (nullptr: the main one) and line. Nested compiles share the outer one's files.
using WarningPlace = std::tuple<unsigned, const clang::FileEntry*, unsigned>;
// nullopt: it is at no place in a file.
std::optional<WarningPlace> placeOf(const clang::Diagnostic& info);

// Copies of the user's texts in the outer compile; nullptr: the main file.
using OriginalFiles = std::map<const clang::FileEntry*, clang::FileID>;

// `deserved`: the warnings of the user's own text. To be called when that text had no error,
// so no warning of it is an error by -Werror either. What the optimiser says by the debugger's lines is said of
// `originals`.
void filterWarnings(clang::CompilerInstance& outer, std::set<WarningPlace> deserved, OriginalFiles originals);

}  // namespace muster::plugin
