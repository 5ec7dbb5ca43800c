// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Following #include lines by raw tokens.
#include "pragma/Includes.h"

#include <set>

#include "clang/Lex/HeaderSearch.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/Support/Path.h"

namespace muster::plugin {
namespace {

class IncludeFollower {
 public:
  explicit IncludeFollower(clang::Preprocessor& preprocessor)
      : search_(preprocessor.getHeaderSearchInfo()),
        files_(preprocessor.getFileManager()),
        options_(preprocessor.getLangOpts()) {}

  void follow(llvm::StringRef text, clang::DirectoryEntryRef folder) {
    for (const std::string& name : scanText(text, options_).includes) {
      if (name.size() < 3)  // a macro
        found_.needRewriting = true;
      else if (const auto file = find(llvm::StringRef(name).drop_front().drop_back(), name[0] == '"', folder))
        follow(*file);
    }
  }

  // That the option -include names.
  void followOption(llvm::StringRef name) {
    const clang::OptionalDirectoryEntryRef folder = files_.getOptionalDirectoryRef(".");
    if (!folder) return;
    if (const auto file = find(name, /*quoted=*/true, *folder)) follow(*file);
  }

  IncludedFiles take() { return std::move(found_); }

 private:
  void follow(clang::FileEntryRef file) {
    if (!seen_.insert(&file.getFileEntry()).second) return;
    const auto buffer = files_.getBufferForFile(file);
    if (!buffer) return;  // clang says so
    ScanResult scan = scanText((*buffer)->getBuffer(), options_);
    found_.needRewriting |= scan.needsRewriting;
    if (!scan.directives.empty()) found_.headers.push_back({file, (*buffer)->getBuffer().str(), std::move(scan)});
    follow((*buffer)->getBuffer(), file.getDir());
  }

  clang::OptionalFileEntryRef find(llvm::StringRef name, bool quoted, clang::DirectoryEntryRef folder) {
    if (llvm::sys::path::is_absolute(name)) return files_.getOptionalFileRef(name);
    if (quoted)
      if (const auto file = inFolder(folder, name)) return file;
    for (auto at = quoted ? search_.quoted_dir_begin() : search_.angled_dir_begin(); at != search_.angled_dir_end();
         ++at)
      if (at->isNormalDir())
        if (const auto file = inFolder(*at->getDirRef(), name)) return file;
    return std::nullopt;
  }

  clang::OptionalFileEntryRef inFolder(clang::DirectoryEntryRef folder, llvm::StringRef name) {
    llvm::SmallString<256> path = folder.getName();
    llvm::sys::path::append(path, name);
    return files_.getOptionalFileRef(path);
  }

  clang::HeaderSearch& search_;
  clang::FileManager& files_;
  const clang::LangOptions& options_;
  std::set<const clang::FileEntry*> seen_;
  IncludedFiles found_;
};

}  // namespace

IncludedFiles scanIncludes(clang::Preprocessor& preprocessor, llvm::StringRef text) {
  const clang::SourceManager& sources = preprocessor.getSourceManager();
  const clang::OptionalFileEntryRef main = sources.getFileEntryRefForID(sources.getMainFileID());
  IncludeFollower follower(preprocessor);
  if (main) follower.follow(text, main->getDir());
  for (const std::string& name : preprocessor.getPreprocessorOpts().Includes) follower.followOption(name);
  return follower.take();
}

}  // namespace muster::plugin
