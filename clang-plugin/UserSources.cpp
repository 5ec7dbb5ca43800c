// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "UserSources.h"

namespace muster::plugin {

UserSources readSources(clang::CompilerInstance& outer) {
  UserSources user;
  user.text = outer.getSourceManager().getBufferData(outer.getSourceManager().getMainFileID()).str();
  user.scan = scanText(user.text, outer.getLangOpts());
  user.included = scanIncludes(outer.getPreprocessor(), user.text);
  return user;
}

void UserSources::expand(const ExpandedFile& file, const clang::LangOptions& language) {
  if (!file.header) {
    text = file.apply(text);
    scan = scanText(text, language);
    return;
  }
  auto header = llvm::find_if(included.headers, [&](const auto& known) { return known.file == *file.header; });
  if (header == included.headers.end()) {
    included.headers.push_back({*file.header, file.parsed, {}});
    header = std::prev(included.headers.end());
  }
  header->text = file.apply(header->text);
  header->scan = scanText(header->text, language);
}

SourceTexts UserSources::withoutDirectives() const {
  SourceTexts texts{plugin::withoutDirectives(text, scan), {}};
  for (const ScannedHeader& header : included.headers)
    texts.headers.emplace_back(header.file, plugin::withoutDirectives(header.text, header.scan));
  return texts;
}

SourceTexts UserSources::withOwnNamespaces() const {
  SourceTexts texts{withOwnNamespace(text, scan), {}};
  for (const ScannedHeader& header : included.headers)
    texts.headers.emplace_back(header.file, withOwnNamespace(header.text, header.scan));
  return texts;
}

}  // namespace muster::plugin
