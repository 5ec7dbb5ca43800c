// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stages in order, and the choice of the text that the outer compile sees.
#include "Pipeline.h"

#include <dlfcn.h>

#include "DiagnosticFilter.h"
#include "NestedCompile.h"
#include "Stages.h"
#include "clang/Lex/HeaderSearch.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "muster/abi.h"
#include "pragma/Handler.h"
#include "pragma/Includes.h"
#include "pragma/MainFunction.h"
#include "pragma/Scan.h"
#include "rewrite/Edits.h"

namespace muster::plugin {
namespace {

// The folder of Muster's public headers, beside the plugin's own (also in the build tree); empty if it is not there,
// and the user's -I must name it.
std::string includeFolder() {
  Dl_info library;
  if (!dladdr(reinterpret_cast<const void*>(&includeFolder), &library) || !library.dli_fname) return "";
  llvm::SmallString<256> real;
  if (llvm::sys::fs::real_path(library.dli_fname, real)) return "";
  // lib/ or lib/<architecture>/
  llvm::StringRef folder = llvm::sys::path::parent_path(real);
  for (int up = 0; up < 2; ++up) {
    folder = llvm::sys::path::parent_path(folder);
    const std::string candidate = (folder + "/include").str();
    if (llvm::sys::fs::exists(candidate + "/muster/muster.hpp")) return candidate;
  }
  return "";
}

void addIncludeFolder(clang::Preprocessor& preprocessor) {
  if (const auto entry = preprocessor.getFileManager().getOptionalDirectoryRef(includeFolder()))
    preprocessor.getHeaderSearchInfo().AddSystemSearchPath(
        clang::DirectoryLookup(*entry, clang::SrcMgr::C_System, /*isFramework=*/false));
}

class Pipeline {
 public:
  Pipeline(clang::CompilerInstance& outer, clang::FrontendInputFile input, const Options& options)
      : outer_(outer),
        options_(options),
        text_(outer.getSourceManager().getBufferData(outer.getSourceManager().getMainFileID()).str()),
        scan_(scanText(text_, outer.getLangOpts())),
        preprocessed_(input.getKind().isPreprocessed()),
        nested_(outer, std::move(input), text_) {}

  void run() {
    if (!options_.valid) {
      replaceMainFile(withoutDirectives(text_, scan_));
      return;
    }
    if (const std::string reason = whyInactive(); !reason.empty()) {
      standAside(reason);
      return;
    }
    defineMacro();
    addIncludeFolder(outer_.getPreprocessor());
    if (!scan_.needsRewriting && !includesDirectives(outer_.getPreprocessor(), text_) &&
        (!scan_.namesMain || beginSession()))
      return;
    DirectiveTable table;
    const NestedOutcome outcome = nested_.parse(
        withOwnNamespace(text_, scan_), options_.remarks,
        [&](clang::Preprocessor& preprocessor) {
          addIncludeFolder(preprocessor);
          addPragmaHandlers(preprocessor, table);
        },
        [&](clang::CompilerInstance& instance) { runStages(instance, table); });
    if (outcome.unknownDirective.isValid()) explainUnknownDirective(outcome.unknownDirective);
    if (outcome.errors != 0 || outcome.reportedError || !rewritten_) {
      replaceMainFile(withoutDirectives(text_, scan_));
      return;
    }
    if (options_.printRewrite) llvm::outs() << *rewritten_;
    filterWarnings(outer_, outcome.warnings);
    replaceMainFile(*rewritten_);
  }

 private:
  // Why this compile is none that Muster can serve; empty if it is.
  std::string whyInactive() const {
    const clang::LangOptions& language = outer_.getLangOpts();
    if (!language.OpenMP || language.OpenMPSimd) return "-fopenmp is missing; directives are ignored";
    if (!language.CPlusPlus && !language.C99)
      return "C sources are served from C99 on (-std=c99 or later); directives are ignored";
    if (preprocessed_)
      return "preprocessed sources (-save-temps) cannot be rewritten; directives are ignored, loops stay plain OpenMP";
    if (outer_.getASTContext().TUKind != clang::TU_Complete)
      return "headers that are compiled ahead cannot be rewritten; directives are ignored";
    if (language.OpenMPIsTargetDevice) return "directives are ignored for offload targets";
    return "";
  }

  void standAside(llvm::StringRef reason) {
    if (scan_.directives.empty()) return;
    reportWarning(outer_.getDiagnostics(), nested_.originalLocation(scan_.directives.front().begin),
                  "muster: " + reason);
    replaceMainFile(withoutDirectives(text_, scan_));
  }

  // In a file that has nothing but main for us. False: a parse has to find it.
  bool beginSession() {
    const std::optional<MainFunction> main = findMain(text_, outer_.getLangOpts());
    if (!main || main->bodyOffset < scan_.headerOffset) return false;
    const Dialect dialect(outer_.getLangOpts());
    const std::string text = withHeader(
        dialect, text_.substr(0, main->bodyOffset) + dialect.session(main->arguments) + text_.substr(main->bodyOffset),
        scan_.headerOffset, scan_.headerLine);
    if (options_.printRewrite) llvm::outs() << text;
    replaceMainFile(text);
    return true;
  }

  // Ours reach clang's own parser where the scan of the main file does not see them.
  void explainUnknownDirective(clang::SourceLocation loc) {
    const clang::SourceManager& sources = outer_.getSourceManager();
    llvm::SmallString<32> buffer;
    const llvm::StringRef name = clang::Lexer::getSpelling(loc, buffer, sources, outer_.getLangOpts());
    if (isDirectiveName(name))
      reportWarning(
          outer_.getDiagnostics(), loc,
          "muster: '" + name + "' is served in lines of the compiled file that start with #pragma, not in headers");
  }

  // The nested compile takes it from the options; the outer preprocessor has read those already.
  void defineMacro() {
    const std::string value = std::to_string(MUSTER_ABI_VERSION);
    outer_.getPreprocessorOpts().addMacroDef("__MUSTER__=" + value);
    clang::Preprocessor& preprocessor = outer_.getPreprocessor();
    preprocessor.setPredefines(preprocessor.getPredefines() + "#define __MUSTER__ " + value + "\n");
  }

  void runStages(clang::CompilerInstance& instance, DirectiveTable& table) {
    clang::ASTContext& context = instance.getASTContext();
    const clang::SourceManager& sources = instance.getSourceManager();
    bindDirectives(context, table);
    if (options_.printDirectives) printDirectives(table, sources, llvm::outs());
    if (context.getDiagnostics().hasErrorOccurred()) return;
    const std::vector<LoopFacts> facts = analyseLoops(context, table);
    if (options_.printFacts) printFacts(facts, sources, llvm::outs());
    const TranslationUnitPlan plan = makePlan(context, table, facts);
    if (options_.printPlan) printPlan(plan, sources, llvm::outs());
    if (options_.printKernels)
      for (const KernelPlan& kernel : plan.kernels) llvm::outs() << kernel.opencl;
    remarkPlan(context.getDiagnostics(), plan);
    rewrite(context, table, plan);
  }

  // Tries with the loops' launches, then with storage only. The rewritten text is compiled here first, so that a
  // construct that the rewriter misjudged costs speed and never a build.
  void rewrite(clang::ASTContext& context, const DirectiveTable& table, const TranslationUnitPlan& plan) {
    EditList storage(context.getSourceManager(), context.getLangOpts());
    rewriteStorage(context, table, plan, storage);
    EditList all = storage;
    rewriteLoops(context, plan, all);
    std::string problem, storageProblem;
    rewritten_ = applyAndCheck(all, problem);
    if (rewritten_) return;
    rewritten_ = applyAndCheck(storage, storageProblem);
    reportWarning(context.getDiagnostics(), sourceStart(context),
                  "muster: internal error, please report it: the rewritten source does not compile (line " + problem +
                      "); " +
                      (rewritten_ ? "the loops of this file stay plain OpenMP" : "this file stays plain OpenMP"));
  }

  static clang::SourceLocation sourceStart(const clang::ASTContext& context) {
    const clang::SourceManager& sources = context.getSourceManager();
    return sources.getLocForStartOfFile(sources.getMainFileID());
  }

  std::optional<std::string> applyAndCheck(const EditList& edits, std::string& problem) {
    llvm::Expected<std::string> text =
        edits.apply(withoutDirectives(text_, scan_), scan_.headerOffset, scan_.headerLine);
    if (!text) {
      problem = llvm::toString(text.takeError());
      return std::nullopt;
    }
    auto prepare = [](clang::Preprocessor& preprocessor) {
      addIncludeFolder(preprocessor);
      liftWarningsAsErrors(preprocessor.getDiagnostics());
    };
    const NestedOutcome outcome = nested_.check(*text, prepare);
    if (outcome.errors == 0) return std::move(*text);
    problem = outcome.firstError;
    return std::nullopt;
  }

  void replaceMainFile(llvm::StringRef text) {
    clang::SourceManager& sources = outer_.getSourceManager();
    const clang::FileID old = sources.getMainFileID();
    const clang::FileEntryRef file = *sources.getFileEntryRefForID(old);
    const clang::SrcMgr::CharacteristicKind kind = sources.getFileCharacteristic(sources.getLocForStartOfFile(old));
    sources.overrideFileContents(file, llvm::MemoryBuffer::getMemBufferCopy(text, file.getName()));
    // The old file id was made for the old length.
    sources.setMainFileID(sources.createFileID(file, clang::SourceLocation(), kind));
  }

  clang::CompilerInstance& outer_;
  const Options& options_;
  const std::string text_;
  const ScanResult scan_;
  const bool preprocessed_;
  NestedCompile nested_;
  std::optional<std::string> rewritten_;
};

}  // namespace

void processTranslationUnit(clang::CompilerInstance& outer, llvm::StringRef mainFile, const Options& options) {
  const clang::SourceManager& sources = outer.getSourceManager();
  if (!sources.getFileEntryRefForID(sources.getMainFileID())) return;  // a module or a buffer of a tool
  // A preprocessed input is presented under the name of what it was made from, so a single input needs no comparison.
  const llvm::ArrayRef<clang::FrontendInputFile> inputs = outer.getFrontendOpts().Inputs;
  for (const clang::FrontendInputFile& input : inputs)
    if (input.isFile() && (inputs.size() == 1 || input.getFile() == mainFile)) {
      Pipeline(outer, input, options).run();
      return;
    }
}

}  // namespace muster::plugin
