// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The nest of a directive: where it stands, its loops and their bounds, and whether its text can become native code.
#include "analysis/loops/LoopNest.h"

#include "analysis/code/Functions.h"
#include "analysis/loops/CanonicalLoop.h"
#include "analysis/loops/PointerLoop.h"
#include "clang/AST/OpenMPClause.h"
#include "clang/Basic/OpenMPKinds.h"
#include "clang/Lex/Lexer.h"
#include "source/RefusalTexts.h"
#include "source/SourceText.h"

namespace muster::plugin {

using namespace clang;

// Not in a block of the file, which Objective-C and -fblocks have.
bool readFunction(LoopContext& context) {
  if (context.facts.function) return true;
  return context.refuse(context.facts.directive->getBeginLoc(), say::OutsideOfFunction);
}

// The text of the launch names both.
static bool haveOneName(const VarDecl* left, const VarDecl* right) {
  return left && right && (left == right || (left->getIdentifier() && left->getName() == right->getName()));
}

// The variable of a loop of the nest is private, where it is declared outside and keeps no value.
static bool canStayInside(const LoopFacts& facts, const DimFact& dim) {
  if (dim.declaredInLoop) return true;
  if (dim.pointer || isOpenMPSimdDirective(facts.directive->getDirectiveKind())) return false;
  return llvm::none_of(facts.directive->clauses(),
                       [](const OMPClause* clause) { return isa<OMPLastprivateClause>(clause); });
}

// Loops of the nest from that one on stay inside the body: fewer iterations are spread, and nothing else changes.
static bool leaveInside(LoopContext& context, unsigned first, SourceLocation loc, const char* why) {
  LoopFacts& facts = context.facts;
  for (unsigned i = first; i < facts.dims.size(); ++i) {
    const DimFact& dim = facts.dims[i];
    if (first == 0 || !canStayInside(facts, dim)) return context.refuse(loc, why);
    context.roles.erase(dim.var);
    context.roles.erase(dim.pointer);
    if (dim.declaredInLoop) continue;
    context.roles[dim.var] = Role::Private;
    facts.privates.push_back(dim.var);
  }
  facts.dims.resize(first);
  facts.collapsed = first;
  facts.body = facts.dims.back().body();
  return true;
}

// The launch site computes all bounds before the first iteration: a loop whose bounds depend on an outer one is none of
// the launch's.
static bool readBounds(LoopContext& context) {
  LoopFacts& facts = context.facts;
  for (unsigned i = 0; i < facts.dims.size(); ++i) {
    const DimFact& dim = facts.dims[i];
    for (const Expr* expr : {dim.lower, dim.bound, dim.step, dim.origin(), dim.limit}) {
      if (!expr) continue;
      if (expr->HasSideEffects(context.ast, /*IncludePossibleEffects=*/false))
        return context.refuse(expr->getBeginLoc(), say::BoundWithSideEffects);
      const bool dependent = std::any_of(facts.dims.begin(), facts.dims.end(), [&](const DimFact& other) {
        return mentions(expr, {other.var, other.pointer});
      });
      if (dependent) return leaveInside(context, i, expr->getBeginLoc(), say::LoopsNotRectangular);
    }
  }
  return true;
}

bool readDims(LoopContext& context) {
  LoopFacts& facts = context.facts;
  auto* directive = cast<OMPLoopDirective>(facts.directive);
  const std::optional<unsigned> inText = loopsInText(directive);
  if (!inText) return context.refuse(transformationOf(directive)->getBeginLoc(), say::TileOfMoreLoops);
  const unsigned wanted = *inText;
  const Stmt* statement = directive->getInnermostCapturedStmt()->getCapturedStmt();
  for (unsigned i = 0; i < wanted; ++i) {
    const ForStmt* loop = onlyLoop(statement);
    auto dim = loop ? canonicalLoop(loop) : std::nullopt;
    if (!dim) dim = loop ? pointerLoop(context, loop) : rangeLoop(context, statement);
    if (context.refused()) return false;
    if (!dim) return context.refuse(statement->getBeginLoc(), say::NotCanonical);
    for (const DimFact& outer : facts.dims)
      if (haveOneName(outer.var, dim->var) || haveOneName(outer.pointer, dim->pointer))
        return context.refuse(statement->getBeginLoc(), say::OneVariableForTwoLoops);
    context.roles[dim->var] = Role::Loop;
    if (dim->pointer) context.roles[dim->pointer] = Role::Loop;
    facts.dims.push_back(*dim);
    statement = dim->body();
  }
  facts.collapsed = wanted;
  facts.body = statement;
  constexpr unsigned mostDims = 3;
  if (wanted > mostDims && !leaveInside(context, mostDims, directive->getBeginLoc(), say::CollapsesMoreThanThree))
    return false;
  return readBounds(context);
}

// The body becomes native code as the text that it is; what stands before it goes away.
bool readText(LoopContext& context) {
  const LoopFacts& facts = context.facts;
  const SourceManager& sources = context.ast.getSourceManager();
  const SourceLocation loc = facts.directive->getBeginLoc();
  auto body = statementRange(context.ast, facts.body);
  auto loop = statementRange(context.ast, facts.dims.front().statement());
  // An expanded fold expression ends in front of its text's end.
  if (!body && facts.body->getBeginLoc().isFileID() && facts.body->getEndLoc().isFileID())
    return context.refuse(loc, say::BodyWithoutClearEnd);
  if (!body || !loop) return context.refuse(loc, say::BodyMadeByMacro);
  auto text = [&](CharSourceRange range) { return Lexer::getSourceText(range, sources, context.ast.getLangOpts()); };
  auto lines = [](llvm::StringRef text, llvm::StringRef start) {
    unsigned count = 0;
    llvm::SmallVector<llvm::StringRef> parts;
    text.split(parts, '\n');
    for (llvm::StringRef part : parts) {
      part = part.ltrim();
      count += part.consume_front("#") && part.ltrim().starts_with(start);
    }
    return count;
  };
  const llvm::StringRef head = text(CharSourceRange::getCharRange(loop->getBegin(), body->getBegin()));
  const llvm::StringRef inside = text(*body);
  if (lines(head, "") != 0 || lines(inside, "if") != lines(inside, "endif"))
    return context.refuse(loc, say::CutByPreprocessor);
  return true;
}

}  // namespace muster::plugin
