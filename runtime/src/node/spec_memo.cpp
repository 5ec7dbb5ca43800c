// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Specs by the contents of commands.
#include "node/spec_memo.h"

#include <utility>

namespace muster::rt {
namespace {

// Scalars are left out: the planner does not know them, and they may change with every launch.
std::uint64_t hashOf(const protocol::Launch& command, bool hostOnly) {
  std::uint64_t hash = command.kernel + 3 * command.other + (hostOnly ? 1 : 0) + 2 * std::uint64_t{command.steps};
  const auto add = [&](std::int64_t word) {
    hash = (hash ^ static_cast<std::uint64_t>(word)) * std::uint64_t{0x9e3779b97f4a7c15};
    hash ^= hash >> 29;
  };
  for (const protocol::Launch::Dim& dim : command.dims) add(dim.first), add(dim.step), add(dim.count);
  for (const std::int64_t value : command.forms) add(value);
  for (const protocol::Launch::Array& array : command.arrays)
    add(array.offset), add(std::int64_t{array.id} << 2 | (array.opaque ? 1 : 0) | (array.absent ? 2 : 0));
  return hash;
}

}  // namespace

bool SpecMemo::Entry::isOf(const protocol::Launch& command, bool onHost) const {
  return kernel == command.kernel && other == command.other && hostOnly == onHost && steps == command.steps &&
         forms == command.forms && dims == command.dims && arrays == command.arrays;
}

cap::SpecRef SpecMemo::find(const protocol::Launch& command, bool hostOnly) const {
  const auto [begin, end] = entries_.equal_range(hashOf(command, hostOnly));
  for (auto entry = begin; entry != end; ++entry) {
    if (entry->second.isOf(command, hostOnly)) return entry->second.spec;
  }
  return nullptr;
}

void SpecMemo::keep(const protocol::Launch& command, bool hostOnly, cap::SpecRef spec) {
  const std::uint64_t hash = hashOf(command, hostOnly);
  const auto [begin, end] = entries_.equal_range(hash);
  for (auto entry = begin; entry != end; ++entry) {
    if (!entry->second.isOf(command, hostOnly)) continue;
    entry->second.spec = std::move(spec);
    return;
  }
  if (entries_.size() >= mostSpecs_) entries_.clear();
  entries_.emplace(hash, Entry{command.kernel, command.other, hostOnly, command.steps, command.dims, command.forms,
                               command.arrays, std::move(spec)});
}

}  // namespace muster::rt
