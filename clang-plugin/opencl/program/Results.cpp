// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "opencl/program/Results.h"

#include "analysis/records/Records.h"
#include "analysis/updates/DeclaredReductions.h"
#include "clang/AST/DeclOpenMP.h"
#include "muster/abi.h"
#include "opencl/statements/Statements.h"
#include "source/RefusalTexts.h"

namespace muster::plugin::opencl {

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
  text.prologue = "  " + type + " " + name + ";\n";
  for (std::size_t v = 0; v < record.vars.size(); ++v) {
    const std::string member = "muster_" + std::to_string(v);
    text.types +=
        std::string("  ") + scalarName(scalarOfVariable(program, record.vars[v], "result")) + " " + member + ";\n";
    text.prologue += "  " + name + "." + member + " = " + scope.variable(record.vars[v]) + ";\n";
  }
  text.types += "  long muster_order;\n} " + type + ";\n";
  text.types += type + " " + choose + "(" + type + " muster_a, " + type + " muster_b) {\n" +
                "  return muster_b.muster_order != 0 && (muster_a.muster_order == 0 || " +
                winsText(record, "muster_a.", "muster_b.") + ") ? muster_b : muster_a;\n}\n";
  text.prologue += "  " + name + ".muster_order = 0;\n";
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
  Statements first(program, scope, 1);
  if (const clang::VarDecl* original = originalOf(program.facts, result))
    first.line(reduction.type + " " + reduction.name + " = " + scope.variable(original) + ";");
  else if (const clang::Expr* value = initialValue(declared))
    first.line(reduction.type + " " + reduction.name + " = " + first.initialiser(value) + ";");
  else if (initialCall(declared) || (record && !record->hasTrivialDefaultConstructor()))
    program.refusals.add(loc, say::ReductionCopiesByFunction);
  else
    first.line(reduction.type + " " + reduction.name + " = " + (plain->isRecordType() ? "{0}" : "0") + ";");
  text.prologue = first.text();
  Statements combiner(program, scope, 4);
  reduction.outName = scope.declareValue(combinerOut(declared));
  reduction.inName = scope.declareValue(combinerIn(declared));
  combiner.Visit(declared->getCombiner());
  reduction.combiner = combiner.text();
}

static std::string firstValue(const Reduction& member) {
  const bool isFloating = member.scalar == Scalar::F32 || member.scalar == Scalar::F64;
  if (isFloating && member.kind == MUSTER_REDUCE_MIN) return "INFINITY";
  if (isFloating && member.kind == MUSTER_REDUCE_MAX) return "-INFINITY";
  return identity(member);
}

// Each member on its own.
static void describeMembers(Program& program, const ResultFact& result, ResultText& text) {
  Reduction& reduction = text.reduction;
  reduction.outName = program.names.unique("muster_sum");
  reduction.inName = program.names.unique("muster_part");
  text.prologue = "  " + reduction.type + " " + reduction.name + " = {0};\n";
  for (const clang::FieldDecl* field : result.var->getType()->getAsRecordDecl()->getDefinition()->fields()) {
    Reduction member;
    member.kind = result.members[field->getFieldIndex()];
    if (member.kind == untouchedMember) continue;
    member.scalar = scalarOf(program.context, field->getType());
    member.isBool = field->getType()->isBooleanType();
    const std::string name = "." + program.types.field(field), out = reduction.outName + name;
    text.prologue += "  " + reduction.name + name + " = " + firstValue(member) + ";\n";
    reduction.combiner += "        " + out + " = " + combination(member, out, reduction.inName + name) + ";\n";
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

}  // namespace muster::plugin::opencl
