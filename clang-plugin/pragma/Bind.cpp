// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Binds operands to the declarations or assignments that follow their directives, and checks that alloc_start and
// alloc_end come in pairs.
#include <set>

#include "Remarks.h"
#include "Stages.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Lex/Lexer.h"
#include "pragma/Allocation.h"
#include "pragma/ManagedTypes.h"

namespace muster::plugin {
namespace {

using clang::SourceLocation;

// What a directive can stand before, in order of position.
struct Anchor {
  unsigned offset = 0;
  std::vector<const clang::VarDecl*> declared;
  const clang::BinaryOperator* assignment = nullptr;
  const clang::FieldDecl* field = nullptr;
};

struct Assignment {
  const clang::VarDecl* var = nullptr;
  const clang::Expr* value = nullptr;
};

class Collector : public clang::RecursiveASTVisitor<Collector> {
 public:
  explicit Collector(const clang::SourceManager& sources) : sources_(sources) {}

  bool VisitDeclStmt(clang::DeclStmt* statement) {
    Anchor anchor;
    for (const clang::Decl* decl : statement->decls())
      if (const auto* var = llvm::dyn_cast<clang::VarDecl>(decl)) anchor.declared.push_back(var);
    add(statement->getBeginLoc(), std::move(anchor));
    return true;
  }

  bool VisitVarDecl(clang::VarDecl* var) {
    if (var->isLocalVarDeclOrParm() && !var->isStaticLocal()) return true;
    if (!var->isFileVarDecl()) return true;
    add(var->getBeginLoc(), {0, {var}, nullptr, nullptr});
    return true;
  }

  bool VisitFieldDecl(clang::FieldDecl* field) {
    add(field->getBeginLoc(), {0, {}, nullptr, field});
    return true;
  }

  bool VisitBinaryOperator(clang::BinaryOperator* operation) {
    if (operation->getOpcode() != clang::BO_Assign) return true;
    add(operation->getBeginLoc(), {0, {}, operation, nullptr});
    if (const auto* target = llvm::dyn_cast<clang::DeclRefExpr>(operation->getLHS()->IgnoreParens()))
      if (const auto* var = llvm::dyn_cast<clang::VarDecl>(target->getDecl()))
        assignments_.push_back({var->getCanonicalDecl(), operation->getRHS()});
    return true;
  }

  bool VisitCompoundStmt(clang::CompoundStmt* block) {
    if (block->getLBracLoc().isFileID() && sources_.isWrittenInMainFile(block->getLBracLoc())) blocks_.push_back(block);
    return true;
  }

  const std::multimap<unsigned, Anchor>& anchors() const { return anchors_; }
  const std::vector<Assignment>& assignments() const { return assignments_; }

  // Whether `loc` lies inside a statement of `block`, where no further statement can be put.
  bool isInsideStatement(const clang::CompoundStmt* block, SourceLocation loc) const {
    for (const clang::Stmt* statement : block->body())
      if (sources_.isBeforeInTranslationUnit(sources_.getFileLoc(statement->getBeginLoc()), loc) &&
          sources_.isBeforeInTranslationUnit(loc, sources_.getFileLoc(statement->getEndLoc())))
        return true;
    return false;
  }

  // The innermost block around `loc`, or nullptr.
  const clang::CompoundStmt* blockAround(SourceLocation loc) const {
    const clang::CompoundStmt* innermost = nullptr;
    for (const clang::CompoundStmt* block : blocks_)
      if (sources_.isBeforeInTranslationUnit(block->getLBracLoc(), loc) &&
          sources_.isBeforeInTranslationUnit(loc, block->getRBracLoc()) &&
          (!innermost || sources_.isBeforeInTranslationUnit(innermost->getLBracLoc(), block->getLBracLoc())))
        innermost = block;
    return innermost;
  }

 private:
  void add(SourceLocation begin, Anchor anchor) {
    begin = sources_.getFileLoc(begin);
    if (!sources_.isWrittenInMainFile(begin)) return;
    anchor.offset = sources_.getFileOffset(begin);
    anchors_.emplace(anchor.offset, std::move(anchor));
  }

  const clang::SourceManager& sources_;
  std::multimap<unsigned, Anchor> anchors_;
  std::vector<Assignment> assignments_;
  std::vector<const clang::CompoundStmt*> blocks_;
};

class Binder {
 public:
  Binder(clang::ASTContext& context, DirectiveTable& table)
      : context_(context),
        sources_(context.getSourceManager()),
        engine_(context.getDiagnostics()),
        table_(table),
        collected_(sources_) {
    collected_.TraverseDecl(context.getTranslationUnitDecl());
  }

  void bind() {
    for (const Directive& directive : table_.directives)
      if (directive.kind == DirectiveKind::Managed) bindManaged(directive);
    checkBlocks();
  }

 private:
  void bindManaged(const Directive& directive) {
    const std::optional<Anchor> anchor = following(directive);
    if (!anchor) {
      reportError(
          engine_, directive.loc,
          "'managed' must stand before the declaration of its arrays, or before an assignment that allocates one");
      return;
    }
    for (const Operand& operand : directive.operands) {
      if (anchor->assignment)
        bindAssignment(operand, *anchor->assignment);
      else if (anchor->field)
        reportError(engine_, operand.loc,
                    "'" + operand.name +
                        "' is a member of a class, which cannot be managed yet; "
                        "allocate the array through a variable, or manage the assignment of a variable");
      else
        bindDeclaration(operand, *anchor);
    }
  }

  // All declarations at the first place behind the directive that can have one, if nothing else stands before it.
  std::optional<Anchor> following(const Directive& directive) const {
    const auto first = collected_.anchors().lower_bound(sources_.getFileOffset(directive.end));
    if (first == collected_.anchors().end() || !onlyAttributesBetween(directive.end, first->first)) return std::nullopt;
    Anchor result = first->second;
    for (auto next = std::next(first); next != collected_.anchors().end() && next->first == first->first; ++next)
      for (const clang::VarDecl* var : next->second.declared)
        if (!llvm::is_contained(result.declared, var)) result.declared.push_back(var);
    if (result.declared.empty() && !result.assignment && !result.field) return std::nullopt;
    return result;
  }

  // Preprocessor lines and attributes may stand between a directive and its declaration.
  bool onlyAttributesBetween(SourceLocation from, unsigned toOffset) const {
    const clang::FileID file = sources_.getMainFileID();
    const llvm::StringRef text = sources_.getBufferData(file);
    clang::Lexer lexer(sources_.getLocForStartOfFile(file), context_.getLangOpts(), text.begin(),
                       text.begin() + sources_.getFileOffset(from), text.end());
    clang::Token token;
    for (lexer.LexFromRawLexer(token); sources_.getFileOffset(token.getLocation()) < toOffset;) {
      if (token.is(clang::tok::eof)) return false;
      if (!token.is(clang::tok::hash) || !token.isAtStartOfLine()) return startsAttribute(token);
      do lexer.LexFromRawLexer(token);
      while (!token.isAtStartOfLine() && token.isNot(clang::tok::eof));
    }
    return true;
  }

  static bool startsAttribute(const clang::Token& token) {
    if (token.is(clang::tok::l_square)) return true;
    if (token.isNot(clang::tok::raw_identifier)) return false;
    const llvm::StringRef name = token.getRawIdentifier();
    return name == "alignas" || name == "__attribute__" || name == "extern";
  }

  void bindDeclaration(const Operand& operand, const Anchor& anchor) {
    const clang::VarDecl* var = nullptr;
    for (const clang::VarDecl* candidate : anchor.declared)
      if (candidate->getName() == operand.name) var = candidate;
    if (!var) {
      reportError(engine_, operand.loc, "'" + operand.name + "' is not declared here");
      const SourceLocation place =
          sources_.getLocForStartOfFile(sources_.getMainFileID()).getLocWithOffset(anchor.offset);
      reportNote(engine_, place,
                 anchor.declared.empty() ? std::string("this is no declaration of a variable")
                                         : "this declares " + namesOf(anchor.declared));
      return;
    }
    manage(operand, var, nullptr);
  }

  static std::string namesOf(const std::vector<const clang::VarDecl*>& vars) {
    std::string names;
    for (const clang::VarDecl* var : vars) names += (names.empty() ? "'" : ", '") + var->getNameAsString() + "'";
    return names;
  }

  void bindAssignment(const Operand& operand, const clang::BinaryOperator& assignment) {
    const auto* target = llvm::dyn_cast<clang::DeclRefExpr>(assignment.getLHS()->IgnoreParens());
    const auto* var = target ? llvm::dyn_cast<clang::VarDecl>(target->getDecl()) : nullptr;
    if (!var || var->getName() != operand.name) {
      reportError(engine_, operand.loc, "'" + operand.name + "' is not what the following statement assigns to");
      reportNote(engine_, assignment.getBeginLoc(), "the assignment");
      return;
    }
    if (const clang::Expr* allocation = findAllocation(assignment.getRHS())) {
      manage(operand, var, allocation);
      return;
    }
    reportError(engine_, operand.loc,
                "the assignment to '" + operand.name +
                    "' does not allocate; expected new T[n], malloc, calloc or aligned_alloc");
    reportNote(engine_, assignment.getRHS()->getBeginLoc(), "the value that is assigned");
  }

  // `allocation`: of the assignment that the directive stands before; nullptr if it stands before the declaration.
  void manage(const Operand& operand, const clang::VarDecl* var, const clang::Expr* allocation) {
    if (const ManagedVar* earlier = find(var, allocation)) {
      reportError(engine_, operand.loc, "'" + operand.name + "' is already managed");
      reportNote(engine_, earlier->loc, "by this directive");
      return;
    }
    const Manageability verdict = manageability(context_, *var, /*atDeclaration=*/!allocation);
    if (verdict.verdict == Manageability::No) {
      reportError(engine_, operand.loc, "'" + operand.name + "' cannot be managed: " + verdict.reason);
      reportNote(engine_, var->getLocation(), "declared here");
      return;
    }
    if (verdict.verdict == Manageability::NotYet) {
      remarkMissed(engine_, operand.loc, "'" + operand.name + "' stays a plain array: " + verdict.reason);
      return;
    }
    if (verdict.form != ManagedForm::Pointer)
      table_.managed.push_back({var, operand.loc, nullptr});
    else if (allocation)
      table_.managed.push_back({var, operand.loc, allocation});
    else
      manageAllAllocations(operand, var);
  }

  const ManagedVar* find(const clang::VarDecl* var, const clang::Expr* allocation) const {
    for (const ManagedVar& managed : table_.managed)
      if (managed.var->getCanonicalDecl() == var->getCanonicalDecl() &&
          (!allocation || managed.assignedAllocation == allocation))
        return &managed;
    return nullptr;
  }

  void manageAllAllocations(const Operand& operand, const clang::VarDecl* var) {
    bool found = false;
    if (const clang::Expr* allocation = findAllocation(var->getInit())) {
      table_.managed.push_back({var, operand.loc, allocation});
      found = true;
    }
    for (const Assignment& assignment : collected_.assignments()) {
      if (assignment.var != var->getCanonicalDecl()) continue;
      const clang::Expr* allocation = findAllocation(assignment.value);
      if (!allocation) continue;
      table_.managed.push_back({var, operand.loc, allocation});
      found = true;
    }
    if (!found)
      remarkMissed(engine_, operand.loc,
                   "'" + operand.name +
                       "' stays a plain array: this file assigns no allocation to it that can be managed "
                       "(new T[n], malloc, calloc, aligned_alloc)");
  }

  void checkBlocks() {
    const Directive* open = nullptr;
    for (const Directive& directive : table_.directives) {
      if (directive.kind != DirectiveKind::Managed) checkPlace(directive);
      if (directive.kind == DirectiveKind::AllocStart) {
        if (open) {
          reportError(engine_, directive.loc, "'alloc_start' inside another allocation block; blocks do not nest");
          reportNote(engine_, open->loc, "the block starts here");
        }
        open = &directive;
      } else if (directive.kind == DirectiveKind::AllocEnd) {
        closeBlock(open, directive);
        open = nullptr;
      }
    }
    if (open) reportError(engine_, open->loc, "'alloc_start' without an 'alloc_end'");
  }

  void checkPlace(const Directive& directive) {
    const clang::CompoundStmt* block = collected_.blockAround(directive.loc);
    if (block && collected_.isInsideStatement(block, directive.loc))
      reportError(engine_, directive.loc,
                  llvm::Twine("'") + (directive.kind == DirectiveKind::AllocStart ? "alloc_start" : "alloc_end") +
                      "' must stand between statements of a block");
  }

  void closeBlock(const Directive* open, const Directive& end) {
    if (!open) {
      reportError(engine_, end.loc, "'alloc_end' without an 'alloc_start'");
      return;
    }
    if (collected_.blockAround(open->loc) == collected_.blockAround(end.loc)) return;
    reportError(engine_, end.loc, "'alloc_end' must stand in the same block as its 'alloc_start'");
    reportNote(engine_, open->loc, "the 'alloc_start'");
  }

  clang::ASTContext& context_;
  const clang::SourceManager& sources_;
  clang::DiagnosticsEngine& engine_;
  DirectiveTable& table_;
  Collector collected_;
};

}  // namespace

void bindDirectives(clang::ASTContext& context, DirectiveTable& table) {
  if (!table.directives.empty()) Binder(context, table).bind();
}

void printDirectives(const DirectiveTable& table, const clang::SourceManager& sources, llvm::raw_ostream& out) {
  const auto place = [&](SourceLocation loc) {
    return std::to_string(sources.getPresumedLineNumber(loc)) + ":" +
           std::to_string(sources.getPresumedColumnNumber(loc));
  };
  for (const Directive& directive : table.directives) {
    switch (directive.kind) {
      case DirectiveKind::AllocStart:
        out << "directive alloc_start";
        break;
      case DirectiveKind::AllocEnd:
        out << "directive alloc_end";
        break;
      case DirectiveKind::Managed:
        out << "directive managed";
        break;
    }
    out << " at " << place(directive.loc);
    for (const Operand& operand : directive.operands) out << " " << operand.name << "@" << place(operand.loc);
    out << "\n";
  }
  for (const ManagedVar& managed : table.managed) {
    out << "managed '" << managed.var->getName() << "' : '" << managed.var->getType().getAsString() << "' declared at "
        << place(managed.var->getLocation());
    if (managed.assignedAllocation) out << " allocated at " << place(managed.assignedAllocation->getBeginLoc());
    out << "\n";
  }
}

}  // namespace muster::plugin
