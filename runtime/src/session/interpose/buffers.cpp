// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays as buffers of other libraries (muster/buffers.h).
#include "muster/buffers.h"

#include <cstdio>
#include <cstdlib>
#include <span>

#include "host/arrays/managed_memory.h"
#include "muster/cdm/clock.h"
#include "session/program/held_arrays.h"
#include "session/program/session.h"

namespace muster::rt {
namespace {

// The session that keeps arrays apart from the program's memory; nullptr: none does.
Session* movingSession() {
  Session* const session = Session::current();
  return session == nullptr || session->hostOnly() ? nullptr : session;
}

HostArrayImpl* arrayOf(const void* address) { return managedAddresses.table.find(address); }

// nullptr: the session has no such array, or there is no such session.
HostArrayImpl* mirroredOf(const muster_buffer& buffer) {
  HostArrayImpl* const array = movingSession() != nullptr ? arrayOf(buffer.begin) : nullptr;
  return array != nullptr && array->mirrored() ? array : nullptr;
}

void useElements(const muster_buffer& buffer, const muster_part* parts, std::size_t count, Session::BufferUse use) {
  if (HostArrayImpl* const array = mirroredOf(buffer)) movingSession()->useBuffer(*array, std::span(parts, count), use);
}

}  // namespace
}  // namespace muster::rt

extern "C" {

#pragma GCC visibility push(default)

int muster_ranks(void) {
  const muster::rt::Session* const session = muster::rt::Session::current();
  if (session == nullptr) return MUSTER_RANKS_UNKNOWN;
  return session->isOwn() ? MUSTER_RANKS_OWN : MUSTER_RANKS_SHARED;
}

int muster_buffers_matter(void) { return muster::rt::movingSession() != nullptr ? 1 : 0; }

void muster_buffer_find(const void* address, muster_buffer* buffer) {
  *buffer = {};
  muster::rt::Session* const session = muster::rt::movingSession();
  muster::rt::HostArrayImpl* const array = session != nullptr ? muster::rt::arrayOf(address) : nullptr;
  if (array == nullptr) return;
  buffer->begin = reinterpret_cast<char*>(array->user());
  buffer->bytes = array->bytes();
  buffer->element = array->site() != nullptr && array->site()->elem_size > 0 ? array->site()->elem_size : 1;
  if (array->mirrored() && array->owner != nullptr) {
    buffer->kind = MUSTER_BUFFER_MIRRORED;
    buffer->alias = reinterpret_cast<char*>(array->alias());
  } else if (session->mayMirrorLater()) {
    buffer->kind = MUSTER_BUFFER_PRIVATE;
  }
}

void muster_buffer_fetch(const muster_buffer* buffer, const muster_part* parts, size_t count) {
  muster::rt::useElements(*buffer, parts, count, muster::rt::Session::BufferUse::fetch);
}

void muster_buffer_settle(const muster_buffer* buffer, const muster_part* parts, size_t count) {
  muster::rt::useElements(*buffer, parts, count, muster::rt::Session::BufferUse::settle);
}

void muster_buffer_own(const muster_buffer* buffer, const muster_part* parts, size_t count) {
  muster::rt::useElements(*buffer, parts, count, muster::rt::Session::BufferUse::own);
}

int muster_flights_are_checked(void) {
  const muster::rt::Session* const session = muster::rt::Session::current();
  return session != nullptr && session->config().checkRaces ? 1 : 0;
}

uint64_t muster_flight_begin(const muster_buffer* buffer, const muster_part* parts, size_t count, const char* call,
                             int how) {
  muster::rt::Session* const session = muster::rt::movingSession();
  muster::rt::HostArrayImpl* const array = session != nullptr ? muster::rt::arrayOf(buffer->begin) : nullptr;
  return array == nullptr ? 0 : session->beginFlight(*array, std::span(parts, count), call, how);
}

void muster_flight_end(uint64_t flight) {
  if (muster::rt::Session* const session = muster::rt::movingSession()) session->endFlight(flight);
}

int muster_device_use(void) {
  const muster::rt::Session* const session = muster::rt::Session::current();
  if (session == nullptr) return MUSTER_DEVICES_NEVER;
  switch (session->config().directMessages) {
    case muster::cdm::DirectMessages::never:
      return MUSTER_DEVICES_NEVER;
    case muster::cdm::DirectMessages::measured:
      return MUSTER_DEVICES_MEASURED;
    case muster::cdm::DirectMessages::always:
      return MUSTER_DEVICES_ALWAYS;
  }
  return MUSTER_DEVICES_NEVER;
}

size_t muster_device_messages(const muster_processes* processes) {
  muster::rt::Session* const session = muster::rt::Session::current();
  return session != nullptr ? session->tryMessages(processes).value_or(SIZE_MAX) : SIZE_MAX;
}

void* muster_device_lend(const muster_buffer* buffer, const muster_part* parts, size_t count, int filled) {
  muster::rt::HostArrayImpl* const array = muster::rt::mirroredOf(*buffer);
  if (array == nullptr) return nullptr;
  return muster::rt::movingSession()->lendBuffer(*array, std::span(parts, count), filled != 0);
}

void muster_device_take(void* lent, const muster_buffer* buffer, const muster_part* parts, size_t count) {
  muster::rt::HostArrayImpl* const array = muster::rt::mirroredOf(*buffer);
  if (array == nullptr) return muster_device_give_back(lent);
  muster::rt::movingSession()->takeLent(*array, std::span(parts, count), static_cast<std::byte*>(lent));
}

void muster_device_give_back(void* lent) {
  if (muster::rt::Session* const session = muster::rt::movingSession())
    session->giveBackLent(static_cast<std::byte*>(lent));
}

void muster_pin_arrays(void) { muster::rt::heldArrays().pin(1); }

void muster_unpin_arrays(void) { muster::rt::heldArrays().pin(-1); }

void muster_hold_array(const void* address, const char* why) {
  const auto extent = muster::rt::managedAddresses.extentOf(address);
  if (!extent) return;
  muster::rt::heldArrays().hold(extent->begin, why);
  muster_host_access(extent->begin, SIZE_MAX, MUSTER_READ | MUSTER_WRITE);
}

void muster_release_array(const void* address) {
  if (const auto extent = muster::rt::managedAddresses.extentOf(address))
    muster::rt::heldArrays().release(extent->begin);
}

void muster_note_threads(int count) { muster::rt::Session::noteThreads(count); }

int64_t muster_trace_begin(void) {
  const muster::rt::Session* const session = muster::rt::Session::current();
  return session == nullptr || session->trace() == nullptr ? 0 : muster::cdm::traceClock();
}

void muster_trace_end(int64_t begin, const char* name, int together) {
  const muster::rt::Session* const session = muster::rt::Session::current();
  if (session != nullptr && session->trace() != nullptr) session->trace()->noteCall(name, begin, together != 0);
}

void muster_fail(const char* text) {
  if (const muster::rt::Session* const session = muster::rt::Session::current()) session->failUse(text);
  std::fprintf(stderr, "muster: error: %s\n", text);
  std::_Exit(muster::rt::kExitConfig);
}

#pragma GCC visibility pop

}  // extern "C"
