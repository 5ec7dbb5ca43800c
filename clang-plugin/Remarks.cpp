// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Custom diagnostics and the remarks about a plan.
#include "Remarks.h"

#include "clang/AST/StmtOpenMP.h"

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

void reportWarning(clang::DiagnosticsEngine& engine, clang::SourceLocation loc, const llvm::Twine& text) {
  if (engine.getIgnoreAllWarnings()) return;
  report(engine, engine.getWarningsAsErrors() ? Level::Error : Level::Warning, loc, "%0 [-Wmuster]", text);
}

void remarkDone(clang::DiagnosticsEngine& engine, clang::SourceLocation loc, const llvm::Twine& text) {
  report(engine, Level::Remark, loc, ("%0" + kDoneSuffix).str(), text);
}

void remarkMissed(clang::DiagnosticsEngine& engine, clang::SourceLocation loc, const llvm::Twine& text) {
  report(engine, Level::Remark, loc, ("%0" + kMissedSuffix).str(), text);
}

void remarkPlan(clang::DiagnosticsEngine& engine, const TranslationUnitPlan& plan) {
  for (const KernelPlan& kernel : plan.kernels) {
    const clang::SourceLocation loc = kernel.facts->directive->getBeginLoc();
    if (kernel.opencl.empty())
      remarkMissed(engine, loc, "loop '" + kernel.name + "' runs on CPUs only: " + kernel.openclReason);
    else
      remarkDone(engine, loc, "loop is outlined as '" + kernel.name + "' for all devices");
  }
  for (const StepBackPlan& step : plan.stepBacks) {
    remarkMissed(engine, step.directive->getBeginLoc(), "loop stays plain OpenMP on rank 0: " + step.why.what);
    if (step.why.loc.isValid() && step.why.loc != step.directive->getBeginLoc())
      reportNote(engine, step.why.loc, "here");
  }
}

}  // namespace muster::plugin
