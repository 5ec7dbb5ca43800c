// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "source/UserFiles.h"

#include "source/RefusalTexts.h"

namespace muster::plugin {

using namespace clang;

bool isUserCode(const SourceManager& sources, SourceLocation loc) {
  loc = sources.getExpansionLoc(loc);
  if (loc.isInvalid()) return false;
  return sources.isInMainFile(loc) ||
         (!sources.isInSystemHeader(loc) && sources.getFileEntryRefForID(sources.getFileID(loc)));
}

// One text cannot be rewritten for several meanings. (A guard keeps a header from being entered again.)
static bool isEnteredOnce(const SourceManager& sources, FileID wanted) {
  const FileEntry* entry = sources.getFileEntryForID(wanted);
  for (unsigned i = 0; i < sources.local_sloc_entry_size(); ++i) {
    const SrcMgr::SLocEntry& slot = sources.getLocalSLocEntry(i);
    if (!slot.isFile() || !slot.getFile().getContentCache().OrigEntry) continue;
    const FileID other = sources.getFileID(SourceLocation::getFromRawEncoding(slot.getOffset()));
    if (other != wanted && sources.getFileEntryForID(other) == entry) return false;
  }
  return true;
}

std::string whyNotRewritable(const SourceManager& sources, SourceLocation loc) {
  const FileID file = sources.getFileID(loc);
  if (file == sources.getMainFileID()) return "";
  if (!isUserCode(sources, loc)) return say::InSystemHeader;
  if (sources.isLoadedFileID(file)) return say::InModule;
  const SourceLocation include = sources.getIncludeLoc(file);
  if (include.isInvalid() || !sources.getFileEntryRefForID(sources.getFileID(include))) return say::InIncludedByOption;
  if (!isEnteredOnce(sources, file)) return say::InHeaderEnteredTwice;
  return "";
}

std::optional<TextPlace> textPlace(const SourceManager& sources, SourceLocation loc) {
  if (loc.isInvalid()) return std::nullopt;
  const auto [file, offset] = sources.getDecomposedLoc(sources.getFileLoc(loc));
  if (file == sources.getMainFileID()) return TextPlace(nullptr, offset);
  const FileEntry* entry = sources.getFileEntryForID(file);
  return entry ? std::optional(TextPlace(entry, offset)) : std::nullopt;
}

}  // namespace muster::plugin
