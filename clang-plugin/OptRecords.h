// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Muster's remarks in the file that -fsave-optimization-record asks for, so that LLVM's viewers show them.
#pragma once

#include "clang/Basic/CodeGenOptions.h"
#include "clang/Basic/SourceManager.h"

namespace muster::plugin {

// Keeps a remark (with its suffix, Remarks.h) of the compile that runs in this thread.
void addRecord(const clang::SourceManager& sources, clang::SourceLocation loc, llvm::StringRef text);

// Appends what was kept to the record file, if one is written as YAML. To be called when LLVM has written its own.
void appendRecords(const clang::CodeGenOptions& options);

}  // namespace muster::plugin
