// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The nested compiler instance and the forwarding of Muster's reports.
#include "NestedCompile.h"
#include "source/Compat.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/Basic/DiagnosticParse.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/FrontendTool/Utils.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/thread.h"

namespace muster::plugin {
namespace {

thread_local bool nestedActive = false;
constexpr unsigned kStackBytes = 256u << 20;  // reserved, not used

// Counts clang's own diagnostics and keeps Muster's.
class KeepingClient : public clang::DiagnosticConsumer {
 public:
  KeepingClient(NestedCompile& owner, const Options& options) : owner_(owner), options_(options) {}

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& info) override {
    const bool ours = info.getID() >= clang::diag::DIAG_UPPER_LIMIT;
    if (ours)
      keep(level, info);
    else
      count(level, info);
  }

  NestedOutcome take() { return std::move(outcome_); }

 private:
  static std::string textOf(const clang::Diagnostic& info) {
    llvm::SmallString<256> text;
    info.FormatDiagnostic(text);
    return text.str().str();
  }

  void count(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& info) {
    outcome_.firstError.see(level, info);
    if (level == clang::DiagnosticsEngine::Warning)
      if (const std::optional<WarningPlace> place = placeOf(info)) outcome_.warnings.insert(*place);
    if (level < clang::DiagnosticsEngine::Error) return;
    if (info.getID() == clang::diag::err_omp_unknown_directive && outcome_.unknownDirective.isInvalid())
      outcome_.unknownDirective = outerLocation(info);
    ++outcome_.errors;
  }

  void keep(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& info) {
    const std::string text = textOf(info);
    const bool isRemark = level == clang::DiagnosticsEngine::Remark;
    if (options_.strict && llvm::StringRef(text).ends_with(kMissedSuffix)) level = clang::DiagnosticsEngine::Error;
    if (level != clang::DiagnosticsEngine::Note) silenced_ = isSilenced(level, text);
    outcome_.reportedError |= level >= clang::DiagnosticsEngine::Error;
    if (isRemark || !silenced_) outcome_.reports.push_back({level, outerLocation(info), text, isRemark, silenced_});
  }

  bool isSilenced(clang::DiagnosticsEngine::Level level, llvm::StringRef text) const {
    if (level != clang::DiagnosticsEngine::Remark) return false;
    if (text.ends_with(kSummarySuffix)) return false;
    if (text.ends_with(kMissedSuffix)) return options_.remarks == RemarkLevel::None;
    return options_.remarks != RemarkLevel::All;
  }

  clang::SourceLocation outerLocation(const clang::Diagnostic& info) {
    return info.hasSourceManager() ? owner_.originalLocation(info.getSourceManager(), info.getLocation())
                                   : clang::SourceLocation();
  }

  NestedCompile& owner_;
  const Options& options_;
  bool silenced_ = false;
  NestedOutcome outcome_;
};

class NestedConsumer : public clang::ASTConsumer {
 public:
  NestedConsumer(clang::CompilerInstance& instance, const NestedCompile::OnAst& onAst)
      : instance_(instance), onAst_(onAst) {}
  void HandleTranslationUnit(clang::ASTContext& context) override {
    if (onAst_) onAst_(instance_);
  }
  // Asked only where the options let bodies be skipped.
  bool shouldSkipFunctionBody(clang::Decl* function) override {
    const clang::SourceManager& sources = instance_.getSourceManager();
    return !isUserCode(sources, function->getLocation());
  }

 private:
  clang::CompilerInstance& instance_;
  const NestedCompile::OnAst& onAst_;
};

class NestedAction : public clang::ASTFrontendAction {
 public:
  NestedAction(const NestedCompile::OnPreprocessor& prepare, const NestedCompile::OnAst& onAst)
      : prepare_(prepare), onAst_(onAst) {}

 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& instance, llvm::StringRef) override {
    if (prepare_) prepare_(instance.getPreprocessor());
    return std::make_unique<NestedConsumer>(instance, onAst_);
  }

 private:
  const NestedCompile::OnPreprocessor& prepare_;
  const NestedCompile::OnAst& onAst_;
};

}  // namespace

NestedCompile::NestedCompile(clang::CompilerInstance& outer, clang::FrontendInputFile input, std::string original)
    : outer_(outer), input_(std::move(input)), original_(std::move(original)) {}

bool NestedCompile::active() { return nestedActive; }

std::shared_ptr<clang::CompilerInvocation> NestedCompile::makeInvocation(const SourceTexts& texts) const {
  auto invocation = std::make_shared<clang::CompilerInvocation>(outer_.getInvocation());
  clang::FrontendOptions& frontend = invocation->getFrontendOpts();
  frontend.Inputs = {input_};
  frontend.ProgramAction = clang::frontend::ParseSyntaxOnly;
  frontend.OutputFile.clear();
  frontend.Plugins.clear();
  frontend.AddPluginActions.clear();
  frontend.PluginArgs.clear();
  frontend.DisableFree = false;
  frontend.ShowStats = false;
  frontend.StatsFile.clear();
  frontend.TimeTracePath.clear();
  invocation->getCodeGenOpts().TimePasses = false;
  invocation->getDependencyOutputOpts() = clang::DependencyOutputOptions();
  clang::DiagnosticOptions& diagnostics = invocation->getDiagnosticOpts();
  diagnostics.ShowCarets = false;  // also silences "1 warning generated."
  diagnostics.VerifyDiagnostics = false;
  diagnostics.setFormat(clang::DiagnosticOptions::Clang);  // what writes SARIF expects a client of its own
  diagnostics.DiagnosticSerializationFile.clear();
  diagnostics.DiagnosticLogFile.clear();
  const clang::SourceManager& sources = outer_.getSourceManager();
  const clang::OptionalFileEntryRef file = sources.getFileEntryRefForID(sources.getMainFileID());
  clang::PreprocessorOptions& preprocessor = invocation->getPreprocessorOpts();
  auto remap = [&](clang::FileEntryRef entry, llvm::StringRef text) {
    preprocessor.addRemappedFile(entry.getName(),
                                 llvm::MemoryBuffer::getMemBufferCopy(text, entry.getName()).release());
  };
  remap(*file, texts.main);
  for (const auto& [header, text] : texts.headers) remap(header, text);
  preprocessor.RetainRemappedFileBuffers = false;
  return invocation;
}

NestedOutcome NestedCompile::parse(const SourceTexts& texts, const Options& options, const OnPreprocessor& prepare,
                                   const OnAst& onAst) {
  return run(makeInvocation(texts), options, prepare, onAst);
}

NestedOutcome NestedCompile::check(const SourceTexts& texts, const OnPreprocessor& prepare) {
  auto invocation = makeInvocation(texts);
  // Functions that several modules hold are compared.
  const bool modules = invocation->getHeaderSearchOpts().ImplicitModuleMaps ||
                       !invocation->getHeaderSearchOpts().PrebuiltModuleFiles.empty() ||
                       !invocation->getFrontendOpts().ModuleFiles.empty();
  invocation->getFrontendOpts().SkipFunctionBodies = !modules;
  return run(std::move(invocation), Options(), prepare, nullptr);
}

bool NestedCompile::compile(const SourceTexts& texts, const std::string& includeFolder,
                            clang::DiagnosticConsumer& client) {
  auto invocation = makeInvocation(texts);
  clang::FrontendOptions& frontend = invocation->getFrontendOpts();
  frontend.ProgramAction = outer_.getFrontendOpts().ProgramAction;
  frontend.OutputFile = outer_.getFrontendOpts().OutputFile;
  if (!includeFolder.empty())
    invocation->getHeaderSearchOpts().AddPath(includeFolder, clang::frontend::After, /*IsFramework=*/false,
                                              /*IgnoreSysRoot=*/true);
  const auto nested = compat::makeInstance(outer_, std::move(invocation), client);
  liftWarningsAsErrors(nested->getDiagnostics());
  const std::unique_ptr<clang::FrontendAction> action = clang::CreateFrontendAction(*nested);
  nestedActive = true;
  const bool good = nested->ExecuteAction(*action);
  nestedActive = false;
  return good;
}

NestedOutcome NestedCompile::run(std::shared_ptr<clang::CompilerInvocation> invocation, const Options& options,
                                 const OnPreprocessor& prepare, const OnAst& onAst) {
  KeepingClient client(*this, options);
  const auto nested = compat::makeInstance(outer_, std::move(invocation), client);
  runWithLargeStack([&] {
    NestedAction action(prepare, onAst);
    nestedActive = true;
    nested->ExecuteAction(action);
  });
  return client.take();
}

// Not in a crash recovery of its own: a crash must end the compile.
void runWithLargeStack(llvm::function_ref<void()> action) {
  llvm::thread worker(std::optional(kStackBytes), [&] { action(); });
  worker.join();
}

void NestedCompile::setExpanded(const std::vector<ExpandedFile>& files) {
  expanded_.clear();
  for (const ExpandedFile& file : files)
    expanded_[file.header ? &file.header->getFileEntry() : nullptr] = file.offsets();
}

unsigned NestedCompile::originalOffset(const clang::FileEntry* file, unsigned offset) const {
  const auto found = expanded_.find(file);
  return found == expanded_.end() ? offset : found->second.original(offset);
}

clang::SourceLocation NestedCompile::originalLocation(const clang::SourceManager& sources, clang::SourceLocation loc) {
  if (loc.isInvalid()) return {};
  const auto [file, offset] = sources.getDecomposedLoc(sources.getFileLoc(loc));
  if (file == sources.getMainFileID()) return originalLocation(originalOffset(nullptr, offset));
  const clang::OptionalFileEntryRef entry = sources.getFileEntryRefForID(file);
  return entry ? originalLocation(*entry, originalOffset(&entry->getFileEntry(), offset)) : clang::SourceLocation();
}

clang::SourceLocation NestedCompile::originalLocation(unsigned offset) {
  clang::SourceManager& sources = outer_.getSourceManager();
  if (originalFile_.isInvalid()) {
    const clang::OptionalFileEntryRef file = sources.getFileEntryRefForID(sources.getMainFileID());
    originalFile_ = sources.createFileID(llvm::MemoryBuffer::getMemBufferCopy(original_, file->getName()));
  }
  return sources.getLocForStartOfFile(originalFile_).getLocWithOffset(offset);
}

// A copy, because the outer compile reads the header itself later, and may be given another text for it.
clang::SourceLocation NestedCompile::originalLocation(clang::FileEntryRef header, unsigned offset) {
  clang::SourceManager& sources = outer_.getSourceManager();
  clang::FileID& copy = originalHeaders_[&header.getFileEntry()];
  if (copy.isInvalid()) {
    auto buffer = outer_.getFileManager().getBufferForFile(header);
    if (!buffer) return {};
    copy = sources.createFileID(llvm::MemoryBuffer::getMemBufferCopy((*buffer)->getBuffer(), header.getName()));
  }
  return sources.getLocForStartOfFile(copy).getLocWithOffset(offset);
}

}  // namespace muster::plugin
