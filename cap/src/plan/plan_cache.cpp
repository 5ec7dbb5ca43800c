// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memo of plans. States are interned, so that a launch is looked up by its spec, its devices and the addresses of
// its states.
#include <algorithm>
#include <cstring>
#include <list>
#include <optional>
#include <unordered_map>
#include <utility>

#include "muster/cap/planner.h"
#include "state/hash.h"

namespace muster::cap {

namespace {

void addForm(Hash& hash, const AffineForm& form) {
  hash.add(form.coefficients.size());
  for (const std::int64_t c : form.coefficients) hash.add(static_cast<std::uint64_t>(c));
  hash.add(static_cast<std::uint64_t>(form.constant));
}

void addSpec(Hash& hash, const LaunchSpec& spec) {
  hash.add(spec.kernel);
  hash.add(spec.hostOnly ? 1 : 0);
  for (const Dim& dim : spec.space.dims) {
    hash.add(static_cast<std::uint64_t>(dim.first));
    hash.add(static_cast<std::uint64_t>(dim.step));
    hash.add(static_cast<std::uint64_t>(dim.count));
  }
  hash.add(static_cast<std::uint64_t>(spec.margin));
  if (spec.part) {
    hash.add(spec.part->device);
    hash.add(static_cast<std::uint64_t>(spec.part->iterations.lo));
    hash.add(static_cast<std::uint64_t>(spec.part->iterations.hi));
    hash.add(static_cast<std::uint64_t>(spec.part->grain));
  }
  for (const InnerVariable& variable : spec.space.inner) {
    addForm(hash, variable.smallest);
    addForm(hash, variable.largest);
    hash.add(static_cast<std::uint64_t>(variable.divisor));
  }
  for (const ArrayUse& use : spec.arrays) {
    hash.add(std::uint64_t{use.array} << 32 | use.elemSize);
    hash.add(static_cast<std::uint64_t>(use.offset));
    hash.add(static_cast<std::uint64_t>(use.count) << 1 | (use.absent ? 1 : 0));
  }
  for (const Access& access : spec.accesses) {
    hash.add(std::uint64_t{access.array} << 32 | (access.partial ? std::uint64_t{1} << 16 : 0) |
             std::uint64_t{static_cast<std::uint8_t>(access.op)} << 8 | static_cast<std::uint64_t>(access.mode) << 4 |
             (access.ordered ? 8u : 0u) | (access.atomic ? 4u : 0u) | (access.unbounded ? 2u : 0u) |
             (access.conditional ? 1u : 0u));
    addForm(hash, access.index);
  }
}

void addDevices(Hash& hash, const std::vector<DeviceSlot>& devices) {
  for (const DeviceSlot& slot : devices) {
    std::uint64_t weight = 0;
    static_assert(sizeof weight == sizeof slot.weight);
    std::memcpy(&weight, &slot.weight, sizeof weight);
    hash.add(std::uint64_t{slot.device} << 32 | slot.memory);
    hash.add(weight);
  }
}

std::size_t sizeOf(const IntervalSet& set) { return sizeof set + set.allocated(); }

std::size_t sizeOf(const ArrayState& state) { return sizeof state + state.allocated(); }

// Bytes, about, without the states.
std::size_t sizeOf(const Plan& plan) {
  std::size_t size = sizeof plan + plan.copies.size() * sizeof(Copy) + plan.spreads.size() * sizeof(Spread);
  for (const Chunk& chunk : plan.chunks) {
    size += sizeof chunk + chunk.windows.size() * sizeof(Interval);
    for (const IntervalSet& set : chunk.reads) size += sizeOf(set);
    for (const IntervalSet& set : chunk.writes) size += sizeOf(set);
  }
  for (const Merge& merge : plan.merges) {
    size += sizeof merge;
    for (const Merge::Part& part : merge.parts) size += sizeof part + sizeOf(part.elements);
  }
  return size + plan.next.size() * sizeof plan.next.front();
}

std::size_t sizeOf(const LaunchSpec& spec, const std::vector<DeviceSlot>& devices) {
  const std::size_t variables = spec.space.dims.size() + spec.space.inner.size();
  const std::size_t form = sizeof(AffineForm) + variables * sizeof(std::int64_t);
  return sizeof spec + spec.arrays.size() * sizeof(ArrayUse) + spec.accesses.size() * (sizeof(Access) + form) +
         spec.space.inner.size() * 2 * form + devices.size() * sizeof(DeviceSlot);
}

std::uint64_t hashOf(const LaunchSpec& spec) {
  Hash hash;
  addSpec(hash, spec);
  return hash.value();
}

const ArrayState* addressOf(const ArrayStateRef& state) { return state.get(); }
const ArrayState* addressOf(const ArrayState* state) { return state; }

// Of a launch. Remembered states are told apart by their addresses.
template <class States>
std::uint64_t hashOf(std::uint64_t spec, const std::vector<DeviceSlot>& devices, const States& states) {
  Hash hash;
  hash.add(spec);
  addDevices(hash, devices);
  for (const auto& state : states) hash.add(reinterpret_cast<std::uintptr_t>(addressOf(state)));
  return hash.value();
}

}  // namespace

SpecRef keepSpec(LaunchSpec spec) {
  const std::uint64_t hash = hashOf(spec);
  auto own = ownElements(spec);
  return std::make_shared<const KeptSpec>(KeptSpec{std::move(spec), hash, std::move(own)});
}

struct PlanCache::Impl {
  struct Entry {
    std::uint64_t hash = 0;
    SpecRef spec;
    std::vector<DeviceSlot> devices;
    std::vector<ArrayStateRef> states;  // interned
    PlanRef plan;
    std::size_t size = 0;
  };
  using Entries = std::list<Entry>;  // most recently used first

  std::size_t capacity = 0, mostBytes = 0;
  Entries entries;
  std::unordered_multimap<std::uint64_t, Entries::iterator> byHash;
  std::size_t totalSize = 0;
  std::size_t hits = 0, misses = 0;

  // Interned states live as long as a plan or a caller has them. By address: is it interned? By content: which one is
  // it?
  struct Known {
    std::weak_ptr<const ArrayState> state;
    std::size_t uses = 0;  // by plans that are remembered
  };
  std::unordered_map<const ArrayState*, Known> interned;
  std::unordered_multimap<std::uint64_t, std::weak_ptr<const ArrayState>> byContent;
  std::size_t sweepAt = 64;

  [[nodiscard]] bool isInterned(const ArrayStateRef& state) const {
    const auto known = interned.find(state.get());
    // The address alone proves nothing: its state may be gone, and another one live there.
    return known != interned.end() && !known->second.state.owner_before(state) &&
           !state.owner_before(known->second.state);
  }

  ArrayStateRef intern(ArrayStateRef state) {
    if (state == nullptr || isInterned(state)) return state;
    const std::uint64_t hash = state->hash();
    const auto [begin, end] = byContent.equal_range(hash);
    for (auto known = begin; known != end; ++known) {
      ArrayStateRef other = known->second.lock();
      if (other != nullptr && *other == *state) return other;
    }
    sweep();
    if (std::optional<ArrayState> packed = state->packed())
      state = std::make_shared<const ArrayState>(std::move(*packed));
    interned[state.get()] = {state, 0};
    byContent.emplace(hash, state);
    return state;
  }

  // Forgets states that nobody has any more, each time that their number has doubled.
  void sweep() {
    if (byContent.size() < sweepAt) return;
    std::erase_if(interned, [](const auto& entry) { return entry.second.state.expired(); });
    std::erase_if(byContent, [](const auto& entry) { return entry.second.expired(); });
    sweepAt = std::max<std::size_t>(64, 2 * byContent.size());
  }

  // A remembered plan keeps its states: what has the address of one is that one.
  template <class States>
  Entry* find(std::uint64_t hash, const LaunchSpec& spec, const std::vector<DeviceSlot>& devices,
              const States& states) {
    const auto sameStates = [&](const Entry& entry) {
      return std::equal(entry.states.begin(), entry.states.end(), states.begin(), states.end(),
                        [](const auto& a, const auto& b) { return addressOf(a) == addressOf(b); });
    };
    const auto sameSpec = [&](const Entry& entry) { return &entry.spec->spec == &spec || entry.spec->spec == spec; };
    const auto [begin, end] = byHash.equal_range(hash);
    for (auto candidate = begin; candidate != end; ++candidate) {
      const Entries::iterator entry = candidate->second;
      if (sameStates(*entry) && entry->devices == devices && sameSpec(*entry)) {
        entries.splice(entries.begin(), entries, entry);
        return &*entry;
      }
    }
    return nullptr;
  }

  // `keep`: gives the spec that is remembered with a new plan.
  template <class Keep>
  PlanRef launch(const LaunchSpec& spec, std::uint64_t specHash, const std::vector<DeviceSlot>& devices,
                 const std::vector<ArrayStateRef>& states, const Keep& keep) {
    std::vector<ArrayStateRef> internedStates;
    internedStates.reserve(states.size());
    for (const ArrayStateRef& state : states) internedStates.push_back(intern(state));
    const std::uint64_t hash = hashOf(specHash, devices, internedStates);
    if (const Entry* known = find(hash, spec, devices, internedStates)) {
      ++hits;
      return known->plan;
    }
    ++misses;
    auto plan = std::make_shared<Plan>(makePlan(spec, devices, internedStates));
    for (auto& [array, state] : plan->next) state = intern(std::move(state));
    insert({hash, keep(), devices, std::move(internedStates), plan, sizeOf(*plan) + sizeOf(spec, devices)});
    return plan;
  }

  // Of a remembered plan: calls change(known, state) for each state before and after it.
  template <class Change>
  void forEachState(const Entry& entry, Change change) {
    for (const ArrayStateRef& state : entry.states) change(interned.at(state.get()), *state);
    for (const auto& [array, state] : entry.plan->next) change(interned.at(state.get()), *state);
  }

  void insert(Entry entry) {
    totalSize += entry.size;
    forEachState(entry, [this](Known& known, const ArrayState& state) {
      if (known.uses++ == 0) totalSize += sizeOf(state);
    });
    entries.push_front(std::move(entry));
    byHash.emplace(entries.front().hash, entries.begin());
    while (entries.size() > 1 && (entries.size() > capacity || totalSize > mostBytes)) evictOldest();
  }

  void evictOldest() {
    const auto oldest = std::prev(entries.end());
    const auto [begin, end] = byHash.equal_range(oldest->hash);
    byHash.erase(std::find_if(begin, end, [&](const auto& entry) { return entry.second == oldest; }));
    totalSize -= oldest->size;
    forEachState(*oldest, [this](Known& known, const ArrayState& state) {
      if (--known.uses == 0) totalSize -= sizeOf(state);
    });
    entries.erase(oldest);
  }
};

PlanCache::PlanCache(std::size_t capacity, std::size_t mostBytes) : impl_(std::make_unique<Impl>()) {
  impl_->capacity = capacity;
  impl_->mostBytes = mostBytes;
}

PlanCache::~PlanCache() = default;

PlanRef PlanCache::launch(const LaunchSpec& spec, const std::vector<DeviceSlot>& devices,
                          const std::vector<ArrayStateRef>& states) {
  const std::uint64_t hash = hashOf(spec);
  return impl_->launch(spec, hash, devices, states,
                       [&] { return std::make_shared<const KeptSpec>(KeptSpec{spec, hash}); });
}

PlanRef PlanCache::launch(const SpecRef& spec, const std::vector<DeviceSlot>& devices,
                          const std::vector<ArrayStateRef>& states) {
  return impl_->launch(spec->spec, spec->hash, devices, states, [&] { return spec; });
}

PlanRef PlanCache::find(const SpecRef& spec, const std::vector<DeviceSlot>& devices,
                        std::span<const ArrayState* const> states) {
  Impl::Entry* const known = impl_->find(hashOf(spec->hash, devices, states), spec->spec, devices, states);
  if (known == nullptr) return nullptr;
  if (known->spec != spec) known->spec = spec;  // from now on the same object
  ++impl_->hits;
  return known->plan;
}

ArrayStateRef PlanCache::intern(ArrayStateRef state) { return impl_->intern(std::move(state)); }

std::size_t PlanCache::hits() const { return impl_->hits; }

std::size_t PlanCache::misses() const { return impl_->misses; }

std::size_t PlanCache::size() const { return impl_->entries.size(); }

std::size_t PlanCache::bytes() const {
  const std::size_t states = impl_->interned.size() + impl_->byContent.size();
  return impl_->totalSize + states * sizeof(std::pair<const ArrayState*, Impl::Known>);
}

}  // namespace muster::cap
