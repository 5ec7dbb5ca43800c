// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One chunk's copy of contested elements, on its device: keeps what was there before, finds what the chunk changed, and
// takes the changes of others. Only changes cross to the host. Where devices reach each other's memory nothing does:
// they exchange the elements as they are, and each finds what others changed (the methods with a Share).
#pragma once

#include <deque>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "merge/merge_parts.h"
#include "merge/merge_scratch.h"
#include "muster/cdm/merge_kernels.h"
#include "storage/device_storage.h"

namespace muster::cap {

// Device memory for merges. It is kept from one launch to the next, until somebody needs the room.
class MergeBuffers {
 public:
  enum class Use : std::uint8_t { twin, table, bitmap, counts, positions, values, pairs, share, found };

  explicit MergeBuffers(cdm::ComputeDevice& device) : device_(device) {}

  [[nodiscard]] cdm::ComputeDevice& device() { return device_; }
  // At least `bytes`; contents are undefined. The same copy number and use give the same buffer.
  Result<cdm::BufferId> get(std::size_t copy, Use use, std::size_t bytes);
  // For what changed, on the host.
  [[nodiscard]] MergeScratch& scratch() { return scratch_; }
  Status release();

 private:
  struct Buffer {
    cdm::BufferId id = 0;
    std::size_t bytes = 0;
  };
  cdm::ComputeDevice& device_;
  std::map<std::pair<std::size_t, Use>, Buffer> buffers_;
  MergeScratch scratch_;
};

// How values come together.
struct Combination {
  bool accumulate = false;
  UpdateOp op = UpdateOp::add;
  cdm::ScalarType type = cdm::ScalarType::other;  // of an element, where they accumulate
};

class ContestedCopy {
 public:
  struct Argument {
    cdm::BufferId buffer = 0;
    std::int64_t originBytes = 0;
    std::size_t begin = 0, end = 0;  // bytes of the buffer that the kernel can touch
  };
  // A chunk's values of contested elements, in this copy's device.
  struct Share {
    IntervalSet elements;  // those that the other chunk and this one may have written
    Argument values, pairs;
    [[nodiscard]] Interval hull() const { return elements.hull(); }  // for which there is room in `values`
  };

  // window: of the array in the device's memory; contains `elements`, which count from `base`. number: tells copies on
  // one device apart.
  ContestedCopy(MergeBuffers& buffers, std::size_t number, const Window& window, std::uint32_t elemSize,
                const IntervalSet& elements, std::int64_t base, const Combination& combination);
  ~ContestedCopy();
  ContestedCopy(const ContestedCopy&) = delete;
  ContestedCopy& operator=(const ContestedCopy&) = delete;

  // Before the kernel: the twin, and with accumulation the identity in its place.
  Status begin();
  // After the kernel, one call after the other on each copy; several copies' devices work at the same time.
  Status search();
  Status gather();
  Status waitForChanges();
  [[nodiscard]] const Changes& changes() const { return changes_; }

  // The old values again. Accumulation: what the chunk's kernel made is among the changes.
  Status restore();
  // `changes` must live until the device is done.
  Status apply(const PlacedChanges& changes);

  // Room for the values of chunk number `part` of the merge. The memory is that of the same part of other copies, too:
  // one copy after the other uses it.
  Result<Share> share(std::size_t part, const IntervalSet& elements);
  // The chunk's own values of all elements, aside.
  Status fillShare(const Share& share);
  // To how many elements both chunks gave different values, and the least of them counted from `base`.
  struct Compared {
    std::size_t part = 0;
    std::uint32_t found[2] = {};
  };
  // Before anything is joined. The result is there once the device is done.
  Status compare(const Share& share, std::size_t part);
  [[nodiscard]] const std::deque<Compared>& compared() const { return compared_; }
  // Takes what the other chunk changed; `over`: also where this one did, or one from which it took that.
  Status join(const Share& share, bool over);
  // Accumulation, after restore(): in the order of the chunks, this one's own share among them.
  Status combine(const Share& share);
  // Until the device has read all that it was given to read of this object's. Only of exchanges by shares.
  Status waitForSources();

 private:
  using Use = MergeBuffers::Use;
  [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(elements_.size()); }
  [[nodiscard]] std::size_t tiles() const;
  [[nodiscard]] Argument array() const;
  [[nodiscard]] std::size_t slab() const;
  // Of elements: kernels move them as `words()` units of so many bytes.
  [[nodiscard]] std::size_t unit() const { return cdm::mergeUnit(elemSize_); }
  [[nodiscard]] std::uint32_t words() const { return static_cast<std::uint32_t>(elemSize_ / unit()); }
  Result<Argument> scratch(Use use, std::size_t bytes) { return scratch(number_, use, bytes); }
  Result<Argument> scratch(std::size_t number, Use use, std::size_t bytes);
  // `table` must not change before waitForSources(), or until the device is done.
  Result<Argument> send(std::size_t number, Use use, const std::vector<std::uint32_t>& table);
  Result<Argument> input(Use use, std::span<const std::byte> bytes);
  Result<Argument> output(Use use, std::span<std::byte> bytes);
  Status copyTwin(bool back);
  Status fill();
  Status gatherTiles(std::size_t from, std::size_t to, const Argument& bitmap, const Argument& offsets);
  Status run(const cdm::KernelCode& code, std::int64_t lo, std::int64_t hi, std::span<const Argument> arrays,
             std::span<const void* const> scalars);
  Status emulate(const cdm::KernelCode& code, std::int64_t lo, std::int64_t hi, std::span<const Argument> arrays,
                 std::span<const void* const> scalars);

  MergeBuffers& buffers_;
  std::size_t number_;
  Window window_;
  std::uint32_t elemSize_;
  IntervalSet elements_;
  std::int64_t base_;
  Combination combination_;
  std::vector<std::uint32_t> table_;
  Argument tableOnDevice_, twin_;
  std::byte identity_[16] = {};
  std::vector<std::uint32_t> counts_;  // per tile, then where each tile's changes begin
  cdm::Event counted_ = 0;
  cdm::Bytes values_;
  Changes changes_;
  std::deque<std::vector<std::uint32_t>> pairs_;
  std::vector<cdm::Event> written_;  // the tables
  std::deque<Compared> compared_;
};

}  // namespace muster::cap
