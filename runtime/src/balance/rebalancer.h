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
#include "node/node.h"

namespace muster::rt {

class Rebalancer {
 public:
  struct Options {
    // Between two questions. Grows while nothing changes, so that a balanced program is hardly asked.
    std::chrono::microseconds period{20'000}, longestPeriod{1'000'000};
    std::uint32_t launches = 4;  // at least so many between two questions
    bool adapt = true;           // false: weights are given and stay; only device sets change
    WeightModel::Options model;
    std::function<void(const WeightModel::Change&)> changed = [](const WeightModel::Change&) {};
  };
  // Posts a command and says its number.
  using Post = std::function<Result<std::uint64_t>(const protocol::Command&)>;
  // Has work done on this rank after all commands so far, perhaps in another thread.
  using InOrder = std::function<Status(std::function<Status()>)>;

  // weights: those of the job's start, which are on their way already. The node must measure.
  Rebalancer(cdm::Transport& transport, Node& node, const protocol::Weights& weights, Options options);

  // A launch command is about to be posted. May post others before it.
  Status beforeLaunch(const protocol::Launch& launch, const Post& post, const InOrder& inOrder);
  void noteTransfer(std::uint64_t bytes, double seconds);
  void forgetArray(std::uint32_t id) { model_.forgetArray(id); }
  // Waits for answers that are under way; nothing changes any more.
  Status finish();

  // For the tuner. All devices finish what they have to do, and all ranks say what they measured: asked under the
  // controller's lock, waited for without it (but with the launch's), used under it again.
  Status askAll(const Post& post, const InOrder& inOrder);
  Status waitForAnswers() { return transport_.waitAll(requests_); }
  Status useAll(const Post& post);
  // The kernel's component has these devices only, and its weights follow at once from what is known.
  Status restrict(std::uint64_t kernel, const std::vector<bool>& members, const Post& post);
  // All devices take part, also those below the least share.
  Status probe(std::uint64_t kernel, const Post& post);
  Result<bool> decideNow(std::uint64_t kernel, const Post& post);  // true: they are others now
  // While somebody holds it, weights change only when they are told to.
  void hold(bool on) { held_ = on; }
  [[nodiscard]] const WeightModel& model() const { return model_; }
  [[nodiscard]] double minShare() const { return minShare_; }

 private:
  using Clock = std::chrono::steady_clock;
  Status ask(const Post& post, const InOrder& inOrder, bool finish);
  void useTransfers();
  Result<bool> answered();
  Result<std::vector<protocol::KernelTime>> takeAnswers();
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
  bool held_ = false;
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
