// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Because each queue is in order, its completed operations are always a prefix of its table, and one wait for the
// newest of several orders an operation after all of them.
#include "stream/queues.h"

#include <fmt/format.h>

#include "muster/cdm/clock.h"

namespace muster::cdm {

namespace {
// Asking costs a driver call each, so short tables are left alone; long ones make the caller wait.
constexpr std::uint64_t askAbove = 32, waitAbove = 4096;
constexpr std::size_t firstRing = 64;
}  // namespace

Status Queues::open(Timings timings) {
  for (std::size_t i = 0; i < lanes; ++i) {
    const bool runsKernels = i == index(Lane::kernels) || i == index(Lane::smallKernels);
    const bool timed = timings == Timings::all || (timings == Timings::samples && runsKernels);
    // What is small goes beside large kernels, not behind them: copies within a device are kernels, too, and another
    // device may wait for them.
    Result<Owned<DriverQueue>> created = driver_.createQueue(timed, i != index(Lane::kernels));
    if (!created) return created.status();
    lanes_[i].queue = std::move(*created);
    lanes_[i].sampler = LaunchSampler(timings);
  }
  timed_ = timings;
  return {};
}

Result<Queues::Order> Queues::orderAfter(Lane lane, const Clock& after) {
  const std::size_t own = index(lane);
  Order order;
  if (timed_ != Timings::off) order.calledNs = traceClock();
  order.clock = lanes_[own].clock;
  // A lane's newest operation may itself come after what another lane's event would stand for.
  Clock wanted = after;
  for (std::size_t from = 0; from < lanes; ++from) {
    if (from == own || after[from] <= std::max(completed_[from], order.clock[from])) continue;
    const Clock& known = operation(from, after[from]).clock;
    for (std::size_t to = 0; to < lanes; ++to)
      if (to != from && known[to] >= wanted[to]) wanted[to] = 0;
  }
  for (std::size_t from = 0; from < lanes; ++from) {
    if (from == own || wanted[from] <= std::max(completed_[from], order.clock[from])) continue;
    const Result<std::uint64_t> number = withEvent(from, wanted[from]);
    if (!number) return number.status();
    const Operation& awaited = operation(from, *number);
    order.events[order.count++] = awaited.event.get();
    for (std::size_t to = 0; to < lanes; ++to) order.clock[to] = std::max(order.clock[to], awaited.clock[to]);
    order.clock[from] = std::max(order.clock[from], *number);
  }
  return order;
}

std::uint64_t Queues::nextWithEvent(std::size_t lane, std::uint64_t number) const {
  while (number <= lanes_[lane].issued && !operation(lane, number).event) ++number;
  return number;
}

Result<std::uint64_t> Queues::withEvent(std::size_t lane, std::uint64_t number) {
  const std::uint64_t found = nextWithEvent(lane, number);
  Queue& queue = lanes_[lane];
  if (found <= queue.issued) return found;
  if (queue.holder.held() > 0) {
    MUSTER_TRY(startHeld(lane));
  } else {
    MUSTER_TRY(mark(lane));
    queue.sampler.noteMissing();
  }
  queue.holder.endRun();
  return queue.issued;
}

Status Queues::mark(std::size_t lane) {
  const Command command{queue(static_cast<Lane>(lane)), {}, &operation(lane, lanes_[lane].issued).event};
  if (const Status marked = driver_.mark(command); !marked.ok())
    return driver_.failure("an event for what came before", marked);
  return driver_.flush(command.queue);
}

Result<bool> Queues::holds(Lane lane, const Order& order, const void* kernel) {
  if (!mayWait(lane, order)) return false;
  LaunchHolder& holder = lanes_[index(lane)].holder;
  if (holder.endsBefore(kernel)) MUSTER_TRY(startHeld(index(lane)));
  return holder.takes(kernel);
}

// None has an event of its own: that of the last one stands for all.
Status Queues::startHeld(std::size_t lane) {
  Queue& queue = lanes_[lane];
  queue.holder.starts();
  if (const Status started = driver_.flush(queue.queue.get()); !started.ok())
    return driver_.failure("launches in a row", started);
  return mark(lane);
}

Status Queues::start() {
  constexpr std::size_t lane = index(Lane::kernels);
  if (!hasHeld()) return {};
  MUSTER_TRY(startHeld(lane));
  lanes_[lane].holder.startsInVain();
  return {};
}

// Those that start together have one event, unless each of them is to be timed.
bool Queues::chooseForEvent(Lane lane, const Order& order, std::uint64_t group) {
  Queue& queue = lanes_[index(lane)];
  const bool isChosen = queue.sampler.choose(group), waits = mayWait(lane, order) && queue.holder.holds();
  return isChosen && (timed_ != Timings::off || !waits);
}

void Queues::makeRoom(std::size_t lane) {
  std::vector<Operation>& ring = lanes_[lane].ring;
  if (pending(lane) < ring.size()) return;
  std::vector<Operation> larger(std::max(firstRing, 2 * ring.size()));
  for (std::uint64_t number = completed_[lane] + 1; number <= lanes_[lane].issued; ++number)
    larger[number & (larger.size() - 1)] = std::move(operation(lane, number));
  ring = std::move(larger);
}

std::uint64_t Queues::list(std::size_t own, const Order& order, Owned<DriverEvent> event, TimingLog::Label label,
                           std::function<void()> done) {
  makeRoom(own);
  Queue& queue = lanes_[own];
  const std::uint64_t number = ++queue.issued;
  queue.clock = order.clock;
  Operation& added = operation(own, number);
  added.event = std::move(event);
  added.done = std::move(done);
  added.label = std::move(label);
  if (timed_ != Timings::off) added.label.calledNs = order.calledNs;
  added.call = ++calls_;
  added.clock = order.clock;
  return number;
}

Status Queues::dropSome(std::size_t lane) {
  if (pending(lane) > askAbove) MUSTER_TRY(retireSome(lane));
  return pending(lane) > waitAbove ? waitFor(lane, lanes_[lane].issued - waitAbove) : Status();
}

Result<Event> Queues::add(Lane lane, const Order& order, Owned<DriverEvent> event, TimingLog::Label label,
                          std::function<void()> done) {
  const std::size_t own = index(lane);
  LaunchHolder& holder = lanes_[own].holder;
  if (holder.held() > 0) holder.starts();  // in front of this one
  if (label.kind != OperationTiming::Kind::kernel || done) holder.endRun();
  const std::uint64_t number = list(own, order, std::move(event), std::move(label), std::move(done));
  MUSTER_TRY(driver_.flush(queue(lane)));
  MUSTER_TRY(dropSome(own));
  return number * lanes + own;
}

Result<Event> Queues::addHeld(Lane lane, const Order& order, TimingLog::Label label) {
  const std::size_t own = index(lane);
  const std::uint64_t number = list(own, order, {}, std::move(label), {});
  if (lanes_[own].holder.held() == LaunchHolder::most) {
    MUSTER_TRY(startHeld(own));
    MUSTER_TRY(dropSome(own));
  }
  return number * lanes + own;
}

Status Queues::retire(std::size_t lane, std::uint64_t number, const Status& failed) {
  while (completed_[lane] < number) {
    Operation& oldest = operation(lane, completed_[lane] + 1);
    const Result<bool> complete = !failed.ok()   ? Result<bool>(failed)
                                  : oldest.event ? driver_.isComplete(oldest.event.get())
                                                 : Result<bool>(true);
    const std::function<void()> done = std::move(oldest.done);
    if (lists(oldest.label) && complete && *complete) {
      const std::int64_t ns =
          timings_.keep(oldest.event.get(), oldest.label, (completed_[lane] + 1) * lanes + lane, oldest.call);
      if (ns > 0) lanes_[lane].sampler.noteDuration(oldest.label.group, ns);
    }
    oldest.event.reset();
    oldest.label = {};
    oldest.done = nullptr;
    ++completed_[lane];
    if (!complete && firstError_.ok())
      firstError_ = Status(Errc::deviceLost, fmt::format("{}: an operation failed on the device: {}",
                                                         driver_.info().name, complete.status().message()));
    if (!firstError_.ok()) return firstError_;
    if (done) done();
  }
  return {};
}

// Half of the table at once: most calls that add an operation ask the driver nothing.
Status Queues::retireSome(std::size_t lane) {
  const std::uint64_t middle = nextWithEvent(lane, completed_[lane] + askAbove / 2);
  if (middle > lanes_[lane].issued) return {};
  const Result<bool> complete = driver_.isComplete(operation(lane, middle).event.get());
  return complete && !*complete ? Status() : retire(lane, middle, complete.status());
}

Status Queues::retireCompleted() {
  for (std::size_t lane = 0; lane < lanes; ++lane)
    for (;;) {
      const std::uint64_t next = nextWithEvent(lane, completed_[lane] + 1);
      if (next > lanes_[lane].issued) break;
      const Result<bool> complete = driver_.isComplete(operation(lane, next).event.get());
      if (complete && !*complete) break;
      MUSTER_TRY(retire(lane, next, complete.status()));
    }
  return {};
}

Status Queues::waitFor(std::size_t lane, std::uint64_t number) {
  if (number <= completed_[lane]) return firstError_;
  // One wait for the operation itself; what it comes after is complete then, in its own lane and in others.
  const Result<std::uint64_t> with = withEvent(lane, number);
  if (!with) return with.status();
  return retireAll(lane, *with, driver_.wait(operation(lane, *with).event.get()));
}

Status Queues::retireAll(std::size_t lane, std::uint64_t number, const Status& failed) {
  const Clock clock = operation(lane, number).clock;
  MUSTER_TRY(retire(lane, number, failed));
  for (std::size_t other = 0; other < lanes; ++other)
    if (other != lane) MUSTER_TRY(retire(other, clock[other], {}));
  return firstError_;
}

Result<bool> Queues::waitOldest() {
  std::size_t lane = 0;
  std::uint64_t number = 0, call = 0;
  for (std::size_t i = 0; i < lanes; ++i)
    for (std::uint64_t n = completed_[i] + 1; n <= lanes_[i].issued; ++n) {
      const Operation& candidate = operation(i, n);
      if (!candidate.done) continue;
      if (call == 0 || candidate.call < call) {
        lane = i;
        number = n;
        call = candidate.call;
      }
      break;
    }
  if (call == 0) return firstError_.ok() ? Result<bool>(false) : Result<bool>(firstError_);
  MUSTER_TRY(waitFor(lane, number));
  return true;
}

Status Queues::check(Event event) const {
  if (numberOf(event) <= lanes_[event % lanes].issued) return {};
  return {Errc::invalidArgument, fmt::format("{}: event {} was never given out", driver_.info().name, event)};
}

Status Queues::wait(Event event) {
  MUSTER_TRY(check(event));
  return waitFor(event % lanes, numberOf(event));
}

Result<bool> Queues::test(Event event) {
  MUSTER_TRY(check(event));
  const std::size_t lane = event % lanes;
  if (numberOf(event) <= completed_[lane]) return firstError_.ok() ? Result<bool>(true) : Result<bool>(firstError_);
  const Result<std::uint64_t> with = withEvent(lane, numberOf(event));
  if (!with) return with.status();
  const Result<bool> complete = driver_.isComplete(operation(lane, *with).event.get());
  if (complete.ok() && !*complete) return false;
  MUSTER_TRY(retireAll(lane, *with, complete.status()));
  return true;
}

Status Queues::waitAll() {
  for (std::size_t lane = 0; lane < lanes; ++lane) MUSTER_TRY(waitFor(lane, lanes_[lane].issued));
  return firstError_;
}

void Queues::abandon() {
  for (Queue& lane : lanes_) {
    if (lane.queue) driver_.finish(lane.queue.get());
    lane.holder = {};
    lane.ring.clear();
    lane.issued = 0;
  }
  completed_ = {};
}

}  // namespace muster::cdm
