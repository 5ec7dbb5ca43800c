// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of the simulation that merges copies (docs/architecture.md, Writes that are not exact, and merges), and
// proof that it notices wrong merges.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "simulation.h"

namespace muster::cap::testing {

namespace {

std::size_t position(std::int64_t element) { return static_cast<std::size_t>(element); }

std::string at(std::uint32_t array, std::int64_t element) {
  return "array " + std::to_string(array) + " element " + std::to_string(element);
}

std::int64_t wrapped(std::uint64_t value) { return static_cast<std::int64_t>(value); }

bool contains(const IntervalSet& set, std::int64_t element) { return set.contains({element, element + 1}); }

IntervalSet unionOf(const LaunchSpec& spec, std::uint32_t array, const std::vector<IntervalSet>& sets) {
  IntervalSet all;
  for (std::size_t p = 0; p < spec.arrays.size(); ++p) {
    if (spec.arrays[p].array == array) all.add(sets[p]);
  }
  return all;
}

const Merge* mergeOf(const Plan& plan, std::uint32_t array) {
  const auto merge =
      std::find_if(plan.merges.begin(), plan.merges.end(), [&](const Merge& m) { return m.array == array; });
  return merge == plan.merges.end() ? nullptr : &*merge;
}

// Every access to the array, as the contract of Merge describes them.
struct Uses {
  bool atomic = true, ordered = false, partial = false, updated = false, otherwise = false;
  std::optional<UpdateOp> op;
  std::uint16_t parameter = UINT16_MAX;

  Uses(const LaunchSpec& spec, std::uint32_t array) {
    for (const Access& access : spec.accesses) {
      if (spec.arrays[access.array].array != array) continue;
      ordered |= access.ordered;
      partial |= access.partial;
      if (access.mode == AccessMode::update) {
        updated = true;
        otherwise |= op.has_value() && *op != access.op;
        op = access.op;
      } else {
        otherwise = true;
      }
      if (access.mode == AccessMode::write) atomic &= access.atomic;
      if (access.mode != AccessMode::read) parameter = std::min(parameter, access.array);
    }
  }
  [[nodiscard]] bool accumulate() const { return updated && !otherwise; }
  [[nodiscard]] bool turns() const { return ordered || (updated && otherwise); }
};

}  // namespace

std::int64_t updated(UpdateOp op, std::int64_t old, std::int64_t operand) {
  switch (op) {
    case UpdateOp::add:
      return wrapped(static_cast<std::uint64_t>(old) + static_cast<std::uint64_t>(operand));
    case UpdateOp::mul:
      return wrapped(static_cast<std::uint64_t>(old) * static_cast<std::uint64_t>(operand));
    case UpdateOp::bitAnd:
      return old & operand;
    case UpdateOp::bitOr:
      return old | operand;
    case UpdateOp::bitXor:
      return old ^ operand;
    case UpdateOp::logAnd:
      return operand != 0 ? old : 0;
    case UpdateOp::logOr:
      return old != 0 || operand == 0 ? old : 1;
    case UpdateOp::min:
      return std::min(old, operand);
    case UpdateOp::max:
      return std::max(old, operand);
  }
  return old;
}

std::int64_t identityOf(UpdateOp op) {
  switch (op) {
    case UpdateOp::mul:
    case UpdateOp::logAnd:
      return 1;
    case UpdateOp::bitAnd:
      return -1;
    case UpdateOp::min:
      return INT64_MAX;
    case UpdateOp::max:
      return INT64_MIN;
    default:
      return 0;
  }
}

// Merges are of arrays of the launch, their parts what at least two chunks may write, and what remains of each chunk's
// writes is its own.
std::string Simulation::checkMerges(const LaunchSpec& spec, const Plan& plan) const {
  for (std::size_t m = 1; m < plan.merges.size(); ++m) {
    if (plan.merges[m - 1].array >= plan.merges[m].array) return "merges are not by array";
  }
  for (const ArrayUse& use : spec.arrays) {
    const Merge* merge = mergeOf(plan, use.array);
    std::map<std::size_t, IntervalSet> parts;
    if (merge != nullptr) {
      const Uses uses(spec, use.array);
      if (uses.partial) return "a merge of parts of elements";
      if (merge->accumulate != uses.accumulate() || merge->atomic != uses.atomic) return "a merge of the wrong kind";
      if (merge->accumulate && merge->op != *uses.op) return "a merge with the wrong operation";
      if (merge->parameter != uses.parameter || merge->elemSize != use.elemSize) return "a merge with wrong numbers";
      for (const Merge::Part& part : merge->parts) parts[part.chunk] = part.elements;
      if (parts.size() != merge->parts.size() || parts.size() < 2) return "too few parts, or two of one chunk";
      if (parts.rbegin()->first != merge->parts.back().chunk) return "parts are not by chunk";
    }
    IntervalSet alone, once, twice;
    for (std::size_t c = 0; c < plan.chunks.size(); ++c) {
      const IntervalSet& part = parts[c];
      IntervalSet own = unionOf(spec, use.array, plan.chunks[c].writes);
      if (own.intersect(part) != part) return "a part that its chunk does not write";
      if (unionOf(spec, use.array, plan.chunks[c].reads).intersect(part) != part) return "a part that is not read";
      own.subtract(part);
      if (alone.overlaps(own) || once.overlaps(own)) return "two chunks may write elements of no part";
      alone.add(own);
      twice.add(once.intersect(part));
      once.add(part);
    }
    if (once != twice || once.overlaps(alone)) return "elements of one part alone";
  }
  return {};
}

std::string Simulation::checkSharing(const LaunchSpec& spec, const Plan& plan, const Touches& touches) const {
  struct Record {
    std::size_t chunk = 0;
    bool written = false, shared = false;
  };
  std::map<std::uint32_t, Uses> uses;
  for (const ArrayUse& use : spec.arrays) uses.emplace(use.array, Uses(spec, use.array));
  std::map<std::pair<std::uint32_t, std::int64_t>, Record> records;
  for (std::size_t c = 0; c < touches.size(); ++c) {
    for (const Touch& touch : touches[c]) {
      const bool turns = uses.at(touch.array).turns();
      const bool write = touch.access->mode != AccessMode::read;
      if (!write && !turns) continue;
      const auto [place, isNew] = records.try_emplace({touch.array, touch.element}, Record{c, write, false});
      Record& record = place->second;
      record.shared |= record.chunk != c;
      record.written |= write;
      if (!record.shared || !record.written) continue;
      if (turns || uses.at(touch.array).partial) return "chunks do not take turns at " + at(touch.array, touch.element);
      const Merge* merge = mergeOf(plan, touch.array);
      if (merge == nullptr) return "two chunks write " + at(touch.array, touch.element);
      for (const std::size_t chunk : {record.chunk, c}) {
        if (std::none_of(merge->parts.begin(), merge->parts.end(), [&](const Merge::Part& part) {
              return part.chunk == chunk && contains(part.elements, touch.element);
            })) {
          return "a part lacks " + at(touch.array, touch.element);
        }
      }
    }
  }
  return {};
}

std::string Simulation::runAndMerge(const Plan& plan, const std::vector<Chunk>& chunks, const Touches& touches) {
  struct Copy {
    std::size_t chunk = 0;
    std::int64_t twin = 0;
  };
  std::map<const Merge*, std::map<std::int64_t, std::vector<Copy>>> copies;
  for (const Merge& merge : plan.merges) {
    for (const Merge::Part& part : merge.parts) {
      Values& data = memory(merge.array, chunks[part.chunk].memory);
      for (const Interval& interval : part.elements) {
        for (std::int64_t e = interval.lo; e < interval.hi; ++e) {
          if (data[position(e)] != arrays_.at(merge.array).newest[position(e)])
            return "an old twin: " + at(merge.array, e);
          copies[&merge][e].push_back({part.chunk, data[position(e)]});
          if (merge.accumulate) data[position(e)] = identityOf(merge.op);
        }
      }
    }
  }
  for (std::size_t c = 0; c < chunks.size(); ++c) run(touches[c], chunks[c].memory);
  for (const auto& [merge, elements] : copies) {
    for (const auto& [e, ofChunks] : elements) {
      std::int64_t value = ofChunks.front().twin;
      for (const Copy& copy : ofChunks) {
        const std::int64_t now = memory(merge->array, chunks[copy.chunk].memory)[position(e)];
        if (merge->accumulate) {
          value = updated(merge->op, value, now);
        } else if (now != copy.twin) {
          value = now;
        }
      }
      for (const Copy& copy : ofChunks) memory(merge->array, chunks[copy.chunk].memory)[position(e)] = value;
    }
  }
  return {};
}

class SimulationOfMerges : public ::testing::Test {
 protected:
  SimulationOfMerges() {
    simulation_.create(0, 12, 0);
    spec_.space.dims = {loop(0, 10)};
    spec_.arrays = {{0, 0, 12, 8}};
  }

  Plan plan() { return makePlan(spec_, devices_, simulation_.states(spec_)); }
  std::string run(const Plan& plan) { return simulation_.launch(spec_, devices_, plan); }

  Simulation simulation_{1};
  LaunchSpec spec_;
  std::vector<DeviceSlot> devices_{{0, 0, 1}, {1, 1, 1}, {2, 2, 1}};
};

TEST_F(SimulationOfMerges, AcceptsGoodPlans) {
  spec_.accesses = {write(0, {1}), write(0, {1}, 1)};
  ASSERT_EQ(plan().merges.size(), 1u);
  EXPECT_EQ(run(plan()), "");
  spec_.accesses = {unbounded(AccessMode::update, 0)};
  for (int op = 0; op <= static_cast<int>(UpdateOp::max); ++op) {
    spec_.accesses[0].op = static_cast<UpdateOp>(op);
    EXPECT_TRUE(plan().merges.at(0).accumulate);
    EXPECT_EQ(run(plan()), "") << op;
  }
}

TEST_F(SimulationOfMerges, SeesAMissingMerge) {
  spec_.accesses = {unbounded(AccessMode::write, 0)};
  Plan wrong = plan();
  wrong.merges.clear();
  EXPECT_EQ(run(wrong), "two chunks may write elements of no part");
}

TEST_F(SimulationOfMerges, SeesASmallPart) {
  spec_.accesses = {write(0, {1}), write(0, {1}, 1)};
  Plan wrong = plan();
  wrong.merges.at(0).parts.pop_back();
  EXPECT_NE(run(wrong), "");
}

TEST_F(SimulationOfMerges, SeesAMissingOldValue) {
  spec_.accesses = {unbounded(AccessMode::update, 0)};
  Plan wrong = plan();
  wrong.copies.pop_back();
  EXPECT_NE(run(wrong), "");
}

TEST_F(SimulationOfMerges, SeesAWrongKind) {
  spec_.accesses = {unbounded(AccessMode::update, 0)};
  Plan wrong = plan();
  wrong.merges.at(0).accumulate = false;
  EXPECT_EQ(run(wrong), "a merge of the wrong kind");
}

TEST_F(SimulationOfMerges, SeesAWrongState) {
  spec_.accesses = {write(0, {1}), write(0, {1}, 1)};
  Plan wrong = plan();
  wrong.next[0].second = std::make_shared<const ArrayState>(12, 1);
  EXPECT_EQ(run(wrong).find("a holder of an old value"), 0u);
}

TEST_F(SimulationOfMerges, SeesUpdatesThatDoNotTakeTurns) {
  spec_.accesses = {access(AccessMode::update, 0, {}, 3)};
  const Plan wrong = plan();
  spec_.accesses[0].ordered = true;
  EXPECT_EQ(run(wrong).find("chunks do not take turns"), 0u);
}

}  // namespace muster::cap::testing
