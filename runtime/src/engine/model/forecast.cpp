// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/model/forecast.h"

#include <algorithm>
#include <map>

namespace muster::rt {
namespace {

class Imagined {
 public:
  Imagined(const Node& node, const DeviceTable& table, const LaunchCost& cost, const SecondsPerIteration& perIteration)
      : node_(node), table_(table), cost_(cost), perIteration_(perIteration) {}

  Forecast run(std::span<const protocol::Command> commands) {
    Forecast forecast;
    forecast.devices.resize(table_.devices().size());
    for (const protocol::Command& command : commands) {
      if (const auto* launch = std::get_if<protocol::Launch>(&command)) {
        add(*launch, forecast);
      } else if (const auto* access = std::get_if<protocol::HostAccess>(&command)) {
        add(*access, forecast);
      }
    }
    return forecast;
  }

 private:
  cap::ArrayStateRef state(std::uint32_t id) {
    const auto known = states_.find(id);
    return known != states_.end() ? known->second : node_.state(id);
  }
  void assume(const cap::Plan& plan) {
    for (const auto& [id, next] : plan.next) states_[id] = next;
  }

  void add(const protocol::Launch& command, Forecast& forecast) {
    PlannedLaunch launch;
    launch.command = command;
    launch.command.weights.clear();
    const bool alive = std::all_of(command.arrays.begin(), command.arrays.end(),
                                   [&](const auto& array) { return node_.array(array.id) != nullptr; });
    if (!alive || !node_.describe(launch, table_).ok()) return;
    for (std::size_t i = 0; i < launch.states.size(); ++i) launch.states[i] = state(launch.spec->spec.arrays[i].array);
    const cap::Plan plan = cap::makePlan(launch.spec->spec, launch.slots, launch.states);
    assume(plan);
    if (plan.chunks.empty()) {  // on the host, of whose speed nothing is known
      forecast.possible = false;
      return;
    }
    std::vector<bool> works(forecast.devices.size());
    for (const cap::Chunk& chunk : plan.chunks) works[chunk.device] = forecast.devices[chunk.device] = true;
    forecast.compute += LaunchCost::computeSeconds(plan, protocol::innerIterations(command), [&](std::uint32_t device) {
      return perIteration_(command.kernel, device, works);
    });
    forecast.transfer += cost_.transferSeconds(plan) + cost_.startSeconds(plan);
  }

  void add(const protocol::HostAccess& access, Forecast& forecast) {
    const cap::ArrayInfo* info = node_.array(access.array);
    if (info == nullptr || !cap::Interval{0, info->count}.contains(access.elements.hull())) return;
    const cap::Plan plan =
        cap::makeHostPlan(access.array, info->elemSize, state(access.array), access.elements, access.mode);
    assume(plan);
    forecast.transfer += cost_.transferSeconds(plan);
  }

  const Node& node_;
  const DeviceTable& table_;
  const LaunchCost& cost_;
  const SecondsPerIteration& perIteration_;
  std::map<std::uint32_t, cap::ArrayStateRef> states_;
};

}  // namespace

Forecast forecast(const Node& node, std::span<const protocol::Command> commands, const DeviceTable& table,
                  const LaunchCost& cost, const SecondsPerIteration& perIteration) {
  Imagined imagined(node, table, cost, perIteration);
  const Forecast first = imagined.run(commands);
  Forecast steady = imagined.run(commands);
  steady.moving = std::max(0.0, first.transfer - steady.transfer);
  return steady;
}

}  // namespace muster::rt
