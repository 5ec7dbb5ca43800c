// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations of vectors, unique_ptrs, local arrays and arrays of static storage. A declaration with several
// declarators is taken apart, so that each managed variable gets storage of its own.
#include <algorithm>

#include "analysis/objects/Objects.h"
#include "clang/AST/ParentMapContext.h"
#include "rewrite/storage/StorageC.h"
#include "rewrite/text/Declarators.h"
#include "source/AstVisitor.h"
#include "source/RefusalTexts.h"

namespace muster::plugin {
namespace {

using Outcome = StorageRewriter::Outcome;

// The variables that one declaration declares, and whether its place can hold several statements.
struct Group {
  std::vector<const clang::VarDecl*> vars;
  bool isStatement = false;
  bool hasRoom = true;
};

// Arrays without initializer may be jumped over, objects may not.
bool hasLabel(const clang::Stmt* statement) {
  if (!statement) return false;
  if (llvm::isa<clang::LabelStmt>(statement)) return true;
  if (const auto* captured = llvm::dyn_cast<clang::CapturedStmt>(statement))
    return hasLabel(captured->getCapturedStmt());
  return llvm::any_of(statement->children(), hasLabel);
}

class GroupFinder : public AstVisitor {
 public:
  bool VisitSwitchStmt(clang::SwitchStmt* statement) override {
    switchBodies_.insert(statement->getBody());
    return true;
  }
  bool VisitCompoundStmt(clang::CompoundStmt* block) override {
    if (switchBodies_.count(block)) return true;
    for (const clang::Stmt* child : block->body())
      if (const auto* statement = llvm::dyn_cast<clang::DeclStmt>(child)) roomy_.insert(statement);
    return true;
  }
  bool VisitDeclStmt(clang::DeclStmt* statement) override {
    Group group;
    group.isStatement = true;
    group.hasRoom = roomy_.count(statement) != 0;
    for (const clang::Decl* decl : statement->decls())
      if (const auto* var = llvm::dyn_cast<clang::VarDecl>(decl)) group.vars.push_back(var);
    add(std::move(group));
    return true;
  }
  bool VisitVarDecl(clang::VarDecl* var) override {
    if (!var->isFileVarDecl() || var->isStaticDataMember()) return true;
    Group& group = byBegin_[var->getBeginLoc()];
    group.vars.push_back(var);
    return true;
  }

  // Every group that declares one of `arrays`, once.
  std::vector<const Group*> groupsOf(const std::vector<const ArrayPlan*>& arrays) {
    for (auto& [begin, group] : byBegin_) add(group);
    byBegin_.clear();
    std::vector<const Group*> result;
    for (const Group& group : groups_)
      if (llvm::any_of(arrays, [&](const ArrayPlan* array) { return llvm::is_contained(group.vars, array->var()); }))
        result.push_back(&group);
    return result;
  }

 private:
  void add(Group group) {
    if (!group.vars.empty()) groups_.push_back(std::move(group));
  }

  std::set<const clang::Stmt*> switchBodies_;
  std::set<const clang::DeclStmt*> roomy_;
  std::map<clang::SourceLocation, Group> byBegin_;
  std::vector<Group> groups_;
};

// What an initializer means for storage that is zero already.
bool isAllZero(const clang::ASTContext& context, const clang::Expr* init) {
  init = init->IgnoreImplicit();
  if (const auto* list = llvm::dyn_cast<clang::InitListExpr>(init))
    return llvm::all_of(list->inits(), [&](const clang::Expr* part) { return isAllZero(context, part); }) &&
           (!list->hasArrayFiller() || isAllZero(context, list->getArrayFiller()));
  if (llvm::isa<clang::ImplicitValueInitExpr>(init)) return true;
  clang::Expr::EvalResult value;
  if (init->isValueDependent() || !init->EvaluateAsRValue(value, context)) return false;
  return (value.Val.isInt() && value.Val.getInt().isZero()) ||
         (value.Val.isFloat() && value.Val.getFloat().isPosZero());
}

class DeclarationRewriter {
 public:
  DeclarationRewriter(StorageRewriter& rewriter, const Group& group, const std::vector<const ArrayPlan*>& arrays)
      : rewriter_(rewriter), group_(group), arrays_(arrays) {}

  void rewrite() {
    const auto declaration = splitDeclaration(rewriter_.context(), group_.vars);
    Outcome whole;
    if (!group_.hasRoom)
      whole = say::DeclaredInHead;
    else if (!declaration)
      whole = say::DeclarationInMacro;
    std::string text;
    std::map<const ArrayPlan*, Outcome> outcomes;
    for (std::size_t i = 0; i < group_.vars.size(); ++i) {
      const ArrayPlan* array = planOf(group_.vars[i]);
      if (!array) {
        if (declaration) text += separate(text) + declaration->specifiers + declaration->declarators[i].text + ";";
        continue;
      }
      const ConstructEdits construct = rewriter_.editsOf(*array);
      Outcome refusal = whole ? whole : refuse(*array);
      if (!refusal && declaration && isRows(*array)) refusal = respellWholeUses(rewriter_, *array);
      outcomes[array] = refusal;
      if (!declaration) continue;
      text += separate(text) + (refusal ? declaration->specifiers + declaration->declarators[i].text + ";"
                                        : storageOf(*array, *declaration, declaration->declarators[i].text));
    }
    const auto first = llvm::find_if(outcomes, [](const auto& entry) { return !entry.second; });
    if (first != outcomes.end()) {
      const llvm::StringRef old = rewriter_.sources()
                                      .getBufferData(rewriter_.sources().getFileID(declaration->begin))
                                      .slice(rewriter_.sources().getFileOffset(declaration->begin),
                                             rewriter_.sources().getFileOffset(declaration->end));
      const std::size_t lines = old.count('\n'), newLines = llvm::StringRef(text).count('\n');
      if (lines > newLines) text.append(lines - newLines, '\n');
      // If it does not compile, one array after the other is left out.
      const ConstructEdits construct = rewriter_.editsOf(*first->first);
      rewriter_.edits().replaceCharacters(declaration->begin, declaration->end, text);
    }
    for (const auto& [array, outcome] : outcomes) rewriter_.finish(*array, outcome);
  }

 private:
  // In C an array of a function becomes a pointer to its rows.
  bool isRows(const ArrayPlan& array) const { return rewriter_.dialect().isC() && !array.var()->isFileVarDecl(); }

  static std::string separate(const std::string& text) { return text.empty() ? "" : " "; }

  const ArrayPlan* planOf(const clang::VarDecl* var) const {
    for (const ArrayPlan* array : arrays_)
      if (array->decl == var) return array;
    return nullptr;
  }

  Outcome refuse(const ArrayPlan& array) const {
    const clang::VarDecl& var = *array.var();
    for (const clang::Attr* attribute : var.attrs())
      if (!attribute->isImplicit() && !llvm::isa<clang::UnusedAttr>(attribute)) return say::HasAttribute;
    if (isObject(array)) return std::nullopt;
    if (const auto* function = Objects::functionOf(&var);
        function && (var.hasLocalStorage() || isRows(array)) && hasLabel(function->getBody()))
      return say::GotoOverDeclaration;
    if (var.isInline() || var.isConstexpr()) return say::InlineOrConstexpr;
    if (var.getDeclContext()->isDependentContext()) return say::DeclaredInTemplate;
    return std::nullopt;
  }

  std::string storageOf(const ArrayPlan& array, const Declaration& declaration, const std::string& declarator) {
    switch (array.storage) {
      case StorageKind::Vector:
      case StorageKind::RowVectors:
      case StorageKind::Scope:
        return object(array, declaration.specifiers + declarator + ";");
      case StorageKind::LocalArray:
        return localArray(array, declaration.specifiers, declarator);
      default:
        return array.var()->isFileVarDecl() ? fileArray(array, declaration.specifiers) : staticLocalArray(array);
    }
  }

  // Calls in the initializer of a vector allocate for themselves; their result is taken over afterwards.
  std::string object(const ArrayPlan& array, const std::string& declaration) {
    const std::string site = rewriter_.siteName(array), name = array.decl->getNameAsString();
    const clang::Expr* init = array.var()->getInit() ? array.var()->getInit()->IgnoreUnlessSpelledInSource() : nullptr;
    const std::string number = std::to_string(rewriter_.line(array.decl->getLocation()));
    const auto statement = [&](const std::string& part, const std::string& call) {
      return group_.isStatement
                 ? call + ";"
                 : "static const bool muster_" + part + "_" + name + "_" + number + " = (" + call + ", true);";
    };
    const bool isVector = array.storage == StorageKind::Vector;
    if (array.storage == StorageKind::RowVectors)
      return declaration + (init && rewriter_.takesOver(array, *array.var()->getInit())
                                ? " " + statement("manage", "::muster::manageRows(" + name + ", " + site + ")")
                                : "");
    if (isVector && init && llvm::isa<clang::CallExpr>(init))
      return declaration +
             (rewriter_.takesOver(array, *init) ? " " + statement("manage", rewriter_.manageVector(array, name)) : "");
    if (array.element->isDependentType()) {
      const std::string element = rewriter_.typeName(array.element) + ", &" + site;
      return statement("scope", "muster_vector_scope_begin(&::muster::TypedSite<" + element +
                                    ">::site(), std::is_same<" + rewriter_.typeName(array.element) +
                                    ", bool>::value ? SIZE_MAX : +::muster::TypedSite<" + element + ">::minBytes)") +
             " " + declaration + " " + statement("scope_end", "muster_vector_scope_end()");
    }
    const std::string bytes = std::to_string(rewriter_.context().getTypeSizeInChars(array.element).getQuantity());
    const std::string kind = isVector ? "vector" : "allocation";
    return statement("scope", "muster_" + kind + "_scope_begin(&" + site + ", " + bytes + ")") + " " + declaration +
           " " + statement("scope_end", "muster_" + kind + "_scope_end()");
  }

  std::string localArray(const ArrayPlan& array, const std::string& specifiers, const std::string& declarator) {
    const clang::VarDecl& var = *array.var();
    const std::string name = var.getNameAsString(), storage = "muster_storage_" + name,
                      initial = "muster_initial_" + name;
    const std::string element = var.getType()->isRecordType() ? ", " + rewriter_.typeName(array.element) : "";
    const bool isZero = var.getInit() && isAllZero(rewriter_.context(), var.getInit());
    const bool hasValues = !isZero && var.getInit() && !isTrivialConstruction(*var.getInit());
    std::string text = "::muster::LocalArray<" + rewriter_.typeName(var.getType()) + element + "> " + storage + "(" +
                       rewriter_.siteName(array) + (isZero ? "" : ", ::muster::Undefined()") + "); " +
                       rewriter_.declare(var.getType(), "(&" + name + ")") + " = " + storage + ".ref();";
    const std::string initially =
        specifiers + initial + llvm::StringRef(declarator).drop_front(name.size()).str() + "; ";
    if (isRows(array)) return localArrayInC(rewriter_, array, hasValues ? initially : "", isZero);
    if (!hasValues) return text;
    return initially + text + " __builtin_memcpy(&" + name + ", &" + initial + ", sizeof " + name + ");";
  }

  static bool isTrivialConstruction(const clang::Expr& init) {
    const auto* construction = llvm::dyn_cast<clang::CXXConstructExpr>(init.IgnoreImplicit());
    return construction && construction->getConstructor()->isTrivial();
  }

  // A page-aligned struct rounds its size up to whole pages, so the last page is the array's own.
  std::string paddedStorage(const ArrayPlan& array, const std::string& attributes) {
    const clang::VarDecl& var = *array.var();
    const clang::Expr* init = var.getInit();
    std::string text = std::string(rewriter_.dialect().isC() ? "static struct __attribute__((aligned(4096))) { "
                                                             : "static struct alignas(4096) { ") +
                       rewriter_.declare(var.getType(), var.getNameAsString()) + "; } muster_storage_" +
                       var.getNameAsString() + attributes;
    if (!init || init->IgnoreImplicit()->getSourceRange().isInvalid() ||
        llvm::isa<clang::CXXConstructExpr>(init->IgnoreImplicit()))
      return text + ";";
    return text + " = {" + initializerText(*init).value_or("") + "};";
  }

  std::optional<std::string> initializerText(const clang::Expr& init) const {
    return rewriter_.edits().text(init.getSourceRange());
  }

  std::string adoption(const ArrayPlan& array) {
    if (rewriter_.dialect().isC())
      return isRows(array) ? adoptInFunction(rewriter_, array) : adoptInFile(rewriter_, array);
    const std::string name = array.decl->getNameAsString(), storage = "muster_storage_" + name;
    return " static const bool muster_adopted_" + name + " = (muster_array_adopt(&" + rewriter_.siteName(array) +
           ", &" + storage + ", sizeof " + storage + "." + name + "), true);";
  }

  std::string staticLocalArray(const ArrayPlan& array) {
    const std::string name = array.decl->getNameAsString();
    if (isRows(array)) return paddedStorage(array, "") + adoption(array);
    return paddedStorage(array, "") + adoption(array) + " " +
           rewriter_.declare(array.decl->getType(), "(&" + name + ")") + " = muster_storage_" + name + "." + name + ";";
  }

  // Other units that declare the array find it under its own name: an alias of the storage.
  std::string fileArray(const ArrayPlan& array, const std::string& specifiers) {
    const clang::VarDecl& var = *array.var();
    const std::string name = var.getNameAsString();
    const std::string symbol = "muster_storage_" + name + "_" + std::to_string(rewriter_.line(var.getLocation()));
    const std::string linkage = var.getStorageClass() == clang::SC_Static ? "static " : "extern ";
    return paddedStorage(array, " __asm__(\"" + symbol + "\") __attribute__((used))") + " " + linkage +
           rewriter_.declare(var.getType(), name) + " __attribute__((alias(\"" + symbol + "\")));" + adoption(array);
  }

  StorageRewriter& rewriter_;
  const Group& group_;
  const std::vector<const ArrayPlan*>& arrays_;
};

}  // namespace

void rewriteDeclarations(StorageRewriter& rewriter, const std::vector<const ArrayPlan*>& arrays) {
  if (arrays.empty()) return;
  GroupFinder finder;
  finder.TraverseDecl(rewriter.context().getTranslationUnitDecl());
  for (const Group* group : finder.groupsOf(arrays)) DeclarationRewriter(rewriter, *group, arrays).rewrite();
}

}  // namespace muster::plugin
