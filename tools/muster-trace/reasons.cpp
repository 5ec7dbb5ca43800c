// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reasons.h"

#include <fmt/format.h>

#include <algorithm>

#include "muster/cdm/text.h"
#include "summary.h"

namespace muster::trace {
namespace {

constexpr std::size_t kLoopWidth = 40;

std::int64_t overlap(const Event& event, const Interval& time) {
  return std::min(event.time.end, time.end) - std::max(event.time.begin, time.begin);
}

// A wait ends a little later than what it waited for: the tenth of it, and 2 us.
std::int64_t slack(const Interval& wait) { return (wait.end - wait.begin) / 10 + 2000; }

// What a wait may be for, the likelier ones higher. 0: nothing that a rank waits for.
int likelihood(Kind kind) {
  switch (kind) {
    case Kind::receive:
      return 4;
    case Kind::transfer:
      return 3;
    case Kind::kernel:
      return 2;
    case Kind::send:
      return 1;
    default:
      return 0;
  }
}

// What was under way on the rank and ended when the wait did.
const Event* causeOf(const Trace& trace, const Event& wait) {
  const Interval& time = wait.time;
  const Event* best = nullptr;
  const auto rankOf = [](const Event& event) { return std::pair(likelihood(event.kind), event.time.end); };
  for (const Event& event : trace.events) {
    if (event.rank != wait.rank || likelihood(event.kind) == 0 || overlap(event, time) <= 0) continue;
    if (event.time.end > time.end + 2000 || event.time.end < time.end - slack(time)) continue;
    if (best == nullptr || rankOf(event) > rankOf(*best)) best = &event;
  }
  return best;
}

std::string doing(const Trace& trace, const Event& event) {
  const std::string loop = event.loop == none ? "a loop" : tail(trace.text(event.loop), kLoopWidth);
  switch (event.kind) {
    case Kind::plan:
      return "planned " + loop;
    case Kind::kernel:
      return "computed " + loop;
    case Kind::wait:
      return "waited itself";
    case Kind::merge:
      return "merged changes";
    case Kind::call:
      return "was in " + trace.text(event.name);
    default:
      return "moved data";
  }
}

// What a rank did for most of the time, or "" where the trace does not show it.
std::string busiest(const Trace& trace, std::uint32_t rank, const Interval& time) {
  const Event* best = nullptr;
  Intervals sends;
  for (const Event& event : trace.events) {
    if (event.rank != rank || overlap(event, time) <= 0) continue;
    if (event.kind == Kind::send)
      sends.push_back({std::max(event.time.begin, time.begin), std::min(event.time.end, time.end)});
    if (event.kind == Kind::launch || event.kind == Kind::send || event.kind == Kind::receive ||
        event.kind == Kind::core || event.kind == Kind::device)
      continue;
    if (best == nullptr || overlap(event, time) > overlap(*best, time)) best = &event;
  }
  const std::int64_t most = (time.end - time.begin) / 3;
  if (best != nullptr && overlap(*best, time) > most) return doing(trace, *best);
  return length(united(std::move(sends))) > most ? "sent other messages" : "";
}

std::string what(const Trace& trace, const Event& message) {
  const std::string array = message.array == none ? "elements" : tail(trace.text(message.array), kLoopWidth);
  return fmt::format("{} ({})", array, cdm::formatByteCount(message.bytes));
}

std::string reasonOfReceive(const Trace& trace, const Event& wait, const Event& receive) {
  std::string text = fmt::format("for {} from rank {}", what(trace, receive), receive.peer);
  if (receive.other == none) return text;
  const Event& send = trace.events[receive.other];
  const Interval before{wait.time.begin, send.time.begin};
  const std::int64_t late = before.end - before.begin;
  if (late * 5 < wait.time.end - wait.time.begin) return text + ", which was on its way";
  text += fmt::format(", which it sent {} later", duration(late));
  const std::string why = busiest(trace, send.rank, before);
  return why.empty() ? text : text + ": until then it " + why;
}

std::string reasonOf(const Trace& trace, const Event& wait) {
  const Event* cause = causeOf(trace, wait);
  if (cause == nullptr) return "for nothing that the trace shows";
  switch (cause->kind) {
    case Kind::receive:
      return reasonOfReceive(trace, wait, *cause);
    case Kind::send:
      return fmt::format("until rank {} had taken {}", cause->peer, what(trace, *cause));
    case Kind::kernel:
      return fmt::format("for {} to compute", trace.rows[cause->row].device);
    default:
      return fmt::format("for a transfer: {} ({})", trace.text(cause->name), cdm::formatByteCount(cause->bytes));
  }
}

}  // namespace

std::vector<Wait> largestWaits(const Trace& trace, std::size_t count) {
  std::vector<Wait> waits;
  for (const Event& event : trace.events) {
    if (event.kind == Kind::wait) waits.push_back({&event, ""});
  }
  const auto key = [](const Wait& wait) {
    return std::pair(wait.event->time.begin - wait.event->time.end, wait.event);
  };
  std::sort(waits.begin(), waits.end(), [&](const Wait& a, const Wait& b) { return key(a) < key(b); });
  if (waits.size() > count) waits.resize(count);
  for (Wait& wait : waits) wait.reason = reasonOf(trace, *wait.event);
  return waits;
}

}  // namespace muster::trace
