// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Native code of C loops stands at file scope, in front of the function that holds the loop
// (docs/decisions/0008-c-sources.md): what the loop uses must mean the same there.
#include "analysis/objects/Objects.h"
#include "analysis/references/References.h"
#include "source/ElementTypes.h"

#include "source/AstVisitor.h"
#include "source/Compat.h"
#include "source/LocalMacros.h"
#include "source/RefusalTexts.h"
#include "source/SourceText.h"

namespace muster::plugin {

using namespace clang;

namespace {

bool isInFunction(const Decl* decl) {
  for (const DeclContext* around = decl->getLexicalDeclContext(); around; around = around->getLexicalParent())
    if (around->isFunctionOrMethod()) return true;
  return false;
}

// Types, enumerators and functions that the enclosing function declares outside of what is searched, and arrays
// that are used as a whole, where native code has a pointer.
class LocalNameFinder : public AstVisitor {
 public:
  // No names are wrong, only whole arrays, where `names` is false.
  LocalNameFinder(const SourceManager& sources, SourceRange own, bool names, std::set<const VarDecl*> arrays)
      : sources_(sources), own_(own), names_(names), arrays_(std::move(arrays)) {}

  std::optional<Refusal> found;
  std::vector<const DeclRefExpr*> wholeArrays;  // that the text of `own` spells

  // Its clauses name arrays and pointers alike.
  bool TraverseOMPSimdDirective(OMPSimdDirective* directive) override {
    return TraverseStmt(const_cast<Stmt*>(directive->getRawStmt()));
  }
  bool VisitTypedefTypeLoc(TypedefTypeLoc type) override {
    return check(compat::typedefOf(type), "type", type.getBeginLoc());
  }
  bool VisitTagTypeLoc(TagTypeLoc type) override { return check(type.getDecl(), "type", type.getBeginLoc()); }
  bool VisitDeclRefExpr(DeclRefExpr* reference) override {
    const ValueDecl* decl = reference->getDecl();
    if (isa<EnumConstantDecl>(decl)) return check(decl, "enumerator", reference->getLocation());
    if (isa<FunctionDecl>(decl)) return check(decl, "function", reference->getLocation());
    if (auto* var = dyn_cast<VarDecl>(decl); var && var->getType()->isArrayType() && arrays_.count(var)) {
      if (isSpelledHere(reference->getLocation())) {
        wholeArrays.push_back(reference);
        return true;
      }
      return refuse(reference->getLocation(), say::ArrayAsWholeInC(var->getNameAsString()));
    }
    return true;
  }
  bool TraverseImplicitCastExpr(ImplicitCastExpr* cast) override {
    if (cast->getCastKind() == CK_ArrayToPointerDecay && isa<DeclRefExpr>(cast->getSubExpr()->IgnoreParens()))
      return true;
    return AstVisitor::TraverseImplicitCastExpr(cast);
  }

 private:
  // Not by a macro's own text; by its argument perhaps.
  bool isSpelledHere(SourceLocation loc) const {
    if (own_.isInvalid()) return false;
    const auto [file, offset] = sources_.getDecomposedSpellingLoc(loc);
    const auto [ownFile, begin] = sources_.getDecomposedLoc(sources_.getFileLoc(own_.getBegin()));
    return file == ownFile && offset >= begin &&
           offset <= sources_.getFileOffset(sources_.getExpansionRange(own_.getEnd()).getEnd());
  }
  bool check(const NamedDecl* decl, const std::string& what, SourceLocation loc) {
    if (!names_ || !isInFunction(decl) || sources_.isPointWithin(decl->getLocation(), own_.getBegin(), own_.getEnd()))
      return true;
    return refuse(loc, say::DeclaredInsideFunction(what, decl->getNameAsString()));
  }
  bool refuse(SourceLocation loc, std::string what) {
    found = Refusal{loc, std::move(what)};
    return false;
  }

  const SourceManager& sources_;
  const SourceRange own_;
  const bool names_;
  const std::set<const VarDecl*> arrays_;
};

// A local variable of this name, which hides the global at the launch site.
class NameFinder : public AstVisitor {
 public:
  explicit NameFinder(const VarDecl* global) : global_(global) {}
  bool VisitVarDecl(VarDecl* var) override {
    return var->getIdentifier() != global_->getIdentifier() || var->hasExternalStorage() || var->isFileVarDecl();
  }

 private:
  const VarDecl* global_;
};

// The tag or typedef that a variable's type rests on and that native code would have to name.
const NamedDecl* namedType(QualType type) {
  const auto* record = innermostType(type)->getAs<RecordType>();
  return record ? record->getDecl() : nullptr;
}

bool hasName(const NamedDecl* record) {
  return record->getIdentifier() || cast<RecordDecl>(record)->getTypedefNameForAnonDecl();
}

// Stand-ins have the types of the objects that variables are, or point to, on the way to a member.
std::string whyNoStandIn(const ObjectMember& member) {
  const VarDecl* root = member.path.root;
  if (root->getStorageClass() == SC_Register) return say::OfRegisterVariable(root->getNameAsString());
  const NamedDecl* first = namedType(root->getType());
  if (!hasName(first) && !isVisibleInFile(root)) return say::OfUnnamedType;
  bool isInside = isInFunction(first);
  for (const ObjectPath::Step& step : member.path.steps)
    isInside |= step.kind == ObjectPath::StepKind::Pointer && isInFunction(namedType(step.type));
  return isInside ? say::OfTypeInsideFunction : "";
}

bool checkObjects(LoopContext& context) {
  for (const auto& member : context.objects().members())
    if (const std::string reason = whyNoStandIn(*member); !reason.empty())
      return context.refuse(member->var->getLocation(), say::Uses(member->var->getNameAsString(), reason));
  return true;
}

bool checkTypes(LoopContext& context) {
  auto check = [&](const VarDecl* var) {
    const NamedDecl* type = namedType(var->getType());
    if (!type) return true;
    // Where a loop's pointer starts has no name of the user's.
    const VarDecl* named = var;
    for (const DimFact& dim : context.facts.dims)
      if (dim.start == var) named = dim.pointer;
    if (!hasName(type))
      return context.refuse(context.facts.directive->getBeginLoc(),
                            say::Uses(named->getNameAsString(), say::OfUnnamedType));
    if (!isInFunction(type)) return true;
    return context.refuse(context.facts.directive->getBeginLoc(), say::TypeInsideFunction(named->getNameAsString()));
  };
  const LoopFacts& facts = context.facts;
  return llvm::all_of(facts.arrays, [&](const ArrayFact& array) { return check(array.var); }) &&
         llvm::all_of(facts.scalars, [&](const ScalarFact& scalar) { return check(scalar.var); }) &&
         llvm::all_of(facts.results, [&](const ResultFact& result) { return check(result.var); }) &&
         llvm::all_of(facts.privates, check);
}

bool checkVariables(LoopContext& context) {
  LoopFacts& facts = context.facts;
  const SourceLocation loc = facts.directive->getBeginLoc();
  for (const ScalarFact& scalar : facts.scalars) {
    if (scalar.global && !NameFinder(scalar.var).TraverseDecl(const_cast<FunctionDecl*>(facts.function)))
      return context.refuse(loc, say::GlobalHiddenInFunction(scalar.var->getNameAsString()));
    if (scalar.var->getStorageClass() == SC_Register)
      return context.refuse(loc, say::RegisterVariable(scalar.var->getNameAsString()));
  }
  for (const ResultFact& result : facts.results)
    if (result.var->getStorageClass() == SC_Register)
      return context.refuse(loc, say::RegisterVariable(result.var->getNameAsString()));
  for (const DimFact& dim : facts.dims)
    if (dim.var->getType()->isBitIntType() || dim.bound->getType()->isBitIntType())
      return context.refuse(dim.statement()->getBeginLoc(), say::CountsInBitInt);
  return true;
}

// A macro that the function defines, or undefines, has another meaning in front of it.
bool checkMacros(LoopContext& context) {
  const LoopFacts& facts = context.facts;
  const SourceManager& sources = context.ast.getSourceManager();
  const SourceLocation directive = facts.directive->getBeginLoc();
  const TextBefore before = textBefore(sources, facts.function, directive);
  const unsigned end = sources.getFileOffset(sources.getFileLoc(facts.dims.front().statement()->getEndLoc()));
  std::vector<MacroLine> lines = macroLines(context.ast, before, *context.skipped);
  const TextBefore inLoop{before.file, before.end, end};
  const std::vector<MacroLine> inside = macroLines(context.ast, inLoop, *context.skipped);
  const auto refuse = [&](const MacroLine& line) { return context.refuse(directive, say::BehindMacroLine(line.text)); };
  if (!inside.empty()) return refuse(inside.front());
  for (const MacroLine& line : lines)
    if (line.name.empty()) return refuse(line);
  const MacroLine* line = lines.empty() ? nullptr : dependsOn(context.ast, before, lines, end);
  return !line || refuse(*line);
}

}  // namespace

bool readFileScope(LoopContext& context) {
  LoopFacts& facts = context.facts;
  if (context.ast.getLangOpts().CPlusPlus) return true;
  std::set<const VarDecl*> arrays;
  for (const ArrayFact& array : facts.arrays)
    if (array.form == ArrayForm::ConstantArray) arrays.insert(array.var);
  const SourceManager& sources = context.ast.getSourceManager();
  LocalNameFinder inBody(sources, facts.body->getSourceRange(), true, std::move(arrays));
  inBody.TraverseStmt(const_cast<Stmt*>(facts.body));
  if (inBody.found) return context.refuse(inBody.found->loc, inBody.found->what);
  facts.wholeArrays = std::move(inBody.wholeArrays);
  // Managed arrays of the function are pointers at the launch site, too (rewrite/storage/StorageC.h).
  LocalNameFinder inBounds(sources, {}, false, context.managed);
  for (const DimFact& dim : facts.dims)
    for (const Expr* bound : {dim.lower, dim.bound, dim.step, dim.origin(), dim.limit})
      if (bound && !(bound == dim.bound && constantText(context.ast, bound)) &&
          !inBounds.TraverseStmt(const_cast<Expr*>(bound)))
        return context.refuse(inBounds.found->loc, inBounds.found->what);
  return checkObjects(context) && checkTypes(context) && checkVariables(context) && checkMacros(context);
}

}  // namespace muster::plugin
