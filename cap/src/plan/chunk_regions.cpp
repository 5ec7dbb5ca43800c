// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions of chunks.
#include "plan/chunk_regions.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace muster::cap {

namespace {

// Up to so many rows of a chunk stay apart, of all chunks together not many more than the second number: more of them
// would only make states and copy lists long, and plans slow.
constexpr std::size_t fewRows = 16, fewRowsTogether = 2048;
// No chunk has more rows than this, all chunks together not many more than that: beyond, plans cost more than they
// save.
constexpr std::size_t mostRows = 65536, mostRowsTogether = std::size_t{1} << 20;

// Times any iteration, and added to any element, it fits into Wide.
constexpr Wide largestStride = Wide{1} << 62;

bool dependsOnFirst(const AffineForm& form) { return !form.coefficients.empty() && form.coefficients.front() != 0; }

bool dependsOnFirst(const InnerVariable& variable) {
  return dependsOnFirst(variable.smallest) || dependsOnFirst(variable.largest);
}

auto touchesOf(const Access& access) { return std::tie(access.array, access.mode, access.conditional); }

// Accesses that follow more variables come first: what others read is often a part of theirs.
std::ptrdiff_t fixedVariables(const Access& access) {
  return std::count(access.index.coefficients.begin(), access.index.coefficients.end(), 0);
}

// Does `next` touch the same elements as an access to `width` elements from `first` on, or the one behind them?
bool joins(const Access& first, std::int64_t width, const Access& next) {
  return !first.unbounded && !next.unbounded && touchesOf(first) == touchesOf(next) &&
         first.index.coefficients == next.index.coefficients &&
         Wide{next.index.constant} - first.index.constant <= width;
}

}  // namespace

ChunkRegions::ChunkRegions(const LaunchSpec& spec, std::size_t chunks)
    : spec_(spec),
      fewRows_(std::clamp(fewRowsTogether / chunks, std::size_t{1}, fewRows)),
      maxIntervals_(std::clamp(mostRowsTogether / chunks, fewRows, mostRows)),
      loose_(spec.arrays.size()) {
  const bool moving = std::none_of(spec.space.inner.begin(), spec.space.inner.end(),
                                   [](const InnerVariable& variable) { return dependsOnFirst(variable); });
  std::vector<const Access*> sorted;
  sorted.reserve(spec.accesses.size());
  for (const Access& access : spec.accesses) sorted.push_back(&access);
  const auto keyOf = [](const Access* access) {
    return std::tuple(access->unbounded, fixedVariables(*access), std::tie(access->index.coefficients),
                      touchesOf(*access), access->index.constant);
  };
  std::sort(sorted.begin(), sorted.end(), [&](const Access* a, const Access* b) { return keyOf(a) < keyOf(b); });
  accesses_.reserve(sorted.size());
  for (const Access* access : sorted) {
    if (!accesses_.empty() && joins(*accesses_.back().access, accesses_.back().width, *access)) {
      Entry& before = accesses_.back();
      before.width = std::max(before.width, access->index.constant - before.access->index.constant + 1);
      continue;
    }
    Entry entry;
    entry.access = access;
    if (dependsOnFirst(access->index) && !spec.space.dims.empty())
      entry.stride = Wide{access->index.coefficients.front()} * spec.space.dims.front().step;
    entry.moving = moving && std::max(entry.stride, -entry.stride) <= largestStride;
    accesses_.push_back(entry);
  }
}

// What others compute, too, is only read for.
Interval ChunkRegions::iterationsOf(const Entry& entry, const Chunk& chunk) const {
  const Interval own{chunk.lo, chunk.hi};
  if (spec_.margin == 0 || entry.access->mode != AccessMode::read) return own;
  return Interval{own.lo - spec_.margin, own.hi + spec_.margin}.intersect({0, spec_.space.dims.front().count});
}

Shape& ChunkRegions::shapeOf(const Entry& entry, const Interval& iterations) {
  const Access& access = *entry.access;
  const ArrayUse& use = spec_.arrays[access.array];
  const bool alike = solved_ != nullptr && solved_->width == entry.width && solvedFor_ == iterations &&
                     !access.unbounded && !solved_->access->unbounded &&
                     solved_->access->index.coefficients == access.index.coefficients;
  Shape* shape = alike ? solver_.solveAlike(access, use.offset, use.count) : nullptr;
  if (shape != nullptr) return *shape;
  solved_ = &entry;
  solvedFor_ = iterations;
  return solver_.solve(access, spec_.space, iterations.lo, iterations.hi, use.offset, use.count, entry.width);
}

// One by one, where they have different lengths. Else the shape tells all, with gaps filled in if they are many.
std::optional<AccessRegion> ChunkRegions::rowsOf(const Access& access, Shape& shape, Detail detail) {
  const ArrayUse& use = spec_.arrays[access.array];
  const auto rowByRow = [&](std::size_t most) {
    return solver_.rowByRow(access, spec_.space, use.offset, use.count, most);
  };
  const std::size_t kept = detail == Detail::fine ? maxIntervals_ : fewRows_;
  if (std::optional<AccessRegion> rows = rowByRow(kept)) return rows;
  if (shape.kind == Shape::Kind::rows && shape.rowCount > static_cast<Wide>(kept)) {
    if (shape.fillSmallGaps() || shape.varying) loose_[access.array] = true;
    // Rows that stay apart although there are many may as well be the right ones.
    if (shape.varying && shape.rowCount > 1) return rowByRow(maxIntervals_);
  }
  return std::nullopt;
}

template <class Elements>
void ChunkRegions::note(Chunk& chunk, const Access& access, Elements&& elements, bool exact) {
  if (access.mode == AccessMode::update) chunk.reads[access.array].add(elements);
  IntervalSet& into = access.mode == AccessMode::read ? chunk.reads[access.array]
                      : exact                         ? surely_[access.array]
                                                      : perhaps_[access.array];
  if (into.empty()) {
    into = IntervalSet(std::forward<Elements>(elements));
  } else {
    into.add(elements);
  }
}

ChunkRegions::Known& ChunkRegions::knownOf(Entry& entry, const Interval& iterations) {
  const auto hash = static_cast<std::uint64_t>(iterations.size()) * std::uint64_t{0x9e3779b97f4a7c15};
  static_assert(std::tuple_size_v<decltype(entry.known)> == 32);
  return entry.known[hash >> 59];
}

bool ChunkRegions::addKnown(Chunk& chunk, Entry& entry, const Interval& iterations, Detail detail) {
  const Known& known = knownOf(entry, iterations);
  if (known.iterations != iterations.size() || known.detail != detail) return false;
  const Wide by = entry.stride * iterations.lo;
  const Interval moved{static_cast<std::int64_t>(known.first + by), static_cast<std::int64_t>(known.end + by)};
  if (moved.lo != known.first + by || moved.hi != known.end + by) return false;
  const Interval whole{0, spec_.arrays[entry.access->array].count};
  note(chunk, *entry.access, moved.intersect(whole), known.exact && whole.contains(moved));
  return true;
}

void ChunkRegions::add(Chunk& chunk, Entry& entry, Detail detail) {
  const Access& access = *entry.access;
  const std::int64_t count = spec_.arrays[access.array].count;
  const auto isRead = [&](const Interval& elements) {
    return access.mode == AccessMode::read && !elements.empty() && chunk.reads[access.array].contains(elements);
  };
  const Interval iterations = iterationsOf(entry, chunk);
  if (isRead({0, count}) || addKnown(chunk, entry, iterations, detail)) return;
  Shape& shape = shapeOf(entry, iterations);
  if (isRead(shape.hull)) return;
  std::optional<AccessRegion> region = rowsOf(access, shape, detail);
  if (!region && shape.isInterval(maxIntervals_)) {
    if (entry.moving && shape.kind == Shape::Kind::rows && !shape.varying && !shape.hull.empty()) {
      const Wide by = entry.stride * iterations.lo;
      knownOf(entry, iterations) = {iterations.size(), detail, shape.exact && shape.rowCount == 1, shape.first - by,
                                    shape.end - by};
    }
    note(chunk, access, shape.hull, shape.exactInterval());
    return;
  }
  if (!region) region = expand(shape, count, maxIntervals_);
  note(chunk, access, std::move(region->elements), region->exact);
}

// From what is surely and perhaps written to the chunk's sets.
void ChunkRegions::settle(Chunk& chunk, std::size_t parameter) {
  chunk.writes[parameter] = std::move(surely_[parameter]);
  surely_[parameter] = {};
  IntervalSet& perhaps = perhaps_[parameter];
  if (!perhaps.empty()) {
    // What this chunk surely writes needs no valid data, even if another of its writes is not sure.
    IntervalSet unsure = perhaps;
    unsure.subtract(chunk.writes[parameter]);
    chunk.reads[parameter].add(unsure);
    chunk.writes[parameter].add(perhaps);
    perhaps = {};
  }
  chunk.windows[parameter] = chunk.reads[parameter].hull().hull(chunk.writes[parameter].hull());
}

void ChunkRegions::fill(Chunk& chunk) {
  const std::size_t parameters = spec_.arrays.size();
  chunk.reads = std::vector<IntervalSet>(parameters);
  chunk.writes = std::vector<IntervalSet>(parameters);
  chunk.windows = std::vector<Interval>(parameters);
  surely_.resize(parameters);
  perhaps_.resize(parameters);
  solved_ = nullptr;
  for (Entry& entry : accesses_) add(chunk, entry, Detail::coarse);
  for (std::size_t p = 0; p < parameters; ++p) settle(chunk, p);
}

bool ChunkRegions::loose(const ArrayGroup& array) const {
  return std::any_of(array.parameters.begin(), array.parameters.end(), [this](std::uint16_t p) { return loose_[p]; });
}

void ChunkRegions::refill(Chunk& chunk, const ArrayGroup& array, Detail detail) {
  for (const std::uint16_t parameter : array.parameters) chunk.reads[parameter] = {};
  solved_ = nullptr;
  for (Entry& entry : accesses_) {
    if (std::binary_search(array.parameters.begin(), array.parameters.end(), entry.access->array))
      add(chunk, entry, detail);
  }
  for (const std::uint16_t parameter : array.parameters) settle(chunk, parameter);
}

}  // namespace muster::cap
