// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the text of an OpenMP directive stands: a #pragma line, a _Pragma, or a macro that is nothing but a _Pragma.
#pragma once

#include <optional>

#include "clang/AST/ASTContext.h"
#include "clang/AST/StmtOpenMP.h"

namespace muster::plugin {

// The first character of it in a file; nullopt where a macro holds more than the directive, so that it cannot be
// replaced alone.
std::optional<clang::SourceLocation> directiveStart(const clang::ASTContext& context,
                                                    const clang::OMPExecutableDirective* directive);

// Where the `#pragma omp metadirective` starts that has chosen this directive; invalid if none has.
clang::SourceLocation startOfMetadirective(const clang::ASTContext& context,
                                           const clang::OMPExecutableDirective* directive);

}  // namespace muster::plugin
