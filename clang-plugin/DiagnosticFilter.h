// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps from the user what clang says about rewritten code: of warnings about files that are rewritten, only those go
// through that clang also gave for the user's own text, and errors are held back while another text can be compiled.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>

#include "clang/Frontend/CompilerInstance.h"
#include "source/UserFiles.h"

namespace muster::plugin {

// Warnings stay warnings under -Werror: what clang says about rewritten code must not become an error.
void liftWarningsAsErrors(clang::DiagnosticsEngine& engine);

// Diagnostic, file (nullptr: the main one) and line. Nested compiles share the outer one's files.
using WarningPlace = std::tuple<unsigned, const clang::FileEntry*, unsigned>;
// nullopt: it is at no place in a file.
std::optional<WarningPlace> placeOf(const clang::Diagnostic& info);

// Copies of the user's texts in the outer compile; nullptr: the main file.
using OriginalFiles = std::map<const clang::FileEntry*, clang::FileID>;

// The first error of a text; empty if there was none.
struct TextError {
  std::string text;               // "line: text"; line 0: not in the main file
  std::vector<TextPlace> places;  // its own, and those of its notes

  bool empty() const { return text.empty(); }
  // To be called for each diagnostic.
  void see(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& info);

 private:
  bool takesNotes_ = false;
};

// In front of the outer compile's own client.
class DiagnosticFilter : public clang::DiagnosticConsumer {
 public:
  // `deserved`: the warnings of the user's own text. What the optimiser says by the debugger's lines is said of
  // `originals`.
  DiagnosticFilter(clang::CompilerInstance& outer, std::set<WarningPlace> deserved, OriginalFiles originals);

  // The first error that was held back. What clang said after it is lost.
  const TextError& heldError() const { return heldError_; }
  void stopHoldingErrors() { holdsErrors_ = false; }
  // -Werror, which is lifted for what clang says.
  bool warningsWereErrors() const { return warningsWereErrors_; }
  // Another text is compiled, and its diagnostics are to come: warnings that were given before are not given again.
  void beginNextText(bool holdsErrors);

  void clear() override;
  void BeginSourceFile(const clang::LangOptions& options, const clang::Preprocessor* preprocessor) override;
  void EndSourceFile() override;
  void finish() override;
  bool IncludeInDiagnosticCounts() const override { return target_->IncludeInDiagnosticCounts(); }
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& info) override;

 private:
  void takeCounts();
  bool isDeserved(const clang::Diagnostic& info) const;
  bool isRepeated(const clang::Diagnostic& info);
  bool isDropped(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& info);
  bool relocate(const clang::Diagnostic& info);

  clang::CompilerInstance& outer_;
  clang::DiagnosticsEngine& engine_;
  clang::DiagnosticConsumer* target_;
  std::unique_ptr<clang::DiagnosticConsumer> owned_;
  const std::set<WarningPlace> deserved_;
  const OriginalFiles originals_;
  std::set<WarningPlace> given_, givenBefore_;  // for this text, and for those before it
  TextError heldError_;
  unsigned ownWarnings_ = 0;
  const bool warningsWereErrors_;
  bool holdsErrors_ = true;
  bool dropping_ = false;
  bool relocating_ = false;
};

// To be called when the user's own text had no error, so no warning of it is an error by -Werror either. The engine
// owns the filter. It holds errors back.
DiagnosticFilter& filterDiagnostics(clang::CompilerInstance& outer, std::set<WarningPlace> deserved,
                                    OriginalFiles originals);

}  // namespace muster::plugin
