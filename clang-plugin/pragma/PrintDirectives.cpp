// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For -fplugin-arg-muster-print=directives.
#include "pragma/Directives.h"

namespace muster::plugin {

using clang::SourceLocation;

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
    out << "managed '" << managed.name << "' : '" << managed.type.getAsString() << "' declared at "
        << place(managed.decl()->getLocation());
    if (managed.assignedAllocation) out << " allocated at " << place(managed.assignedAllocation->getBeginLoc());
    out << "\n";
  }
}

}  // namespace muster::plugin
