// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/native/StandIns.h"

#include "analysis/code/ThisUses.h"
#include "source/LibraryTypes.h"

namespace muster::plugin {

using namespace clang;
using StepKind = ObjectPath::StepKind;

static bool isBoundary(StepKind kind) { return !ObjectPath::staysInBlock(kind); }

StandIns::StandIns(const Spelling& spelling, const LoopFacts& facts, std::string owner)
    : spelling_(spelling), facts_(facts), owner_(std::move(owner)) {
  auto add = [&](const VarDecl* var) {
    if (const ObjectMember* member = facts.objects->find(var)) addBlock(member->path);
  };
  for (unsigned i = 0; i < facts.arrays.size(); ++i)
    if (!isInText(i)) add(facts.arrays[i].var);
  for (const ScalarFact& scalar : facts.scalars) add(scalar.var);
  for (const ObjectPath& path : facts.objects->named()) addBlock(path);
  for (Block& block : blocks_)
    for (const ObjectOverlay& overlay : facts.objects->overlays())
      if (overlay.texts.empty() && overlay.path == block.path) block.overlay = &overlay;
  for (Block& block : blocks_) {
    if (!isLarge(block)) continue;
    isShared_ = true;
    if (spelling.dialect().isC()) block.name = "(*" + block.type + "_memory)";
  }
}

// The body's text names it, so that it needs no object.
bool StandIns::isInText(unsigned array) const {
  return llvm::any_of(facts_.objects->overlays(),
                      [&](const ObjectOverlay& overlay) { return overlay.array == array && !overlay.texts.empty(); });
}

bool StandIns::isLarge(const Block& block) const {
  static constexpr std::int64_t mostBytes = 16384;
  return !block.overlay && spelling_.context().getTypeSizeInChars(block.path.type()).getQuantity() > mostBytes;
}

std::string StandIns::pointerTo(const Block& block) const {
  if (block.overlay) return block.name;
  return spelling_.dialect().isC() ? "&" + block.name : block.name + ".pointer()";
}

// Where an object is that the memory of an array takes the place of, as a pointer to char.
std::string StandIns::memoryAt(const ObjectOverlay& overlay) const {
  const ObjectMember& member = *facts_.objects->find(facts_.arrays[overlay.array].var);
  const std::int64_t offset = member.path.offsetInBlock() - overlay.path.offsetInBlock();
  return "((char *)" + std::string(spelling_.dialect().isC() ? "" : "&") + member.name + " - " +
         std::to_string(offset) + ")";
}

// What the body's text calls it. In C an array's name is a pointer to its first row.
std::string StandIns::nameOf(const ObjectOverlay& overlay) const {
  const ObjectMember& member = *facts_.objects->find(facts_.arrays[overlay.array].var);
  if (!(overlay.path == member.path)) return "muster_e" + std::to_string(&overlay - facts_.objects->overlays().data());
  if (!spelling_.dialect().isC()) return member.name;
  return "(*(" + spelling_.type(spelling_.context().getPointerType(member.path.type())) + ")" + member.name + ")";
}

// The object that holds the last part of the path, and all that lead to it.
void StandIns::addBlock(const ObjectPath& path) {
  // A variable that is a pointer is no object of its own, nor is `this`.
  for (std::size_t steps = 0; steps <= path.blockSteps(); ++steps) {
    const bool starts = steps == 0
                            ? path.root && Objects::isRecord(spelling_.context().getBaseElementType(path.rootType))
                            : isBoundary(path.steps[steps - 1].kind);
    const ObjectPath block = path.prefix(steps);
    if (!starts || llvm::any_of(blocks_, [&](const Block& known) { return known.path == block; })) continue;
    const std::string number = std::to_string(blocks_.size());
    // In C, a variable of an array's type cannot be another's name.
    const bool hasOwnName = steps == 0 && path.rootType->isArrayType() && spelling_.dialect().isC();
    blocks_.push_back(
        {block, hasOwnName ? path.root->getNameAsString() : "muster_o" + number, "muster_type" + number, nullptr});
  }
}

// Without const. What has no name is named by a way to it.
std::string StandIns::typeInC(const Block& block) const {
  const auto* record = block.path.type()->getAsRecordDecl();
  if (!record || record->getIdentifier() || record->getTypedefNameForAnonDecl())
    return spelling_.type(block.path.type().getUnqualifiedType());
  if (block.isRoot()) return "__typeof_unqual__(" + block.path.root->getNameAsString() + ")";
  if (block.isTarget()) return "__typeof_unqual__(*" + block.path.root->getNameAsString() + ")";
  const ObjectPath holder = block.path.prefix(block.path.steps.size() - 1);
  std::string member;
  for (std::size_t step = holder.blockSteps(); step < holder.steps.size(); ++step)
    if (const FieldDecl* field = holder.steps[step].field; field->getDeclName())
      member += (member.empty() ? "->" : ".") + field->getNameAsString();
  return "__typeof_unqual__(*((" + blockOf(holder).type + " *)0)" + member + ")";
}

// In a region of a template, clang 19 instantiates the variable again for decltype(var) in a local class, and fails
// where that needs `this`.
std::string writtenClass(const ASTContext& context, const VarDecl* var) {
  const TypeSourceInfo* written = var->getTypeSourceInfo();
  if (!written || var->getType()->getContainedAutoType()) return "";
  TypeLoc type = written->getTypeLoc();
  if (const auto reference = type.getAs<ReferenceTypeLoc>()) type = reference.getPointeeLoc();
  type = type.getUnqualifiedLoc();
  const bool isName = type.getAs<ElaboratedTypeLoc>() || type.getAs<TemplateSpecializationTypeLoc>() ||
                      type.getAs<TagTypeLoc>() || type.getAs<TypedefTypeLoc>();
  const SourceRange range = type.getSourceRange();
  if (!isName || range.getBegin().isMacroID() || range.getEnd().isMacroID()) return "";
  return Lexer::getSourceText(CharSourceRange::getTokenRange(range), context.getSourceManager(), context.getLangOpts())
      .str();
}

std::string StandIns::typeOf(const Block& block) const {
  if (spelling_.dialect().isC()) return typeInC(block);
  const ObjectPath& path = block.path;
  const std::string var = path.root ? "decltype(" + path.root->getNameAsString() + ")" : "";
  const std::string plain = "typename std::remove_cv<typename std::remove_";
  const std::string named =
      spelling_.inTemplate() && block.isRoot() ? writtenClass(spelling_.context(), path.root) : "";
  if (!named.empty()) return plain + "reference<" + named + ">::type>::type";
  if (block.isRoot()) return plain + "reference<" + var + ">::type>::type";
  if (block.isTarget() && path.root) return plain + "pointer<typename std::decay<" + var + ">::type>::type>::type";
  const CXXRecordDecl* record = path.type()->getAsCXXRecordDecl();
  if (path.type()->isArrayType() || !facts_.objects->canBeNamed(path.type())) {
    const auto info = spelling_.context().getTypeInfoInChars(path.type());
    return "::muster::StandInBytes<" + std::to_string(info.Width.getQuantity()) + ", " +
           std::to_string(info.Align.getQuantity()) + ">";
  }
  // Of a class template, by the name that the class has in itself.
  if (block.isTarget() && spelling_.inTemplate()) return record->getNameAsString();
  return spelling_.type(path.type().getUnqualifiedType());
}

void StandIns::writeTypes(CodeText& code) const {
  for (const Block& block : blocks_) {
    const bool isArrayInC = spelling_.dialect().isC() && block.path.type()->isArrayType();
    code.line("typedef " +
              (isArrayInC ? spelling_.declare(block.path.type().getUnqualifiedType(), block.type)
                          : typeOf(block) + " " + block.type) +
              ";");
    const auto size = spelling_.context().getTypeSizeInChars(block.path.type()).getQuantity();
    code.line(std::string(spelling_.dialect().staticAssert()) + "(sizeof(" + block.type +
              ") == " + std::to_string(size) + ", \"Muster knows another layout of this type\");");
  }
}

const StandIns::Block& StandIns::blockOf(const ObjectPath& path) const {
  const ObjectPath holder = path.prefix(path.blockSteps());
  for (const Block& block : blocks_)
    if (block.path == holder) return block;
  llvm_unreachable("every member's object has a stand-in");
}

void StandIns::set(CodeText& code, const ObjectPath& path, const std::string& value, QualType type,
                   std::int64_t behind) const {
  const std::string& object = blockOf(path).name;
  std::string offset = std::to_string(path.offsetInBlock() + behind);
  for (std::size_t i = path.blockSteps(); i < path.steps.size(); ++i)
    if (path.steps[i].index)
      offset += " + (unsigned long)(" + indexText(path.steps[i]) + ") * " +
                std::to_string(spelling_.context().getTypeSizeInChars(path.steps[i].type).getQuantity());
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
    if (!member || array.form == ArrayForm::ConstantArray) continue;
    if (array.form == ArrayForm::Rows && !rowVectorElement(array.var->getType()).isNull()) {
      for (int i : {0, 1, 2})
        set(code, member->path, member->name + "_table." + (i == 0 ? "begin()" : "end()"), array.var->getType(),
            i * pointer);
      continue;
    }
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
    const ObjectPath pointer = block.path.prefix(block.path.steps.size() - 1);
    if (spelling_.dialect().isC())
      set(code, pointer, "(void *){" + pointerTo(block) + "}", spelling_.context().VoidPtrTy);
    else
      set(code, pointer, pointerTo(block), pointer.type());
  }
}

void StandIns::writeNames(CodeText& code) const {
  const bool isC = spelling_.dialect().isC();
  for (const Block& block : blocks_) {
    const std::string type = (block.path.type().isConstQualified() ? "const " : "") + block.type;
    const std::string name = block.path.root ? block.path.root->getNameAsString() : "muster_this";
    if (block.isRoot() && block.name != name)
      code.line(isC ? type + " " + name + " = " + block.name + ";"
                    : type + " &" + name + " = *" + pointerTo(block) + ";");
    if (block.isTarget()) code.line(type + " *const " + name + " = " + pointerTo(block) + ";");
  }
  const bool hasThis = llvm::any_of(blocks_, [](const Block& block) { return !block.path.root; });
  std::map<std::string, std::string> names;
  for (const FieldDecl* field : thisUses(facts_.body).fields) {
    const std::string name = field->getNameAsString();
    if (hasThis) names.emplace(name, "muster_this->" + name);
    for (const ObjectOverlay& overlay : facts_.objects->overlays()) {
      const bool isMember = !overlay.texts.empty() && !overlay.path.root && overlay.path.blockSteps() == 1;
      if (isMember && overlay.path.steps.back().field == field) names[name] = nameOf(overlay);
    }
  }
  for (const auto& [name, value] : names) code.line("auto &" + name + " = " + value + ";");
}

void StandIns::writeOverlays(CodeText& code) const {
  for (const Block& block : blocks_)
    if (block.overlay)
      code.line(block.type + " *const " + block.name + " = (" + block.type + " *)" + memoryAt(*block.overlay) + ";");
  for (const ObjectOverlay& overlay : facts_.objects->overlays()) {
    const bool isArray = overlay.path == facts_.objects->find(facts_.arrays[overlay.array].var)->path;
    if (overlay.texts.empty() || isArray) continue;
    const QualType type = overlay.path.type();
    code.line(spelling_.declare(spelling_.context().getLValueReferenceType(type), nameOf(overlay)) + " = *(" +
              spelling_.type(spelling_.context().getPointerType(type)) + ")" + memoryAt(overlay) + ";");
  }
}

void StandIns::write(CodeText& code) const {
  const bool isC = spelling_.dialect().isC();
  writeOverlays(code);
  for (const Block& block : blocks_) {
    if (block.overlay) continue;
    const std::string large = isLarge(block) ? "Large" : "";
    if (!isC)
      code.line("::muster::" + large + "StandIn<" + block.type + "> " + block.name + ";");
    else if (large.empty())
      code.line(block.type + " " + block.name + ";");
    else
      code.line(block.type + " *" + block.type + "_memory __attribute__((cleanup(muster_end_of_object))) = (" +
                block.type + " *)muster_large_object(sizeof(" + block.type + "));");
  }
  writeWhole(code);
  writeValues(code);
  writeLinks(code);
}

void StandIns::writeLargeObjects(CodeText& code) const {
  if (isShared_) write(code);
}

void StandIns::writeObjects(CodeText& code) const {
  if (!isShared_) write(code);
  writeNames(code);
}

}  // namespace muster::plugin
