// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OptRecords.h"

#include <string>
#include <vector>

#include "llvm/Support/FileSystem.h"
#include "source/Remarks.h"

namespace muster::plugin {
namespace {

struct OptRecord {
  std::string file, text;
  unsigned line = 0, column = 0;
  bool missed = false;
};

thread_local std::vector<OptRecord> kept;

std::string quoted(llvm::StringRef text) {
  std::string result = "'";
  for (char c : text) result += c == '\'' ? "''" : std::string(1, c);
  return result + "'";
}

void write(const OptRecord& record, llvm::raw_ostream& out) {
  out << "--- !" << (record.missed ? "Missed" : "Passed")
      << "\nPass:            muster\nName:            " << (record.missed ? "SteppedBack" : "Distributed") << "\n";
  if (record.line != 0)
    out << "DebugLoc:        { File: " << quoted(record.file) << ", Line: " << record.line
        << ", Column: " << record.column << " }\n";
  out << "Function:        " << quoted("(source)") << "\nArgs:\n  - String:          " << quoted(record.text)
      << "\n...\n";
}

}  // namespace

void addRecord(const clang::SourceManager& sources, clang::SourceLocation loc, llvm::StringRef text) {
  OptRecord record;
  const clang::PresumedLoc place = sources.getPresumedLoc(loc);
  if (place.isValid()) {
    record.file = place.getFilename();
    record.line = place.getLine();
    record.column = place.getColumn();
  }
  record.missed = text.ends_with(kMissedSuffix);
  record.text = text.take_front(text.rfind(" [-R")).str();
  kept.push_back(std::move(record));
}

void appendRecords(const clang::CodeGenOptions& options) {
  if (options.OptRecordFile.empty() || (!options.OptRecordFormat.empty() && options.OptRecordFormat != "yaml")) return;
  std::error_code error;
  llvm::raw_fd_ostream out(options.OptRecordFile, error, llvm::sys::fs::OF_Append | llvm::sys::fs::OF_Text);
  if (error) return;  // LLVM has said that it cannot be written
  for (const OptRecord& record : kept) write(record, out);
  kept.clear();
}

}  // namespace muster::plugin
