// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the program's OpenMP runtime keeps per thread, and native chunks in another thread have to follow. The program
// brings that runtime, or none; libmuster itself needs none.
#pragma once

namespace muster::rt {

// The settings that a chunk's `omp parallel for` obeys.
class OpenMpSettings {
 public:
  // Those of the calling thread.
  [[nodiscard]] static OpenMpSettings current();
  // Makes them the calling thread's.
  void apply() const;

  bool operator==(const OpenMpSettings&) const = default;

 private:
  int threads_ = 0;  // 0: there is no OpenMP runtime
  int dynamic_ = 0;
  int levels_ = 0;
  int schedule_ = 0, chunk_ = 0;
};

// The calling thread works inside of a parallel region.
[[nodiscard]] bool insideOpenMpRegion();

// Threads that a region of the calling thread used sleep soon after it instead of spinning for 200 ms, because those of
// another thread's regions may want the cores. What the user says in the environment goes first.
void shareCoresWithOtherOpenMpThreads();

}  // namespace muster::rt
