// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conformance: the merge kernels, against loops over the same numbered elements.
#include <cstring>
#include <numeric>
#include <random>

#include "conformance.h"
#include "kernels/identity.h"
#include "muster/cdm/merge_kernels.h"

namespace muster::cdm::test {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Words = std::vector<std::uint32_t>;

struct Interval {
  std::uint32_t lo, hi;
};

// Numbered elements of an array whose copy begins at element `origin`.
struct Layout {
  std::string name;
  std::uint32_t origin, count;  // the copy: elements [origin, origin + count)
  std::vector<Interval> intervals;

  [[nodiscard]] Words elements() const {
    Words all;
    for (const auto& [lo, hi] : intervals)
      for (std::uint32_t e = lo; e < hi; ++e) all.push_back(e);
    return all;
  }
  [[nodiscard]] Words table() const {
    Words all;
    std::uint32_t position = 0;
    for (const auto& [lo, hi] : intervals) {
      all.insert(all.end(), {position, lo});
      position += hi - lo;
    }
    return all;
  }
};

std::vector<Layout> layouts() {
  Layout many{"many", 7, 9000, {}};
  for (std::uint32_t at = 9; at + 40 < 9000; at += 1 + at % 37) {
    many.intervals.push_back({at, at + 1 + at % 13});
    at += 1 + at % 13;
  }
  return {{"one", 0, 1, {{0, 1}}},
          {"whole", 0, 2000, {{0, 2000}}},
          {"large", 0, 70001, {{0, 70001}}},
          {"two", 1000, 700, {{1000, 1100}, {1650, 1700}}},
          many};
}

Bytes randomBytes(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  Bytes bytes(size);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

// Which of n positions change: none, few, every other tile, many, all.
std::vector<bool> pattern(int which, std::size_t n) {
  std::vector<bool> changed(n);
  for (std::size_t p = 0; p < n; ++p)
    changed[p] = which == 1   ? p % 311 == 7 || p + 1 == n
                 : which == 2 ? p / 256 % 2 == 0
                 : which == 3 ? p % 3 != 0
                              : which == 4;
  return changed;
}

class MergeRun {
 public:
  MergeRun(Conformance& test, const Layout& layout, std::uint32_t elemSize)
      : test_(test),
        layout_(layout),
        elemSize_(elemSize),
        unit_(mergeUnit(elemSize)),
        elements_(layout.elements()),
        table_(test.bufferOf(layout.table())) {}

  void check(int which) {
    const Bytes before = randomBytes(std::size_t{layout_.count} * elemSize_, 1);
    Bytes now = before;
    const std::vector<bool> changed = pattern(which, elements_.size());
    Words expected;
    for (std::uint32_t p = 0; p < elements_.size(); ++p) {
      if (!changed[p]) continue;
      now[at(p) + p % elemSize_] ^= static_cast<std::uint8_t>(1 + p % 255);  // one byte anywhere in the element
      expected.push_back(p);
    }
    const BufferId array = test_.bufferOf(now), twin = test_.bufferOf(numbered(before));
    const BufferId bitmap = test_.allocate(tiles() * 32), counts = test_.allocate(tiles() * 4);
    const std::uint32_t intervals = static_cast<std::uint32_t>(layout_.intervals.size()), n = size(),
                        words = wordsEach();
    test_.expectRuns(test_.launch1(kernel(MergeKernel::find), whole(), 0, whole().count,
                                   {here(array), {twin, 0}, {table_, 0}, {bitmap, 0}}, {&intervals, &words, &n}));
    gatherAndCompare(array, bitmap, counts, expected, now);
    applyAndCompare(before, expected, now);
  }

  // Fills the numbered elements with a value, changes some, and finds them.
  void checkValue(int which) {
    const Bytes before = randomBytes(std::size_t{layout_.count} * elemSize_, 2), value = randomBytes(elemSize_, 3);
    const BufferId array = test_.bufferOf(before);
    const std::uint32_t intervals = static_cast<std::uint32_t>(layout_.intervals.size()), n = size();
    test_.expectRuns(test_.launch1(kernel(MergeKernel::fill), {0, 1, n}, 0, n, {here(array), {table_, 0}},
                                   {&intervals, value.data()}));
    Bytes now = before;
    for (std::uint32_t p = 0; p < n; ++p) std::memcpy(&now[at(p)], value.data(), elemSize_);
    ASSERT_EQ(test_.contents<std::uint8_t>(array, now.size()), now);
    const std::vector<bool> changed = pattern(which, n);
    Words expected;
    for (std::uint32_t p = 0; p < n; ++p) {
      if (!changed[p]) continue;
      now[at(p) + p % elemSize_] ^= 0x80;
      expected.push_back(p);
    }
    test_.write(array, now);
    const BufferId bitmap = test_.allocate(tiles() * 32), counts = test_.allocate(tiles() * 4);
    test_.expectRuns(test_.launch1(kernel(MergeKernel::findValue), whole(), 0, whole().count,
                                   {here(array), {table_, 0}, {bitmap, 0}}, {&intervals, &n, value.data()}));
    gatherAndCompare(array, bitmap, counts, expected, now);
  }

  // What this copy changed and what another one did; `over`: the other one's counts where both did.
  void checkJoin(int which, int others, bool over) {
    const Bytes before = randomBytes(std::size_t{layout_.count} * elemSize_, 4);
    Bytes now = before, values = before;
    const std::vector<bool> mine = pattern(which, elements_.size()), theirs = pattern(others, elements_.size());
    for (std::uint32_t p = 0; p < size(); ++p) {
      if (mine[p]) now[at(p) + p % elemSize_] ^= static_cast<std::uint8_t>(1 + p % 255);
      if (theirs[p]) values[at(p) + p % elemSize_] ^= static_cast<std::uint8_t>(1 + p % 7);
    }
    Bytes expected = now;
    Words clashes{0, UINT32_MAX};
    for (std::uint32_t p = 0; p < size(); ++p) {
      if (p % 3 == 1) continue;  // not one of the pairs
      if (theirs[p] && (over || !mine[p])) std::memcpy(&expected[at(p)], &values[at(p)], elemSize_);
      if (!mine[p] || !theirs[p] || std::memcmp(&now[at(p)], &values[at(p)], elemSize_) == 0) continue;
      if (clashes[0]++ == 0) clashes[1] = elements_[p];
    }
    const Words pairs = somePairs();
    if (pairs.empty()) return;
    const std::uint32_t intervals = static_cast<std::uint32_t>(pairs.size() / 3), words = wordsEach(), flag = over;
    const auto count = static_cast<std::int64_t>(pairs[pairs.size() - 3] + 1);
    const BufferId array = test_.bufferOf(now), twin = test_.bufferOf(numbered(before)), other = test_.bufferOf(values),
                   table = test_.bufferOf(pairs), found = test_.bufferOf(Words{0, UINT32_MAX});
    test_.expectRuns(test_.launch1(kernel(MergeKernel::clash), {0, 1, count}, 0, count,
                                   {here(array), {twin, 0}, here(other), {table, 0}, {found, 0}},
                                   {&intervals, &words}));
    ASSERT_EQ(test_.contents<std::uint32_t>(found, 2), clashes) << layout_.name << ", " << elemSize_ << " bytes";
    test_.expectRuns(test_.launch1(kernel(MergeKernel::join), {0, 1, count}, 0, count,
                                   {here(array), {twin, 0}, here(other), {table, 0}}, {&intervals, &words, &flag}));
    ASSERT_EQ(test_.contents<std::uint8_t>(array, now.size()), expected) << layout_.name << ", " << elemSize_;
  }

 private:
  // Every third position is left out, so that there are many short intervals.
  [[nodiscard]] Words somePairs() const {
    Words pairs;
    std::uint32_t position = 0;
    for (std::uint32_t p = 0; p < size(); ++p) {
      if (p % 3 != 1) pairs.insert(pairs.end(), {position++, elements_[p], p});
    }
    return pairs;
  }
  [[nodiscard]] const KernelCode& kernel(MergeKernel which) const { return mergeKernel(which, unit_); }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(elements_.size()); }
  [[nodiscard]] std::uint32_t wordsEach() const { return elemSize_ / static_cast<std::uint32_t>(unit_); }
  [[nodiscard]] std::size_t tiles() const { return (elements_.size() + mergeTile - 1) / mergeTile; }
  [[nodiscard]] muster_dim whole() const { return {0, 1, static_cast<std::int64_t>(tiles()) * mergeTile}; }
  [[nodiscard]] std::size_t at(std::uint32_t p) const { return std::size_t{elements_[p] - layout_.origin} * elemSize_; }
  [[nodiscard]] ArrayArg here(BufferId array) const {
    return {array, -static_cast<std::int64_t>(layout_.origin) * elemSize_};
  }
  [[nodiscard]] Bytes numbered(const Bytes& copy) const {
    Bytes values;
    for (std::uint32_t p = 0; p < size(); ++p) values.insert(values.end(), &copy[at(p)], &copy[at(p)] + elemSize_);
    return values;
  }

  // Gathers in two halves, as for lists that are larger than what a device has room for.
  void gatherAndCompare(BufferId array, BufferId bitmap, BufferId counts, const Words& expected, const Bytes& now) {
    const auto count = static_cast<std::int64_t>(tiles());
    test_.expectRuns(
        test_.launch1(mergeKernel(MergeKernel::count, 4), {0, 1, count}, 0, count, {{bitmap, 0}, {counts, 0}}));
    Words offsets = test_.contents<std::uint32_t>(counts, tiles());
    std::uint32_t total = 0;
    for (auto& offset : offsets) offset = std::exchange(total, total + offset);
    ASSERT_EQ(total, expected.size()) << layout_.name << ", " << elemSize_ << " bytes";
    if (total == 0) return;
    test_.write(counts, offsets);
    const BufferId positions = test_.allocate(total * 4), values = test_.allocate(std::size_t{total} * elemSize_);
    const std::int64_t middle = count / 2;
    for (const auto& [lo, hi] : {std::pair(std::int64_t{0}, middle), std::pair(middle, count)}) {
      if (lo == hi) continue;
      const std::uint32_t first = offsets[static_cast<std::size_t>(lo)], words = wordsEach();
      const std::uint32_t intervals = static_cast<std::uint32_t>(layout_.intervals.size());
      test_.expectRuns(test_.launch1(kernel(MergeKernel::gather), whole(), lo * mergeTile, hi * mergeTile,
                                     {here(array),
                                      {table_, 0},
                                      {bitmap, 0},
                                      {counts, 0},
                                      {positions, static_cast<std::int64_t>(first) * 4},
                                      {values, static_cast<std::int64_t>(first) * elemSize_}},
                                     {&intervals, &words, &first}));
    }
    ASSERT_EQ(test_.contents<std::uint32_t>(positions, total), expected) << layout_.name << ", " << elemSize_;
    const Bytes found = test_.contents<std::uint8_t>(values, std::size_t{total} * elemSize_);
    for (std::uint32_t k = 0; k < total; ++k)
      ASSERT_EQ(std::memcmp(&found[std::size_t{k} * elemSize_], &now[at(expected[k])], elemSize_), 0)
          << layout_.name << ", " << elemSize_ << " bytes, position " << expected[k];
  }

  void applyAndCompare(const Bytes& before, const Words& changed, const Bytes& now) {
    if (changed.empty()) return;
    Words positions;
    Bytes values;
    for (const std::uint32_t p : changed) {
      positions.push_back(elements_[p]);
      values.insert(values.end(), &now[at(p)], &now[at(p)] + elemSize_);
    }
    const BufferId array = test_.bufferOf(before);
    const std::uint32_t words = wordsEach();
    const auto count = static_cast<std::int64_t>(changed.size());
    test_.expectRuns(test_.launch1(kernel(MergeKernel::apply), {0, 1, count}, 0, count,
                                   {here(array), {test_.bufferOf(positions), 0}, {test_.bufferOf(values), 0}},
                                   {&words}));
    ASSERT_EQ(test_.contents<std::uint8_t>(array, now.size()), now) << layout_.name << ", " << elemSize_ << " bytes";
  }

  Conformance& test_;
  const Layout& layout_;
  std::uint32_t elemSize_;
  std::size_t unit_;
  Words elements_;
  BufferId table_;
};

TEST_P(Conformance, MergeFindsGathersAndAppliesChanges) {
  for (const Layout& layout : layouts())
    for (const std::uint32_t elemSize : {1u, 2u, 3u, 4u, 6u, 8u, 12u, 16u, 40u})
      for (int which = 0; which <= 4; ++which) {
        MergeRun(*this, layout, elemSize).check(which);
        if (HasFatalFailure()) return;
      }
}

TEST_P(Conformance, MergeFillsWithAValueAndFindsWhatDiffersFromIt) {
  for (const Layout& layout : layouts())
    for (const std::uint32_t elemSize : {1u, 2u, 4u, 8u})
      for (int which = 0; which <= 4; ++which) {
        MergeRun(*this, layout, elemSize).checkValue(which);
        if (HasFatalFailure()) return;
      }
}

TEST_P(Conformance, MergeJoinsWhatTwoCopiesChanged) {
  for (const Layout& layout : layouts())
    for (const std::uint32_t elemSize : {1u, 2u, 4u, 8u, 12u})
      for (const auto& [which, others] : {std::pair(0, 4), std::pair(3, 0), std::pair(3, 1), std::pair(4, 4)})
        for (const bool over : {false, true}) {
          MergeRun(*this, layout, elemSize).checkJoin(which, others, over);
          if (HasFatalFailure()) return;
        }
}

constexpr ResultKind kOps[] = {ResultKind::add,   ResultKind::mul,    ResultKind::bitAnd,
                               ResultKind::bitOr, ResultKind::bitXor, ResultKind::logAnd,
                               ResultKind::logOr, ResultKind::min,    ResultKind::max};

// Two intervals, of which the second one begins with the identity: that changes nothing, not even zeros with a sign.
template <class T>
void checkCombine(Conformance& test, std::vector<Stored<T>> copy, std::vector<Stored<T>> values, ResultKind op,
                  T identity) {
  values.resize(copy.size(), Stored<T>(1));
  const Words pairs{0, 10, 0, 500, 1000, 0};
  values[1000] = static_cast<Stored<T>>(identity);
  if constexpr (std::is_floating_point_v<T>) copy[1000] = -T(0);
  std::vector<Stored<T>> expected = copy;
  for (std::size_t e = 10; e < 2000; e = e == 509 ? 1000 : e + 1) {
    if (std::memcmp(&values[e], &identity, sizeof identity) != 0)
      expected[e] = apply<T>(op, static_cast<T>(copy[e]), static_cast<T>(values[e]));
  }
  const BufferId array = test.bufferOf(copy);
  const std::uint32_t intervals = 2, number = static_cast<std::uint32_t>(op);
  test.expectRuns(test.launch1(*mergeCombineKernel(scalarType<T>()), {0, 1, 1500}, 0, 1500,
                               {{array, 0}, {test.bufferOf(values), 0}, {test.bufferOf(pairs), 0}},
                               {&intervals, &number, &identity}));
  const std::vector<Stored<T>> result = test.contents<Stored<T>>(array, copy.size());
  ASSERT_EQ(std::memcmp(result.data(), expected.data(), copy.size() * sizeof(T)), 0) << "operation " << number;
}

template <class T>
void checkUpdates(Conformance& test) {
  constexpr std::size_t count = 3000;
  std::mt19937 random(5);
  std::vector<Stored<T>> before(count), values(count / 2);
  Words positions(count);
  std::iota(positions.begin(), positions.end(), 100u);
  std::shuffle(positions.begin(), positions.end(), random);
  positions.resize(values.size());
  const auto any = [&] {
    const auto number = static_cast<int>(random() % 13) - 4;
    return std::is_same_v<T, bool> ? Stored<T>(number > 0) : static_cast<Stored<T>>(number);
  };
  for (auto& value : before) value = any();
  for (auto& value : values) value = any();
  const BufferId at = test.bufferOf(positions), with = test.bufferOf(values);
  for (const ResultKind op : kOps) {
    const bool bits = op == ResultKind::bitAnd || op == ResultKind::bitOr || op == ResultKind::bitXor;
    T identity{};
    const Status possible = writeUpdateIdentity(op, scalarType<T>(), &identity);
    ASSERT_EQ(possible.ok(), !(bits && std::is_floating_point_v<T>));
    if (!possible.ok()) continue;
    std::vector<Stored<T>> expected = before;
    for (std::size_t k = 0; k < values.size(); ++k) {
      auto& element = expected[positions[k] - 100];
      element = apply<T>(op, static_cast<T>(element), static_cast<T>(values[k]));
    }
    const BufferId array = test.bufferOf(before);
    const auto number = static_cast<std::uint32_t>(op);
    test.expectRuns(test.launch1(*mergeUpdateKernel(scalarType<T>()), {0, 1, static_cast<std::int64_t>(values.size())},
                                 0, static_cast<std::int64_t>(values.size()),
                                 {{array, -100 * static_cast<std::int64_t>(sizeof(T))}, {at, 0}, {with, 0}},
                                 {&number}));
    ASSERT_EQ(test.contents<Stored<T>>(array, count), expected) << "operation " << number;
    checkCombine(test, before, values, op, identity);
  }
}

#define MUSTER_MERGE_UPDATE(T, NAME) \
  TEST_P(Conformance, MergeUpdates##NAME) { checkUpdates<T>(*this); }
MUSTER_MERGE_UPDATE(bool, Bool)
MUSTER_MERGE_UPDATE(std::int8_t, I8)
MUSTER_MERGE_UPDATE(std::uint8_t, U8)
MUSTER_MERGE_UPDATE(std::int16_t, I16)
MUSTER_MERGE_UPDATE(std::uint16_t, U16)
MUSTER_MERGE_UPDATE(std::int32_t, I32)
MUSTER_MERGE_UPDATE(std::uint32_t, U32)
MUSTER_MERGE_UPDATE(std::int64_t, I64)
MUSTER_MERGE_UPDATE(std::uint64_t, U64)
MUSTER_MERGE_UPDATE(float, F32)
MUSTER_MERGE_UPDATE(double, F64)

}  // namespace
}  // namespace muster::cdm::test
