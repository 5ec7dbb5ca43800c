// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entry point: clang loads libmuster-plugin.so (-fplugin=) and calls the action before its own.
#include "NestedCompile.h"
#include "OptRecords.h"
#include "Options.h"
#include "Pipeline.h"
#include "clang/Frontend/FrontendPluginRegistry.h"

namespace muster::plugin {
namespace {

class MusterAction : public clang::PluginASTAction {
 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& instance,
                                                        llvm::StringRef mainFile) override {
    if (!NestedCompile::active()) processTranslationUnit(instance, mainFile, options_);
    return std::make_unique<clang::ASTConsumer>();
  }

  bool ParseArgs(const clang::CompilerInstance& instance, const std::vector<std::string>& arguments) override {
    if (!NestedCompile::active()) options_ = parseOptions(instance.getDiagnostics(), arguments);
    return true;
  }

  ActionType getActionType() override { return AddBeforeMainAction; }

 private:
  Options options_;
};

class RecordsConsumer : public clang::ASTConsumer {
 public:
  explicit RecordsConsumer(const clang::CompilerInstance& instance) : instance_(instance) {}
  void HandleTranslationUnit(clang::ASTContext& context) override {
    if (!context.getDiagnostics().hasErrorOccurred()) appendRecords(instance_.getCodeGenOpts());
  }

 private:
  const clang::CompilerInstance& instance_;
};

// Runs behind the compile, which writes the optimization record.
class RecordsAction : public clang::PluginASTAction {
 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& instance, llvm::StringRef) override {
    if (NestedCompile::active()) return std::make_unique<clang::ASTConsumer>();
    return std::make_unique<RecordsConsumer>(instance);
  }
  bool ParseArgs(const clang::CompilerInstance&, const std::vector<std::string>&) override { return true; }
  ActionType getActionType() override { return AddAfterMainAction; }
};

}  // namespace
}  // namespace muster::plugin

static clang::FrontendPluginRegistry::Add<muster::plugin::MusterAction> registration("muster",
                                                                                     "runs OpenMP loops on a cluster");
static clang::FrontendPluginRegistry::Add<muster::plugin::RecordsAction> recordsRegistration(
    "muster-records", "adds Muster's remarks to the optimization record");
