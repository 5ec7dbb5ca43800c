// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stages in order, and the choice of the text that the outer compile sees.
#include "Pipeline.h"

#include "DiagnosticFilter.h"
#include "Fallback.h"
#include "IncludeFolder.h"
#include "NestedCompile.h"
#include "OptRecords.h"
#include "Stages.h"
#include "UserSources.h"
#include "analysis/UserFiles.h"
#include "clang/Basic/DiagnosticFrontend.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/thread.h"
#include "macros/Expand.h"
#include "muster/abi.h"
#include "pragma/Handler.h"
#include "pragma/Includes.h"
#include "pragma/MainFunction.h"
#include "pragma/Scan.h"
#include "rewrite/Edits.h"
#include "rewrite/LineMarkers.h"

namespace muster::plugin {
namespace {

constexpr unsigned kStackBytes = 256u << 20;  // reserved, not used

// Not so for -fsyntax-only, the static analyzer, clang-tidy and the like: what they say of the code is to be about the
// user's own.
bool emitsCode(clang::frontend::ActionKind action) {
  switch (action) {
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

class Pipeline {
 public:
  Pipeline(clang::CompilerInstance& outer, clang::FrontendInputFile input, const Options& options)
      : outer_(outer),
        options_(options),
        written_(readSources(outer)),
        user_(written_),
        preprocessed_(input.getKind().isPreprocessed()),
        emitsCode_(emitsCode(outer.getFrontendOpts().ProgramAction)),
        nested_(outer, std::move(input), written_.text) {}

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
    NestedOutcome outcome = parse(/*mayExpand=*/true);
    if (!expanded_.empty()) outcome = parseExpanded(std::move(outcome));
    if (outcome.unknownDirective.isValid()) explainUnknownDirective(outcome.unknownDirective);
    const bool good = outcome.errors == 0 && !outcome.reportedError && rewritten_;
    if (good && options_.printRewrite) print(*rewritten_);
    // What clang says is to be about the user's own text.
    if (llvm::none_of(expanded_, [](const ExpandedFile& file) { return file.hasOurs; })) user_ = written_;
    if (!good || !emitsCode_) {
      replaceSources(user_.withoutDirectives());
      return nullptr;
    }
    DiagnosticFilter& filter = filterDiagnostics(outer_, std::move(outcome.warnings), originals());
    replaceSources(*rewritten_);
    std::vector<Fallback::Alternative> alternatives;
    if (storageOnly_) alternatives.push_back({std::move(*storageOnly_), kLoopsStayPlain.str()});
    alternatives.push_back({user_.withoutDirectives(), kFileStaysPlain.str()});
    return std::make_unique<Fallback>(std::move(nested_), filter, includeFolder(), std::move(alternatives));
  }

 private:
  // Runs the stages, unless macros have to be expanded before: these are in expanded_ then.
  NestedOutcome parse(bool mayExpand) {
    DirectiveTable table;
    MacroRecorder recorder;
    return nested_.parse(
        user_.withOwnNamespaces(), options_,
        [&](clang::Preprocessor& preprocessor) {
          addIncludeFolder(preprocessor);
          addPragmaHandlers(preprocessor, table);
          if (mayExpand) recorder.watch(preprocessor);
        },
        [&](clang::CompilerInstance& instance) {
          limitToUserCode(instance.getASTContext());
          if (mayExpand) expanded_ = expandMacros(instance, recorder);
          const bool waits = mayExpand && !expanded_.empty();
          if (!waits && !instance.getDiagnostics().hasErrorOccurred()) runStages(instance, table);
        });
  }

  // `first`: of the parse that found what to expand.
  NestedOutcome parseExpanded(NestedOutcome first) {
    if (first.reportedError) return first;
    for (const ExpandedFile& file : expanded_) user_.expand(file, outer_.getLangOpts());
    nested_.setExpanded(expanded_);
    NestedOutcome outcome = parse(/*mayExpand=*/false);
    // Not those of expanded text (-Wmisleading-indentation), but errors keep clang from giving some.
    if (first.errors == 0)
      outcome.warnings = std::move(first.warnings);
    else
      outcome.warnings.insert(first.warnings.begin(), first.warnings.end());
    if (outcome.errors == 0 || first.errors != 0) return outcome;
    // An expansion that does not mean the same as text.
    user_ = written_;
    nested_.setExpanded({});
    expanded_.clear();
    return parse(/*mayExpand=*/false);
  }

  // Why this compile is none that Muster can serve; empty if it is.
  std::string whyInactive() const {
    const clang::LangOptions& language = outer_.getLangOpts();
    if (!language.OpenMP || language.OpenMPSimd) return "-fopenmp is missing; directives are ignored";
    if (!language.CPlusPlus && !language.C99)
      return "C sources are served from C99 on (-std=c99 or later); directives are ignored";
    if (language.CPlusPlus && !language.CPlusPlus11)
      return "C++ sources are served from C++11 on (-std=c++11 or later); directives are ignored";
    if (preprocessed_)
      return "preprocessed sources (-save-temps) cannot be rewritten; directives are ignored, loops stay plain OpenMP";
    if (outer_.getASTContext().TUKind != clang::TU_Complete)
      return "what is compiled ahead (precompiled headers, header units, -emit-ast) cannot be rewritten; directives "
             "are "
             "ignored";
    if (user_.scan.moduleUnit)
      return "C++20 module units cannot be rewritten; directives are ignored, loops stay plain OpenMP: move them to a "
             "source file that imports the module";
    if (language.OpenMPIsTargetDevice) return "directives are ignored for offload targets";
    return "";
  }

  void standAside(llvm::StringRef reason) {
    if (user_.scan.directives.empty() && user_.included.headers.empty()) return;
    const clang::SourceLocation place =
        user_.scan.directives.empty()
            ? nested_.originalLocation(user_.included.headers.front().file,
                                       user_.included.headers.front().scan.directives.front().begin)
            : nested_.originalLocation(user_.scan.directives.front().begin);
    // A warning of clang's own, because it goes into what is compiled ahead, whose readers do not know ours.
    if (user_.scan.moduleUnit || outer_.getASTContext().TUKind != clang::TU_Complete)
      outer_.getDiagnostics().Report(place, clang::diag::warn_fe_backend_plugin) << "muster: " + reason.str();
    else
      reportWarning(outer_.getDiagnostics(), place, "muster: " + reason);
    replaceSources(user_.withoutDirectives());
  }

  // In a file that has nothing but main for us. False: a parse has to find it.
  bool beginSession() {
    const std::optional<MainFunction> main = findMain(user_.text, outer_.getLangOpts());
    if (!main || main->bodyOffset < user_.scan.header.offset) return false;
    const Dialect dialect(outer_.getLangOpts());
    const std::string text = withHeader(
        dialect,
        user_.text.substr(0, main->bodyOffset) + dialect.session(main->arguments) + user_.text.substr(main->bodyOffset),
        headerPlace());
    if (options_.printRewrite) llvm::outs() << text;
    replaceSources({text, {}});
    return true;
  }

  // Ours reach clang's own parser where the scan of the main file does not see them.
  void explainUnknownDirective(clang::SourceLocation loc) {
    const clang::SourceManager& sources = outer_.getSourceManager();
    llvm::SmallString<32> buffer;
    const llvm::StringRef name = clang::Lexer::getSpelling(loc, buffer, sources, outer_.getLangOpts());
    if (isDirectiveName(name))
      reportWarning(outer_.getDiagnostics(), loc,
                    "muster: '" + name +
                        "' is served in lines that start with #pragma, of the compiled file and of headers whose "
                        "#include spells their name");
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

  void runStages(clang::CompilerInstance& instance, DirectiveTable& table) {
    clang::ASTContext& context = instance.getASTContext();
    const clang::SourceManager& sources = instance.getSourceManager();
    if (instance.getHeaderSearchOpts().ImplicitModuleMaps) leaveModuleDirectives(instance, table);
    leaveFixedBlocks(context, table);
    bindDirectives(context, table);
    if (options_.printDirectives) printDirectives(table, sources, llvm::outs());
    if (context.getDiagnostics().hasErrorOccurred()) return;
    const FileFacts facts = analyseLoops(context, table);
    if (options_.printFacts) {
      printFacts(facts.loops, sources, llvm::outs());
      printRegions(facts, sources, llvm::outs());
    }
    TranslationUnitPlan plan = makePlan(context, table, facts);
    const llvm::DenormalMode denormals = instance.getCodeGenOpts().FPDenormalMode;
    for (KernelPlan& kernel : plan.kernels)
      kernel.anyDenormals = denormals.outputsAreZero() && denormals.inputsAreZero();
    if (options_.printPlan) printPlan(plan, sources, llvm::outs());
    if (options_.printKernels)
      for (const KernelPlan& kernel : plan.kernels) llvm::outs() << kernel.opencl;
    remarkPlan(context.getDiagnostics(), plan);
    if (options_.summary) remarkSummary(context.getDiagnostics(), sourceStart(context), plan);
    rewrite(context, table, plan);
  }

  static void leaveFixedBlocks(clang::ASTContext& context, DirectiveTable& table) {
    llvm::erase_if(table.directives, [&](const Directive& directive) {
      if (directive.kind == DirectiveKind::Managed) return false;
      const std::string obstacle = whyNotRewritable(context.getSourceManager(), directive.loc);
      if (!obstacle.empty())
        remarkMissed(context.getDiagnostics(), directive.loc, "the allocation block is ignored: it " + obstacle);
      return !obstacle.empty();
    });
  }

  // Nothing in the system's headers concerns the stages, and it is most of the tree.
  static void limitToUserCode(clang::ASTContext& context) {
    std::vector<clang::Decl*> scope;
    for (clang::Decl* decl : context.getTranslationUnitDecl()->decls())
      if (isUserCode(context.getSourceManager(), decl->getLocation())) scope.push_back(decl);
    context.setTraversalScope(scope);
  }

  // A header that is part of a module is read by a compile of its own, which does not know us.
  void leaveModuleDirectives(clang::CompilerInstance& instance, const DirectiveTable& table) {
    clang::SourceManager& sources = instance.getSourceManager();
    for (const ScannedHeader& header : user_.included.headers) {
      if (header.scan.directives.empty()) continue;
      const clang::FileID file = sources.getOrCreateFileID(header.file, clang::SrcMgr::C_User);
      if (llvm::any_of(table.directives, [&](const auto& seen) { return sources.getFileID(seen.loc) == file; }))
        continue;
      remarkMissed(instance.getDiagnostics(),
                   sources.getLocForStartOfFile(file).getLocWithOffset(header.scan.directives.front().begin),
                   "directives in headers of modules are ignored");
    }
  }

  // With the loops' launches, or else with storage only.
  void rewrite(clang::ASTContext& context, const DirectiveTable& table, const TranslationUnitPlan& plan) {
    EditList storage(context.getSourceManager(), context.getLangOpts());
    rewriteStorage(context, table, plan, storage);
    EditList all = storage;
    rewriteRegions(context, plan, all);
    rewriteLoops(context, plan, all);
    std::string problem, storageProblem;
    rewritten_ = apply(all, problem);
    // Where no code is emitted, nothing else sees whether the text is right.
    const bool good = rewritten_ && (emitsCode_ || check(*rewritten_, problem));
    if (!good || !plan.kernels.empty()) storageOnly_ = apply(storage, storageProblem);
    if (good) return;
    rewritten_ = std::exchange(storageOnly_, std::nullopt);
    if (rewritten_ && !emitsCode_ && !check(*rewritten_, storageProblem)) rewritten_.reset();
    reportWarning(context.getDiagnostics(), sourceStart(context),
                  internalError(problem, (rewritten_ ? kLoopsStayPlain : kFileStaysPlain).str()));
  }

  static clang::SourceLocation sourceStart(const clang::ASTContext& context) {
    const clang::SourceManager& sources = context.getSourceManager();
    return sources.getLocForStartOfFile(sources.getMainFileID());
  }

  // With the macros that options define (-DN=100).
  HeaderPlace headerPlace() const {
    HeaderPlace place = user_.scan.header;
    for (const auto& [definition, undefined] : outer_.getPreprocessorOpts().Macros) {
      const llvm::StringRef name = llvm::StringRef(definition).take_until([](char c) { return c == '=' || c == '('; });
      if (!undefined && !name.starts_with("_")) place.macros.push_back(name.str());
    }
    return place;
  }

  std::optional<SourceTexts> apply(const EditList& edits, std::string& problem) const {
    const SourceTexts base = user_.withoutDirectives();
    llvm::Expected<std::string> text = edits.apply(base.main, headerPlace());
    llvm::Expected<FileTexts> headers = edits.applyToHeaders(base.headers);
    if (text && headers) return SourceTexts{std::move(*text), std::move(*headers)};
    problem = llvm::toString(llvm::joinErrors(text.takeError(), headers.takeError()));
    return std::nullopt;
  }

  bool check(const SourceTexts& texts, std::string& problem) {
    auto prepare = [](clang::Preprocessor& preprocessor) {
      addIncludeFolder(preprocessor);
      liftWarningsAsErrors(preprocessor.getDiagnostics());
    };
    const NestedOutcome outcome = nested_.check(texts, prepare);
    if (outcome.errors != 0) problem = outcome.firstError;
    return outcome.errors == 0;
  }

  static void print(const SourceTexts& texts) {
    for (const auto& [header, text] : texts.headers)
      llvm::outs() << "// header " << header.getName() << "\n" << withoutOwnLineMarkers(text);
    llvm::outs() << withoutOwnLineMarkers(texts.main);
  }

  OriginalFiles originals() {
    const clang::SourceManager& sources = outer_.getSourceManager();
    OriginalFiles files{{nullptr, sources.getFileID(nested_.originalLocation(0))}};
    for (const auto& [header, text] : rewritten_->headers)
      files[&header.getFileEntry()] = sources.getFileID(nested_.originalLocation(header, 0));
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
  const UserSources written_;
  UserSources user_;  // with macros expanded
  std::vector<ExpandedFile> expanded_;
  const bool preprocessed_;
  const bool emitsCode_;
  NestedCompile nested_;
  std::optional<SourceTexts> rewritten_;
  std::optional<SourceTexts> storageOnly_;  // in case that rewritten_ does not compile
};

}  // namespace

std::unique_ptr<Fallback> processTranslationUnit(clang::CompilerInstance& outer, llvm::StringRef mainFile,
                                                 const Options& options) {
  const clang::SourceManager& sources = outer.getSourceManager();
  if (!sources.getFileEntryRefForID(sources.getMainFileID())) return nullptr;  // a module or a buffer of a tool
  // A preprocessed input is presented under the name of what it was made from, so a single input needs no comparison.
  const llvm::ArrayRef<clang::FrontendInputFile> inputs = outer.getFrontendOpts().Inputs;
  for (const clang::FrontendInputFile& input : inputs)
    if (input.isFile() && (inputs.size() == 1 || input.getFile() == mainFile)) {
      if (input.getKind().getFormat() == clang::InputKind::Precompiled) return nullptr;  // parsed before, with us
      // Generated code has expressions of thousands of terms, which are walked down recursively.
      // Not in a crash recovery of its own: a crash must end the compile.
      std::vector<OptRecord> records;
      std::unique_ptr<Fallback> fallback;
      llvm::thread worker(std::optional(kStackBytes), [&] {
        fallback = Pipeline(outer, input, options).run();
        records = takeRecords();
      });
      worker.join();
      keepRecords(std::move(records));
      return fallback;
    }
  return nullptr;
}

}  // namespace muster::plugin
