// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entry point: clang loads libmuster-plugin.so (-fplugin=) and calls the action before its own.
#include "OptRecords.h"
#include "Pipeline.h"
#include "clang/Frontend/FrontendPluginRegistry.h"

namespace muster::plugin {
namespace {

// Of the compile that runs in this thread.
thread_local std::unique_ptr<Fallback> fallback;

// In front of the consumer that generates code.
class ParseEndConsumer : public clang::ASTConsumer {
 public:
  explicit ParseEndConsumer(clang::CompilerInstance& instance) : instance_(instance) {}
  void HandleTranslationUnit(clang::ASTContext& context) override {
    if (fallback) fallback->endParse();
    if (!emitsCode(instance_) || context.getLangOpts().OpenMPIsTargetDevice) return;
    if (!fallback && context.getDiagnostics().hasErrorOccurred()) return;
    clang::CodeGenOptions& options = instance_.getCodeGenOpts();
    emitFunctionTable(
        options, fallback ? fallback->functions() : functionsOf(context, floatRules(context.getLangOpts(), options)));
  }

 private:
  // Of text that was not rewritten.
  static UnitFunctions functionsOf(clang::ASTContext& context, unsigned floatRules) {
    auto functions = std::make_shared<std::vector<UnitFunction>>();
    runWithLargeStack([&] { *functions = printFunctions(context, {}, floatRules); });
    return functions;
  }

  clang::CompilerInstance& instance_;
};

class MusterAction : public clang::PluginASTAction {
 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& instance,
                                                        llvm::StringRef mainFile) override {
    if (NestedCompile::active()) return std::make_unique<clang::ASTConsumer>();
    fallback = processTranslationUnit(instance, mainFile, options_);
    return std::make_unique<ParseEndConsumer>(instance);
  }

  bool ParseArgs(const clang::CompilerInstance& instance, const std::vector<std::string>& arguments) override {
    if (!NestedCompile::active()) options_ = parseOptions(instance.getDiagnostics(), arguments);
    return true;
  }

  ActionType getActionType() override { return AddBeforeMainAction; }

 private:
  Options options_;
};

class FinishConsumer : public clang::ASTConsumer {
 public:
  explicit FinishConsumer(clang::CompilerInstance& instance) : instance_(instance) {}
  void HandleTranslationUnit(clang::ASTContext& context) override {
    if (fallback) fallback->finish(instance_);
    fallback.reset();
    if (!context.getDiagnostics().hasErrorOccurred()) appendRecords(instance_.getCodeGenOpts());
  }

 private:
  clang::CompilerInstance& instance_;
};

// Runs behind the compile, which writes the object and the optimization record.
class FinishAction : public clang::PluginASTAction {
 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& instance, llvm::StringRef) override {
    if (NestedCompile::active()) return std::make_unique<clang::ASTConsumer>();
    return std::make_unique<FinishConsumer>(instance);
  }
  bool ParseArgs(const clang::CompilerInstance&, const std::vector<std::string>&) override { return true; }
  ActionType getActionType() override { return AddAfterMainAction; }
};

}  // namespace
}  // namespace muster::plugin

static clang::FrontendPluginRegistry::Add<muster::plugin::MusterAction> registration("muster",
                                                                                     "runs OpenMP loops on a cluster");
static clang::FrontendPluginRegistry::Add<muster::plugin::FinishAction> finishRegistration(
    "muster-finish", "compiles other text if what Muster made has errors; adds its remarks to the optimization record");
