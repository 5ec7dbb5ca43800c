// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/arrays/row_blocks.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <numeric>
#include <unordered_map>
#include <vector>

#include "host/arrays/managed_memory.h"
#include "host/memory/host_memory_impl.h"
#include "host/system/runtime_section.h"

namespace muster::rt {

// A table and the array of its rows, or of the rows of its tables; lives as long as one of them.
struct RowBlock {
  HostArrayImpl* table = nullptr;
  void* slot = nullptr;  // where the table's pointer was to be stored
  HostArrayImpl* rows = nullptr;
  std::size_t perEntry = 1;       // how many rows belong to an entry of the table
  const void* vectors = nullptr;  // the vector of vectors that it was made for
  std::size_t length = 0;         // of a row, as asked for
  std::size_t distance = 0;       // from one row to the next
  std::vector<bool> live;
  std::size_t liveCount = 0;
};

namespace {

constexpr std::size_t kAlignment = 16;  // what malloc promises

std::mutex& mutex() {
  static auto& instance = *new std::mutex;  // rows are freed by static destructors
  return instance;
}

HostArrayImpl* arrayAt(const void* pointer) { return managedAddresses.table.find(pointer); }

// By the address of the table. Vectors move: this only says where rows that come one by one belong.
std::unordered_map<const void*, RowBlock*>& blocksOfVectors() {
  static auto& instance = *new std::unordered_map<const void*, RowBlock*>;
  return instance;
}

void detachVectors(RowBlock& block) {
  if (block.vectors != nullptr) blocksOfVectors().erase(block.vectors);
  block.vectors = nullptr;
}

void dropIfUnused(RowBlock* block) {
  if (block->table != nullptr || block->rows != nullptr) return;
  detachVectors(*block);
  delete block;
}

// The row's number in its table.
std::optional<std::size_t> numberOf(const RowBlock& block, const void* slot) {
  const auto at = static_cast<std::size_t>(static_cast<const std::byte*>(slot) - block.table->user());
  if (at % sizeof(void*) != 0 || at >= block.table->bytes()) return std::nullopt;
  return at / sizeof(void*);
}

RowBlock* blockOfTable(const void* entry) {
  const HostArrayImpl* array = entry != nullptr ? arrayAt(entry) : nullptr;
  return array != nullptr && array->rowBlock != nullptr && array->rowBlock->table == array ? array->rowBlock : nullptr;
}

std::size_t entriesOf(const RowBlock& block) { return block.table->bytes() / sizeof(void*); }

// The block of the table that has this one as an entry; nullptr: none, or its entry is something else by now.
RowBlock* outerOf(const RowBlock& block) {
  RowBlock* outer = blockOfTable(block.slot);
  return outer != nullptr && *static_cast<void**>(block.slot) == block.table->user() ? outer : nullptr;
}

void reserve(RowBlock& block, const muster_array_site& site, std::size_t length, std::size_t count, bool zero) {
  const std::size_t unit = std::lcm(kAlignment, std::size_t{site.elem_size});
  std::size_t distance = 0, bytes = 0;
  if (__builtin_add_overflow(std::max<std::size_t>(length, 1), unit - 1, &distance)) return;
  distance -= distance % unit;
  if (__builtin_mul_overflow(distance, count, &bytes)) return;
  block.rows = allocateArray(site, bytes, 1, zero);
  if (block.rows == nullptr) return;
  block.rows->rowBlock = &block;
  block.length = length;
  block.distance = distance;
  block.live.assign(count, false);
  block.liveCount = 0;
}

bool hasPlace(const RowBlock& block, std::size_t number, std::size_t length) {
  return block.length == length && number < block.live.size() && !block.live[number];
}

std::byte* take(RowBlock& block, std::size_t number) {
  block.live[number] = true;
  ++block.liveCount;
  return block.rows->user() + number * block.distance;
}

// In an array for `perEntry` rows of each entry of the block's table. nullptr: it has no place there.
std::byte* placeIn(RowBlock& block, const muster_array_site& site, std::size_t perEntry, std::size_t number,
                   std::size_t bytes, bool zero) {
  const bool isFresh = block.rows == nullptr;
  if (isFresh) {
    std::size_t count = 0;
    if (__builtin_mul_overflow(entriesOf(block), perEntry, &count)) return nullptr;
    reserve(block, site, bytes, count, zero);
    block.perEntry = perEntry;
  }
  if (block.rows == nullptr || block.perEntry != perEntry || !hasPlace(block, number, bytes)) return nullptr;
  std::byte* row = take(block, number);
  if (zero && !isFresh) {  // a row that was here may have left something, or the first one asked for no zeros
    muster_host_access(row, bytes, MUSTER_WRITE);
    std::memset(row, 0, bytes);
  }
  return row;
}

// nullptr: it has no place there.
void* placeOf(const muster_array_site& site, void* slot, std::size_t bytes, bool zero) {
  const std::lock_guard lock(mutex());
  RowBlock* block = blockOfTable(slot);
  const std::optional<std::size_t> number = block != nullptr ? numberOf(*block, slot) : std::nullopt;
  if (!number) return nullptr;
  RowBlock* outer = block->rows == nullptr ? outerOf(*block) : nullptr;
  const std::optional<std::size_t> table = outer != nullptr ? numberOf(*outer, block->slot) : std::nullopt;
  if (table) {
    const std::size_t perEntry = entriesOf(*block);
    if (std::byte* row = placeIn(*outer, site, perEntry, *table * perEntry + *number, bytes, zero)) return row;
  }
  return placeIn(*block, site, 1, *number, bytes, zero);
}

// The caller holds the mutex. Gives the array to be released if this was its last row.
std::optional<HostArrayImpl*> takeRow(RowBlock& block, const std::byte* pointer) {
  const auto at = static_cast<std::size_t>(pointer - block.rows->user());
  const std::size_t number = at / block.distance;
  if (at % block.distance != 0 || !block.live[number]) return std::nullopt;
  block.live[number] = false;
  if (--block.liveCount > 0) return nullptr;
  HostArrayImpl* rows = std::exchange(block.rows, nullptr);
  rows->rowBlock = nullptr;
  dropIfUnused(&block);
  return rows;
}

}  // namespace

void* allocateTable(void* slot, std::size_t bytes, bool zero) {
  const AllocationScopePause pause;
  const auto array =
      hostMemoryImpl().allocate(bytes, AllocateOptions{.zero = zero, .recycled = arrayListener() != nullptr});
  if (!array) return nullptr;
  const std::lock_guard lock(mutex());
  (*array)->rowBlock = new RowBlock{.table = *array, .slot = slot, .live = {}};
  return (*array)->user();
}

void* allocateRow(const muster_array_site& site, void* slot, std::size_t bytes, bool zero) {
  const AllocationScopePause pause;
  if (void* row = placeOf(site, slot, bytes, zero)) return row;
  return allocateManaged(site, bytes, 1, zero);
}

void* allocateVectorRow(const muster_array_site& site, const void* table, const void* neighbour, std::size_t number,
                        std::size_t rows, std::size_t bytes) {
  const AllocationScopePause pause;
  const std::lock_guard lock(mutex());
  if (neighbour != nullptr) {
    const HostArrayImpl* array = arrayAt(neighbour);
    RowBlock* block = array != nullptr ? array->rowBlock : nullptr;
    if (block == nullptr || block->rows != array) return nullptr;
    number = static_cast<std::size_t>(static_cast<const std::byte*>(neighbour) - array->user()) / block->distance + 1;
    return hasPlace(*block, number, bytes) ? take(*block, number) : nullptr;
  }
  if (const auto known = blocksOfVectors().find(table); known != blocksOfVectors().end()) {
    RowBlock& block = *known->second;
    if (hasPlace(block, number, bytes)) return take(block, number);
    detachVectors(block);
  }
  if (number >= rows) return nullptr;
  auto block = std::make_unique<RowBlock>();
  reserve(*block, site, bytes, rows, false);
  if (block->rows == nullptr) return nullptr;
  block->vectors = table;
  blocksOfVectors()[table] = block.get();
  return take(*block.release(), number);
}

bool releaseRows(void* pointer) {
  HostArrayImpl* released = nullptr;
  bool isTable = false;
  {
    const std::lock_guard lock(mutex());
    HostArrayImpl* array = arrayAt(pointer);
    RowBlock* block = array != nullptr ? array->rowBlock : nullptr;
    if (block == nullptr) return false;
    isTable = block->table == array;
    if (isTable) {
      if (array->user() != pointer) return false;
      block->table = nullptr;
      array->rowBlock = nullptr;
      dropIfUnused(block);
      released = array;
    } else {
      const auto row = takeRow(*block, static_cast<std::byte*>(pointer));
      if (!row) return false;
      released = *row;
    }
  }
  if (released == nullptr) return true;
  if (isTable)
    hostMemoryImpl().release(*released);
  else
    releaseManaged(released->user());
  return true;
}

std::optional<void*> reallocateRows(void* pointer, std::size_t bytes) {
  std::size_t kept = 0;
  const muster_array_site* site = nullptr;
  {
    const std::lock_guard lock(mutex());
    const HostArrayImpl* array = arrayAt(pointer);
    const RowBlock* block = array != nullptr ? array->rowBlock : nullptr;
    if (block == nullptr) return std::nullopt;
    const bool isTable = block->table == array;
    kept = std::min(bytes, isTable ? array->bytes() : block->length);
    site = isTable ? nullptr : array->site();
  }
  void* fresh = site == nullptr ? allocateTable(nullptr, bytes, false) : allocateManaged(*site, bytes, 1, false);
  if (fresh == nullptr) return nullptr;
  if (kept > 0) {
    muster_host_access(pointer, kept, MUSTER_READ);
    std::memcpy(fresh, pointer, kept);
  }
  if (site == nullptr) {  // its rows stay those of the table
    const std::lock_guard lock(mutex());
    HostArrayImpl *before = arrayAt(pointer), *after = arrayAt(fresh);
    std::swap(before->rowBlock, after->rowBlock);
    before->rowBlock->table = before;
    after->rowBlock->table = after;
  }
  releaseRows(pointer);
  return fresh;
}

bool isTable(const HostArrayImpl& array) {
  const std::lock_guard lock(mutex());
  return array.rowBlock != nullptr && array.rowBlock->table == &array;
}

std::uint64_t watchTable(const void* entry) {
  constexpr std::size_t kLeastWatched = std::size_t{64} << 10;  // less is read sooner
  const std::lock_guard lock(mutex());
  const RowBlock* block = blockOfTable(entry);
  if (block == nullptr || block->table->bytes() < kLeastWatched) return 0;
  HostArrayImpl& table = *block->table;
  if (table.watchNumber() == 0 && !hostMemoryImpl().watch(table).ok()) return 0;
  return table.watchNumber();
}

std::uint64_t watchOfTable(const void* entry) {
  const HostArrayImpl* array = entry != nullptr ? arrayAt(entry) : nullptr;
  return array != nullptr ? array->watchNumber() : 0;
}

std::optional<std::pair<std::ptrdiff_t, std::ptrdiff_t>> tableEntries(const void* entry) {
  const std::lock_guard lock(mutex());
  const RowBlock* block = blockOfTable(entry);
  if (block == nullptr) return std::nullopt;
  const auto number = (static_cast<const std::byte*>(entry) - block->table->user()) / std::ptrdiff_t{sizeof(void*)};
  return std::pair(-number, static_cast<std::ptrdiff_t>(entriesOf(*block)) - 1 - number);
}

}  // namespace muster::rt
