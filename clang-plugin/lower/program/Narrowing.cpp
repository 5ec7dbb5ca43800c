// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/program/Narrowing.h"

#include <set>

#include "analysis/code/Functions.h"
#include "ir/Changes.h"
#include "lower/program/Frames.h"

namespace muster::plugin::lower {

namespace {

const char* const helperName = "muster_int";
const char* const helperText = R"(#ifdef __NV_CL_C_VERSION
static int muster_int(long wide) {
  int narrow;
  asm("cvt.u32.u64 %0, %1;" : "=r"(narrow) : "l"(wide));
  return narrow;
}
#else
#define muster_int(wide) ((int)(wide))
#endif

)";

// Integers that come from a variable, and whether one of them is multiplied: by a factor, or by the length of a row of
// an array of arrays.
class Multiplied {
 public:
  Multiplied(const ir::Statements& code, const std::string& variable) : names_{variable} {
    for (std::size_t known = 0; known != names_.size();) known = names_.size(), spread(code);
    ir::forEach(code, [&](const ir::Expression& part) { isAny_ |= multiplies(part); });
  }
  bool isAny() const { return isAny_; }

 private:
  bool comesFrom(const ir::Expression& value) const {
    if (value.kind() == ir::ExpressionKind::Name) return names_.count(value.text()) != 0;
    if (value.kind() == ir::ExpressionKind::Subscript) return false;
    return llvm::any_of(value.parts(), [&](const ir::Expression& part) { return comesFrom(part); });
  }

  void spread(const ir::Statements& code) {
    for (const ir::Statement& statement : code) {
      if (statement.kind == ir::StatementKind::Define && statement.value && comesFrom(statement.value))
        names_.insert(statement.name);
      for (const ir::Statements* inside : {&statement.first, &statement.body, &statement.otherwise}) spread(*inside);
    }
    ir::forEach(code, [&](const ir::Expression& part) {
      if (part.kind() == ir::ExpressionKind::Assign && part.part(0).kind() == ir::ExpressionKind::Name &&
          comesFrom(part.part(1)))
        names_.insert(part.part(0).text());
    });
  }

  bool multiplies(const ir::Expression& part) const {
    const bool isRow =
        part.kind() == ir::ExpressionKind::Subscript && part.part(0).kind() == ir::ExpressionKind::Subscript;
    if (isRow) return comesFrom(part.part(0).part(1));
    const bool isFactor = part.is(ir::ExpressionKind::Binary, "*") || part.is(ir::ExpressionKind::Assign, "*=") ||
                          part.kind() == ir::ExpressionKind::Call;
    return isFactor && comesFrom(part);
  }

  std::set<std::string> names_;
  bool isAny_ = false;
};

}  // namespace

bool narrowsIteration(const Program& program, const clang::Expr* wide, clang::QualType to) {
  const auto isInteger = [](Scalar scalar) { return scalar != Scalar::None && scalar < Scalar::F16; };
  const Scalar from = scalarOf(program.context, wide->getType()), narrow = scalarOf(program.context, to);
  if (!isInteger(from) || !isInteger(narrow) || bitsOf(from) < 64 || bitsOf(narrow) == 64) return false;
  std::set<const clang::VarDecl*> loopVariables;
  for (const DimFact& dim : program.facts.dims) loopVariables.insert(dim.var->redecls_begin(), dim.var->redecls_end());
  return mentions(wide, loopVariables);
}

ir::Expression narrowed(Program& program, Scalar to, const ir::Expression& wide) {
  const std::string type = scalarName(to);
  // Numbers without a sign are masked, not shifted.
  if (type.front() == 'u') return ir::cast(type, wide);
  program.helper(helperName, helperText);
  const ir::Expression value = ir::call(helperName, {wide});
  return to == Scalar::I32 ? value : ir::cast(type, value);
}

ir::Expression iterationValue(const LoopFacts& facts, unsigned dim, const ir::Expression& k) {
  return ir::binary("+", ir::name(numbered("muster_first_", dim)),
                    facts.dims[dim].isUnit() ? k : ir::binary("*", k, ir::name(numbered("muster_step_", dim))));
}

ir::Statements withPlainColumns(const Program& program, Scope& scope, const Schedule& schedule, ir::Statements code) {
  const unsigned dim = schedule.dims[0];
  if (program.facts.dims.size() == 1 || !schedule.hasLoops ||
      Multiplied(code, scope.variable(program.facts.dims[dim].var)).isAny())
    return code;
  const ir::Expression value = iterationValue(program.facts, dim, ir::name(numbered("muster_k_", dim)));
  const ir::Expression own = ir::call(helperName, {value});
  return ir::rewritten(code, [&](const ir::Expression& part) {
    return part == own ? std::optional(ir::cast("int", value)) : std::nullopt;
  });
}

Counted countedFromPoint(const LoopFacts& facts, const Schedule& schedule, const ir::Statements& code) {
  const unsigned along = schedule.dims[schedule.pointsAxis];
  const ir::Expression point = ir::name("muster_point");
  Counted counted{code, {}};
  for (unsigned dim = 0; dim < facts.dims.size(); ++dim) {
    const std::string base = numbered("muster_base_", dim);
    const ir::Expression k = ir::name(numbered("muster_k_", dim));
    const ir::Expression apart = ir::parentheses(ir::binary("-", k, point));
    const bool isUnit = facts.dims[dim].isUnit();
    const ir::Expression further = ir::cast(
        "int", isUnit ? apart : ir::parentheses(ir::binary("*", apart, ir::name(numbered("muster_step_", dim)))));
    const ir::Expression own = ir::call(helperName, {iterationValue(facts, dim, k)});
    bool isAny = false;
    counted.code = ir::rewritten(counted.code, [&](const ir::Expression& part) -> std::optional<ir::Expression> {
      if (!(part == own)) return std::nullopt;
      isAny = true;
      return dim == along ? ir::binary("+", ir::name(base), further) : ir::name(base);
    });
    if (!isAny) continue;
    const ir::Expression first = ir::call(helperName, {iterationValue(facts, dim, dim == along ? point : k)});
    counted.ahead.push_back(ir::define("const int " + base, first, base));
  }
  return counted;
}

}  // namespace muster::plugin::lower
