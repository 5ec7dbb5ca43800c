// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/program/Results.h"

#include "analysis/records/Records.h"
#include "analysis/updates/DeclaredReductions.h"
#include "clang/AST/DeclOpenMP.h"
#include "lower/statements/Statements.h"
#include "muster/abi.h"
#include "source/RefusalTexts.h"

namespace muster::plugin::lower {

Scalar scalarOfVariable(Program& program, const clang::VarDecl* var, const char* role) {
  const Scalar scalar = scalarOf(program.context, var->getType());
  if (scalar == Scalar::None)
    program.refusals.add(var->getLocation(), say::RoleNotInOpenCL(role, var->getName(), var->getType().getAsString()));
  if (scalar == Scalar::F64) program.types.noteFp64();
  if (scalar == Scalar::F16) program.types.noteHalf();
  return scalar;
}

ResultText recordResult(Program& program, Scope& scope, unsigned number) {
  const RecordFact& record = program.facts.records[number];
  const std::string digits = std::to_string(number), name = "muster_record" + digits;
  const std::string type = "muster_type_record" + digits, choose = "muster_better" + digits;
  ResultText text;
  text.types = "typedef struct {\n";
  text.prologue.push_back(ir::define(type + " " + name));
  for (std::size_t v = 0; v < record.vars.size(); ++v) {
    const std::string member = "muster_" + std::to_string(v);
    text.types +=
        std::string("  ") + scalarName(scalarOfVariable(program, record.vars[v], "result")) + " " + member + ";\n";
    text.prologue.push_back(
        ir::evaluate(ir::assign(ir::member(ir::name(name), member), ir::name(scope.variable(record.vars[v])))));
  }
  text.types += "  long muster_order;\n} " + type + ";\n";
  text.types += type + " " + choose + "(" + type + " muster_a, " + type + " muster_b) {\n" +
                "  return muster_b.muster_order != 0 && (muster_a.muster_order == 0 || " +
                winsText(record, "muster_a.", "muster_b.") + ") ? muster_b : muster_a;\n}\n";
  text.prologue.push_back(ir::evaluate(ir::assign(ir::member(ir::name(name), "muster_order"), ir::literal("0"))));
  text.argument = "__global " + type + " *" + name + "_out";
  text.reduction.kind = MUSTER_REDUCE_OTHER;
  text.reduction.type = type;
  text.reduction.name = name;
  text.reduction.slots = name + "_slots";
  text.reduction.out = name + "_out";
  text.reduction.choose = choose;
  return text;
}

// What `declared` says of the copies and of their combination.
static void describeDeclared(Program& program, Scope& scope, const ResultFact& result, ResultText& text) {
  const clang::SourceLocation loc = result.var->getLocation();
  const clang::OMPDeclareReductionDecl* declared = result.declared;
  const clang::QualType plain = result.var->getType().getNonReferenceType();
  Reduction& reduction = text.reduction;
  const auto* record = plain->getAsCXXRecordDecl();
  Statements first(program, scope);
  const std::string own = reduction.type + " " + reduction.name;
  if (const clang::VarDecl* original = originalOf(program.facts, result))
    first.add(ir::define(own, ir::name(scope.variable(original))));
  else if (const clang::Expr* value = initialValue(declared))
    first.add(ir::define(own, first.initialiser(value)));
  else if (initialCall(declared) || (record && !record->hasTrivialDefaultConstructor()))
    program.refusals.add(loc, say::ReductionCopiesByFunction);
  else
    first.add(ir::define(own, plain->isRecordType() ? ir::braces({ir::literal("0")}) : ir::literal("0")));
  text.prologue = first.take();
  Statements combiner(program, scope);
  reduction.outName = scope.declareValue(combinerOut(declared));
  reduction.inName = scope.declareValue(combinerIn(declared));
  combiner.Visit(declared->getCombiner());
  reduction.combiner = combiner.take();
}

static Expression firstValue(const Reduction& member) {
  const bool isFloating = member.scalar == Scalar::F32 || member.scalar == Scalar::F64;
  if (isFloating && member.kind == MUSTER_REDUCE_MIN) return ir::name("INFINITY");
  if (isFloating && member.kind == MUSTER_REDUCE_MAX) return ir::prefix("-", ir::name("INFINITY"));
  return identity(member);
}

// Each member on its own.
static void describeMembers(Program& program, const ResultFact& result, ResultText& text) {
  Reduction& reduction = text.reduction;
  reduction.outName = program.names.unique("muster_sum");
  reduction.inName = program.names.unique("muster_part");
  text.prologue.push_back(ir::define(reduction.type + " " + reduction.name, ir::braces({ir::literal("0")})));
  for (const clang::FieldDecl* field : result.var->getType()->getAsRecordDecl()->getDefinition()->fields()) {
    Reduction member;
    member.kind = result.members[field->getFieldIndex()];
    if (member.kind == untouchedMember) continue;
    member.scalar = scalarOf(program.context, field->getType());
    member.isBool = field->getType()->isBooleanType();
    const auto of = [&](const std::string& object) { return ir::member(ir::name(object), program.types.field(field)); };
    text.prologue.push_back(ir::evaluate(ir::assign(of(reduction.name), firstValue(member))));
    reduction.combiner.push_back(ir::evaluate(
        ir::assign(of(reduction.outName), combination(member, of(reduction.outName), of(reduction.inName)))));
  }
}

ResultText boxedResult(Program& program, Scope& scope, const ResultFact& result) {
  const clang::SourceLocation loc = result.var->getLocation();
  const clang::QualType plain = result.var->getType().getNonReferenceType().getUnqualifiedType();
  if (plain->isRecordType())
    program.types.checkSize(plain, loc);
  else
    scalarOfVariable(program, result.var, "result");
  const std::string base = result.var->getName().str(), type = program.types.name(plain, Space::Private, loc);
  ResultText text;
  Reduction& reduction = text.reduction;
  reduction.kind = result.kind;
  reduction.type = type;
  reduction.name = scope.declareValue(result.var);
  reduction.box = program.names.unique(base + "_box");
  reduction.slots = program.names.unique(base + "_slots");
  reduction.out = program.names.unique(base + "_out");
  text.types = "typedef struct {\n  long muster_any;\n  " + type + " muster_value;\n} " + reduction.box + ";\n";
  text.argument = "__global " + reduction.box + " *" + reduction.out;
  if (result.declared)
    describeDeclared(program, scope, result, text);
  else
    describeMembers(program, result, text);
  return text;
}

}  // namespace muster::plugin::lower
