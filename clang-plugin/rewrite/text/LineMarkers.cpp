// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/text/LineMarkers.h"

namespace muster::plugin {

std::string ownLineMarker(unsigned line) { return "#line " + std::to_string(line) + " \n"; }

template <class Visit>
static void forEachLine(llvm::StringRef text, Visit visit) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const llvm::StringRef line = text.take_front(end == llvm::StringRef::npos ? end : end + 1);
    visit(line);
    text = text.drop_front(line.size());
  }
}

std::string withOwnLineMarkers(llvm::StringRef text, unsigned line) {
  std::string result;
  forEachLine(text, [&](llvm::StringRef part) { result += ownLineMarker(line) + part.str(); });
  return result;
}

std::string withoutOwnLineMarkers(llvm::StringRef text) {
  std::string result;
  forEachLine(text, [&](llvm::StringRef part) {
    if (!part.starts_with("#line ") || !part.ends_with(" \n")) result += part;
  });
  return result;
}

}  // namespace muster::plugin
