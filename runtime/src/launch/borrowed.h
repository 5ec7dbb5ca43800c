// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that are not managed and that a launch only reads: managed copies travel in their place.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "muster/abi.h"

namespace muster::rt {

// While it lives, no other launch can change or release the copies. A copy is kept for later launches and written again
// only where the program's array differs from it by then.
class BorrowedArrays {
 public:
  // Copies all arrays of the launch that are not managed, or none: if one of them is written, if the accesses do not
  // tell how far it reaches, or if it cannot be read as far as they may reach.
  explicit BorrowedArrays(const muster_launch& launch);

  // The launch with the copies in place of the arrays; the one that was given if there are none.
  [[nodiscard]] const muster_launch& launch() const { return launch_; }
  // The names of the arrays that were copied: "a, b"; empty if there are none.
  [[nodiscard]] const std::string& names() const { return names_; }

 private:
  muster_launch launch_;
  std::vector<void*> arrays_;
  std::string names_;
  std::unique_lock<std::mutex> lock_;
};

}  // namespace muster::rt
