// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A diagnostic client in front of the outer compile's own.
#include "DiagnosticFilter.h"
#include "source/Compat.h"

#include "clang/Basic/DiagnosticFrontend.h"
#include "clang/Basic/DiagnosticIDs.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/SmallString.h"

namespace muster::plugin {
namespace {

// Warnings that the back end finds belong to the code as it is generated (-Wframe-larger-than, -Wpass-failed).
bool isBackendDiagnostic(unsigned id) {
  return clang::DiagnosticIDs::getCategoryNameFromID(clang::DiagnosticIDs::getCategoryNumberForDiag(id)) ==
         "Backend Issue";
}

// Found by debug information: by line numbers.
bool isOptimizerDiagnostic(unsigned id) {
  switch (id) {
    case clang::diag::remark_fe_backend_optimization_remark:
    case clang::diag::remark_fe_backend_optimization_remark_analysis:
    case clang::diag::remark_fe_backend_optimization_remark_analysis_aliasing:
    case clang::diag::remark_fe_backend_optimization_remark_analysis_fpcommute:
    case clang::diag::remark_fe_backend_optimization_remark_missed:
    case clang::diag::warn_fe_backend_optimization_failure:
      return true;
    default:
      return false;
  }
}

}  // namespace

DiagnosticFilter::DiagnosticFilter(clang::CompilerInstance& outer, std::set<WarningPlace> deserved,
                                   OriginalFiles originals)
    : outer_(outer),
      engine_(outer.getDiagnostics()),
      target_(engine_.getClient()),
      owned_(engine_.takeClient()),
      deserved_(std::move(deserved)),
      originals_(std::move(originals)),
      warningsWereErrors_(engine_.getWarningsAsErrors()) {
  liftWarningsAsErrors(engine_);
  takeCounts();
}

void DiagnosticFilter::beginNextText(bool holdsErrors) {
  givenBefore_.merge(given_);
  given_.clear();
  heldError_ = TextError();
  holdsErrors_ = holdsErrors;
}

void DiagnosticFilter::clear() {
  DiagnosticConsumer::clear();
  target_->clear();
}

void DiagnosticFilter::BeginSourceFile(const clang::LangOptions& options, const clang::Preprocessor* preprocessor) {
  target_->BeginSourceFile(options, preprocessor);
}

void DiagnosticFilter::EndSourceFile() {
  target_->EndSourceFile();
  takeCounts();
}

void DiagnosticFilter::finish() {
  target_->finish();
  takeCounts();
}

void DiagnosticFilter::HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& info) {
  if (holdsErrors_) heldError_.see(level, info);
  if (level != clang::DiagnosticsEngine::Note) dropping_ = isDropped(level, info);
  if (dropping_ || (!relocating_ && relocate(info))) return;
  const bool isOurs = info.getID() >= clang::diag::DIAG_UPPER_LIMIT;
  if (isOurs && level == clang::DiagnosticsEngine::Warning) ++ownWarnings_;
  target_->HandleDiagnostic(level, info);
  takeCounts();
}

// -verify compares at the end. What clang says that it "generated" is about the user's code.
void DiagnosticFilter::takeCounts() {
  NumErrors = target_->getNumErrors();
  NumWarnings = target_->getNumWarnings() - std::min(ownWarnings_, target_->getNumWarnings());
}

bool DiagnosticFilter::isDropped(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& info) {
  if (!heldError_.empty()) return true;
  return level == clang::DiagnosticsEngine::Warning && (!isDeserved(info) || isRepeated(info));
}

bool DiagnosticFilter::isDeserved(const clang::Diagnostic& info) const {
  if (info.getID() >= clang::diag::DIAG_UPPER_LIMIT || isBackendDiagnostic(info.getID())) return true;
  const std::optional<WarningPlace> place = placeOf(info);
  if (!place) return true;
  const clang::FileEntry* header = std::get<1>(*place);
  return (header && !info.getSourceManager().isFileOverridden(header)) || deserved_.count(*place) != 0;
}

bool DiagnosticFilter::isRepeated(const clang::Diagnostic& info) {
  const std::optional<WarningPlace> place = placeOf(info);
  if (!place) return false;
  given_.insert(*place);
  return givenBefore_.count(*place) != 0;
}

// Clang takes the line for one of the text that it reads, where #line directives gave it to another.
bool DiagnosticFilter::relocate(const clang::Diagnostic& info) {
  const bool hasDebugLines = outer_.getCodeGenOpts().getDebugInfo() != llvm::codegenoptions::NoDebugInfo;
  if (!hasDebugLines || !isOptimizerDiagnostic(info.getID()) || !info.hasSourceManager()) return false;
  const clang::SourceManager& sources = info.getSourceManager();
  if (&sources != &outer_.getSourceManager()) return false;
  const clang::FileID file = sources.getFileID(info.getLocation());
  const auto original = originals_.find(file == sources.getMainFileID() ? nullptr : sources.getFileEntryForID(file));
  if (original == originals_.end()) return false;
  const clang::SourceLocation place =
      sources.translateLineCol(original->second, sources.getSpellingLineNumber(info.getLocation()),
                               sources.getSpellingColumnNumber(info.getLocation()));
  llvm::SmallString<256> text;
  info.FormatDiagnostic(text);
  const std::string flag = compat::flagValue(info);
  relocating_ = true;
  engine_.Report(place, info.getID()) << clang::AddFlagValue(flag) << text;
  relocating_ = false;
  return true;
}

static std::string lineAndText(const clang::Diagnostic& info) {
  llvm::SmallString<256> text;
  info.FormatDiagnostic(text);
  unsigned line = 0;
  if (info.hasSourceManager() && info.getLocation().isValid()) {
    const clang::SourceManager& sources = info.getSourceManager();
    const clang::SourceLocation place = sources.getFileLoc(info.getLocation());
    if (sources.isWrittenInMainFile(place)) line = sources.getPresumedLineNumber(place);
  }
  return std::to_string(line) + ": " + text.str().str();
}

void TextError::see(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& info) {
  if (level != clang::DiagnosticsEngine::Note) takesNotes_ = text.empty() && level >= clang::DiagnosticsEngine::Error;
  if (!takesNotes_) return;
  if (text.empty()) text = lineAndText(info);
  if (!info.hasSourceManager()) return;
  if (const auto place = textPlace(info.getSourceManager(), info.getLocation())) places.push_back(*place);
}

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

DiagnosticFilter& filterDiagnostics(clang::CompilerInstance& outer, std::set<WarningPlace> deserved,
                                    OriginalFiles originals) {
  auto* filter = new DiagnosticFilter(outer, std::move(deserved), std::move(originals));
  outer.getDiagnostics().setClient(filter, /*ShouldOwnClient=*/true);
  return *filter;
}

}  // namespace muster::plugin
