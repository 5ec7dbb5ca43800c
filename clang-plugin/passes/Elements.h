// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of arrays in memory that work-items share, and wide accesses to several next to each other.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "passes/Indexes.h"

namespace muster::plugin::passes {

// What is known of the memory that a kernel's code names.
struct Memory {
  std::function<int(const std::string& name)> constantOf;  // the number of a launch constant; -1: it is none
  std::function<bool(const std::string& name)> isArray;    // a pointer to memory that work-items share
  // The type of the numbers in such an array, "": they have none; and how long the arrays are that it is one of.
  struct Numbers {
    std::string type;
    unsigned bytes = 0;
    std::vector<std::uint64_t> lengths = {};
    bool isConst = false;  // of the pointer that names them
  };
  std::function<Numbers(const std::string& name)> numbersOf;
  Variables variables = {};
};

struct Element {
  std::string array;
  IndexSum sum;  // its place from the array's first element
};

// In each iteration, for all values of the column's variable.
bool isSame(const Element& one, const Element& other);

// The element of a subscript, as a sum with a column's variable; pointers to rows are seen through. None: it is none,
// or its place is no such sum.
std::optional<Element> elementOf(const ir::Expression& value, const std::string& column, const Memory& memory,
                                 const IsFixed& isFixed);

// What wide accesses ask of a launch: values of constants that are multiples of their width, and arrays whose first
// elements are aligned.
struct Alignment {
  std::set<unsigned> multiples;
  std::set<std::string> arrays;
};

// Whether elements are aligned for accesses of so many, but for the column and the sum's constant. What the launch has
// to see to is added.
bool canBeAligned(const Element& element, std::int64_t width, const Memory& memory, Alignment& alignment);

// Whether a subscript is an element, and no row of an array of arrays: that is a pointer.
bool isElementOf(const std::string& array, const ir::Expression& place, const Memory& memory);
// Whether code gives a function an array or a row of it, by which it might write.
bool givesArray(const ir::Expression& value, const Memory& memory);

// Elements that code reads in any case, behind no condition.
void certainReads(const ir::Expression& value, std::vector<ir::Expression>& reads);

// A definition of `name` as so many elements from `first` on, and the one by its number in it.
ir::Statement wideLoad(const std::string& name, const std::string& type, std::int64_t width, ir::Expression first);
// Of such a definition that is for one element alone.
ir::Expression partOfWide(const std::string& name, std::int64_t number);
// One of several whose sums may follow. A byte comes through a function that the compiler does not see through:
// NVIDIA's (driver 580) makes wrong sums of products of constants with two bytes of one load (decision 37). It gives a
// short number; functions, which may be overloaded, are given bytes.
ir::Expression partOfWide(const std::string& name, std::int64_t number, const std::string& type);
bool isOpaqueByte(const ir::Expression& value);
ir::Expression withBytesForFunctions(const ir::Expression& value);
ir::Statement wideStore(const std::string& type, std::int64_t width, ir::Expression first,
                        std::vector<ir::Expression> values);

}  // namespace muster::plugin::passes
