// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Fallback.h"

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

Fallback::Fallback(std::unique_ptr<Translation> translation, DiagnosticFilter& filter, std::string includeFolder)
    : translation_(std::move(translation)), filter_(filter), includeFolder_(std::move(includeFolder)) {}

void Fallback::endParse() {
  if (!filter_.heldError().empty()) return;
  filter_.stopHoldingErrors();
  translation_->report();
}

void Fallback::finish(clang::CompilerInstance& outer) {
  const TextError error = filter_.heldError();
  if (error.empty()) return;
  outer.clearOutputFiles(/*EraseFiles=*/true);
  const bool good = translation_->settle(error, [&](const SourceTexts& texts, bool isLast, TextError& problem) {
    filter_.beginNextText(/*holdsErrors=*/!isLast);
    PassingClient client(filter_);
    const bool compiles = translation_->nested().compile(texts, includeFolder_, client);
    problem = filter_.heldError();
    return compiles;
  });
  if (!good) return;
  filter_.stopHoldingErrors();  // -Werror makes one of what is reported
  outer.getDiagnostics().Reset(/*soft=*/true);
  outer.getDiagnostics().setWarningsAsErrors(filter_.warningsWereErrors());
  translation_->report();
}

}  // namespace muster::plugin
