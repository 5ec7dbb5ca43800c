// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Muster's remarks in the file that -fsave-optimization-record asks for, so that LLVM's viewers show them.
#pragma once

#include <string>
#include <vector>

#include "clang/Basic/CodeGenOptions.h"
#include "clang/Basic/SourceManager.h"

namespace muster::plugin {

struct OptRecord {
  std::string file, text;
  unsigned line = 0, column = 0;
  bool missed = false;
};

// Keeps a remark (with its suffix, Remarks.h) of the compile that runs in this thread.
void addRecord(const clang::SourceManager& sources, clang::SourceLocation loc, llvm::StringRef text);

// For a part of the compile that ran in another thread: what that has kept, to be called there, and kept here.
std::vector<OptRecord> takeRecords();
void keepRecords(std::vector<OptRecord> records);

// Appends what was kept to the record file, if one is written as YAML. To be called when LLVM has written its own.
void appendRecords(const clang::CodeGenOptions& options);

}  // namespace muster::plugin
