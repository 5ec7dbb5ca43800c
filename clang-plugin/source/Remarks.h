// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the plugin tells the user, through clang's diagnostics. The stages report on the nested compile's engine;
// NestedCompile forwards those reports, and only those, to the user.
#pragma once

#include "clang/Basic/Diagnostic.h"
#include "llvm/ADT/StringRef.h"

namespace muster::plugin {

enum class RemarkLevel { None, Missed, All };

// The suffixes tell the kinds of remark apart, for the reader and for the filter.
inline constexpr llvm::StringLiteral kDoneSuffix = " [-Rmuster]";
inline constexpr llvm::StringLiteral kMissedSuffix = " [-Rmuster-missed]";
inline constexpr llvm::StringLiteral kSummarySuffix = " [-Rmuster-summary]";

clang::DiagnosticBuilder reportError(clang::DiagnosticsEngine& engine, clang::SourceLocation loc,
                                     const llvm::Twine& text);
clang::DiagnosticBuilder reportNote(clang::DiagnosticsEngine& engine, clang::SourceLocation loc,
                                    const llvm::Twine& text);
// A warning follows -Werror and -w, which clang does not apply to custom diagnostics.
void reportWarning(clang::DiagnosticsEngine& engine, clang::SourceLocation loc, const llvm::Twine& text);
// Of Muster itself: a warning that -w does not silence.
void reportInternalError(clang::DiagnosticsEngine& engine, clang::SourceLocation loc, const llvm::Twine& text);
// Something was done for the user / was not done, and why.
void remarkDone(clang::DiagnosticsEngine& engine, clang::SourceLocation loc, const llvm::Twine& text);
void remarkMissed(clang::DiagnosticsEngine& engine, clang::SourceLocation loc, const llvm::Twine& text);
// Numbers of a file.
void remarkSummary(clang::DiagnosticsEngine& engine, clang::SourceLocation loc, const llvm::Twine& text);

}  // namespace muster::plugin
