// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of an array, as an array of structs has them, by accesses of 16 or 8 bytes. Each of their members is an
// access of its own in the program, and neighbours' are a record apart.
//
//   p[i].x += p[i].vx;     union { P record; uint4 words[2]; } r; r.words[0] = ((uint4 *)&p[i])[0];
//                          r.record.x += r.record.vx; ((uint4 *)&p[i])[0] = r.words[0];
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "ir/Statement.h"
#include "passes/Elements.h"

namespace muster::plugin::passes {

// Records begin at multiples of 8 or 16 bytes, as their size is one: buffers are aligned, and hold whole ones.
struct RecordLayout {
  std::string type;
  unsigned bytes = 0;                                            // a multiple of 8
  std::map<std::string, std::pair<unsigned, unsigned>> members;  // ".speed.x": where it begins, and its bytes
};

struct RecordContext {
  std::map<std::string, RecordLayout> arrays;  // by their names, of those that are only read and those of one's own
  std::function<bool(const std::string& array)> isOnlyRead;
  Memory memory;  // its variables are those of the iteration
};

// Wide are words of which the iteration touches all members in any case, or of arrays that are only read, several.
// None: no word is. No array that is stored to may share elements with another one.
std::optional<ir::Statements> withWideRecords(const ir::Statements& iteration, const RecordContext& context);

}  // namespace muster::plugin::passes
