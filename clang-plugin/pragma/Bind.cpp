// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Binds operands to the declarations or assignments that follow their directives.
#include "clang/Basic/CharInfo.h"
#include "clang/Lex/Lexer.h"
#include "pragma/Allocation.h"
#include "pragma/Anchors.h"
#include "pragma/Blocks.h"
#include "pragma/ManagedTypes.h"
#include "source/LibraryTypes.h"
#include "source/RefusalTexts.h"
#include "source/Remarks.h"

namespace muster::plugin {
namespace {

using clang::SourceLocation;

constexpr const char* kAllocations = "new T[n], malloc, calloc, aligned_alloc, or a function that returns memory";

class Binder {
 public:
  Binder(clang::ASTContext& context, DirectiveTable& table)
      : context_(context),
        sources_(context.getSourceManager()),
        engine_(context.getDiagnostics()),
        table_(table),
        collected_(sources_),
        anchors_(context, collected_) {
    collected_.TraverseDecl(context.getTranslationUnitDecl());
  }

  void bind() {
    for (const Directive& directive : table_.directives)
      if (directive.kind == DirectiveKind::Managed) bindManaged(directive);
    checkBlocks(context_, table_, collected_);
  }

 private:
  void bindManaged(const Directive& directive) {
    const std::optional<Anchor> anchor = anchors_.following(directive);
    if (const std::string obstacle = whyNotRewritable(sources_, directive.loc); !obstacle.empty()) {
      for (const Operand& operand : directive.operands) bindInFixedFile(operand, anchor, obstacle);
      return;
    }
    if (!anchor) {
      reportError(engine_, directive.loc, say::NothingToManage);
      if (const SourceLocation next = anchors_.next(directive); next.isValid())
        reportNote(engine_, next, "it stands before this");
      return;
    }
    const Anchor declarations = anchor->statement ? *anchor : anchors_.withNext(*anchor, directive);
    for (const Operand& operand : directive.operands) {
      if (anchor->statement)
        bindStatement(operand, *anchor->statement);
      else
        bindDeclaration(operand, declarations);
    }
  }

  // In a file whose text stays what it is, but an array inside of objects is managed without a change of it.
  void bindInFixedFile(const Operand& operand, const std::optional<Anchor>& anchor, const std::string& obstacle) {
    for (const clang::DeclaratorDecl* decl : anchor ? anchor->declared : std::vector<const clang::DeclaratorDecl*>()) {
      if (decl->getName() != operand.name) continue;
      const ManagedVar managed = describe(operand, *decl);
      const Manageability verdict = manageability(context_, *decl, managed.type, OperandPlace::Declaration);
      if (verdict.verdict == Manageability::Yes && verdict.form == ManagedForm::Embedded)
        return manage(operand, managed, OperandPlace::Declaration);
    }
    remarkMissed(engine_, operand.loc, say::DirectiveCannotBeRewritten(operand.name, obstacle));
  }

  void bindDeclaration(const Operand& operand, const Anchor& anchor) {
    const clang::DeclaratorDecl* decl = nullptr;
    for (const clang::DeclaratorDecl* candidate : anchor.declared)
      if (candidate->getName() == operand.name) decl = candidate;
    if (!decl) {
      reportError(engine_, operand.loc, say::NotDeclaredHere(operand.name));
      reportNote(engine_, anchor.begin, "this declares " + namesOf(anchor.declared));
      return;
    }
    declared_.insert(operand.loc);
    manage(operand, describe(operand, *decl), OperandPlace::Declaration);
  }

  static std::string namesOf(const std::vector<const clang::DeclaratorDecl*>& decls) {
    std::string names;
    for (const clang::DeclaratorDecl* decl : decls)
      names += (names.empty() ? "'" : ", '") + decl->getNameAsString() + "'";
    return names;
  }

  // The assignments in the statement whose target is written like the operand: one, or several in an `if`.
  void bindStatement(const Operand& operand, const clang::Stmt& statement) {
    const Assignment* target = nullptr;
    bool isBound = false;
    for (const Assignment& assignment : collected_.assignments()) {
      if (!assignment.place || !isInside(assignment.value, statement) || !names(*assignment.place, operand)) continue;
      target = &assignment;
      const bool isObject = !assignment.place->getType()->isPointerType();
      const clang::Expr* allocation = isObject ? assignment.value : allocationOf(assignment);
      if (!allocation) continue;
      ManagedVar managed = describe(operand, *assignment.target);
      managed.assignedAllocation = allocation;
      managed.assignedValue = spelled(assignment.value);
      isBound = true;
      if (!assignment.isIndirect) {
        manage(operand, std::move(managed), OperandPlace::Assignment);
        continue;
      }
      managed.name = operand.name;
      managed.type = assignment.place->getType();
      manage(operand, std::move(managed), OperandPlace::Behind);
    }
    if (isBound) return;
    if (!target && assignsDependent(statement, operand)) {
      remarkMissed(engine_, operand.loc, say::ArrayTypeIsDependent(operand.name));
      return;
    }
    if (!target) {
      reportError(engine_, operand.loc, say::NotAssignedHere(operand.name));
      reportNote(engine_, statement.getBeginLoc(), "the assignment");
      return;
    }
    reportError(engine_, operand.loc, say::AssignmentDoesNotAllocate(operand.name, kAllocations));
    reportNote(engine_, target->value->getBeginLoc(), "the value that is assigned");
  }

  bool assignsDependent(const clang::Stmt& statement, const Operand& operand) const {
    return llvm::any_of(collected_.dependentPlaces(),
                        [&](const clang::Expr* place) { return isInside(place, statement) && names(*place, operand); });
  }

  bool isInside(const clang::Stmt* part, const clang::Stmt& whole) const {
    const SourceLocation at = sources_.getFileLoc(part->getBeginLoc());
    return !sources_.isBeforeInTranslationUnit(at, sources_.getFileLoc(whole.getBeginLoc())) &&
           !sources_.isBeforeInTranslationUnit(sources_.getFileLoc(whole.getEndLoc()), at);
  }

  // Without blanks.
  std::string textOf(const clang::Expr& place) const {
    const auto range = sources_.getExpansionRange(place.getSourceRange());
    std::string text;
    for (char c : clang::Lexer::getSourceText(range, sources_, context_.getLangOpts()))
      if (!clang::isWhitespace(c)) text += c;
    return text;
  }

  // Blanks do not count, nor does a `this->` that one of them leaves out.
  bool names(const clang::Expr& place, const Operand& operand) const {
    const std::string text = textOf(place);
    llvm::StringRef written = text, wanted = operand.name;
    written.consume_front("this->");
    wanted.consume_front("this->");
    return written == wanted;
  }

  // Without the braces of `double *a{make(n)}`.
  static const clang::Expr* spelled(const clang::Expr* value) {
    value = value->IgnoreImplicit();
    if (const auto* parens = llvm::dyn_cast<clang::ParenListExpr>(value); parens && parens->getNumExprs() == 1)
      return parens->getExpr(0);
    const auto* list = llvm::dyn_cast<clang::InitListExpr>(value);
    return list && list->getNumInits() == 1 ? list->getInit(0)->IgnoreImplicit() : value;
  }

  // What gives the memory of a pointer; nullptr if nothing does.
  static const clang::Expr* allocationOf(const Assignment& assignment) {
    if (const auto* call = llvm::dyn_cast<clang::CallExpr>(assignment.value))
      for (const clang::Expr* argument : outParameters(*call))
        if (argument == assignment.place) return call;
    return findAllocation(assignment.value);
  }

  static ManagedVar describe(const Operand& operand, const clang::DeclaratorDecl& decl) {
    ManagedVar managed;
    managed.var = llvm::dyn_cast<clang::VarDecl>(&decl);
    managed.field = llvm::dyn_cast<clang::FieldDecl>(&decl);
    managed.loc = operand.loc;
    managed.name = decl.getNameAsString();
    managed.type = decl.getType();
    return managed;
  }

  void manage(const Operand& operand, ManagedVar managed, OperandPlace place) {
    if (const ManagedVar* earlier = find(managed, place)) {
      if (place == OperandPlace::Behind && isOfTable(*earlier)) return;  // the row's own directive says the same again
      if (declaresOnly(*earlier) != declaresOnly(managed)) return;       // a header's `extern`, and the definition
      // The declaration's directive holds for all allocations: that of one says the same again.
      if (managed.assignedAllocation && declared_.count(earlier->loc)) return;
      if (place == OperandPlace::Assignment && managed.field && managed.type->isRecordType())
        return;  // a member that is a vector is managed in all objects: another one's directive says the same again
      reportError(engine_, operand.loc, say::AlreadyManaged(operand.name));
      reportNote(engine_, earlier->loc, "by this directive");
      return;
    }
    const Manageability verdict = manageability(context_, *managed.decl(), managed.type, place);
    if (verdict.verdict == Manageability::No) {
      reportError(engine_, operand.loc, say::CannotBeManaged(operand.name, verdict.reason));
      reportNote(engine_, managed.decl()->getLocation(), "declared here");
      return;
    }
    if (verdict.verdict == Manageability::NotYet) {
      remarkMissed(engine_, operand.loc, say::StaysPlain(operand.name, verdict.reason));
      return;
    }
    if (verdict.form == ManagedForm::Rows) {
      manageRows(operand, managed, place);
    } else if (verdict.form != ManagedForm::Pointer) {
      managed.assignedAllocation = managed.assignedValue = nullptr;
      table_.managed.push_back(std::move(managed));
    } else if (managed.assignedAllocation) {
      table_.managed.push_back(std::move(managed));
    } else {
      manageAllAllocations(operand, managed);
    }
  }

  const ManagedVar* find(const ManagedVar& wanted, OperandPlace place) const {
    for (const ManagedVar& managed : table_.managed) {
      if (managed.decl()->getCanonicalDecl() != wanted.decl()->getCanonicalDecl()) continue;
      if (wanted.assignedAllocation && managed.assignedAllocation == wanted.assignedAllocation) return &managed;
      // One directive at the declaration, or several at assignments. What the variable leads to is something else.
      if (place != OperandPlace::Behind && managed.type == wanted.type &&
          (!wanted.assignedAllocation || !managed.assignedAllocation))
        return &managed;
    }
    return nullptr;
  }

  static bool declaresOnly(const ManagedVar& managed) {
    return managed.var && managed.var->isThisDeclarationADefinition() == clang::VarDecl::DeclarationOnly;
  }

  void manageAllAllocations(const Operand& operand, ManagedVar managed) {
    bool found = false;
    for (const Assignment& assignment : collected_.assignments()) {
      if (assignment.target != managed.decl()->getCanonicalDecl() || assignment.isIndirect) continue;
      managed.assignedAllocation = allocationOf(assignment);
      if (!managed.assignedAllocation) continue;
      managed.assignedValue = spelled(assignment.value);
      table_.managed.push_back(managed);
      found = true;
    }
    // What a header declares may be allocated in another source file.
    const bool isShared = managed.field || !managed.var->isLocalVarDeclOrParm();
    if (!found && !(isShared && !sources_.isWrittenInMainFile(operand.loc)))
      remarkMissed(engine_, operand.loc, say::NoAllocationToManage(operand.name, kAllocations));
  }

  // A table of rows, and all rows that the file allocates for it.
  void manageRows(const Operand& operand, const ManagedVar& managed, OperandPlace place) {
    ManagedVar table = managed;
    table.part = ArrayPart::Table;
    bool found = place == OperandPlace::Behind && isOneByOne(*table.assignedAllocation);
    if (found) table_.managed.push_back(table);
    for (const Assignment& assignment : collected_.assignments()) {
      if (place == OperandPlace::Behind) break;
      if (assignment.target != managed.decl()->getCanonicalDecl() || assignment.isIndirect) continue;
      table.assignedAllocation = findAllocation(assignment.value);
      if (!table.assignedAllocation || !isOneByOne(*table.assignedAllocation)) continue;
      table.assignedValue = spelled(assignment.value);
      table_.managed.push_back(table);
      found = true;
    }
    if (!found) {
      remarkMissed(engine_, operand.loc, say::TableNotAllocatedHere(operand.name));
      return;
    }
    const unsigned levels = rowLevels(managed.type);
    clang::QualType entry = managed.type.getNonReferenceType()->getPointeeType();
    for (unsigned level = 1; level <= levels; ++level, entry = entry->getPointeeType())
      manageEntries(managed, entry, level, level < levels);
  }

  // What the file allocates for the entries at a level of tables: rows, or further tables.
  void manageEntries(const ManagedVar& table, clang::QualType type, unsigned level, bool areTables) {
    const std::vector<const Assignment*> entries = entriesOf(table, type);
    // `a[i][0]` alone is a block for all rows of `a[i]`.
    unsigned blocks = level;
    for (const Assignment* assignment : entries)
      blocks = std::min(blocks, static_cast<unsigned>(withoutFirst(*assignment->place, level).second));
    for (const Assignment* assignment : entries) {
      ManagedVar entry = table;
      entry.assignedAllocation = allocationOf(*assignment);
      const bool hasEffects = assignment->place->HasSideEffects(context_);
      const bool isExact = isOneByOne(*entry.assignedAllocation);
      if (find(entry, OperandPlace::Behind) || (areTables && !isExact)) continue;
      entry.assignedValue = spelled(assignment->value);
      entry.type = assignment->place->getType();
      entry.name = textOf(*assignment->place);
      const bool hasPlace = blocks < level && isExact && !hasEffects;
      entry.part = areTables ? ArrayPart::Table : hasPlace ? ArrayPart::Row : ArrayPart::Elements;
      entry.rowPlace =
          hasPlace && !(areTables && blocks > 0) ? withoutFirst(*assignment->place, blocks).first : nullptr;
      table_.managed.push_back(entry);
    }
  }

  bool isOfTable(const ManagedVar& row) const {
    return llvm::any_of(table_.managed, [&](const ManagedVar& managed) {
      return managed.part == ArrayPart::Table && managed.loc == row.loc;
    });
  }

  std::vector<const Assignment*> entriesOf(const ManagedVar& table, clang::QualType type) const {
    std::vector<const Assignment*> entries;
    for (const Assignment& assignment : collected_.assignments())
      if (assignment.isIndirect && assignment.target == table.decl()->getCanonicalDecl() &&
          context_.hasSameUnqualifiedType(assignment.place->getType(), type) && allocationOf(assignment))
        entries.push_back(&assignment);
    return entries;
  }

  static bool isOneByOne(const clang::Expr& allocation) {
    const AllocationKind kind = allocationKind(&allocation);
    return kind == AllocationKind::New || kind == AllocationKind::Malloc || kind == AllocationKind::Calloc;
  }

  clang::ASTContext& context_;
  const clang::SourceManager& sources_;
  clang::DiagnosticsEngine& engine_;
  DirectiveTable& table_;
  Collector collected_;
  const Anchors anchors_;
  std::set<SourceLocation> declared_;  // operands of directives that stand before declarations
};

}  // namespace

void bindDirectives(clang::ASTContext& context, DirectiveTable& table) {
  if (!table.directives.empty()) Binder(context, table).bind();
}

}  // namespace muster::plugin
