// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stages in order, and the search for what does not compile.
#include "Translation.h"

#include "IncludeFolder.h"
#include "OptRecords.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "pragma/Handler.h"
#include "rewrite/text/Registration.h"
#include "source/RefusalTexts.h"

namespace muster::plugin {
namespace {

// Each round parses the file twice; a file that needs more than these has one problem for all of its loops.
constexpr unsigned kMostRounds = 16;

void leaveFixedBlocks(clang::ASTContext& context, DirectiveTable& table) {
  llvm::erase_if(table.directives, [&](const Directive& directive) {
    if (directive.kind == DirectiveKind::Managed) return false;
    const std::string obstacle = whyNotRewritable(context.getSourceManager(), directive.loc);
    if (!obstacle.empty()) remarkMissed(context.getDiagnostics(), directive.loc, say::BlockIgnored(obstacle));
    return !obstacle.empty();
  });
}

// Nothing in the system's headers concerns the stages, and it is most of the tree.
void limitToUserCode(clang::ASTContext& context) {
  std::vector<clang::Decl*> scope;
  for (clang::Decl* decl : context.getTranslationUnitDecl()->decls())
    if (isUserCode(context.getSourceManager(), decl->getLocation())) scope.push_back(decl);
  context.setTraversalScope(scope);
}

}  // namespace

Translation::Translation(clang::CompilerInstance& outer, clang::FrontendInputFile input, const Options& options)
    : outer_(outer),
      options_(options),
      written_(readSources(outer)),
      user_(written_),
      nested_(outer, std::move(input), written_.text) {}

NestedOutcome Translation::run() {
  NestedOutcome outcome = parse(/*mayExpand=*/true);
  if (!expanded_.empty()) outcome = parseExpanded(std::move(outcome));
  if (outcome.errors != 0 || outcome.reportedError) rewritten_.reset();
  return outcome;
}

// Runs the stages, unless macros or conditionals have to be expanded before: these are in expanded_ then.
NestedOutcome Translation::parse(bool mayExpand) {
  DirectiveTable table;
  for (const auto& [place, found] : leftOut_) table.leftOut.insert(place);
  PreprocessorRecord record;
  NestedOutcome outcome = nested_.parse(
      user_.withOwnNamespaces(), options_,
      [&](clang::Preprocessor& preprocessor) {
        addIncludeFolder(preprocessor);
        addPragmaHandlers(preprocessor, table);
        if (mayExpand)
          record.watch(preprocessor);
        else
          record.conditionals.watch(preprocessor);
      },
      [&](clang::CompilerInstance& instance) {
        limitToUserCode(instance.getASTContext());
        if (mayExpand) expanded_ = expandFiles(instance, record, table);
        const bool waits = mayExpand && !expanded_.empty();
        table.skipped = record.conditionals.skipped();
        if (!waits && !instance.getDiagnostics().hasErrorOccurred()) runStages(instance, table);
      });
  reports_ = std::move(outcome.reports);
  return outcome;
}

// `first`: of the parse that found what to expand.
NestedOutcome Translation::parseExpanded(NestedOutcome first) {
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

void Translation::runStages(clang::CompilerInstance& instance, DirectiveTable& table) {
  clang::ASTContext& context = instance.getASTContext();
  const clang::SourceManager& sources = instance.getSourceManager();
  if (instance.getHeaderSearchOpts().ImplicitModuleMaps) leaveModuleDirectives(instance, table);
  leaveFixedBlocks(context, table);
  bind(context, table);
  if (options_.printDirectives) printDirectives(table, sources, llvm::outs());
  if (context.getDiagnostics().hasErrorOccurred()) return;
  const FileFacts facts = analyseLoops(context, table);
  if (options_.printFacts) {
    printFacts(facts.loops, sources, llvm::outs());
    printRegions(facts, sources, llvm::outs());
  }
  TranslationUnitPlan plan = makePlan(context, table, facts);
  printKernels(context, plan, options_.printIr ? &llvm::outs() : nullptr);
  const unsigned rules = floatRules(context.getLangOpts(), instance.getCodeGenOpts());
  *functions_ = printFunctions(context, facts.launchedOrphans, rules);
  for (KernelPlan& kernel : plan.kernels) kernel.floatRules = rules;
  if (options_.printPlan) printPlan(plan, sources, llvm::outs());
  if (options_.printSchedule)
    for (const KernelPlan& kernel : plan.kernels)
      printSchedule(*kernel.facts, kernel.schedule, kernel.name, llvm::outs());
  if (options_.printKernels)
    for (const KernelPlan& kernel : plan.kernels) llvm::outs() << kernel.opencl;
  remarkPlan(context.getDiagnostics(), plan);
  if (options_.summary)
    remarkSummary(context.getDiagnostics(), sources.getLocForStartOfFile(sources.getMainFileID()), plan);
  rewrite(context, table, plan);
}

// Arrays that are left out are plain ones for all stages behind this one.
void Translation::bind(clang::ASTContext& context, DirectiveTable& table) const {
  const clang::SourceManager& sources = context.getSourceManager();
  bindDirectives(context, table);
  std::set<clang::SourceLocation> remarked;
  llvm::erase_if(table.managed, [&](const ManagedVar& managed) {
    if (!table.isLeftOut(sources, managed.loc)) return false;
    if (remarked.insert(managed.loc).second)
      remarkMissed(context.getDiagnostics(), managed.loc, say::StaysPlain(managed.name, say::LeftOut));
    return true;
  });
}

// A header that is part of a module is read by a compile of its own, which does not know us.
void Translation::leaveModuleDirectives(clang::CompilerInstance& instance, const DirectiveTable& table) {
  clang::SourceManager& sources = instance.getSourceManager();
  for (const ScannedHeader& header : user_.included.headers) {
    if (header.scan.directives.empty()) continue;
    const clang::FileID file = sources.getOrCreateFileID(header.file, clang::SrcMgr::C_User);
    if (llvm::any_of(table.directives, [&](const auto& seen) { return sources.getFileID(seen.loc) == file; })) continue;
    remarkMissed(instance.getDiagnostics(),
                 sources.getLocForStartOfFile(file).getLocWithOffset(header.scan.directives.front().begin),
                 say::DirectivesOfModuleHeader);
  }
}

void Translation::rewrite(clang::ASTContext& context, const DirectiveTable& table, const TranslationUnitPlan& plan) {
  const clang::SourceManager& sources = context.getSourceManager();
  EditList edits(sources, context.getLangOpts());
  rewriteStorage(context, table, plan, edits);
  rewriteRegions(context, plan, edits);
  rewriteLoops(context, plan, edits);
  closeRegions(context, plan, edits);
  std::vector<std::optional<TextPlace>> places;
  constructs_.clear();
  for (const Construct& construct : edits.constructs()) {
    places.push_back(textPlace(sources, construct.loc));
    if (places.back())
      constructs_[*places.back()] = {nested_.originalLocation(sources, construct.loc), construct.isArray, ""};
  }
  EditedTexts edited = edits.apply(user_.withoutDirectives(), headerPlace());
  placed_.clear();
  for (const EditedTexts::Placed& placed : edited.placed)
    if (const auto place = places[placed.construct]) placed_.emplace_back(*place, placed);
  conflict_ = TextError();
  conflict_.text = edited.conflict;
  conflicting_ = edited.conflicting ? places[*edited.conflicting] : std::nullopt;
  if (edited.conflict.empty())
    rewritten_ = std::move(edited.texts);
  else
    rewritten_.reset();
}

// With the macros that options define (-DN=100).
HeaderPlace Translation::headerPlace() const {
  HeaderPlace place = user_.scan.header;
  for (const auto& [definition, undefined] : outer_.getPreprocessorOpts().Macros) {
    const llvm::StringRef name = llvm::StringRef(definition).take_until([](char c) { return c == '=' || c == '('; });
    if (!undefined && !name.starts_with("_")) place.macros.push_back(name.str());
  }
  return place;
}

SourceTexts Translation::plain(bool asksForSession) const {
  // What clang says is to be about the user's own text, unless that has what clang rejects.
  const bool hasOurs = llvm::any_of(expanded_, [](const ExpandedFile& file) { return file.hasOurs; });
  SourceTexts texts = (hasOurs ? user_ : written_).withoutDirectives();
  if (asksForSession) texts.main += registrationOfUnit(Dialect(outer_.getLangOpts()));
  return texts;
}

bool Translation::check(const SourceTexts& texts, TextError& error) {
  auto prepare = [](clang::Preprocessor& preprocessor) {
    addIncludeFolder(preprocessor);
    liftWarningsAsErrors(preprocessor.getDiagnostics());
  };
  const NestedOutcome outcome = nested_.check(texts, prepare);
  error = outcome.firstError;
  return outcome.errors == 0;
}

std::vector<TextPlace> Translation::constructsLeft(bool arraysToo) const {
  std::vector<TextPlace> left;
  for (const auto& [place, found] : constructs_)
    if ((arraysToo || !found.isArray) && !leftOut_.count(place)) left.push_back(place);
  return left;
}

bool Translation::retry(TextError& error, const Compile& compile) {
  parse(/*mayExpand=*/false);
  if (rewritten_) return compile(*rewritten_, /*isLast=*/false, error);
  error = conflict_;
  return false;
}

// The construct that holds the error or a place that its notes name.
std::optional<TextPlace> Translation::culpritOf(const TextError& error) {
  if (!rewritten_) return conflicting_;
  for (const auto& [file, offset] : error.places)
    for (const auto& [construct, placed] : placed_)
      if (placed.file == file && placed.begin <= offset && offset <= placed.end && !leftOut_.count(construct))
        return construct;
  return searchCulprit();
}

// The text is wrong beside of what was edited. It is that of the first construct with which it is.
std::optional<TextPlace> Translation::searchCulprit() {
  const std::vector<TextPlace> all = constructsLeft(/*arraysToo=*/true);
  const auto leftOut = leftOut_, constructs = constructs_;
  const auto compiles = [&](std::size_t taken) {
    for (std::size_t i = taken; i < all.size(); ++i) leftOut_[all[i]];
    TextError error;
    const bool good = retry(error, [&](const SourceTexts& texts, bool, TextError& e) { return check(texts, e); });
    leftOut_ = leftOut;
    constructs_ = constructs;
    return good;
  };
  std::size_t good = 0, bad = all.size();
  if (all.empty() || !compiles(0)) return std::nullopt;
  while (bad - good > 1) {
    const std::size_t middle = (good + bad) / 2;
    (compiles(middle) ? good : bad) = middle;
  }
  return all[good];
}

void Translation::leaveOut(const TextPlace& place, const std::string& problem) {
  leftOut_[place] = constructs_[place];
  leftOut_[place].problem = problem;
}

bool Translation::settle(TextError error, const Compile& compile) {
  options_.printDirectives = options_.printFacts = options_.printPlan = options_.printSchedule = options_.printIr =
      options_.printKernels = false;
  for (unsigned round = 0; round < kMostRounds; ++round) {
    const std::optional<TextPlace> culprit = culpritOf(error);
    if (!culprit) break;
    leaveOut(*culprit, error.text);
    if (retry(error, compile)) return true;
  }
  for (const bool arraysToo : {false, true}) {
    const std::vector<TextPlace> rest = constructsLeft(arraysToo);
    if (rest.empty() && !arraysToo) continue;
    for (const TextPlace& place : rest) leaveOut(place, error.text);
    if (retry(error, compile)) return true;
  }
  fileProblem_ = error.text;
  functions_->clear();
  rewritten_.reset();
  return compile(plain(/*asksForSession=*/true), /*isLast=*/true, error);
}

static std::string internalError(const std::string& problem, const std::string& remains) {
  return say::RewrittenDoesNotCompile(problem, remains);
}

void Translation::report() {
  clang::DiagnosticsEngine& engine = outer_.getDiagnostics();
  for (const Report& report : reports_) {
    if (report.isRemark) addRecord(outer_.getSourceManager(), report.loc, report.text);
    if (report.isSilenced) continue;
    const auto level = static_cast<clang::DiagnosticIDs::Level>(report.level);
    engine.Report(report.loc, engine.getDiagnosticIDs()->getCustomDiagID(level, "%0")) << report.text;
  }
  reports_.clear();
  if (!fileProblem_.empty())
    return reportInternalError(engine, nested_.originalLocation(0), internalError(fileProblem_, say::FileStaysPlain));
  for (const auto& [place, found] : leftOut_)
    reportInternalError(engine, found.loc,
                        internalError(found.problem, found.isArray ? say::ArrayStaysPlain : say::ConstructStaysPlain));
}

}  // namespace muster::plugin
