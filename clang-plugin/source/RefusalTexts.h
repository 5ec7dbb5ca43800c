// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The texts with which the plugin refuses loops and arrays: say::InlineAssembly, say::CallsRecursively(name).
// They stand in the tables of source/refusals/, from which scripts/pitfalls-tables.py makes those of docs/pitfalls.md:
//
//   SECTION(title, kind)        a section of the page, and what it lists: remarks or errors
//   REFUSAL(name, text)         {0}, {1}, ... are names of the user's program; the page leaves out hints behind ';'
//   UNREACHED(name, text, why)  one that no test can reach, and why it is kept; the page does not list it
//   FRAME(name, text)           what stands around the text of a refusal
//   REMEDY(text)                what avoids the refusals in front of it: together they are a row of the page
#pragma once

#include <initializer_list>
#include <string>

#include "llvm/ADT/Twine.h"

namespace muster::plugin::say {

// The text with its places filled.
std::string fill(const char* text, std::initializer_list<std::string> values);

// A text that waits for what stands in its places.
template <unsigned Places>
struct Saying {
  const char* text;

  template <typename... Values>
  std::string operator()(const Values&... values) const {
    static_assert(sizeof...(Values) == Places, "a value for each place of the text");
    return fill(text, {llvm::Twine(values).str()...});
  }
};

constexpr unsigned placesOf(const char* text) {
  unsigned places = 0;
  for (; *text; ++text)
    if (*text == '{' && places < unsigned(text[1] - '0') + 1) places = text[1] - '0' + 1;
  return places;
}

// A text without places is a plain string.
template <unsigned Places>
constexpr auto saying(const char* text) {
  if constexpr (Places == 0)
    return text;
  else
    return Saying<Places>{text};
}

#define REFUSAL(NAME, TEXT) inline constexpr auto NAME = saying<placesOf(TEXT)>(TEXT);
#define UNREACHED(NAME, TEXT, WHY) REFUSAL(NAME, TEXT)
#define FRAME(NAME, TEXT) REFUSAL(NAME, TEXT)
#define SECTION(TITLE, KIND)
#define REMEDY(TEXT)
#include "source/refusals/Arrays.def"
#include "source/refusals/Compiles.def"
#include "source/refusals/Functions.def"
#include "source/refusals/Kernels.def"
#include "source/refusals/Loops.def"
#include "source/refusals/Regions.def"
#include "source/refusals/Variables.def"
#undef REFUSAL
#undef UNREACHED
#undef FRAME
#undef SECTION
#undef REMEDY

}  // namespace muster::plugin::say
