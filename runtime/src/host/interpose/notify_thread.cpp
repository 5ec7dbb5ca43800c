// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/interpose/notify_thread.h"

#include <mqueue.h>
#include <time.h>

#include <new>

#include "host/system/next_symbol.h"
#include "host/system/runtime_section.h"
#include "host/system/signal_mask.h"

namespace muster::rt {
namespace {

struct Notification {
  void (*function)(sigval);
  sigval value;
};

void notify(sigval record) {
  letSegvThrough();
  const auto& notification = *static_cast<const Notification*>(record.sival_ptr);
  notification.function(notification.value);
}

}  // namespace

void letFaultsThrough(sigevent& event) {
  if (event.sigev_notify != SIGEV_THREAD || event.sigev_notify_function == notify) return;
  const AllocationScopePause pause;
  auto* record = new (std::nothrow) Notification{event.sigev_notify_function, event.sigev_value};
  if (record == nullptr) return;
  event.sigev_notify_function = notify;
  event.sigev_value.sival_ptr = record;
}

}  // namespace muster::rt

extern "C" {

#pragma GCC visibility push(default)

int timer_create(clockid_t clock, sigevent* event, timer_t* timer) noexcept {
  static constinit muster::rt::NextSymbol<decltype(timer_create)> next("timer_create");
  if (event == nullptr) return next.get()(clock, event, timer);
  sigevent adapted = *event;
  muster::rt::letFaultsThrough(adapted);
  return next.get()(clock, &adapted, timer);
}

int mq_notify(mqd_t queue, const sigevent* event) noexcept {
  static constinit muster::rt::NextSymbol<decltype(mq_notify)> next("mq_notify");
  if (event == nullptr) return next.get()(queue, event);
  sigevent adapted = *event;
  muster::rt::letFaultsThrough(adapted);
  return next.get()(queue, &adapted);
}

#pragma GCC visibility pop

}  // extern "C"
