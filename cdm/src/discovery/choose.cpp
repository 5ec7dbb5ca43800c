// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of the host's devices this rank takes, and why the others are left out.
#include <fmt/format.h>

#include <algorithm>

#include "discovery/selection.h"

namespace muster::cdm {

namespace {

using Kind = DeviceWord::Kind;
using Backend = Candidate::Backend;

// Where the words for a rank come from.
struct Request {
  std::vector<DeviceWord> words;
  bool byDefault = false;
  bool forThisRankOnly = false;  // then GPUs are not shared out
};

Request requestFor(const Selection& selection, int rank) {
  if (auto own = selection.ranks.find(rank); own != selection.ranks.end()) return {own->second, false, true};
  if (selection.others) return {*selection.others, false, false};
  return {{{Kind::cpu, std::nullopt, "cpu"}, {Kind::gpu, std::nullopt, "gpu"}}, true, false};
}

bool matches(const DeviceWord& word, const Candidate& candidate) {
  const bool isMeant = !word.index || *word.index == candidate.index;
  switch (word.kind) {
    case Kind::cpu:
      return candidate.backend == Backend::cpu;
    case Kind::gpu:
      return candidate.kind != DeviceKind::cpu;
    case Kind::cuda:
      return candidate.backend == Backend::cuda && isMeant;
    case Kind::opencl:
      return candidate.backend == Backend::opencl && isMeant;
    case Kind::pocl:
      return candidate.pocl;
    case Kind::all:
      return true;
  }
  return false;
}

bool isWanted(const Request& request, const Candidate& candidate) {
  return std::ranges::any_of(request.words, [&](const DeviceWord& word) { return matches(word, candidate); });
}

std::string label(const Candidate& candidate) {
  if (candidate.backend == Backend::cpu) return fmt::format("cpu ({})", candidate.name);
  return fmt::format("{}:{} ({}, {})", candidate.backend == Backend::cuda ? "cuda" : "opencl", candidate.index,
                     candidate.name, toString(candidate.kind));
}

std::string listOf(const std::vector<Candidate>& candidates) {
  std::string list;
  for (const Candidate& candidate : candidates) list += (list.empty() ? "" : ", ") + label(candidate);
  return list;
}

// Every word of an explicit selection must name at least one device of this host.
Status checkAllExist(const Request& request, const std::vector<Candidate>& candidates,
                     const std::vector<Problem>& problems) {
  for (const DeviceWord& word : request.words) {
    const bool exists = std::any_of(candidates.begin(), candidates.end(),
                                    [&](const Candidate& candidate) { return matches(word, candidate); });
    if (exists) continue;
    std::string message =
        fmt::format("MUSTER_DEVICES: this host has no device \"{}\"; it has: {}", word.text, listOf(candidates));
    for (const Problem& problem : problems) message += fmt::format("; {}: {}", problem.backend, problem.why);
    return {Errc::notFound, message};
  }
  return {};
}

bool areSame(const Candidate& one, const Candidate& other) {
  return !one.hardwareId.empty() && one.hardwareId == other.hardwareId;
}

// The first candidate in front of this one that is the same hardware; nullptr if there is none.
const Candidate* sameBefore(const std::vector<Candidate>& candidates, std::size_t which) {
  const auto end = candidates.begin() + static_cast<std::ptrdiff_t>(which);
  const auto at = std::find_if(candidates.begin(), end, [&](const auto& other) { return areSame(other, *end); });
  return at == end ? nullptr : &*at;
}

// Position of a GPU among the host's, each of which counts once.
std::size_t gpuNumber(const std::vector<Candidate>& candidates, std::size_t which) {
  if (which < candidates.size())
    if (const Candidate* same = sameBefore(candidates, which))
      which = static_cast<std::size_t>(same - candidates.data());
  std::size_t number = 0;
  for (std::size_t i = 0; i < which; ++i)
    if (candidates[i].kind != DeviceKind::cpu && sameBefore(candidates, i) == nullptr) ++number;
  return number;
}

// How often a candidate is named by its number.
std::size_t timesNamed(const Request& request, const Candidate& candidate) {
  return static_cast<std::size_t>(std::ranges::count_if(
      request.words, [&](const DeviceWord& word) { return word.index && matches(word, candidate); }));
}

// Why a candidate is left out, "" to take it.
std::string reasonAgainst(const Request& request, const std::vector<Candidate>& candidates, std::size_t which,
                          const RankPlace& place) {
  const Candidate& candidate = candidates[which];
  const bool wanted = isWanted(request, candidate);
  if (timesNamed(request, candidate) > 0) return "";
  if (!wanted && request.byDefault && candidate.kind == DeviceKind::cpu)
    return "serves the same cores as the native CPU";
  if (!wanted) return "is not in MUSTER_DEVICES";
  for (std::size_t i = 0; i < which; ++i)
    if (areSame(candidates[i], candidate) && isWanted(request, candidates[i]))
      return fmt::format("is the same hardware ({}) as {}", candidate.hardwareId, label(candidates[i]));
  if (candidate.kind == DeviceKind::cpu || request.forThisRankOnly) return "";
  const std::size_t number = gpuNumber(candidates, which);
  const std::size_t gpus = gpuNumber(candidates, candidates.size());
  const auto ranks = static_cast<std::size_t>(std::max(1, place.localSize));
  const auto self = static_cast<std::size_t>(place.localRank);
  if (place.sharesGpus && gpus < ranks ? number == self % gpus : number % ranks == self) return "";
  return fmt::format("belongs to local rank {} (the host's GPUs are shared out)", number % ranks);
}

// Ranks of this host that take the same GPUs as this one.
int sharersOf(const Request& request, std::size_t gpus, const RankPlace& place) {
  if (!place.sharesGpus || gpus == 0 || request.forThisRankOnly) return 1;
  const bool byIndex =
      std::ranges::any_of(request.words, [](const DeviceWord& word) { return word.index.has_value(); });
  if (byIndex) return std::max(1, place.localSize);
  const int all = static_cast<int>(gpus);
  return std::max(1, (place.localSize - place.localRank % all + all - 1) / all);
}

}  // namespace

bool names(const Selection& selection, int rank, Backend backend) {
  return std::ranges::any_of(requestFor(selection, rank).words, [&](const DeviceWord& word) {
    switch (word.kind) {
      case Kind::cpu:
        return backend == Backend::cpu;
      case Kind::cuda:
        return backend == Backend::cuda;
      case Kind::opencl:
      case Kind::pocl:
        return backend == Backend::opencl;
      case Kind::gpu:
        return false;
      case Kind::all:
        return true;
    }
    return false;
  });
}

bool mayTake(const Selection& selection, int rank, Backend backend) {
  const std::vector<DeviceWord> words = requestFor(selection, rank).words;
  const bool asksForGpus = std::ranges::any_of(words, [](const DeviceWord& word) { return word.kind == Kind::gpu; });
  return (asksForGpus && backend != Backend::cpu) || names(selection, rank, backend);
}

bool isDefault(const Selection& selection, int rank) { return requestFor(selection, rank).byDefault; }

Result<Choice> choose(const Selection& selection, const std::vector<Candidate>& candidates, const RankPlace& place,
                      const std::vector<Problem>& problems) {
  const Request request = requestFor(selection, place.rank);
  Choice choice;
  choice.explicitly = !request.byDefault;
  if (choice.explicitly) MUSTER_TRY(checkAllExist(request, candidates, problems));
  for (const Problem& problem : problems) choice.leftOut.push_back({problem.backend, problem.why});
  choice.sharersOfGpus = sharersOf(request, gpuNumber(candidates, candidates.size()), place);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    std::string reason = reasonAgainst(request, candidates, i, place);
    if (reason.empty())
      choice.taken.insert(choice.taken.end(), std::max<std::size_t>(1, timesNamed(request, candidates[i])), i);
    else
      choice.leftOut.push_back({label(candidates[i]), std::move(reason)});
  }
  return choice;
}

}  // namespace muster::cdm
