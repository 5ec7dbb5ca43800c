// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "balance/thread_devices.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "balance/donation.h"
#include "muster/cap/trace.h"

namespace muster::rt {
namespace {

// Between two looks of a thread at what others have to do.
constexpr std::int64_t lookNs = 100'000;
// Of the last launch, in what is known of launches.
constexpr double weightOfLast = 0.125;

double joined(double before, double last) { return before > 0 ? before + weightOfLast * (last - before) : last; }

double secondsOf(std::int64_t ns) { return static_cast<double>(ns) * 1e-9; }

}  // namespace

// What is known of a loop.
struct ThreadDevices::Kernel {
  std::atomic<double> secondsPerIteration{0};  // on a core; 0: not known
  std::atomic<std::uint64_t> ran{0};           // on these devices, by their places among the threads'
};

struct ThreadDevices::Shared {
  // As many as Kernel::ran tells apart.
  static std::vector<std::uint32_t> firstOf(std::vector<std::uint32_t> all) {
    all.resize(std::min<std::size_t>(all.size(), 64));
    return all;
  }
  Shared(ThreadMode mode, std::vector<std::uint32_t> all)
      : donates(mode == ThreadMode::donate),
        devices(firstOf(std::move(all))),
        donation({.devices = devices.size(), .donates = donates}) {}

  const bool donates;
  const std::vector<std::uint32_t> devices;
  std::atomic<int> nested{0};
  std::atomic<bool> several{false};
  std::atomic<std::uint64_t> onDevices{0}, onCores{0};
  std::mutex mutex;  // of what follows
  Donation donation;
  std::unordered_map<std::uint64_t, Kernel> kernels;  // whose addresses stay
};

// A thread of the program, as it knows itself. What others know of it is up to date when it looks.
class ThreadDevices::Member {
 public:
  Member() = default;
  ~Member() { leave(); }
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;

  void joins(const std::shared_ptr<Shared>& shared) {
    if (shared_.lock() == shared) return;
    leave();
    const std::lock_guard lock(shared->mutex);
    shared_ = shared;
    process_ = getpid();
    number_ = shared->donation.join();
    launching_ = &shared->donation.launching(number_);
    device_.reset();
    progress_ = {};
    nextLookNs_ = 0;
    kernels_.clear();
  }
  [[nodiscard]] Kernel& kernel(Shared& shared, std::uint64_t id) {
    Kernel*& known = kernels_[id];
    if (known != nullptr) return *known;
    const std::lock_guard lock(shared.mutex);
    return *(known = &shared.kernels[id]);
  }
  // Now and then, and only where nobody else does at this moment.
  [[nodiscard]] std::optional<std::size_t> device(Shared& shared, std::int64_t now) {
    if (now < nextLookNs_) return device_;
    const std::unique_lock lock(shared.mutex, std::try_to_lock);
    if (!lock.owns_lock()) return device_;
    nextLookNs_ = now + lookNs;
    device_ = shared.donation.look(number_, progress_, secondsOf(now));
    progress_ = {.work = progress_.work};
    return device_;
  }
  // done: nothing where the thread had a device in vain.
  void note(double coreSeconds, double done, bool isCold) {
    progress_.work = joined(progress_.work, coreSeconds);
    progress_.done += done;
    progress_.isCold |= isCold;
  }
  [[nodiscard]] std::size_t number() const { return number_; }
  void setLaunching(bool on) { launching_->store(on, std::memory_order_relaxed); }

 private:
  void leave() {
    const std::shared_ptr<Shared> shared = shared_.lock();
    shared_.reset();
    // In a child that was forked another thread's lock stays for good.
    if (shared == nullptr || process_ != getpid()) return;
    const std::lock_guard lock(shared->mutex);
    shared->donation.leave(number_);
  }

  std::weak_ptr<Shared> shared_;
  pid_t process_ = 0;
  Donation::Thread number_ = 0;
  std::atomic<bool>* launching_ = nullptr;
  std::optional<std::size_t> device_;
  Donation::Progress progress_;
  std::int64_t nextLookNs_ = 0;
  std::unordered_map<std::uint64_t, Kernel*> kernels_;
};

ThreadDevices::ThreadDevices(ThreadMode mode, std::vector<std::uint32_t> devices)
    : shared_(std::make_shared<Shared>(mode, std::move(devices))) {}

ThreadDevices::~ThreadDevices() = default;

ThreadDevices::Member& ThreadDevices::self() {
  thread_local Member member;
  member.joins(shared_);
  return member;
}

ThreadDevices::Nested::Nested(const ThreadDevices& devices) : shared_(devices.shared_) {
  if (shared_->nested.fetch_add(1, std::memory_order_relaxed) > 0)
    shared_->several.store(true, std::memory_order_relaxed);
}

ThreadDevices::Nested::~Nested() { shared_->nested.fetch_sub(1, std::memory_order_relaxed); }

bool ThreadDevices::areSeveral() const { return shared_->several.load(std::memory_order_relaxed); }

Report::ThreadLaunches ThreadDevices::counts() const {
  const std::lock_guard lock(shared_->mutex);
  return {shared_->onDevices, shared_->onCores, shared_->donation.donations()};
}

ThreadDevices::Launch::Launch(ThreadDevices& devices, std::uint64_t kernel, std::int64_t iterations)
    : shared_(devices.shared_),
      self_(devices.self()),
      kernel_(self_.kernel(*shared_, kernel)),
      iterations_(static_cast<double>(iterations)),
      beganNs_(cap::traceClock()) {
  const std::optional<std::size_t> place = self_.device(*shared_, beganNs_);
  // A core tells first what it costs.
  if (place && (!shared_->donates || kernel_.secondsPerIteration > 0)) {
    const std::uint64_t bit = std::uint64_t{1} << *place;
    isCold_ = (kernel_.ran.fetch_or(bit, std::memory_order_relaxed) & bit) == 0;
    device_ = shared_->devices[*place];
  }
  self_.setLaunching(true);
}

void ThreadDevices::Launch::stayOnCore() {
  if (!device_) return;
  device_.reset();
  wasRefused_ = true;
  beganNs_ = cap::traceClock();
}

std::size_t ThreadDevices::Launch::thread() const { return self_.number(); }

ThreadDevices::Launch::~Launch() {
  self_.setLaunching(false);
  const double known = kernel_.secondsPerIteration.load(std::memory_order_relaxed);
  if (device_) {
    shared_->onDevices.fetch_add(1, std::memory_order_relaxed);
    self_.note(known * iterations_, known * iterations_, isCold_);
    return;
  }
  const double seconds = secondsOf(cap::traceClock() - beganNs_);
  shared_->onCores.fetch_add(1, std::memory_order_relaxed);
  kernel_.secondsPerIteration.store(joined(known, seconds / iterations_), std::memory_order_relaxed);
  self_.note(seconds, wasRefused_ ? 0 : seconds, false);
}

}  // namespace muster::rt
