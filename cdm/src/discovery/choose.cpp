// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of the host's devices this rank takes, and why the others are left out.
#include <fmt/format.h>

#include <algorithm>

#include "discovery/selection.h"

namespace muster::cdm {

namespace {

using Kind = DeviceWord::Kind;

// Where the words for a rank come from.
struct Request {
  std::vector<DeviceWord> words;
  bool byDefault = false;
  bool forThisRankOnly = false;  // then GPUs are not shared out
};

Request requestFor(const Selection& selection, int rank) {
  if (auto own = selection.ranks.find(rank); own != selection.ranks.end()) return {own->second, false, true};
  if (selection.others) return {*selection.others, false, false};
  return {{{Kind::cpu, 0, "cpu"}, {Kind::gpu, 0, "gpu"}}, true, false};
}

bool matches(const DeviceWord& word, const Candidate& candidate) {
  switch (word.kind) {
    case Kind::cpu:
      return candidate.native;
    case Kind::gpu:
      return !candidate.native && candidate.kind != DeviceKind::cpu;
    case Kind::opencl:
      return !candidate.native;
    case Kind::openclIndex:
      return !candidate.native && candidate.openclIndex == word.index;
    case Kind::pocl:
      return candidate.pocl;
    case Kind::all:
      return true;
  }
  return false;
}

std::string label(const Candidate& candidate) {
  return candidate.native
             ? fmt::format("cpu ({})", candidate.name)
             : fmt::format("opencl:{} ({}, {})", candidate.openclIndex, candidate.name, toString(candidate.kind));
}

std::string listOf(const std::vector<Candidate>& candidates) {
  std::string list;
  for (const Candidate& candidate : candidates) list += (list.empty() ? "" : ", ") + label(candidate);
  return list;
}

// Every word of an explicit selection must name at least one device of this host.
Status checkAllExist(const Request& request, const std::vector<Candidate>& candidates, const std::string& problem) {
  for (const DeviceWord& word : request.words) {
    const bool exists = std::any_of(candidates.begin(), candidates.end(),
                                    [&](const Candidate& candidate) { return matches(word, candidate); });
    if (!exists)
      return {Errc::notFound, fmt::format("MUSTER_DEVICES: this host has no device \"{}\"; it has: {}{}", word.text,
                                          listOf(candidates), problem.empty() ? "" : "; OpenCL: " + problem)};
  }
  return {};
}

// Position of a GPU among the host's GPUs that are no second handle of another.
std::size_t gpuNumber(const std::vector<Candidate>& candidates, const std::vector<bool>& duplicate, std::size_t which) {
  std::size_t number = 0;
  for (std::size_t i = 0; i < which; ++i)
    if (candidates[i].kind != DeviceKind::cpu && !duplicate[i]) ++number;
  return number;
}

// For each candidate, whether an earlier one is the same hardware.
std::vector<bool> findDuplicates(const std::vector<Candidate>& candidates) {
  std::vector<bool> duplicate(candidates.size());
  for (std::size_t i = 0; i < candidates.size(); ++i)
    for (std::size_t j = 0; j < i && !candidates[i].hardwareId.empty(); ++j)
      if (candidates[j].hardwareId == candidates[i].hardwareId) duplicate[i] = true;
  return duplicate;
}

// Why a candidate is left out, "" to take it.
std::string reasonAgainst(const Request& request, const std::vector<Candidate>& candidates,
                          const std::vector<bool>& duplicate, std::size_t which, const RankPlace& place) {
  const Candidate& candidate = candidates[which];
  bool wanted = false, byIndex = false;
  for (const DeviceWord& word : request.words)
    if (matches(word, candidate)) {
      wanted = true;
      byIndex |= word.kind == Kind::openclIndex;
    }
  if (byIndex) return "";
  if (duplicate[which]) return "is the same hardware (" + candidate.hardwareId + ") as another OpenCL device";
  if (!wanted && request.byDefault && candidate.kind == DeviceKind::cpu)
    return "serves the same cores as the native CPU";
  if (!wanted) return "is not in MUSTER_DEVICES";
  if (candidate.kind == DeviceKind::cpu || request.forThisRankOnly) return "";
  const std::size_t number = gpuNumber(candidates, duplicate, which);
  const std::size_t gpus = gpuNumber(candidates, duplicate, candidates.size());
  const auto ranks = static_cast<std::size_t>(std::max(1, place.localSize));
  const auto self = static_cast<std::size_t>(place.localRank);
  if (place.sharesGpus && gpus < ranks ? number == self % gpus : number % ranks == self) return "";
  return fmt::format("belongs to local rank {} (the host's GPUs are shared out)", number % ranks);
}

// Ranks of this host that take the same GPUs as this one.
int sharersOf(const Request& request, std::size_t gpus, const RankPlace& place) {
  if (!place.sharesGpus || gpus == 0 || request.forThisRankOnly) return 1;
  const bool byIndex = std::any_of(request.words.begin(), request.words.end(),
                                   [](const DeviceWord& word) { return word.kind == Kind::openclIndex; });
  if (byIndex) return std::max(1, place.localSize);
  const int all = static_cast<int>(gpus);
  return std::max(1, (place.localSize - place.localRank % all + all - 1) / all);
}

}  // namespace

bool mayTakeOpenCl(const Selection& selection, int rank) {
  const Request request = requestFor(selection, rank);
  return std::any_of(request.words.begin(), request.words.end(),
                     [](const DeviceWord& word) { return word.kind != Kind::cpu; });
}

bool isDefault(const Selection& selection, int rank) { return requestFor(selection, rank).byDefault; }

Result<Choice> choose(const Selection& selection, const std::vector<Candidate>& candidates, const RankPlace& place,
                      const std::string& openclProblem) {
  const Request request = requestFor(selection, place.rank);
  Choice choice;
  choice.explicitly = !request.byDefault;
  if (choice.explicitly) MUSTER_TRY(checkAllExist(request, candidates, openclProblem));
  if (!openclProblem.empty()) choice.leftOut.push_back({"OpenCL", openclProblem});
  const std::vector<bool> duplicate = findDuplicates(candidates);
  choice.sharersOfGpus = sharersOf(request, gpuNumber(candidates, duplicate, candidates.size()), place);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    std::string reason = reasonAgainst(request, candidates, duplicate, i, place);
    if (reason.empty())
      choice.taken.push_back(i);
    else
      choice.leftOut.push_back({label(candidates[i]), std::move(reason)});
  }
  return choice;
}

}  // namespace muster::cdm
