// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pragma/Blocks.h"

#include "source/RefusalTexts.h"
#include "source/Remarks.h"

namespace muster::plugin {
namespace {

class BlockChecker {
 public:
  BlockChecker(const clang::ASTContext& context, const DirectiveTable& table, const Collector& collected)
      : engine_(context.getDiagnostics()), table_(table), collected_(collected) {}

  void check() {
    const Directive* open = nullptr;
    for (const Directive& directive : table_.directives) {
      if (directive.kind != DirectiveKind::Managed) checkPlace(directive);
      if (directive.kind == DirectiveKind::AllocStart) {
        if (open) {
          reportError(engine_, directive.loc, say::BlocksNest);
          reportNote(engine_, open->loc, "the block starts here");
        }
        open = &directive;
      } else if (directive.kind == DirectiveKind::AllocEnd) {
        closeBlock(open, directive);
        open = nullptr;
      }
    }
    if (open) reportError(engine_, open->loc, say::StartWithoutEnd);
  }

 private:
  void checkPlace(const Directive& directive) {
    const clang::CompoundStmt* block = collected_.blockAround(directive.loc);
    if (block && collected_.isInsideStatement(block, directive.loc))
      reportError(engine_, directive.loc,
                  say::NotBetweenStatements(directive.kind == DirectiveKind::AllocStart ? "alloc_start" : "alloc_end"));
  }

  void closeBlock(const Directive* open, const Directive& end) {
    if (!open) {
      reportError(engine_, end.loc, say::EndWithoutStart);
      return;
    }
    if (collected_.blockAround(open->loc) == collected_.blockAround(end.loc)) return;
    reportError(engine_, end.loc, say::EndInAnotherBlock);
    reportNote(engine_, open->loc, "the 'alloc_start'");
  }

  clang::DiagnosticsEngine& engine_;
  const DirectiveTable& table_;
  const Collector& collected_;
};

}  // namespace

void checkBlocks(const clang::ASTContext& context, const DirectiveTable& table, const Collector& collected) {
  BlockChecker(context, table, collected).check();
}

}  // namespace muster::plugin
