// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that are not managed: managed copies travel in their place if the launch only reads them, if they are small
// and it only updates them, or if a directive names them but they lie inside of objects, where they have no pages of
// their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "muster/abi.h"

namespace muster::rt {

// While it lives, no other launch can change or release the copies. A copy is kept for later launches and written again
// only where the program's array differs from it by then.
class BorrowedArrays {
 public:
  // Copies all arrays of the launch that are not managed and that it uses, or none: if one of them is written that is
  // neither embedded (MUSTER_ARRAY_EMBEDDED) nor small and only updated, if neither its type nor the accesses tell how
  // far it reaches, or if it cannot be read as far as they may reach.
  explicit BorrowedArrays(const muster_launch& launch);

  // The launch with the copies in place of the arrays; the one that was given if there are none.
  [[nodiscard]] const muster_launch& launch() const { return launch_; }
  // After the launch: waits for it if it writes some of the copies, and gives the program's arrays the elements that it
  // changed, and no others, which the program's other threads may write meanwhile.
  void writeBack();
  [[nodiscard]] bool any() const { return !parts_.empty(); }
  // The names of the arrays that were copied, "a, b"; empty if there are none. Those that are embedded apart.
  [[nodiscard]] const std::string& names() const { return names_; }
  [[nodiscard]] const std::string& embeddedNames() const { return embeddedNames_; }

 private:
  // What one copy stands for: the array of one parameter, or of several that overlap.
  struct Part {
    std::vector<unsigned> parameters;
    std::byte* base = nullptr;  // of the program: what the copy's first element is a copy of
    std::byte *lo = nullptr, *hi = nullptr;
    std::uint32_t elemSize = 0;
    bool written = false;
    bool sure = false;  // [lo, hi) is there
    std::byte* copy = nullptr;
    std::vector<std::byte> before = {};  // [lo, hi) at the launch, of a part that is written
  };
  [[nodiscard]] bool findParts(const muster_launch& launch);
  [[nodiscard]] bool joinOverlapping();
  [[nodiscard]] bool copyParts(const muster_kernel& kernel);

  muster_launch launch_;
  std::vector<void*> arrays_;
  std::vector<Part> parts_;
  std::string names_, embeddedNames_;
  std::unique_lock<std::mutex> lock_;
};

}  // namespace muster::rt
