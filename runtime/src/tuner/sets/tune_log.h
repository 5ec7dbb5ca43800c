// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MUSTER_TUNE_LOG: each step of the search for device sets as one line of a file, with tabs between the columns; the
// first line names them. Each line is on disk before the program goes on.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "tuner/sets/tuner.h"

namespace muster::rt {

// "4:gpu: 1.2 ms per launch; try 2:gpu: halved"
[[nodiscard]] std::string describe(const Tuner::Step& step);

class TuneLog {
 public:
  // Errc::invalidArgument where the file cannot be written.
  [[nodiscard]] static Result<std::unique_ptr<TuneLog>> open(const std::string& path);
  // loop: "file.cpp:12", one of the group's.
  void write(const Tuner::Step& step, const std::string& loop);
  // Says if anything could not be written.
  Status close();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  TuneLog(std::string path, std::FILE* file) : path_(std::move(path)), file_(file) {}
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace muster::rt
