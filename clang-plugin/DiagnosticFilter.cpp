// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A diagnostic client in front of the outer compile's own.
#include "DiagnosticFilter.h"
#include "Compat.h"

#include "clang/Basic/DiagnosticIDs.h"
#include "clang/Lex/Preprocessor.h"

namespace muster::plugin {
namespace {

// Warnings that the back end finds belong to the code as it is generated (-Wframe-larger-than, -Wpass-failed).
bool isBackendDiagnostic(unsigned id) {
  return clang::DiagnosticIDs::getCategoryNameFromID(clang::DiagnosticIDs::getCategoryNumberForDiag(id)) ==
         "Backend Issue";
}

class FilteringClient : public clang::DiagnosticConsumer {
 public:
  FilteringClient(std::unique_ptr<clang::DiagnosticConsumer> owned, clang::DiagnosticConsumer* target,
                  std::set<WarningPlace> deserved)
      : owned_(std::move(owned)), target_(target), deserved_(std::move(deserved)) {
    takeCounts();
  }

  void clear() override {
    DiagnosticConsumer::clear();
    target_->clear();
  }
  void BeginSourceFile(const clang::LangOptions& options, const clang::Preprocessor* preprocessor) override {
    target_->BeginSourceFile(options, preprocessor);
  }
  void EndSourceFile() override {
    target_->EndSourceFile();
    takeCounts();
  }
  void finish() override {
    target_->finish();
    takeCounts();
  }
  bool IncludeInDiagnosticCounts() const override { return target_->IncludeInDiagnosticCounts(); }

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& info) override {
    if (level != clang::DiagnosticsEngine::Note)
      dropping_ = level == clang::DiagnosticsEngine::Warning && !isDeserved(info);
    if (dropping_) return;
    target_->HandleDiagnostic(level, info);
    takeCounts();
  }

 private:
  // -verify compares at the end.
  void takeCounts() {
    NumErrors = target_->getNumErrors();
    NumWarnings = target_->getNumWarnings();
  }

  bool isDeserved(const clang::Diagnostic& info) const {
    if (info.getID() >= clang::diag::DIAG_UPPER_LIMIT || isBackendDiagnostic(info.getID())) return true;
    const std::optional<WarningPlace> place = placeOf(info);
    if (!place) return true;
    const clang::FileEntry* header = std::get<1>(*place);
    return (header && !info.getSourceManager().isFileOverridden(header)) || deserved_.count(*place) != 0;
  }

  std::unique_ptr<clang::DiagnosticConsumer> owned_;
  clang::DiagnosticConsumer* target_;
  const std::set<WarningPlace> deserved_;
  bool dropping_ = false;
};

}  // namespace

std::optional<WarningPlace> placeOf(const clang::Diagnostic& info) {
  if (!info.hasSourceManager() || info.getLocation().isInvalid()) return std::nullopt;
  const clang::SourceManager& sources = info.getSourceManager();
  const clang::SourceLocation place = sources.getFileLoc(info.getLocation());
  const clang::FileEntry* file = sources.getFileEntryForID(sources.getFileID(place));
  if (!file) return std::nullopt;
  return WarningPlace(info.getID(), sources.isWrittenInMainFile(place) ? nullptr : file,
                      sources.getPresumedLineNumber(place));
}

void liftWarningsAsErrors(clang::DiagnosticsEngine& engine) {
  engine.setWarningsAsErrors(false);
  std::vector<clang::diag::kind> all;
  clang::DiagnosticIDs::getAllDiagnostics(clang::diag::Flavor::WarningOrError, all);
  for (clang::diag::kind id : all) {
    if (!compat::isPlainWarning(engine, id)) continue;
    if (isBackendDiagnostic(id)) continue;
    if (engine.getDiagnosticLevel(id, clang::SourceLocation()) >= clang::DiagnosticsEngine::Error)
      engine.setSeverity(id, clang::diag::Severity::Warning, clang::SourceLocation());
  }
}

void filterWarnings(clang::CompilerInstance& outer, std::set<WarningPlace> deserved) {
  clang::DiagnosticsEngine& engine = outer.getDiagnostics();
  liftWarningsAsErrors(engine);
  clang::DiagnosticConsumer* target = engine.getClient();
  std::unique_ptr<clang::DiagnosticConsumer> owned = engine.takeClient();
  engine.setClient(new FilteringClient(std::move(owned), target, std::move(deserved)), /*ShouldOwnClient=*/true);
}

}  // namespace muster::plugin
