// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cutting of copies, and grouping of them into messages.
#include "executor/messages.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace muster::cap {
namespace {

using RankPair = std::pair<int, int>;

// Everything between ranks that are `crowded` is packed.
std::vector<Message> group(std::span<const Copy> copies, const RankOf& rankOf, const Largest& largest,
                           const std::set<RankPair>& crowded) {
  std::vector<Message> messages;
  std::map<std::pair<MemoryId, MemoryId>, std::size_t> packed;  // message that small copies join
  for (const Copy& copy : copies) {
    if (copy.elements.empty() || copy.from == copy.to) continue;
    const bool all = !crowded.empty() && crowded.contains({rankOf(copy.from), rankOf(copy.to)});
    const auto bytes = static_cast<std::size_t>(copy.bytes());
    const std::size_t most = largest(copy.from, copy.to);
    std::size_t target = messages.size();
    if (all || bytes < std::min(std::size_t{packLimitBytes}, most)) {
      std::size_t& open = packed.try_emplace({copy.from, copy.to}, target).first->second;
      if (open < target && !all && messages[open].bytes + bytes > most) open = target;
      target = open;
    }
    if (target == messages.size()) messages.push_back({copy.from, copy.to, {}, 0, 0});
    messages[target].copies.push_back(&copy);
    messages[target].bytes += bytes;
  }
  return messages;
}

// Ranks that exchange too many messages for their tags.
std::set<RankPair> number(std::vector<Message>& messages, const RankOf& rankOf) {
  std::map<RankPair, std::uint32_t> next;
  std::set<RankPair> crowded;
  for (Message& message : messages) {
    const RankPair ranks{rankOf(message.from), rankOf(message.to)};
    message.index = next[ranks]++;
    if (message.index >= maxMessages) crowded.insert(ranks);
  }
  return crowded;
}

}  // namespace

std::vector<Copy> cutCopies(std::span<const Copy> copies, const Largest& largest) {
  const auto parts = [&](const Copy& copy) -> std::int64_t {
    const std::size_t bytes = largest(copy.from, copy.to);
    if (static_cast<std::size_t>(copy.bytes()) <= bytes) return 1;
    const auto most = std::max<std::int64_t>(1, static_cast<std::int64_t>(bytes) / copy.elemSize);
    return (copy.elements.size() + most - 1) / most;
  };
  if (std::all_of(copies.begin(), copies.end(), [&](const Copy& copy) { return parts(copy) == 1; })) return {};
  std::vector<Copy> cut;
  for (const Copy& copy : copies) {
    const std::int64_t count = parts(copy);
    const std::int64_t each = copy.elements.size() / count, longer = copy.elements.size() % count;
    Copy part = copy;
    for (std::int64_t i = 0; i < count; ++i) {
      part.elements.hi = part.elements.lo + each + (i < longer ? 1 : 0);
      cut.push_back(part);
      part.elements.lo = part.elements.hi;
    }
  }
  return cut;
}

CopyRun firstRun(std::span<const Copy* const> copies, std::int64_t large) {
  CopyRun run{copies.first(1)};
  if (run.first().bytes() >= large) return run;
  for (std::size_t i = 1; i < copies.size(); ++i) {
    const Copy &before = *copies[i - 1], &copy = *copies[i];
    const std::int64_t stride = copy.elements.lo - before.elements.lo;
    const bool alike = copy.array == before.array && copy.from == before.from && copy.to == before.to &&
                       copy.elements.size() == before.elements.size();
    if (!alike || stride < copy.elements.size() || (i > 1 && stride != run.stride)) break;
    run = {copies.first(i + 1), stride};
  }
  return run;
}

std::vector<Message> groupCopies(std::span<const Copy> copies, const RankOf& rankOf, const Largest& largest) {
  std::vector<Message> messages = group(copies, rankOf, largest, {});
  if (const std::set<RankPair> crowded = number(messages, rankOf); !crowded.empty()) {
    messages = group(copies, rankOf, largest, crowded);
    (void)number(messages, rankOf);
  }
  return messages;
}

}  // namespace muster::cap
