// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Grouping of copies into messages.
#include "executor_messages.h"

#include <map>

namespace muster::cap {
namespace {

std::vector<Message> group(std::span<const Copy> copies, std::int64_t packLimit) {
  std::vector<Message> messages;
  std::map<std::pair<MemoryId, MemoryId>, std::size_t> packed;  // message that small copies join
  for (const Copy& copy : copies) {
    if (copy.elements.empty() || copy.from == copy.to) continue;
    const bool alone = copy.bytes() >= packLimit;
    std::size_t target = messages.size();
    if (!alone) target = packed.try_emplace({copy.from, copy.to}, target).first->second;
    if (target == messages.size()) messages.push_back({copy.from, copy.to, {}, 0, 0});
    messages[target].copies.push_back(&copy);
    messages[target].bytes += static_cast<std::size_t>(copy.bytes());
  }
  return messages;
}

// False if two ranks exchange too many messages for their tags.
bool number(std::vector<Message>& messages, const RankOf& rankOf) {
  std::map<std::pair<int, int>, std::uint32_t> next;
  for (Message& message : messages) {
    message.index = next[{rankOf(message.from), rankOf(message.to)}]++;
    if (message.index >= maxMessages) return false;
  }
  return true;
}

}  // namespace

std::vector<Message> groupCopies(std::span<const Copy> copies, const RankOf& rankOf) {
  std::vector<Message> messages = group(copies, packLimitBytes);
  if (number(messages, rankOf)) return messages;
  messages = group(copies, INT64_MAX);
  number(messages, rankOf);
  return messages;
}

}  // namespace muster::cap
