// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a step of time is for another loop, which takes turns with it.
#include <map>

#include "ir/Changes.h"
#include "lower/program/KernelMemory.h"
#include "lower/program/KernelSteps.h"
#include "passes/CopyNames.h"
#include "print/Print.h"

namespace muster::plugin::lower {

// A name of the argument's with something in front of it.
static std::string guestName(const std::string& name) { return "muster_guest_" + name; }

static std::string guestArgument(const Argument& argument) {
  ir::Statement declaration = ir::define(argument.text);
  for (const std::string& name : argument.names) {
    declaration.name = name;
    declaration = passes::renamedDefinition(declaration, guestName(name));
  }
  return declaration.text;
}

std::string guestText(Program& program, Scope& scope, const std::string& kernel, const passes::TimeStep& step,
                      const std::vector<Argument>& arguments, const ir::Statements& prologue) {
  const ArrayFact* const from = arrayNamed(program, scope, step.from);
  const std::string type =
      program.types.name(from->element.getUnqualifiedType(), Space::Private, from->var->getLocation());
  std::string arrays, scalars, parameters, given;
  ir::Statements code;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool isArray = i < program.facts.arrays.size();
    const std::string name = isArray ? scope.variable(program.facts.arrays[i].var) : "";
    if (isArray && (name == step.from || name == step.to)) continue;
    (isArray ? arrays : scalars) += guestArgument(arguments[i]) + ", ";
    parameters += arguments[i].text + ", ";
    for (const std::string& part : arguments[i].names) given += guestName(part) + ", ";
    if (isArray) code.push_back(prologue[i]);
  }
  for (const char* dim : {"_0", "_1"})
    for (const char* part : {"muster_first", "muster_step", "muster_lo", "muster_hi"})
      parameters += std::string("long ") + part + dim + ", ", given += std::string(part) + dim + ", ";
  parameters += "long muster_k_0, long muster_k_1", given += "muster_k_0, muster_k_1";
  std::map<std::string, std::string> read;  // by their places around the element
  const auto change = [&](const ir::Expression& part) -> std::optional<ir::Expression> {
    if (!part.is(ir::ExpressionKind::Call, stepsWindow)) return std::nullopt;
    const auto [at, isNew] = read.try_emplace(print::text(part), "muster_at_" + std::to_string(read.size()));
    if (isNew) parameters += ", " + type + " " + at->second, given += ", " + at->first;
    return ir::name(at->second);
  };
  for (ir::Statement& statement : ir::rewritten(step.before, change)) code.push_back(std::move(statement));
  code.push_back(ir::giveBack(ir::rewritten(step.value, change)));
  return std::string("#define ") + guestArrays + " " + arrays + "\n#define " + guestScalars + " " + scalars +
         "\n#define MUSTER_GUEST_STEP " + kernel + "_step(" + given + ")\nstatic " + type + " " + kernel + "_step(" +
         parameters + ") {\n" + print::text(code, 1) + "}\n";
}

}  // namespace muster::plugin::lower
