// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/StandIns.h"

#include "analysis/Context.h"
#include "analysis/SourceText.h"
#include "analysis/ThisUses.h"
#include "clang/Lex/Lexer.h"

namespace muster::plugin {

using namespace clang;
using StepKind = ObjectPath::StepKind;

static ObjectPath prefix(const ObjectPath& path, std::size_t steps) {
  ObjectPath start = path;
  start.steps.resize(steps);
  return start;
}

static bool isBoundary(StepKind kind) { return kind != StepKind::Field && kind != StepKind::Base; }

StandIns::StandIns(const Spelling& spelling, const LoopFacts& facts) : spelling_(spelling), facts_(facts) {
  auto add = [&](const VarDecl* var) {
    if (const ObjectMember* member = facts.objects->find(var)) addBlock(member->path);
  };
  for (const ArrayFact& array : facts.arrays) add(array.var);
  for (const ScalarFact& scalar : facts.scalars) add(scalar.var);
  for (const ObjectPath& path : facts.objects->named()) addBlock(path);
}

// The object that holds the last part of the path, and all that lead to it.
void StandIns::addBlock(const ObjectPath& path) {
  // A variable that is a pointer is no object of its own, nor is `this`.
  for (std::size_t steps = 0; steps <= path.blockSteps(); ++steps) {
    const bool starts =
        steps == 0 ? path.root && path.rootType->isRecordType() : isBoundary(path.steps[steps - 1].kind);
    const ObjectPath block = prefix(path, steps);
    if (!starts || llvm::any_of(blocks_, [&](const Block& known) { return known.path == block; })) continue;
    const std::string number = std::to_string(blocks_.size());
    blocks_.push_back({block, "muster_o" + number, "muster_type" + number});
  }
}

// Without const. What has no name is named by a way to it.
std::string StandIns::typeInC(const Block& block) const {
  const auto* record = block.path.type()->getAsRecordDecl();
  if (!record || record->getIdentifier() || record->getTypedefNameForAnonDecl())
    return spelling_.type(block.path.type().getUnqualifiedType());
  if (block.isRoot()) return "__typeof_unqual__(" + block.path.root->getNameAsString() + ")";
  if (block.isTarget()) return "__typeof_unqual__(*" + block.path.root->getNameAsString() + ")";
  const ObjectPath holder = prefix(block.path, block.path.steps.size() - 1);
  std::string member;
  for (std::size_t step = holder.blockSteps(); step < holder.steps.size(); ++step)
    if (const FieldDecl* field = holder.steps[step].field; field->getDeclName())
      member += (member.empty() ? "->" : ".") + field->getNameAsString();
  return "__typeof_unqual__(*((" + blockOf(holder).type + " *)0)" + member + ")";
}

std::string StandIns::typeOf(const Block& block) const {
  if (spelling_.dialect().isC()) return typeInC(block);
  const ObjectPath& path = block.path;
  const std::string var = path.root ? "decltype(" + path.root->getNameAsString() + ")" : "";
  const std::string plain = "typename std::remove_cv<typename std::remove_";
  if (block.isRoot()) return plain + "reference<" + var + ">::type>::type";
  if (block.isTarget() && path.root) return plain + "pointer<typename std::decay<" + var + ">::type>::type>::type";
  const CXXRecordDecl* record = path.type()->getAsCXXRecordDecl();
  if (path.type()->isArrayType() || !facts_.objects->canBeNamed(path.type())) {
    const auto info = spelling_.context().getTypeInfoInChars(path.type());
    return "muster::StandInBytes<" + std::to_string(info.Width.getQuantity()) + ", " +
           std::to_string(info.Align.getQuantity()) + ">";
  }
  // Of a class template, by the name that the class has in itself.
  if (block.isTarget() && spelling_.inTemplate()) return record->getNameAsString();
  return spelling_.type(path.type().getUnqualifiedType());
}

void StandIns::writeTypes(CodeText& code) const {
  for (const Block& block : blocks_) {
    code.line("typedef " + typeOf(block) + " " + block.type + ";");
    const auto size = spelling_.context().getTypeSizeInChars(block.path.type()).getQuantity();
    code.line(std::string(spelling_.dialect().staticAssert()) + "(sizeof(" + block.type +
              ") == " + std::to_string(size) + ", \"Muster knows another layout of this type\");");
  }
}

const StandIns::Block& StandIns::blockOf(const ObjectPath& path) const {
  const ObjectPath holder = prefix(path, path.blockSteps());
  for (const Block& block : blocks_)
    if (block.path == holder) return block;
  llvm_unreachable("every member's object has a stand-in");
}

void StandIns::set(CodeText& code, const ObjectPath& path, const std::string& value, QualType type,
                   std::int64_t behind) const {
  const std::string& object = blockOf(path).name;
  const std::string offset = std::to_string(path.offsetInBlock() + behind);
  if (!spelling_.dialect().isC()) {
    code.line(object + ".set(" + offset + ", " + value + ");");
    return;
  }
  // In C, an array is known by a pointer to its first row.
  code.line("muster_set_member(&" + object + ", " + offset + ", " + (type->isArrayType() ? "" : "&") + value +
            ", sizeof(" + spelling_.type(type) + "));");
}

void StandIns::writeValues(CodeText& code) const {
  const auto pointer = spelling_.context().getTypeSizeInChars(spelling_.context().VoidPtrTy).getQuantity();
  for (const ArrayFact& array : facts_.arrays) {
    const ObjectMember* member = facts_.objects->find(array.var);
    if (!member) continue;
    set(code, member->path, member->name, array.var->getType());
    if (array.form != ArrayForm::Vector) continue;
    // Three pointers, in all standard libraries: begin, end, end of storage.
    for (int i : {1, 2})
      set(code, member->path, member->name + " + " + member->name + "_size", array.var->getType(), i * pointer);
  }
  for (const ScalarFact& scalar : facts_.scalars)
    if (const ObjectMember* member = facts_.objects->find(scalar.var); member && !scalar.vectorSize)
      set(code, member->path, member->name, scalar.var->getType());
}

// Objects that are used as a whole, too, go in as such.
void StandIns::writeWhole(CodeText& code) const {
  for (const ScalarFact& scalar : facts_.scalars) {
    const std::string name = scalar.var->getNameAsString();
    for (const Block& block : blocks_) {
      if (!scalar.byValue || !block.isRoot() || block.path.root != scalar.var) continue;
      code.line(spelling_.dialect().isC()
                    ? "muster_set_member(&" + block.name + ", 0, &" + name + ", sizeof(" + block.name + "));"
                    : block.name + ".set(0, " + name + ");");
    }
  }
}

// Pointers between stand-ins.
void StandIns::writeLinks(CodeText& code) const {
  for (const Block& block : blocks_) {
    if (block.isRoot() || block.isTarget()) continue;
    const ObjectPath pointer = prefix(block.path, block.path.steps.size() - 1);
    if (spelling_.dialect().isC())
      set(code, pointer, "(void *){&" + block.name + "}", spelling_.context().VoidPtrTy);
    else
      set(code, pointer, block.name + ".pointer()", pointer.type());
  }
}

void StandIns::writeNames(CodeText& code) const {
  const bool isC = spelling_.dialect().isC();
  for (const Block& block : blocks_) {
    const std::string type = (block.path.type().isConstQualified() ? "const " : "") + block.type;
    const std::string name = block.path.root ? block.path.root->getNameAsString() : "muster_this";
    if (block.isRoot())
      code.line(isC ? type + " " + name + " = " + block.name + ";"
                    : type + " &" + name + " = *" + block.name + ".pointer();");
    if (block.isTarget())
      code.line(type + " *const " + name + " = " + (isC ? "&" + block.name : block.name + ".pointer()") + ";");
  }
  const bool hasThis = llvm::any_of(blocks_, [](const Block& block) { return !block.path.root; });
  std::set<std::string> names;
  if (hasThis)
    for (const FieldDecl* field : thisUses(facts_.body).fields) names.insert(field->getNameAsString());
  for (const std::string& name : names) code.line("auto &" + name + " = muster_this->" + name + ";");
}

void StandIns::writeObjects(CodeText& code) const {
  const bool isC = spelling_.dialect().isC();
  for (const Block& block : blocks_)
    code.line((isC ? block.type : "muster::StandIn<" + block.type + ">") + " " + block.name + ";");
  writeWhole(code);
  writeValues(code);
  writeLinks(code);
  writeNames(code);
}

namespace {

class ThisPrinter : public PrinterHelper {
 public:
  bool handledStmt(Stmt* statement, llvm::raw_ostream& out) override {
    if (!isa<CXXThisExpr>(statement)) return false;
    out << "muster_this";
    return true;
  }
};

}  // namespace

std::string StandIns::textOf(const Expr* expr) const {
  const ThisUses uses = thisUses(expr);
  if (uses.keywords.empty() && uses.fields.empty()) return sourceText(spelling_.context(), expr);
  ThisPrinter helper;
  std::string text;
  llvm::raw_string_ostream out(text);
  expr->printPretty(out, &helper, spelling_.context().getPrintingPolicy());
  return text;
}

std::string StandIns::textOf(CharSourceRange range) const {
  const SourceManager& sources = spelling_.context().getSourceManager();
  std::string text = Lexer::getSourceText(range, sources, spelling_.context().getLangOpts()).str();
  const unsigned start = sources.getFileOffset(range.getBegin());
  const ThisUses uses = thisUses(facts_.body);
  std::map<unsigned, std::pair<unsigned, std::string>> edits;  // offset in the text: length and what stands there
  for (SourceLocation loc : uses.keywords) edits[sources.getFileOffset(loc) - start] = {4, "muster_this"};
  for (SourceLocation loc : uses.methods) edits[sources.getFileOffset(loc) - start] = {0, "muster_this->"};
  for (const DeclRefExpr* array : facts_.wholeArrays) {
    const std::string name = array->getDecl()->getNameAsString();
    const QualType pointer = spelling_.context().getPointerType(array->getDecl()->getType());
    edits[sources.getFileOffset(sources.getSpellingLoc(array->getLocation())) - start] = {
        name.size(), "(*(" + spelling_.type(pointer) + ")" + name + ")"};
  }
  for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit)
    text.replace(edit->first, edit->second.first, edit->second.second);
  return text;
}

}  // namespace muster::plugin
