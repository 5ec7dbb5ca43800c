// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Fallback.h"

#include "Remarks.h"

namespace muster::plugin {
namespace {

// The outer compile's client knows the main file's language already, and is told once that a file ends.
class PassingClient : public clang::DiagnosticConsumer {
 public:
  explicit PassingClient(DiagnosticFilter& filter) : filter_(filter) {}
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& info) override {
    DiagnosticConsumer::HandleDiagnostic(level, info);
    filter_.HandleDiagnostic(level, info);
  }

 private:
  DiagnosticFilter& filter_;
};

}  // namespace

std::string internalError(const std::string& problem, const std::string& remains) {
  return "muster: internal error, please report it: the rewritten source does not compile (line " + problem + "); " +
         remains;
}

Fallback::Fallback(NestedCompile nested, DiagnosticFilter& filter, std::string includeFolder,
                   std::vector<Alternative> alternatives)
    : nested_(std::move(nested)),
      filter_(filter),
      includeFolder_(std::move(includeFolder)),
      alternatives_(std::move(alternatives)) {}

void Fallback::endParse() {
  if (filter_.heldError().empty()) filter_.stopHoldingErrors();
}

void Fallback::finish(clang::CompilerInstance& outer) {
  const std::string problem = filter_.heldError();
  if (problem.empty()) return;
  outer.clearOutputFiles(/*EraseFiles=*/true);
  for (const Alternative& alternative : alternatives_) {
    filter_.beginNextText(/*holdsErrors=*/&alternative != &alternatives_.back());
    PassingClient client(filter_);
    if (!nested_.compile(alternative.texts, includeFolder_, client)) continue;
    outer.getDiagnostics().Reset(/*soft=*/true);
    outer.getDiagnostics().setWarningsAsErrors(filter_.warningsWereErrors());
    reportWarning(outer.getDiagnostics(), nested_.originalLocation(0), internalError(problem, alternative.remains));
    return;
  }
}

}  // namespace muster::plugin
