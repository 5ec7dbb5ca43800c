// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entry point: clang loads libmuster-plugin.so (-fplugin=) and calls the action before its own.
#include "NestedCompile.h"
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

}  // namespace
}  // namespace muster::plugin

static clang::FrontendPluginRegistry::Add<muster::plugin::MusterAction> registration("muster",
                                                                                     "runs OpenMP loops on a cluster");
