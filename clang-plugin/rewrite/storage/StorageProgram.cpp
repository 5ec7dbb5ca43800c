// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a whole program needs: a session in main, and free, realloc and delete[] that know managed memory.
#include "clang/AST/ExprCXX.h"
#include "rewrite/storage/ObjectTypes.h"
#include "rewrite/storage/Storage.h"
#include "rewrite/text/Registration.h"
#include "source/AstVisitor.h"

namespace muster::plugin {
namespace {

bool isLibraryFunction(const clang::NamedDecl* decl, llvm::StringRef name) {
  const auto* function = llvm::dyn_cast<clang::FunctionDecl>(decl);
  return function && function->isExternC() && function->getIdentifier() && function->getName() == name;
}

class ProgramRewriter : public AstVisitor {
 public:
  explicit ProgramRewriter(StorageRewriter& rewriter) : rewriter_(rewriter), edits_(rewriter.edits()) {}

  bool VisitFunctionDecl(clang::FunctionDecl* function) override {
    if (function->isMain() && function->doesThisDeclarationHaveABody()) beginSession(*function);
    return true;
  }

  bool VisitDeclRefExpr(clang::DeclRefExpr* reference) override {
    rename(reference->getDecl(), reference->getSourceRange(), reference->getLocation());
    return true;
  }

  bool VisitDecltypeTypeLoc(clang::DecltypeTypeLoc type) override {
    if (const std::string text = objectType(type); !text.empty())
      edits_.replace(type.getSourceRange(), text, /*givesWay=*/true);
    return true;
  }

  // In templates: free(p) with a p that depends on a parameter.
  bool VisitUnresolvedLookupExpr(clang::UnresolvedLookupExpr* lookup) override {
    for (const clang::NamedDecl* candidate : lookup->decls()) {
      if (const auto* shadow = llvm::dyn_cast<clang::UsingShadowDecl>(candidate)) candidate = shadow->getTargetDecl();
      rename(candidate, lookup->getSourceRange(), lookup->getNameLoc());
    }
    return true;
  }

  bool VisitCXXDeleteExpr(clang::CXXDeleteExpr* deletion) override {
    if (!deletion->isArrayForm() || deletion->isTypeDependent() || deletion->getArgument()->isTypeDependent())
      return true;
    const clang::QualType element = deletion->getDestroyedType();
    if (element.isNull() || element->isIncompleteType() || element.isDestructedType()) return true;
    if (llvm::isa_and_nonnull<clang::CXXMethodDecl>(deletion->getOperatorDelete())) return true;
    const clang::Expr* pointer = deletion->getArgument()->IgnoreParenImpCasts();
    // Evaluated twice; the rest is left to the runtime's operator delete.
    if (!llvm::isa<clang::DeclRefExpr, clang::MemberExpr, clang::ArraySubscriptExpr>(pointer)) return true;
    if (pointer->HasSideEffects(rewriter_.context())) return true;
    if (const auto text = edits_.text(pointer->getSourceRange()))
      edits_.replace(deletion->getSourceRange(),
                     "(muster_release((void *)" + *text + ") ? (void)0 : delete[] " + *text + ")");
    return true;
  }

 private:
  void rename(const clang::NamedDecl* decl, clang::SourceRange range, clang::SourceLocation name) {
    for (llvm::StringRef function : {"free", "realloc"}) {
      if (!isLibraryFunction(decl, function)) continue;
      const std::string replacement = ("muster_" + function).str();
      if (range.getBegin().isFileID() && range.getEnd().isFileID())
        edits_.replace(range, replacement);
      else if (range.getBegin() == range.getEnd())
        // In the body of a macro every use becomes the wider function, which is right for all pointers.
        edits_.replaceSpelling(name, replacement);
    }
  }

  void beginSession(const clang::FunctionDecl& function) {
    const auto* body = llvm::dyn_cast<clang::CompoundStmt>(function.getBody());
    const clang::SourceManager& sources = rewriter_.sources();
    if (!sources.isWrittenInMainFile(sources.getFileLoc(function.getLocation()))) return;
    // Where that is not possible, in a macro or a function try block, the runtime begins it in front of main.
    if (!body || !edits_.insertAfter(body->getLBracLoc(), rewriter_.dialect().session(arguments(function))))
      edits_.insertAtTop(registrationOfUnit(rewriter_.dialect()));
  }

  // The launcher's own arguments are taken out where main can see them.
  static std::string arguments(const clang::FunctionDecl& function) {
    if (function.getNumParams() < 2) return "";
    const clang::ParmVarDecl *count = function.getParamDecl(0), *values = function.getParamDecl(1);
    if (count->getName().empty() || values->getName().empty()) return "";
    if (count->getType().isConstQualified() || values->getType().isConstQualified()) return "";
    const clang::QualType string = values->getType()->getPointeeType();
    if (string.isConstQualified() || string->getPointeeType().isConstQualified()) return "";
    return "(" + count->getNameAsString() + ", " + values->getNameAsString() + ")";
  }

  StorageRewriter& rewriter_;
  EditList& edits_;
};

// Function bodies, to tell statements from declarations.
class BlockFinder : public AstVisitor {
 public:
  explicit BlockFinder(const clang::SourceManager& sources) : sources_(sources) {}
  bool VisitCompoundStmt(clang::CompoundStmt* block) override {
    blocks_.push_back(block->getSourceRange());
    return true;
  }
  bool isInBlock(clang::SourceLocation loc) const {
    for (const clang::SourceRange& block : blocks_)
      if (sources_.isPointWithin(loc, block.getBegin(), block.getEnd())) return true;
    return false;
  }

 private:
  const clang::SourceManager& sources_;
  std::vector<clang::SourceRange> blocks_;
};

}  // namespace

void rewriteProgram(StorageRewriter& rewriter) {
  ProgramRewriter(rewriter).TraverseDecl(rewriter.context().getTranslationUnitDecl());
}

// A call between the initialisations of the file's variables.
static std::string atStart(const Dialect& dialect, const std::string& number, const std::string& call) {
  const std::string name = "muster_block_call_" + number;
  if (dialect.isC()) return "__attribute__((constructor)) static void " + name + "(void) { " + call + "; }";
  return "static const bool " + name + " = (" + call + ", true);";
}

void rewriteBlocks(StorageRewriter& rewriter, const DirectiveTable& table) {
  std::optional<BlockFinder> blocks;
  std::set<std::string> numbers;  // lines of several files
  for (const Directive& directive : table.directives) {
    if (directive.kind == DirectiveKind::Managed) continue;
    if (!blocks) {
      blocks.emplace(rewriter.sources());
      blocks->TraverseDecl(rewriter.context().getTranslationUnitDecl());
    }
    const bool start = directive.kind == DirectiveKind::AllocStart;
    const std::string line = std::to_string(rewriter.line(directive.loc));
    std::string number = line;
    for (unsigned copy = 2; !numbers.insert(number).second; ++copy) number = line + "_" + std::to_string(copy);
    const std::string loc = "muster_block_" + number;
    const std::string call = std::string(start ? "muster_block_begin" : "muster_block_end") + "(&" + loc + ")";
    rewriter.edits().insertAtTop("static const muster_loc " + loc + " = " + rewriter.location(directive.loc) + ";\n");
    rewriter.edits().replaceCharacters(
        directive.loc, directive.loc,
        blocks->isInBlock(directive.loc) ? call + ";" : atStart(rewriter.dialect(), number, call));
  }
}

}  // namespace muster::plugin
