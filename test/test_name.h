// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names for the parameters of parameterised tests: letters, digits and underscores, as GoogleTest asks for.
#pragma once

#include <cctype>
#include <initializer_list>
#include <string>

namespace muster::testing {

// The parts that are not empty, with underscores between them and in place of other characters.
inline std::string testName(std::initializer_list<std::string> parts) {
  std::string name;
  for (const std::string& part : parts) {
    if (!name.empty() && !part.empty()) name += '_';
    for (const char c : part) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  }
  return name;
}

}  // namespace muster::testing
