// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "source/RefusalTexts.h"

namespace muster::plugin::say {

std::string fill(const char* text, std::initializer_list<std::string> values) {
  std::string filled;
  for (; *text; ++text) {
    if (*text != '{') {
      filled += *text;
      continue;
    }
    filled += values.begin()[text[1] - '0'];
    text += 2;
  }
  return filled;
}

}  // namespace muster::plugin::say
