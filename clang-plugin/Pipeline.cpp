// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The choice of the text that the outer compile sees.
#include "Pipeline.h"

#include "IncludeFolder.h"
#include "clang/Basic/DiagnosticFrontend.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/Support/MemoryBuffer.h"
#include "muster/abi.h"
#include "pragma/MainFunction.h"
#include "rewrite/text/LineMarkers.h"
#include "source/RefusalTexts.h"

namespace muster::plugin {
namespace {

class Pipeline {
 public:
  Pipeline(clang::CompilerInstance& outer, clang::FrontendInputFile input, const Options& options)
      : outer_(outer),
        options_(options),
        preprocessed_(input.getKind().isPreprocessed()),
        emitsCode_(emitsCode(outer)),
        translation_(std::make_unique<Translation>(outer, std::move(input), options)),
        user_(translation_->user()) {}

  // What the outer compile falls back on, if it is given rewritten text.
  std::unique_ptr<Fallback> run() {
    if (!options_.valid) {
      replaceSources(user_.withoutDirectives());
      return nullptr;
    }
    if (const std::string reason = whyInactive(); !reason.empty()) {
      standAside(reason);
      return nullptr;
    }
    defineMacro();
    addIncludeFolder(outer_.getPreprocessor());
    if (!user_.scan.needsRewriting && !user_.included.needRewriting && (!user_.scan.namesMain || beginSession()))
      return nullptr;
    NestedOutcome outcome = translation_->run();
    if (outcome.unknownDirective.isValid()) explainUnknownDirective(outcome.unknownDirective);
    const bool good = outcome.errors == 0 && !outcome.reportedError;
    if (good && (!emitsCode_ || !translation_->rewritten())) settle();
    if (good && translation_->rewritten() && options_.printRewrite) print(*translation_->rewritten());
    if (!good || !emitsCode_ || !translation_->rewritten()) {
      translation_->report();
      replaceSources(translation_->plain(/*asksForSession=*/good && emitsCode_));
      return nullptr;
    }
    const SourceTexts& rewritten = *translation_->rewritten();
    DiagnosticFilter& filter = filterDiagnostics(outer_, std::move(outcome.warnings), originals(rewritten));
    replaceSources(rewritten);
    return std::make_unique<Fallback>(std::move(translation_), filter, includeFolder());
  }

 private:
  // Where no code is emitted, nothing else sees whether the text is right.
  void settle() {
    const Translation::Compile compile = [&](const SourceTexts& texts, bool isLast, TextError& error) {
      return isLast || translation_->check(texts, error);
    };
    TextError error;
    if (!translation_->rewritten() || !translation_->check(*translation_->rewritten(), error))
      translation_->settle(error, compile);
  }

  // Why this compile is none that Muster can serve; empty if it is.
  std::string whyInactive() const {
    const clang::LangOptions& language = outer_.getLangOpts();
    if (!language.OpenMP || language.OpenMPSimd) return say::WithoutOpenMP;
    if (!language.CPlusPlus && !language.C99) return say::OldC;
    if (language.CPlusPlus && !language.CPlusPlus11) return say::OldCxx;
    if (preprocessed_) return say::PreprocessedSource;
    if (outer_.getASTContext().TUKind != clang::TU_Complete) return say::CompiledAhead;
    if (user_.scan.moduleUnit) return say::ModuleUnit;
    if (language.OpenMPIsTargetDevice) return say::OffloadTarget;
    return "";
  }

  void standAside(llvm::StringRef reason) {
    if (user_.scan.directives.empty() && user_.included.headers.empty()) return;
    const clang::SourceLocation place =
        user_.scan.directives.empty()
            ? translation_->nested().originalLocation(user_.included.headers.front().file,
                                                      user_.included.headers.front().scan.directives.front().begin)
            : translation_->nested().originalLocation(user_.scan.directives.front().begin);
    // A warning of clang's own, because it goes into what is compiled ahead, whose readers do not know ours.
    if (user_.scan.moduleUnit || outer_.getASTContext().TUKind != clang::TU_Complete)
      outer_.getDiagnostics().Report(place, clang::diag::warn_fe_backend_plugin) << "muster: " + reason.str();
    else
      reportWarning(outer_.getDiagnostics(), place, "muster: " + reason);
    const clang::LangOptions& language = outer_.getLangOpts();
    const bool runs = language.OpenMP && !language.OpenMPSimd && !language.OpenMPIsTargetDevice && emitsCode_ &&
                      !user_.scan.moduleUnit && outer_.getASTContext().TUKind == clang::TU_Complete;
    replaceSources(translation_->plain(/*asksForSession=*/runs));
  }

  // In a file that has nothing but main for us. False: a parse has to find it.
  bool beginSession() {
    const std::optional<MainFunction> main = findMain(user_.text, outer_.getLangOpts());
    if (!main || main->bodyOffset < user_.scan.header.offset) return false;
    const Dialect dialect(outer_.getLangOpts());
    const std::string text = withHeader(
        dialect,
        user_.text.substr(0, main->bodyOffset) + dialect.session(main->arguments) + user_.text.substr(main->bodyOffset),
        translation_->headerPlace());
    if (options_.printRewrite) llvm::outs() << text;
    replaceSources({text, {}});
    return true;
  }

  // Ours reach clang's own parser where the scan of the main file does not see them.
  void explainUnknownDirective(clang::SourceLocation loc) {
    const clang::SourceManager& sources = outer_.getSourceManager();
    llvm::SmallString<32> buffer;
    const llvm::StringRef name = clang::Lexer::getSpelling(loc, buffer, sources, outer_.getLangOpts());
    if (isDirectiveName(name)) reportWarning(outer_.getDiagnostics(), loc, "muster: " + say::ServedInPragmaLines(name));
  }

  // The nested compile takes it from the options; the outer preprocessor has read those already.
  void defineMacro() {
    const std::string value = std::to_string(MUSTER_ABI_VERSION);
    // Or clang takes the modules that it built without the macro for those of another configuration.
    outer_.getHeaderSearchOpts().ModulesIgnoreMacros.insert(llvm::CachedHashString("__MUSTER__"));
    outer_.getPreprocessorOpts().addMacroDef("__MUSTER__=" + value);
    clang::Preprocessor& preprocessor = outer_.getPreprocessor();
    preprocessor.setPredefines(preprocessor.getPredefines() + "#define __MUSTER__ " + value + "\n");
  }

  static void print(const SourceTexts& texts) {
    for (const auto& [header, text] : texts.headers)
      llvm::outs() << "// header " << header.getName() << "\n" << withoutOwnLineMarkers(text);
    llvm::outs() << withoutOwnLineMarkers(texts.main);
  }

  OriginalFiles originals(const SourceTexts& rewritten) {
    const clang::SourceManager& sources = outer_.getSourceManager();
    NestedCompile& nested = translation_->nested();
    OriginalFiles files{{nullptr, sources.getFileID(nested.originalLocation(0))}};
    for (const auto& [header, text] : rewritten.headers)
      files[&header.getFileEntry()] = sources.getFileID(nested.originalLocation(header, 0));
    return files;
  }

  void replaceSources(const SourceTexts& texts) {
    clang::SourceManager& sources = outer_.getSourceManager();
    for (const auto& [header, text] : texts.headers)
      sources.overrideFileContents(header, llvm::MemoryBuffer::getMemBufferCopy(text, header.getName()));
    const clang::FileID old = sources.getMainFileID();
    const clang::FileEntryRef file = *sources.getFileEntryRefForID(old);
    const clang::SrcMgr::CharacteristicKind kind = sources.getFileCharacteristic(sources.getLocForStartOfFile(old));
    sources.overrideFileContents(file, llvm::MemoryBuffer::getMemBufferCopy(texts.main, file.getName()));
    // The old file id was made for the old length.
    sources.setMainFileID(sources.createFileID(file, clang::SourceLocation(), kind));
  }

  clang::CompilerInstance& outer_;
  const Options& options_;
  const bool preprocessed_;
  const bool emitsCode_;
  std::unique_ptr<Translation> translation_;
  const UserSources& user_;  // its
};

}  // namespace

bool emitsCode(const clang::CompilerInstance& outer) {
  switch (outer.getFrontendOpts().ProgramAction) {
    case clang::frontend::EmitAssembly:
    case clang::frontend::EmitBC:
    case clang::frontend::EmitLLVM:
    case clang::frontend::EmitLLVMOnly:
    case clang::frontend::EmitCodeGenOnly:
    case clang::frontend::EmitObj:
      return true;
    default:
      return false;
  }
}

std::unique_ptr<Fallback> processTranslationUnit(clang::CompilerInstance& outer, llvm::StringRef mainFile,
                                                 const Options& options) {
  const clang::SourceManager& sources = outer.getSourceManager();
  if (!sources.getFileEntryRefForID(sources.getMainFileID())) return nullptr;  // a module or a buffer of a tool
  // A preprocessed input is presented under the name of what it was made from, so a single input needs no comparison.
  const llvm::ArrayRef<clang::FrontendInputFile> inputs = outer.getFrontendOpts().Inputs;
  for (const clang::FrontendInputFile& input : inputs)
    if (input.isFile() && (inputs.size() == 1 || input.getFile() == mainFile)) {
      if (input.getKind().getFormat() == clang::InputKind::Precompiled) return nullptr;  // parsed before, with us
      return Pipeline(outer, input, options).run();
    }
  return nullptr;
}

}  // namespace muster::plugin
