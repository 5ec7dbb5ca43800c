// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Storage rewriting, array by array, and the descriptors (sites) of the arrays.
#include "rewrite/storage/Storage.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/OpenMPClause.h"
#include "clang/AST/ParentMapContext.h"
#include "clang/AST/StmtCXX.h"
#include "source/RefusalTexts.h"
#include "source/SourceText.h"

namespace muster::plugin {
namespace {

std::string quoted(llvm::StringRef text) {
  std::string result = "\"";
  llvm::raw_string_ostream stream(result);
  llvm::printEscapedString(text, stream);
  return result + "\"";
}

std::string elementTypeConstant(const clang::ASTContext& context, clang::QualType type) {
  type = type.getCanonicalType();
  if (const auto* enumeration = type->getAs<clang::EnumType>()) type = enumeration->getDecl()->getIntegerType();
  if (type->isBooleanType()) return "MUSTER_TYPE_BOOL";
  if (type->isSpecificBuiltinType(clang::BuiltinType::Float)) return "MUSTER_TYPE_F32";
  if (type->isSpecificBuiltinType(clang::BuiltinType::Double)) return "MUSTER_TYPE_F64";
  const std::uint64_t bits = type->isIntegerType() ? context.getTypeSize(type) : 0;
  if (bits == 0 || bits > 64) return "MUSTER_TYPE_OTHER";
  return std::string("MUSTER_TYPE_") + (type->isSignedIntegerType() ? "I" : "U") + std::to_string(bits);
}

}  // namespace

std::string StorageRewriter::siteName(const ArrayPlan& array) {
  std::string& name = sites_[&array];
  if (!name.empty()) return name;
  const clang::SourceLocation loc = array.allocation ? array.allocation->getBeginLoc() : array.decl->getLocation();
  const std::string base = "muster_site_" + array.decl->getNameAsString() + "_" + std::to_string(line(loc));
  name = base;
  for (unsigned copy = 2; !names_.insert(name).second; ++copy) name = base + "_" + std::to_string(copy);
  return name;
}

void StorageRewriter::finish(const ArrayPlan& array, const Outcome& whyNot) {
  if (whyNot) {
    remarkMissed(context_.getDiagnostics(), array.loc, say::ArrayIsPlain(array.name, *whyNot));
    return;
  }
  if (array.part == ArrayPart::Table) return;  // its rows are the array
  const ConstructEdits construct = editsOf(array);
  if (array.storage == StorageKind::Embedded) {
    remarkDone(context_.getDiagnostics(), array.loc, say::TravelsAsCopy(array.name));
    return;
  }
  const clang::SourceLocation loc = array.allocation ? array.allocation->getBeginLoc() : array.decl->getLocation();
  // muster::TypedAllocationScope says what is known once the template is instantiated.
  const bool isDependent = array.element->isDependentType();
  edits_.insertAtTop(
      "static const muster_array_site " + siteName(array) + " = {" + location(loc) + ", " + quoted(array.name) + ", " +
      quoted(typeName(array.element)) + ", " + (isDependent ? "0" : elementSize(array)) + ", " +
      (isDependent ? "MUSTER_TYPE_OTHER" : elementTypeConstant(context_, array.element)) + ", " +
      (array.replicated ? "MUSTER_REPLICATED" : "MUSTER_PARTITIONED") + ", 0, " + quoted(array.reason) + "};\n");
  if (!remarked_.insert(array.loc).second) return;  // another allocation of the same operand
  remarkDone(
      context_.getDiagnostics(), array.loc,
      "array '" + array.name + "' is " + (array.replicated ? "replicated" : "partitioned") + ": " + array.reason);
}

std::string StorageRewriter::location(clang::SourceLocation loc) const {
  const clang::PresumedLoc place = sources_.getPresumedLoc(sources_.getFileLoc(loc));
  return "{" + quoted(place.getFilename()) + ", " + std::to_string(place.getLine()) + ", " +
         std::to_string(place.getColumn()) + "}";
}

std::string StorageRewriter::elementSize(const ArrayPlan& array) const {
  return std::to_string(context_.getTypeSizeInChars(array.element).getQuantity());
}

std::string StorageRewriter::scope(const ArrayPlan& array) {
  if (array.element->isDependentType())
    return std::string("::muster::Typed") + (array.storage == StorageKind::Vector ? "Vector" : "Allocation") +
           "Scope<" + typeName(array.element) + ", &" + siteName(array) + ">()";
  const std::string bytes = elementSize(array);
  return std::string("::muster::") + (array.storage == StorageKind::Vector ? "Vector" : "Allocation") + "Scope(" +
         siteName(array) + ", " + bytes + ")";
}

std::string StorageRewriter::manageVector(const ArrayPlan& array, const std::string& vector) {
  return array.element->isDependentType() ? "::muster::manageVectorOf<&" + siteName(array) + ">(" + vector + ")"
                                          : "::muster::manageVector(" + vector + ", " + siteName(array) + ")";
}

bool StorageRewriter::shareSite(const ArrayPlan& array, const clang::Stmt& use) {
  clang::DynTypedNode node = clang::DynTypedNode::create(use);
  for (auto parents = context_.getParents(node); !parents.empty(); parents = context_.getParents(node)) {
    node = parents[0];
    const auto* directive = node.get<clang::OMPExecutableDirective>();
    const auto* given = directive ? directive->getSingleClause<clang::OMPDefaultClause>() : nullptr;
    if (!given || given->getDefaultKind() != llvm::omp::OMP_DEFAULT_none) continue;
    const auto name = directiveName(context_, directive);
    if (!name) return false;
    const std::string site = siteName(array);
    if (shared_.insert({name->getEnd(), site}).second)
      edits_.replaceCharacters(name->getEnd(), name->getEnd(), " shared(" + site + ")");
  }
  return true;
}

bool StorageRewriter::isStatement(const clang::Expr& call) {
  clang::DynTypedNode node = clang::DynTypedNode::create(call);
  while (true) {
    const auto parents = context_.getParents(node);
    if (parents.size() != 1) return false;
    const clang::Stmt *parent = parents[0].get<clang::Stmt>(), *part = node.get<clang::Stmt>();
    if (!parent) return false;
    if (const auto* loop = llvm::dyn_cast<clang::ForStmt>(parent)) return loop->getBody() == part;
    if (const auto* loop = llvm::dyn_cast<clang::CXXForRangeStmt>(parent)) return loop->getBody() == part;
    if (const auto* loop = llvm::dyn_cast<clang::WhileStmt>(parent)) return loop->getBody() == part;
    if (const auto* choice = llvm::dyn_cast<clang::IfStmt>(parent))
      return choice->getThen() == part || choice->getElse() == part;
    if (!llvm::isa<clang::ExprWithCleanups>(parent)) return llvm::isa<clang::CompoundStmt>(parent);
    node = parents[0];
  }
}

std::string StorageRewriter::declare(clang::QualType type, std::string name) const {
  type.getAsStringInternal(name, context_.getPrintingPolicy());
  return name;
}

void rewriteStorage(clang::ASTContext& context, const DirectiveTable& table, const TranslationUnitPlan& plan,
                    EditList& edits) {
  StorageRewriter rewriter(context, edits);
  std::vector<const ArrayPlan*> declared, members, objects, tables;
  for (const ArrayPlan& array : plan.arrays) {
    if (array.allocation) {
      const ConstructEdits construct = rewriter.editsOf(array);
      rewriter.finish(array, rewriteAllocation(rewriter, array));
      continue;
    }
    const auto* var = llvm::dyn_cast<clang::VarDecl>(array.decl);
    if (var && var->isStaticDataMember() && !isObject(array)) {
      rewriter.finish(array, say::StaticMember);
      continue;
    }
    if (array.storage == StorageKind::Embedded) {
      rewriter.finish(array, std::nullopt);
      continue;
    }
    (llvm::isa<clang::FieldDecl>(array.decl) ? members : declared).push_back(&array);
    if (array.storage == StorageKind::RowVectors)
      tables.push_back(&array);
    else if (isObject(array))
      objects.push_back(&array);
  }
  rewriteDeclarations(rewriter, declared);
  rewriteMemberInitializers(rewriter, members);
  rewriteObjectCalls(rewriter, objects);
  rewriteRowCalls(rewriter, tables);
  rewriteBlocks(rewriter, table);
  rewriteProgram(rewriter);
}

}  // namespace muster::plugin
