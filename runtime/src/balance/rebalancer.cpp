// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions, answers, new weights.
#include "balance/rebalancer.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::rt {
namespace {

// A look for answers costs a call per rank.
constexpr std::chrono::microseconds kBetweenLooks{500};

}  // namespace

Rebalancer::Rebalancer(cdm::Transport& transport, Node& node, const protocol::Weights& weights, Options options)
    : transport_(transport),
      node_(node),
      minShare_(weights.minShare),
      options_(std::move(options)),
      model_(weights.weights, options_.model),
      next_(Clock::now() + options_.period),
      period_(options_.period) {
  answers_.resize(static_cast<std::size_t>(transport_.size()) - 1);
}

Status Rebalancer::beforeLaunch(const protocol::Launch& launch, const Post& post, const InOrder& inOrder) {
  if (launch.hostOnly) return {};
  useTransfers();
  ++launches_;
  arrays_.clear();
  for (const protocol::Launch::Array& argument : launch.arrays) {
    const cap::ArrayInfo* info = node_.array(argument.id);
    if (info != nullptr) arrays_.push_back({argument.id, static_cast<std::uint64_t>(info->count) * info->elemSize});
  }
  if (const auto joined = model_.noteLaunch(launch.kernel, arrays_); !joined.empty()) MUSTER_TRY(apply(joined, post));
  if (held_ || !options_.adapt || Clock::now() < next_) return {};
  if (!asked_) return launches_ >= options_.launches ? ask(post, inOrder, false) : Status();
  const auto complete = answered();
  if (!complete.ok()) return complete.status();
  if (*complete) return useAnswers(post);
  next_ = Clock::now() + kBetweenLooks;
  return {};
}

void Rebalancer::noteTransfer(std::uint64_t bytes, double seconds) {
  const std::lock_guard lock(transfersMutex_);
  transfers_.emplace_back(bytes, seconds);
}

void Rebalancer::useTransfers() {
  const std::lock_guard lock(transfersMutex_);
  for (const auto& [bytes, seconds] : transfers_) model_.noteTransfer(bytes, seconds);
  transfers_.clear();
}

Status Rebalancer::ask(const Post& post, const InOrder& inOrder, bool finish) {
  const auto sequence = post(protocol::Measure{finish});
  if (!sequence.ok()) return sequence.status();
  requests_.clear();
  for (int rank = 1; rank < transport_.size(); ++rank) {
    cdm::Bytes& answer = answers_[static_cast<std::size_t>(rank) - 1];
    answer.resize(protocol::measuredBytes);
    auto request = transport_.receive(rank, measureTag(*sequence), answer);
    if (!request.ok()) return request.status();
    requests_.push_back(std::move(*request));
  }
  own_ = std::make_shared<Own>();
  MUSTER_TRY(inOrder([this, finish, own = own_]() -> Status {
    if (finish) MUSTER_TRY(node_.executor().finishDevices());
    own->times = node_.takeMeasured();
    own->complete.store(true, std::memory_order_release);
    return {};
  }));
  asked_ = true;
  stale_ = false;
  launches_ = 0;
  next_ = Clock::now();
  return {};
}

Result<bool> Rebalancer::answered() {
  if (!own_->complete.load(std::memory_order_acquire)) return false;
  for (cdm::RequestPtr& request : requests_) {
    if (request == nullptr) continue;
    const auto complete = request->test();
    if (!complete.ok()) return complete.status();
    if (!*complete) return false;
    request = nullptr;
  }
  return true;
}

Result<std::vector<protocol::KernelTime>> Rebalancer::takeAnswers() {
  asked_ = false;
  std::vector<protocol::KernelTime> all = std::move(own_->times);
  for (std::size_t i = 0; i < answers_.size(); ++i) {
    const auto times = protocol::decodeMeasured(answers_[i]);
    if (!times.ok()) return times.status().at(fmt::format("rank {}", i + 1));
    const auto& devices = node_.table().devices();
    for (const protocol::KernelTime& time : *times) {
      if (time.device >= devices.size() || devices[time.device].place.rank != static_cast<int>(i) + 1)
        return Status(Errc::protocol,
                      fmt::format("rank {} measured device {}, which is not its own", i + 1, time.device));
      all.push_back(time);
    }
  }
  return all;
}

Status Rebalancer::useAnswers(const Post& post) {
  const auto all = takeAnswers();
  if (!all.ok()) return all.status();
  std::vector<WeightModel::Change> changes;
  if (!stale_) changes = model_.absorb(*all, !held_);
  period_ = changes.empty() ? std::min(period_ * 3 / 2, options_.longestPeriod) : options_.period;
  next_ = Clock::now() + period_;
  return apply(changes, post);
}

Status Rebalancer::askAll(const Post& post, const InOrder& inOrder) {
  MUSTER_TRY(finish());
  return ask(post, inOrder, true);
}

Status Rebalancer::useAll(const Post& post) {
  if (options_.adapt) return useAnswers(post);
  return takeAnswers().status();
}

Status Rebalancer::restrict(std::uint64_t kernel, const std::vector<bool>& members, const Post& post) {
  return apply({model_.restrict(kernel, members)}, post);
}

Status Rebalancer::probe(std::uint64_t kernel, const Post& post) {
  WeightModel::Change change = model_.restrict(kernel, {});
  change.reason = WeightModel::Change::Reason::trial;
  return apply({change}, post);
}

Result<bool> Rebalancer::decideNow(std::uint64_t kernel, const Post& post) {
  if (!options_.adapt) return false;
  const auto change = model_.decideNow(kernel);
  if (!change) return false;
  MUSTER_TRY(apply({*change}, post));
  return true;
}

Status Rebalancer::apply(const std::vector<WeightModel::Change>& changes, const Post& post) {
  for (const WeightModel::Change& change : changes) {
    const bool trial = change.reason == WeightModel::Change::Reason::trial;
    const protocol::Weights weights{change.speeds, trial ? 0 : minShare_, change.kernels};
    const auto sequence = post(weights);
    if (!sequence.ok()) return sequence.status();
    MUSTER_TRY(node_.setWeights(weights, *sequence));
    stale_ = true;
    options_.changed(change);
  }
  return {};
}

Status Rebalancer::finish() {
  MUSTER_TRY(transport_.waitAll(requests_));
  requests_.clear();
  asked_ = false;
  return {};
}

}  // namespace muster::rt
