// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "source/Remarks.h"

namespace muster::plugin {
namespace {

using Level = clang::DiagnosticsEngine::Level;

clang::DiagnosticBuilder report(clang::DiagnosticsEngine& engine, Level level, clang::SourceLocation loc,
                                llvm::StringRef format, const llvm::Twine& text) {
  const unsigned id =
      engine.getDiagnosticIDs()->getCustomDiagID(static_cast<clang::DiagnosticIDs::Level>(level), format);
  return engine.Report(loc, id) << text.str();
}

}  // namespace

clang::DiagnosticBuilder reportError(clang::DiagnosticsEngine& engine, clang::SourceLocation loc,
                                     const llvm::Twine& text) {
  return report(engine, Level::Error, loc, "%0", text);
}

clang::DiagnosticBuilder reportNote(clang::DiagnosticsEngine& engine, clang::SourceLocation loc,
                                    const llvm::Twine& text) {
  return report(engine, Level::Note, loc, "%0", text);
}

static void reportAlways(clang::DiagnosticsEngine& engine, clang::SourceLocation loc, const llvm::Twine& text) {
  const bool isError = engine.getWarningsAsErrors() && !engine.getIgnoreAllWarnings();
  report(engine, isError ? Level::Error : Level::Warning, loc, "%0 [-Wmuster]", text);
}

void reportWarning(clang::DiagnosticsEngine& engine, clang::SourceLocation loc, const llvm::Twine& text) {
  if (engine.getIgnoreAllWarnings()) return;
  reportAlways(engine, loc, text);
}

void reportInternalError(clang::DiagnosticsEngine& engine, clang::SourceLocation loc, const llvm::Twine& text) {
  reportAlways(engine, loc, "muster: internal error, please report it: " + text);
}

void remarkDone(clang::DiagnosticsEngine& engine, clang::SourceLocation loc, const llvm::Twine& text) {
  report(engine, Level::Remark, loc, ("%0" + kDoneSuffix).str(), text);
}

void remarkMissed(clang::DiagnosticsEngine& engine, clang::SourceLocation loc, const llvm::Twine& text) {
  report(engine, Level::Remark, loc, ("%0" + kMissedSuffix).str(), text);
}

void remarkSummary(clang::DiagnosticsEngine& engine, clang::SourceLocation loc, const llvm::Twine& text) {
  report(engine, Level::Remark, loc, ("%0" + kSummarySuffix).str(), text);
}

}  // namespace muster::plugin
