// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/search/launch_cost.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace muster::rt {
namespace {

constexpr double kChanged = 0.5;  // of contested elements

struct Load {
  double in = 0, out = 0;  // bytes
  std::set<std::pair<cap::MemoryId, cap::MemoryId>> messages;
};

}  // namespace

LaunchCost::LaunchCost(const DeviceTable& table, const Links& links) : links_(links) {
  places_[cap::hostMemory] = {0, false};
  for (const cap::DevicePlace& place : table.places()) places_[place.memory] = {place.rank, false};
  for (const DeviceEntry& device : table.devices())
    places_[device.place.memory] = {device.place.rank, !device.info.hostAddressable};
}

double LaunchCost::transferSeconds(const cap::Plan& plan) const {
  std::unordered_map<int, Load> network;
  std::unordered_map<cap::MemoryId, Load> bus;
  const auto move = [&](cap::MemoryId from, cap::MemoryId to, double bytes) {
    const Place &source = places_.at(from), &target = places_.at(to);
    if (source.rank != target.rank) {
      for (const int rank : {source.rank, target.rank}) network[rank].messages.insert({from, to});
      network[source.rank].out += bytes;
      network[target.rank].in += bytes;
    }
    if (source.ownMemory || source.rank == target.rank) {
      bus[from].out += bytes;
      bus[from].messages.insert({from, to});
    }
    if (target.ownMemory) {
      bus[to].in += bytes;
      bus[to].messages.insert({from, to});
    }
  };
  cap::forEachCopy(plan, [&](const cap::Copy& copy) { move(copy.from, copy.to, static_cast<double>(copy.bytes())); });
  for (const cap::Merge& merge : plan.merges) {
    for (const cap::Merge::Part& from : merge.parts) {
      for (const cap::Merge::Part& to : merge.parts) {
        if (from.chunk == to.chunk) continue;
        move(plan.chunks[from.chunk].memory, plan.chunks[to.chunk].memory,
             kChanged * static_cast<double>(from.elements.size()) * merge.elemSize);
      }
    }
  }
  double longest = 0, busiest = 0;
  for (const auto& [rank, load] : network)
    longest = std::max(longest, std::max(load.in, load.out) / links_.networkBytesPerSecond +
                                    static_cast<double>(load.messages.size()) * links_.networkLatency);
  for (const auto& [memory, load] : bus)
    busiest = std::max(busiest, (load.in + load.out) / links_.busBytesPerSecond +
                                    static_cast<double>(load.messages.size()) * links_.busLatency);
  return longest + busiest;
}

double LaunchCost::computeSeconds(const cap::Plan& plan, double inner, const PerIteration& perIteration) {
  double slowest = 0;
  for (const cap::Chunk& chunk : plan.chunks)
    slowest = std::max(slowest, static_cast<double>(chunk.hi - chunk.lo) * inner * perIteration(chunk.device));
  return slowest;
}

double LaunchCost::startSeconds(const cap::Plan& plan) const {
  std::set<int> ranks;
  for (const cap::Chunk& chunk : plan.chunks) ranks.insert(places_.at(chunk.memory).rank);
  const double depth = std::ceil(std::log2(std::max<double>(1, static_cast<double>(ranks.size()))));
  return links_.launchSeconds + depth * links_.networkLatency;
}

}  // namespace muster::rt
