// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of rows that are allocated one by one (docs/decisions/0010-rows-of-pointers.md): the first row reserves one
// array for all of its table, in which each row that is as long has its place. The array is released with its last row.
// Where the table is an entry of another one, all tables of that share the array, if they are equally long
// (docs/decisions/0020-tables-of-tables.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "muster/abi.h"

namespace muster::rt {

// Memory for a table: in the managed region, so that free() finds it, but no array. `slot`: where its pointer will be
// stored, nullptr if it is no entry of another table. nullptr: no memory.
void* allocateTable(void* slot, std::size_t bytes, bool zero);
// The row whose pointer will be stored at `slot`: in its table's array if there is one and it fits, else an array of
// its own. nullptr: no memory.
void* allocateRow(const muster_array_site& site, void* slot, std::size_t bytes, bool zero);
// As muster_vector_row.
void* allocateVectorRow(const muster_array_site& site, const void* table, const void* neighbour, std::size_t number,
                        std::size_t rows, std::size_t bytes);
// False: `pointer` is neither a table nor a row of a table's array.
bool releaseRows(void* pointer);
// nullopt: as above; nullptr: no memory.
std::optional<void*> reallocateRows(void* pointer, std::size_t bytes);
class HostArrayImpl;
bool isTable(const HostArrayImpl& array);
// The numbers [first, last] of the entries that a table has, counted from `entry`; nullopt: it is in none that is
// known.
std::optional<std::pair<std::ptrdiff_t, std::ptrdiff_t>> tableEntries(const void* entry);
// Since this call a write to the entry's table would be noticed: it ends what has the number that comes back. 0: the
// table is small, or none that is known.
std::uint64_t watchTable(const void* entry);
// The watch that goes on; 0: none does.
std::uint64_t watchOfTable(const void* entry);

}  // namespace muster::rt
