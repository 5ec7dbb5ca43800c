// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of CUDA's driver: streams and events.
#include "entries.h"

using namespace fake;

namespace {

constexpr int mostUrgent = -5;

// A call on an event, whose context need not be current.
template <class Call>
Error onEvent(Event* event, const Call& call) {
  return inContext([&](Context&) { return event ? call() : error(invalidHandle); });
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

Error cuStreamCreate(Stream** stream, unsigned) {
  return inContext([&](Context& context) {
    auto made = std::make_unique<Stream>(&context, createQueue());
    *stream = made.get();
    context.streams.emplace(*stream, std::move(made));
    return success;
  });
}

Error cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return inContext([&](Context&) {
    *least = 0, *greatest = mostUrgent;
    return success;
  });
}

Error cuStreamCreateWithPriority(Stream** stream, unsigned flags, int priority) {
  return priority <= 0 && priority >= mostUrgent ? cuStreamCreate(stream, flags) : invalidValue;
}

Error cuStreamDestroy_v2(Stream* stream) {
  return onStream(stream, [&](Context& context) {
    context.streams.erase(stream);
    return success;
  });
}

Error cuStreamSynchronize(Stream* stream) {
  return onStream(stream, [&](Context& context) {
    const bool done = runQueue(*stream->queue);
    return done ? context.lost : launchTimeout;
  });
}

// What the event stands for now, whatever it is recorded for later on.
Error cuStreamWaitEvent(Stream* stream, Event* event, unsigned) {
  return onStream(stream, [&](Context&) {
    if (!event) return error(invalidHandle);
    if (event->isOpened) return awaitShared(stream, *event);
    if (!event->recorded || event->recorded->done) return success;
    return enqueue(stream, {event->recorded}, false, [] {}) ? success : launchTimeout;
  });
}

Error cuEventCreate(Event** event, unsigned flags) {
  return inContext([&](Context& context) {
    const bool hasTimes = (flags & eventNoTimes) == 0, isShared = (flags & eventOfProcesses) != 0;
    if (hasTimes && isShared) return invalidValue;
    *event = new Event{&context, hasTimes, nullptr, isShared ? newSharedEvent() : nullptr};
    return success;
  });
}

Error cuEventDestroy_v2(Event* event) {
  return onEvent(event, [&] {
    delete event;
    return success;
  });
}

Error cuEventRecord(Event* event, Stream* stream) {
  return onStream(stream, [&](Context& context) {
    if (!event || event->context != &context) return error(invalidHandle);
    if (event->shared) return recordShared(stream, *event);
    return enqueue(stream, {}, false, [] {}, &event->recorded) ? success : launchTimeout;
  });
}

Error cuEventQuery(Event* event) {
  return onEvent(event, [&] {
    runSome();
    const bool done = !event->recorded || event->recorded->done;
    if (event->context->lost != success) return event->context->lost;
    return done ? success : notReady;
  });
}

Error cuEventSynchronize(Event* event) {
  return onEvent(event, [&] {
    if (event->recorded && !runUntil(event->recorded)) return launchTimeout;
    return event->context->lost;
  });
}

Error cuEventElapsedTime(float* milliseconds, Event* start, Event* end) {
  return inContext([&](Context&) {
    for (const Event* event : {start, end})
      if (!event || !event->hasTimes || !event->recorded) return error(invalidHandle);
    if (!start->recorded->done || !end->recorded->done) return notReady;
    const auto ns = static_cast<std::int64_t>(end->recorded->endedNs - start->recorded->endedNs);
    *milliseconds = static_cast<float>(static_cast<double>(ns) / 1e6);
    return success;
  });
}

}  // extern "C"
#pragma GCC visibility pop
