// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layout, little-endian: header, blocks, values. A block: its number (u32), its way (u8), its changes less one (u16),
// and
//   runs:   how many less one (u16), then each as start and length less one (u16 each)
//   gaps:   the distance to the change before (in the block: to -1) less one: a byte up to 254, else 255 and a u16
//   bitmap: a bit for each position of the block, the lowest first
#include "merge/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace muster::cap {
namespace {

static_assert(std::endian::native == std::endian::little, "the wire format is little-endian");

enum class Way : std::uint8_t { runs, gaps, bitmap };

struct Header {
  std::uint32_t elements = 0, elemSize = 0, changed = 0, blocks = 0;
  std::uint64_t indexBytes = 0;
};
static_assert(sizeof(Header) == 24);

constexpr std::size_t kBlockHeader = 7;
constexpr std::uint32_t kEscape = 255;

using Positions = std::span<const std::uint32_t>;

template <class T>
void put(cdm::Bytes& to, T value) {
  const auto* bytes = reinterpret_cast<const std::byte*>(&value);
  to.insert(to.end(), bytes, bytes + sizeof value);
}

std::uint32_t blockSize(const DiffShape& shape, std::uint32_t number) {
  return std::min(diffBlock, shape.elements - number * diffBlock);
}

std::size_t bitmapBytes(std::uint32_t positions) { return (positions + 7) / 8; }

// ---------------------------------------------------------------- encoding

struct Costs {
  std::size_t runs = 0, gaps = 0;
};

Costs costsOf(Positions block, std::uint32_t start) {
  Costs costs{2, 0};
  std::uint32_t expected = start;  // the position after the change before
  bool first = true;
  for (const std::uint32_t position : block) {
    const std::uint32_t gap = position - expected;
    if (first || gap != 0) costs.runs += 4;
    costs.gaps += gap < kEscape ? 1 : 3;
    expected = position + 1;
    first = false;
  }
  return costs;
}

void putRuns(cdm::Bytes& to, Positions block, std::uint32_t start) {
  const std::size_t countAt = to.size();
  put<std::uint16_t>(to, 0);
  std::uint32_t runs = 0;
  for (std::size_t i = 0; i < block.size();) {
    std::size_t end = i + 1;
    while (end < block.size() && block[end] == block[end - 1] + 1) ++end;
    put(to, static_cast<std::uint16_t>(block[i] - start));
    put(to, static_cast<std::uint16_t>(end - i - 1));
    ++runs;
    i = end;
  }
  const auto stored = static_cast<std::uint16_t>(runs - 1);
  std::memcpy(to.data() + countAt, &stored, sizeof stored);
}

void putGaps(cdm::Bytes& to, Positions block, std::uint32_t start) {
  std::uint32_t expected = start;
  for (const std::uint32_t position : block) {
    const std::uint32_t gap = position - expected;
    if (gap < kEscape) {
      put(to, static_cast<std::uint8_t>(gap));
    } else {
      put(to, static_cast<std::uint8_t>(kEscape));
      put(to, static_cast<std::uint16_t>(gap));
    }
    expected = position + 1;
  }
}

void putBitmap(cdm::Bytes& to, Positions block, std::uint32_t start, std::size_t bytes) {
  const std::size_t at = to.size();
  to.resize(at + bytes);
  std::byte* const bits = to.data() + at;
  for (const std::uint32_t position : block) bits[(position - start) / 8] |= std::byte{1} << (position - start) % 8;
}

void putBlock(cdm::Bytes& to, const DiffShape& shape, std::uint32_t number, Positions block) {
  const std::uint32_t start = number * diffBlock;
  const Costs costs = costsOf(block, start);
  const std::size_t bitmap = bitmapBytes(blockSize(shape, number));
  const Way way = costs.runs <= std::min(costs.gaps, bitmap) ? Way::runs
                  : costs.gaps <= bitmap                     ? Way::gaps
                                                             : Way::bitmap;
  put(to, number);
  put(to, way);
  put(to, static_cast<std::uint16_t>(block.size() - 1));
  if (way == Way::runs) putRuns(to, block, start);
  if (way == Way::gaps) putGaps(to, block, start);
  if (way == Way::bitmap) putBitmap(to, block, start, bitmap);
}

// ---------------------------------------------------------------- decoding

// Reads the index; after the first thing that is wrong, `good` stays false.
class IndexReader {
 public:
  IndexReader(std::span<const std::byte> bytes, const DiffShape& shape, std::vector<std::uint32_t>& positions)
      : left_(bytes), shape_(shape), positions_(positions) {}

  bool read(const Header& header) {
    for (std::uint32_t i = 0; good_ && i < header.blocks; ++i) readBlock(header.changed);
    return good_ && left_.empty() && positions_.size() == header.changed;
  }

 private:
  template <class T>
  T get() {
    T value{};
    if (left_.size() < sizeof value) {
      good_ = false;
      return value;
    }
    std::memcpy(&value, left_.data(), sizeof value);
    left_ = left_.subspan(sizeof value);
    return value;
  }
  void require(bool holds) { good_ = good_ && holds; }

  void readBlock(std::uint32_t changed) {
    const auto number = get<std::uint32_t>();
    const auto way = get<std::uint8_t>();
    const std::uint32_t count = get<std::uint16_t>() + 1u;
    require(number >= nextBlock_ && std::uint64_t{number} * diffBlock < shape_.elements);
    require(way <= static_cast<std::uint8_t>(Way::bitmap) && count <= changed - positions_.size());
    if (!good_) return;
    nextBlock_ = number + 1;
    start_ = number * diffBlock;
    size_ = blockSize(shape_, number);
    switch (static_cast<Way>(way)) {
      case Way::runs:
        return readRuns(count);
      case Way::gaps:
        return readGaps(count);
      case Way::bitmap:
        return readBitmap(count);
    }
  }

  void readRuns(std::uint32_t count) {
    const std::uint32_t runs = get<std::uint16_t>() + 1u;
    std::uint32_t next = 0, total = 0;
    for (std::uint32_t i = 0; good_ && i < runs; ++i) {
      const std::uint32_t first = get<std::uint16_t>();
      const std::uint32_t length = get<std::uint16_t>() + 1u;
      require(first >= next && first + length <= size_ && total + length <= count);
      if (!good_) return;
      for (std::uint32_t k = 0; k < length; ++k) positions_.push_back(start_ + first + k);
      next = first + length;
      total += length;
    }
    require(total == count);
  }

  void readGaps(std::uint32_t count) {
    std::uint32_t next = 0;
    for (std::uint32_t i = 0; good_ && i < count; ++i) {
      std::uint32_t gap = get<std::uint8_t>();
      if (gap == kEscape) {
        gap = get<std::uint16_t>();
        require(gap >= kEscape);
      }
      require(next + gap < size_);
      if (!good_) return;
      positions_.push_back(start_ + next + gap);
      next += gap + 1;
    }
  }

  void readBitmap(std::uint32_t count) {
    const std::size_t bytes = bitmapBytes(size_);
    require(left_.size() >= bytes);
    if (!good_) return;
    const std::size_t before = positions_.size();
    positions_.resize(before + count);
    std::uint32_t* next = positions_.data() + before;
    const std::uint32_t* const end = next + count;
    for (std::size_t at = 0; at < bytes; at += 8) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, left_.data() + at, std::min<std::size_t>(8, bytes - at));
      if (std::popcount(bits) > end - next) return require(false);
      for (; bits != 0; bits &= bits - 1)
        *next++ = start_ + static_cast<std::uint32_t>(8 * at) + static_cast<std::uint32_t>(std::countr_zero(bits));
    }
    left_ = left_.subspan(bytes);
    require(next == end && positions_.back() - start_ < size_);
  }

  std::span<const std::byte> left_;
  DiffShape shape_;
  std::vector<std::uint32_t>& positions_;
  std::uint32_t nextBlock_ = 0, start_ = 0, size_ = 0;
  bool good_ = true;
};

Status malformed(const char* what) { return {Errc::protocol, fmt::format("a diff of another rank {}", what)}; }

}  // namespace

void appendDiff(cdm::Bytes& to, const DiffShape& shape, const Changes& changes) {
  const std::size_t headerAt = to.size();
  Header header{shape.elements, shape.elemSize, static_cast<std::uint32_t>(changes.positions.size()), 0, 0};
  to.resize(headerAt + sizeof header);
  const Positions all(changes.positions);
  for (std::size_t i = 0; i < all.size();) {
    const std::uint32_t number = all[i] / diffBlock;
    const auto rest = all.subspan(i, std::min<std::size_t>(diffBlock, all.size() - i));
    const auto end = std::partition_point(rest.begin(), rest.end(),
                                          [&](std::uint32_t position) { return position / diffBlock == number; });
    const Positions block = rest.first(static_cast<std::size_t>(end - rest.begin()));
    putBlock(to, shape, number, block);
    ++header.blocks;
    i += block.size();
  }
  header.indexBytes = to.size() - headerAt - sizeof header;
  std::memcpy(to.data() + headerAt, &header, sizeof header);
  to.insert(to.end(), changes.values.begin(), changes.values.end());
}

std::uint64_t maxDiffBytes(const DiffShape& shape) {
  const std::uint64_t blocks = (std::uint64_t{shape.elements} + diffBlock - 1) / diffBlock;
  return sizeof(Header) + blocks * (kBlockHeader + bitmapBytes(diffBlock)) +
         std::uint64_t{shape.elements} * shape.elemSize;
}

Result<Changes> takeDiff(std::span<const std::byte>& from, const DiffShape& shape,
                         std::vector<std::uint32_t> positions) {
  Header header;
  if (from.size() < sizeof header) return malformed("has no header");
  std::memcpy(&header, from.data(), sizeof header);
  if (header.elements != shape.elements || header.elemSize != shape.elemSize)
    return malformed("is over other elements than the plan says");
  if (header.changed > header.elements || header.blocks > header.changed) return malformed("has impossible counts");
  const std::size_t left = from.size() - sizeof header;
  const std::uint64_t valueBytes = std::uint64_t{header.changed} * header.elemSize;
  if (header.indexBytes > left || valueBytes > left - header.indexBytes) return malformed("is shorter than it says");
  const auto index = from.subspan(sizeof header, static_cast<std::size_t>(header.indexBytes));
  Changes changes;
  changes.positions = std::move(positions);
  changes.positions.clear();
  changes.positions.reserve(header.changed);
  if (!IndexReader(index, shape, changes.positions).read(header)) return malformed("has malformed positions");
  changes.values = from.subspan(sizeof header + index.size(), static_cast<std::size_t>(valueBytes));
  from = from.subspan(sizeof header + index.size() + changes.values.size());
  return changes;
}

}  // namespace muster::cap
