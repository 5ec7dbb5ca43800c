// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/loops/Labels.h"

#include "analysis/loops/SimdLoops.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

namespace muster::plugin {

using namespace clang;

namespace {

class Finder {
 public:
  Labels labels;

  void visit(const Stmt* statement) {
    if (!statement || isa<LambdaExpr>(statement)) return;
    auto* block = dyn_cast<CompoundStmt>(statement);
    if (block) blocks_.push_back(block);
    if (auto* jump = dyn_cast<GotoStmt>(statement)) {
      jumps_.push_back({jump, blocks_});
      leadsBack_ |= labels.blocks.count(jump->getLabel());
    }
    for (const Stmt* child : partsOf(statement)) {
      const Stmt* part = child;
      // `a: b: x;` and `case 1: a: x;` are in one block only if that is the label's own.
      if (auto* label = dyn_cast_or_null<LabelStmt>(part)) addLabel(label, block);
      while (auto* label = dyn_cast_or_null<LabelStmt>(part)) {
        part = label->getSubStmt();
        if (auto* next = dyn_cast<LabelStmt>(part)) addLabel(next, block);
      }
      visit(part);
    }
    if (block) blocks_.pop_back();
  }

  void finish() {
    for (const auto& [jump, around] : jumps_) {
      const auto label = labels.blocks.find(jump->getLabel());
      const bool known = label != labels.blocks.end() && label->second && llvm::is_contained(around, label->second);
      if (!known && !labels.inwards) labels.inwards = jump;
    }
    if (labels.blocks.size() == 1 && !leadsBack_) labels.landing = labels.blocks.begin()->first;
  }

 private:
  void addLabel(const LabelStmt* label, const CompoundStmt* block) { labels.blocks[label->getDecl()] = block; }

  struct Jump {
    const GotoStmt* jump;
    std::vector<const CompoundStmt*> around;
  };
  std::vector<const CompoundStmt*> blocks_;
  std::vector<Jump> jumps_;
  bool leadsBack_ = false;
};

}  // namespace

Labels labelsOf(const Stmt* body) {
  Finder finder;
  finder.visit(body);
  finder.finish();
  return std::move(finder.labels);
}

}  // namespace muster::plugin
