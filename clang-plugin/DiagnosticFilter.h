// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps warnings about rewritten code from the user: of what the outer compile says about the main file, only what
// clang also said about the user's own text goes through.
#pragma once

#include <set>
#include <utility>

#include "clang/Frontend/CompilerInstance.h"

namespace muster::plugin {

// Warnings stay warnings under -Werror: what clang says about rewritten code must not become an error.
void liftWarningsAsErrors(clang::DiagnosticsEngine& engine);

// `deserved`: (diagnostic id, line) of the warnings of the user's own text. To be called when that text had no error,
// so no warning of it is an error by -Werror either.
void filterWarnings(clang::CompilerInstance& outer, std::set<std::pair<unsigned, unsigned>> deserved);

}  // namespace muster::plugin
