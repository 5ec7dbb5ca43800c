// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The in-order queues of one device, the operations under way on each, what to do when they complete, and the Event
// ids that stand for them. Completed operations are dropped as new ones come, so that the tables stay short. Short
// launches in a row have no event each (stream/sampling.h): who waits for one waits for the next event of its queue.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "muster/cdm/device.h"
#include "stream/driver.h"
#include "stream/hazards.h"
#include "stream/launch_holder.h"
#include "stream/sampling.h"
#include "stream/timings.h"

namespace muster::cdm {

class Queues {
 public:
  // What an operation that is about to go to a lane waits for: at most one event of each other lane.
  struct Order {
    std::array<DriverEvent*, lanes - 1> events = {};
    std::size_t count = 0;
    Clock clock = {};  // all that the operation comes after
    std::int64_t calledNs = 0;
    [[nodiscard]] std::span<DriverEvent* const> waits() const { return {events.data(), count}; }
  };

  explicit Queues(Driver& driver) : driver_(driver), timings_(driver) {}
  // Creates the queues, or creates them anew once all operations are complete. Timed ones may be slower.
  Status open(Timings timings);
  [[nodiscard]] Timings timed() const { return timed_; }

  [[nodiscard]] DriverQueue* queue(Lane lane) const { return lanes_[index(lane)].queue.get(); }

  // A command of the lane. `order`: nullptr if it comes after another command with that order.
  [[nodiscard]] Command command(Lane lane, const Order* order, Owned<DriverEvent>* event) const {
    return {queue(lane), order != nullptr ? order->waits() : std::span<DriverEvent* const>(), event};
  }
  // From now on launches may wait for those behind them, if the driver gains by that. Somebody has to call start().
  void holdLaunches() { mayHold_ = driver_.holdsLaunches(); }
  // Whether the next launch waits, of this kernel, without an event, and with this order. It is to be enqueued by
  // heldLaunch() and added by addHeld() then.
  Result<bool> holds(Lane lane, const Order& order, const void* kernel);
  [[nodiscard]] Command heldLaunch(Lane lane) const { return {queue(lane), {}, nullptr, true}; }
  Result<Event> addHeld(Lane lane, const Order& order, TimingLog::Label label);
  [[nodiscard]] bool hasHeld() const { return lanes_[index(Lane::kernels)].holder.held() > 0; }
  // Starts launches that wait: because nobody came for a while, or before something else.
  Status start();
  Status startForOthers() { return hasHeld() ? startHeld(index(Lane::kernels)) : Status(); }

  // The order for an operation that comes after `after`.
  Result<Order> orderAfter(Lane lane, const Clock& after);
  // Whether the next launch of this group (LaunchSampler), which has to be added then, must have an event.
  [[nodiscard]] bool chooseForEvent(Lane lane, const Order& order, std::uint64_t group);
  // An operation was enqueued with that order; other lanes may wait for it from now on. `event`: nullptr only for
  // launches. `done` runs in one of the calls below, in the order of the lane's operations, once this one has
  // completed; such an operation has an event. `label`: for timings.
  Result<Event> add(Lane lane, const Order& order, Owned<DriverEvent> event, TimingLog::Label label,
                    std::function<void()> done = {});

  // Errc::invalidArgument for an event that was never given out.
  Status wait(Event event);
  // The same, for whether it is complete.
  Result<bool> test(Event event);
  // Waits for the oldest operation with something to be done at its end; false if there is none.
  Result<bool> waitOldest();
  Status waitAll();
  // Waits for the queues and forgets all operations without running what was to be done: their targets may be gone.
  void abandon();

  // Those of operations that are complete by now.
  [[nodiscard]] TimingLog& timings() { return timings_; }
  Status retireCompleted();

  // What is known to be complete, without asking anybody.
  [[nodiscard]] const Clock& completed() const { return completed_; }
  [[nodiscard]] static Lane laneOf(Event event) { return static_cast<Lane>(event % lanes); }
  [[nodiscard]] static std::uint64_t numberOf(Event event) { return event / lanes; }
  // No operation was added to the lane after `number`.
  [[nodiscard]] bool isLast(Lane lane, std::uint64_t number) const { return lanes_[index(lane)].issued == number; }
  // Nothing that is not known to be complete.
  [[nodiscard]] bool idle(Lane lane) const { return lanes_[index(lane)].issued == completed_[index(lane)]; }

 private:
  struct Operation {
    Owned<DriverEvent> event;  // of this one, or of a marker after it; or none
    std::function<void()> done;
    TimingLog::Label label;
    std::uint64_t call = 0;  // counts over all lanes
    Clock clock = {};        // what it comes after in other lanes
  };
  // Operations number completed + 1 to issued are in the ring, at their number modulo its size, a power of two.
  struct Queue {
    Owned<DriverQueue> queue;
    std::vector<Operation> ring;
    LaunchSampler sampler;
    LaunchHolder holder;
    std::uint64_t issued = 0;
    Clock clock = {};  // what all later operations come after
  };

  [[nodiscard]] static constexpr std::size_t index(Lane lane) { return static_cast<std::size_t>(lane); }
  [[nodiscard]] Operation& operation(std::size_t lane, std::uint64_t number) {
    return lanes_[lane].ring[number & (lanes_[lane].ring.size() - 1)];
  }
  [[nodiscard]] const Operation& operation(std::size_t lane, std::uint64_t number) const {
    return lanes_[lane].ring[number & (lanes_[lane].ring.size() - 1)];
  }
  [[nodiscard]] std::uint64_t pending(std::size_t lane) const { return lanes_[lane].issued - completed_[lane]; }

  [[nodiscard]] bool mayWait(Lane lane, const Order& order) const {
    return mayHold_ && lane == Lane::kernels && order.count == 0;
  }
  // Takes the operation into the lane's table.
  std::uint64_t list(std::size_t lane, const Order& order, Owned<DriverEvent> event, TimingLog::Label label,
                     std::function<void()> done);
  void makeRoom(std::size_t lane);
  Status startHeld(std::size_t lane);
  // The newest operation's, for all that came before.
  Status mark(std::size_t lane);
  // Keeps the table short.
  Status dropSome(std::size_t lane);
  // The first operation from this one on that has an event; issued + 1: none has.
  [[nodiscard]] std::uint64_t nextWithEvent(std::size_t lane, std::uint64_t number) const;
  // The same; where none has, the last one gets one.
  Result<std::uint64_t> withEvent(std::size_t lane, std::uint64_t number);
  // Takes operations up to `number` off the table; they have completed unless `failed` says otherwise.
  Status retire(std::size_t lane, std::uint64_t number, const Status& failed);
  Status retireSome(std::size_t lane);
  Status waitFor(std::size_t lane, std::uint64_t number);
  // The operation that completes with operation `number` has, and so has what it comes after.
  Status retireAll(std::size_t lane, std::uint64_t number, const Status& failed);
  [[nodiscard]] Status check(Event event) const;
  // Whether timings list such an operation.
  [[nodiscard]] bool lists(const TimingLog::Label& label) const {
    return timed_ == Timings::all || (timed_ == Timings::samples && label.kind == OperationTiming::Kind::kernel);
  }

  Driver& driver_;
  std::array<Queue, lanes> lanes_;
  Clock completed_ = {};
  std::uint64_t calls_ = 0;
  Timings timed_ = Timings::off;
  bool mayHold_ = false;
  TimingLog timings_;
  Status firstError_;  // sticky: a device whose operation failed gives no more results
};

}  // namespace muster::cdm
