// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results of MUSTER_REDUCE_OTHER. Records, a key with what belongs to it (RecordFact): native code and the launch hold
// a struct of the variables' values at the choice that won, and the number of its iteration, from 1 on; 0 is none yet.
// Reductions by an operator of the user's, and of structs by their members: a struct of the value, and whether there
// is one.
#include "analysis/records/Records.h"
#include "analysis/updates/DeclaredReductions.h"
#include "clang/AST/DeclOpenMP.h"
#include "llvm/ADT/StringExtras.h"
#include "muster/abi.h"
#include "rewrite/launch/LaunchText.h"
#include "source/SourceText.h"

namespace muster::plugin {

using namespace clang;

static std::string member(std::size_t number) { return "muster_" + std::to_string(number); }

std::string recordName(unsigned number) { return "muster_record" + std::to_string(number); }

std::string recordType(const Dialect& dialect, const std::string& owner, unsigned number) {
  return dialect.isC() ? owner + "_record" + std::to_string(number) : "muster_type_record" + std::to_string(number);
}

void writeRecordTypes(const Spelling& spelling, const LoopFacts& facts, const std::string& owner, CodeText& code) {
  const Dialect& dialect = spelling.dialect();
  for (unsigned i = 0; i < facts.records.size(); ++i) {
    const RecordFact& record = facts.records[i];
    const std::string type = recordType(dialect, owner, i);
    code.open("typedef struct {");
    for (std::size_t v = 0; v < record.vars.size(); ++v)
      code.line(spelling.scalarType(record.vars[v]) + " " + member(v) + ";");
    code.line("int64_t muster_order;");
    code.close("} " + type + ";");
    code.open("static void " + dialect.functionName(owner, "combine_" + recordName(i)) +
              "(void *muster_into, const void *muster_partial) {");
    code.line(type + " *const muster_a = " + dialect.cast(type + " *", "muster_into") + ";");
    code.line("const " + type + " *const muster_b = " + dialect.cast("const " + type + " *", "muster_partial") + ";");
    code.line("if (muster_b->muster_order == 0) return;");
    code.line("if (muster_a->muster_order == 0 || " + winsText(record, "muster_a->", "muster_b->") +
              ") *muster_a = *muster_b;");
    code.close();
  }
}

std::string outsideOwner(const Spelling& spelling, const std::string& owner, const std::string& type) {
  if (spelling.dialect().isC()) return type;
  return (spelling.inTemplate() ? "typename " : "") + owner + "::" + type;
}

static std::string boxName(const std::string& name) { return "muster_boxed_" + name; }

std::string boxType(const Dialect& dialect, const std::string& owner, const std::string& name) {
  return dialect.isC() ? owner + "_box_" + name : "muster_box_" + name;
}

// The first value of each copy, as the user's initialiser has it.
static void writeIdentity(const Spelling& spelling, const std::string& head, const std::string& type,
                          const OMPDeclareReductionDecl* declared, CodeText& code) {
  const ASTContext& context = spelling.context();
  std::string value = spelling.dialect().isC() ? "{0}" : type + "()";
  if (initialCall(declared))
    value = "";
  else if (const Expr* initial = initialValue(declared))
    value = sourceText(context, initial);
  code.open(head + " {");
  code.beginTheirs();
  code.line(type + " omp_priv" + (value.empty() ? "" : " = " + value) + ";");
  if (initialCall(declared)) code.line(sourceText(context, initialCall(declared)) + ";");
  code.beginOurs();
  code.line("return omp_priv;");
  code.close();
}

std::string memberOperator(const ResultFact& result) { return "muster_members_" + result.var->getNameAsString(); }

static bool isFloatingExtremum(unsigned kind, QualType type) {
  return type->isRealFloatingType() && (kind == MUSTER_REDUCE_MIN || kind == MUSTER_REDUCE_MAX);
}

// The first value of each copy of a struct that is added up by its members, and what puts two together.
static void writeMemberSums(const Spelling& spelling, const std::string& owner, const std::string& value,
                            const ResultFact& result, CodeText& code) {
  const Dialect& dialect = spelling.dialect();
  const std::string name = result.var->getNameAsString();
  const auto* record = result.var->getType()->getAsRecordDecl()->getDefinition();
  code.open("static " + value + " " + dialect.functionName(owner, "identity_" + name) + "(void) {");
  code.line(value + " muster_first = " + (dialect.isC() ? "{0}" : value + "()") + ";");
  for (const FieldDecl* field : record->fields()) {
    const unsigned kind = result.members[field->getFieldIndex()];
    const std::string member = "muster_first." + field->getNameAsString();
    const std::string infinity = kind == MUSTER_REDUCE_MIN ? "__builtin_inf()" : "-__builtin_inf()";
    const std::string first = kind == untouchedMember ? "0"
                              : isFloatingExtremum(kind, field->getType())
                                  ? infinity
                                  : identityOf(spelling, kind, field->getType(), "decltype(" + member + ")");
    code.line(member + " = " + first + ";");
  }
  code.line("return muster_first;");
  code.close();
  code.open("static void " + dialect.functionName(owner, "sum_" + name) + "(" + value + " *muster_into, const " +
            value + " *muster_from) {");
  for (const FieldDecl* field : record->fields()) {
    const unsigned kind = result.members[field->getFieldIndex()];
    if (kind == untouchedMember) continue;
    const std::string member = field->getNameAsString();
    const std::string type = dialect.isC() ? spelling.type(field->getType().getUnqualifiedType()) : "auto";
    code.line("{ " + type + " *const muster_a = &muster_into->" + member + "; const " + type +
              " muster_b = muster_from->" + member + "; " +
              combination(spelling, kind, dialect.isC() ? type : "decltype(muster_b)") + " }");
  }
  code.close();
}

void writeBoxes(const Spelling& spelling, const LoopFacts& facts, const std::string& owner, CodeText& code) {
  const Dialect& dialect = spelling.dialect();
  for (const ResultFact& result : facts.results) {
    if (!result.isBoxed()) continue;
    const std::string name = result.var->getNameAsString(), value = spelling.scalarType(result.var);
    const std::string type = boxType(dialect, owner, name);
    code.line("typedef struct " + type + " { int64_t muster_any; " + value + " muster_value; } " + type + ";");
    if (!result.declared)
      writeMemberSums(spelling, owner, value, result, code);
    else if (!originalOf(facts, result))
      writeIdentity(spelling, "static " + value + " " + dialect.functionName(owner, "identity_" + name) + "(void)",
                    value, result.declared, code);
    code.open("static void " + dialect.functionName(owner, "combine_" + name) +
              "(void *muster_into, const void *muster_partial) {");
    code.line(type + " *const muster_a = " + dialect.cast(type + " *", "muster_into") + ";");
    code.line("const " + type + " *const muster_b = " + dialect.cast("const " + type + " *", "muster_partial") + ";");
    code.line("if (muster_b->muster_any && !muster_a->muster_any) *muster_a = *muster_b;");
    if (!result.declared) {
      code.line("else if (muster_b->muster_any) " + dialect.functionName(owner, "sum_" + name) +
                "(&muster_a->muster_value, &muster_b->muster_value);");
      code.close();
      continue;
    }
    code.line("else if (muster_b->muster_any) {");
    code.line(value + " omp_out = muster_a->muster_value, omp_in = muster_b->muster_value;");
    code.beginTheirs();
    code.line(sourceText(spelling.context(), result.declared->getCombiner()) + ";");
    code.beginOurs();
    code.line("muster_a->muster_value = omp_out;");
    code.line("}");
    code.close();
  }
}

void declareBoxes(const Spelling& spelling, const LoopFacts& facts, const std::string& owner, bool atLaunch,
                  CodeText& code) {
  const Dialect& dialect = spelling.dialect();
  for (const ResultFact& result : facts.results) {
    if (!result.isBoxed()) continue;
    const std::string name = result.var->getNameAsString(), type = boxType(dialect, owner, name);
    const VarDecl* original = originalOf(facts, result);
    if (!atLaunch) {
      const std::string first =
          original ? original->getNameAsString() : dialect.functionName(owner, "identity_" + name) + "()";
      code.line(spelling.scalarType(result.var) + " " + name + " = " + first + ";");
      if (result.declared) continue;
      code.markLine();
      code.raw("#pragma omp declare reduction(" + memberOperator(result) + " : " + spelling.scalarType(result.var) +
               " : " + dialect.functionName(owner, "sum_" + name) +
               "(&omp_out, &omp_in)) initializer(omp_priv = " + first + ")");
      continue;
    }
    if (original) code.line(spelling.scalarType(result.var) + " " + original->getNameAsString() + " = " + name + ";");
    code.line(outsideOwner(spelling, owner, type) + " " + boxName(name) + " = {1, " + name + "};");
  }
}

std::string boxOf(const ResultFact& result) { return boxName(result.var->getNameAsString()); }

std::string endParameter() {
  return "{\"\", sizeof(muster_program_end), MUSTER_TYPE_OTHER, MUSTER_PROGRAM_END, 0, &muster_combine_ends}";
}

std::string declareEnd(const LoopFacts& facts, CodeText& code) {
  if (!mayReport(facts)) return "";
  code.line("muster_program_end muster_ended = {0, 0, {0}};");
  return "&muster_ended";
}

// A literal, or a number of its type.
static std::string constantText(const Spelling& spelling, const Expr* argument) {
  if (auto* text = dyn_cast<StringLiteral>(argument->IgnoreParenImpCasts()))
    return spelling.literal(text->getString().str());
  Expr::EvalResult value;
  if (!argument->EvaluateAsInt(value, spelling.context())) return sourceText(spelling.context(), argument);  // stderr
  llvm::SmallString<24> digits;
  value.Val.getInt().toString(digits, 10);
  return spelling.dialect().cast(spelling.type(argument->getType().getUnqualifiedType()), digits.str().str());
}

void endProgram(const Spelling& spelling, const LoopFacts& facts, CodeText& code) {
  const std::vector<const CallExpr*> reports = constantReports(facts);
  for (std::size_t i = 0; i < reports.size(); ++i) {
    std::vector<std::string> arguments;
    for (const Expr* argument : reports[i]->arguments()) arguments.push_back(constantText(spelling, argument));
    code.line("for (int muster_n = muster_ended.reports[" + std::to_string(i) + "]; muster_n > 0; --muster_n) " +
              sourceText(spelling.context(), reports[i]->getCallee()) + "(" + llvm::join(arguments, ", ") + ");");
  }
  if (mayReport(facts)) code.line("muster_end_program(&muster_ended);");
}

std::string beginEnd(const LoopFacts& facts, const CallExpr* call) {
  return "__extension__({ muster_end_iteration(muster_c->results[" +
         std::to_string(facts.results.size() + facts.records.size()) + "], " +
         std::to_string(endingOf(call->getDirectCallee())) + ", " + (call->getNumArgs() == 0 ? "0" : "");
}

std::string endOfEnd() { return "; goto muster_left; })"; }

void writeLeft(const LoopFacts& facts, CodeText& code) {
  if (!endsInText(facts).empty()) code.line("muster_left:;");
}

// What a record holds before the first choice.
static std::string initialText(const RecordFact& record) {
  std::string text = "{";
  for (const VarDecl* var : record.vars) text += var->getNameAsString() + ", ";
  return text + "0}";
}

void declareRecords(const Spelling& spelling, const LoopFacts& facts, const std::string& owner, bool atLaunch,
                    CodeText& code) {
  const Dialect& dialect = spelling.dialect();
  for (unsigned i = 0; i < facts.records.size(); ++i) {
    const std::string name = recordName(i), type = recordType(dialect, owner, i);
    code.line((atLaunch ? outsideOwner(spelling, owner, type) : type) + " " + name + " = " +
              initialText(facts.records[i]) + ";");
    if (atLaunch) continue;
    code.markLine();
    code.raw("#pragma omp declare reduction(" + name + "_best : " + type + " : " +
             dialect.functionName(owner, "combine_" + name) + "(&omp_out, &omp_in)) initializer(omp_priv = omp_orig)");
  }
}

std::string recordChoice(const LoopFacts& facts, unsigned number) {
  const RecordFact& record = facts.records[number];
  std::string text = ";";
  for (std::size_t v = 0; v < record.vars.size(); ++v)
    text += " " + recordName(number) + "." + member(v) + " = " + record.vars[v]->getNameAsString() + ";";
  return text + " " + recordName(number) + ".muster_order = muster_iteration; ";
}

void storeRecords(const LoopFacts& facts, CodeText& code) {
  for (unsigned i = 0; i < facts.records.size(); ++i) {
    const RecordFact& record = facts.records[i];
    code.open("if (" + recordName(i) + ".muster_order > 0) {");
    for (std::size_t v = 0; v < record.vars.size(); ++v)
      code.line(record.vars[v]->getNameAsString() + " = " + recordName(i) + "." + member(v) + ";");
    code.close();
  }
}

}  // namespace muster::plugin
