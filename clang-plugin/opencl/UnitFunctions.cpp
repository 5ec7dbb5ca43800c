// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of a function for kernels of other translation units: the runtime puts such texts in front of a kernel's.
// Their names must not meet, so that all in one of them end alike.
#include "Stages.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"
#include "opencl/Program.h"

namespace muster::plugin {

using namespace opencl;

static std::string hashOf(llvm::StringRef linkerName) { return llvm::utohexstr(llvm::xxh3_64bits(linkerName), true); }

std::string deviceName(llvm::StringRef linkerName) { return "muster_unit_" + hashOf(linkerName); }

KernelText printFunction(const clang::ASTContext& context, const UnitFunction& function) {
  const clang::FunctionDecl* definition = function.definition;
  KernelText result;
  if (context.getLangOpts().getSignedOverflowBehavior() == clang::LangOptions::SOB_Trapping) {
    result.refusal = "is compiled with -ftrapv, which OpenCL does not have";
    return result;
  }
  Program program(context, *function.facts);
  program.names.setEnding("_" + hashOf(function.name));
  ObjectBindings inside;
  inside.isCallee = true;
  const auto* call =
      clang::IntegerLiteral::Create(context, llvm::APInt(32, 0), context.IntTy, definition->getLocation());
  const std::vector<Space> spaces(definition->getNumParams(), Space::Private);
  const Function* printed = program.function(definition, spaces, inside, call);
  result.refusal = program.refusals.first();
  if (!printed || !result.refusal.empty()) return result;
  // All calls have all arguments.
  std::vector<std::string> given, used;
  for (const clang::ParmVarDecl* parameter : definition->parameters()) {
    given.push_back("p" + std::to_string(given.size()));
    if (!isUnused(parameter)) used.push_back(given.back());
  }
  result.text = program.text(/*amongOthers=*/true) + "#define " + deviceName(function.name) + "(" +
                llvm::join(given, ", ") + ") " + printed->name + "(" + llvm::join(used, ", ") + ")\n\n";
  result.needsFp64 = program.types.usesFp64();
  return result;
}

}  // namespace muster::plugin
