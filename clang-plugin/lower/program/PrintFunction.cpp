// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of a function for kernels of other translation units: the runtime puts such texts in front of a kernel's.
// Their names must not meet, so that all in one of them end alike, but for structs, which have to be the kernel's own.
#include "clang/AST/Expr.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"
#include "lower/program/KernelText.h"
#include "lower/program/Program.h"
#include "source/ElementTypes.h"
#include "source/RefusalTexts.h"

namespace muster::plugin {

using namespace lower;

// One text for each combination of address spaces: more are no use.
static constexpr unsigned mostPointers = 4;

static std::string hashOf(llvm::StringRef linkerName) { return llvm::utohexstr(llvm::xxh3_64bits(linkerName), true); }

std::string lower::deviceName(llvm::StringRef linkerName, const std::vector<Space>& spaces) {
  std::string letters;
  for (const Space space : spaces)
    if (space != Space::Any) letters += space == Space::Global ? 'g' : 'p';
  return "muster_unit_" + hashOf(linkerName) + (letters.empty() ? "" : "_") + letters;
}

// `spaces`: of all arguments, that of a method's object first; Any for what is no pointer.
static std::string define(Program& program, const UnitFunction& function, const std::vector<Space>& spaces) {
  const clang::FunctionDecl* definition = function.definition;
  ObjectBindings inside;
  inside.isCallee = true;
  const auto* call = clang::IntegerLiteral::Create(program.context, llvm::APInt(32, 0), program.context.IntTy,
                                                   definition->getLocation());
  const Function* printed = program.function(definition, spaces, inside, call);
  if (!printed || program.refusals.any()) return "";
  // All calls have all arguments, which may do something.
  std::vector<std::string> given, used;
  std::string unused;
  const std::size_t objects = spaces.size() - definition->getNumParams();
  for (std::size_t i = 0; i < spaces.size(); ++i) {
    given.push_back("p" + std::to_string(i));
    if (i < objects || !isUnused(definition->getParamDecl(i - objects)))
      used.push_back(given.back());
    else
      unused += "(void)" + given.back() + ", ";
  }
  return "#define " + deviceName(function.name, spaces) + "(" + llvm::join(given, ", ") + ") (" + unused +
         program.called(*printed) + "(" + llvm::join(used, ", ") + "))\n";
}

KernelText printFunction(const clang::ASTContext& context, const UnitFunction& function) {
  const clang::FunctionDecl* definition = function.definition;
  KernelText result;
  if (context.getLangOpts().getSignedOverflowBehavior() == clang::LangOptions::SOB_Trapping) {
    result.refusal = say::TrapsOverflow;
    return result;
  }
  std::vector<Space> spaces;
  std::vector<std::size_t> pointers;
  const auto add = [&](bool isPointer) {
    if (isPointer) pointers.push_back(spaces.size());
    spaces.push_back(isPointer ? Space::Private : Space::Any);
  };
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(definition);
  if (method && method->isInstance()) add(true);
  for (const clang::ParmVarDecl* parameter : definition->parameters()) add(!givenAway(parameter->getType()).isNull());
  if (pointers.size() > mostPointers) {
    result.refusal = say::TooManyPointers(mostPointers);
    return result;
  }
  Program program(context, *function.facts, /*amongOthers=*/true);
  program.names.setEnding("_" + hashOf(function.name));
  std::string names;
  for (unsigned choice = 0; choice < 1u << pointers.size(); ++choice) {
    for (std::size_t i = 0; i < pointers.size(); ++i)
      spaces[pointers[i]] = (choice >> i & 1) != 0 ? Space::Global : Space::Private;
    names += define(program, function, spaces);
  }
  result.refusal = program.refusals.first();
  if (!result.refusal.empty()) return result;
  result.text = program.text(names + "\n");
  result.needsFp64 = program.types.usesFp64();
  return result;
}

}  // namespace muster::plugin
