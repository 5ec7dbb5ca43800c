// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "muster/cdm/launcher.h"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "muster/cdm/text.h"

namespace muster::cdm {
namespace {

// The first of these environment variables that holds a number of 0 or more.
std::optional<int> numberFrom(std::initializer_list<const char*> variables) {
  for (const char* variable : variables) {
    const char* text = std::getenv(variable);
    int value = 0;
    if (text != nullptr && parseNumber(text, value) && value >= 0) return value;
  }
  return {};
}

// Slurm's variables hold only inside a step: in a batch script they describe the allocation.
bool inSlurmStep() { return std::getenv("PMIX_RANK") != nullptr || std::getenv("SLURM_PROCID") != nullptr; }

std::optional<int> launchedRanks() {
  if (const auto ranks = numberFrom({"OMPI_COMM_WORLD_SIZE"}); ranks.value_or(0) > 0) return ranks;
  if (const auto ranks = numberFrom({"PMI_SIZE"}); ranks.value_or(0) > 0) return ranks;
  return inSlurmStep() ? numberFrom({"SLURM_STEP_NUM_TASKS"}) : std::nullopt;
}

// Of a list such as "4(x2),3", the tasks of each node: those of node `node`.
std::optional<int> tasksOfNode(std::string_view list, int node) {
  while (!list.empty() && node >= 0) {
    const std::string_view item = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), item.size() + 1));
    const std::size_t open = item.find("(x");
    int tasks = 0, nodes = 1;
    if (!parseNumber(item.substr(0, open), tasks)) return {};
    if (open != std::string_view::npos && !parseNumber(item.substr(open + 2, item.size() - open - 3), nodes)) return {};
    if (node < nodes) return tasks;
    node -= nodes;
  }
  return {};
}

std::optional<int> ranksOfHost() {
  if (const auto ranks = numberFrom({"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "MV2_COMM_WORLD_LOCAL_SIZE"}))
    return ranks;
  const char* const tasks = std::getenv("SLURM_STEP_TASKS_PER_NODE");
  return tasks != nullptr && inSlurmStep() ? tasksOfNode(tasks, numberFrom({"SLURM_NODEID"}).value_or(0))
                                           : std::nullopt;
}

}  // namespace

bool underMpiLauncher() { return launchedRanks().value_or(0) > 1; }

LaunchedPlace launchedPlace() {
  LaunchedPlace place;
  place.size = std::max(1, launchedRanks().value_or(1));
  place.rank = std::min(numberFrom({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"}).value_or(0),
                        place.size - 1);
  place.localSize = std::clamp(ranksOfHost().value_or(place.size), 1, place.size);
  place.localRank = std::min(
      numberFrom({"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "MV2_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"})
          .value_or(place.rank % place.localSize),
      place.localSize - 1);
  return place;
}

}  // namespace muster::cdm
