// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rebalancer: on rank 0, asks all ranks from time to time what they measured and posts the weights that follow from it.
// Never waits: answers are looked for when the next launch comes.
//
// Thread-safety: one call at a time, under the controller's lock; but noteTransfer from any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "balance/weight_model.h"
#include "engine/node.h"

namespace muster::rt {

class Rebalancer {
 public:
  struct Options {
    // Between two questions. Grows while nothing changes, so that a balanced program is hardly asked.
    std::chrono::microseconds period{20'000}, longestPeriod{1'000'000};
    std::uint32_t launches = 4;  // at least so many between two questions
    WeightModel::Options model;
    std::function<void(const WeightModel::Change&)> changed = [](const WeightModel::Change&) {};
  };
  // Posts a command and says its number.
  using Post = std::function<Result<std::uint64_t>(const protocol::Command&)>;
  // Has work done on this rank after all commands so far, perhaps in another thread.
  using InOrder = std::function<Status(std::function<void()>)>;

  // weights: those of the job's start, which are on their way already. The node must measure.
  Rebalancer(cdm::Transport& transport, Node& node, const protocol::Weights& weights, Options options);

  // A launch command is about to be posted. May post others before it.
  Status beforeLaunch(const protocol::Launch& launch, const Post& post, const InOrder& inOrder);
  void noteTransfer(std::uint64_t bytes, double seconds);
  void forgetArray(std::uint32_t id) { model_.forgetArray(id); }
  // Waits for answers that are under way; nothing changes any more.
  Status finish();

 private:
  using Clock = std::chrono::steady_clock;
  Status ask(const Post& post, const InOrder& inOrder);
  void useTransfers();
  Result<bool> answered();
  Status useAnswers(const Post& post);
  Status apply(const std::vector<WeightModel::Change>& changes, const Post& post);

  cdm::Transport& transport_;
  Node& node_;
  double minShare_;
  Options options_;
  WeightModel model_;
  Clock::time_point next_;  // time of the next question, or of the next look for answers
  std::chrono::microseconds period_;
  std::uint32_t launches_ = 0;  // since the last question
  bool asked_ = false;
  bool stale_ = false;  // weights changed since the question: its answers are of no use
  // Rank 0's own answer; shared with the work that takes it.
  struct Own {
    std::vector<protocol::KernelTime> times;
    std::atomic<bool> complete{false};
  };
  std::shared_ptr<Own> own_;
  std::mutex transfersMutex_;
  std::vector<std::pair<std::uint64_t, double>> transfers_;  // bytes and seconds that the model has not heard of
  std::vector<cdm::Bytes> answers_;                          // by rank - 1
  std::vector<cdm::RequestPtr> requests_;                    // the same; nullptr once complete
  std::vector<WeightModel::Array> arrays_;                   // of a launch; kept to save an allocation each time
};

}  // namespace muster::rt
