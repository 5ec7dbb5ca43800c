// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the fake NVRTC makes of a text, and the fake driver loads: the text, how POCL builds it, what card it is for.
#pragma once

#include <optional>
#include <string>

namespace fake {

struct Image {
  std::string text, options;  // of OpenCL
  bool isBinary = false;      // for a card of this capability alone; else for newer ones, too
  unsigned capability = 0;

  [[nodiscard]] std::string bytes() const;
  // It says itself where it ends; nothing if it is none.
  static std::optional<Image> read(const void* bytes);
};

}  // namespace fake
