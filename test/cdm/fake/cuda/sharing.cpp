// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of CUDA's driver: memory and events that several processes have. They are in files without names, which others open
// by this process's number. With the word late-signals what an event stands for comes a little after it was recorded,
// as on a card: until then other processes see something else.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include "entries.h"

namespace fake {

namespace {

using namespace muster::cdm::cuda;

constexpr std::size_t mostEvents = 8192;
constexpr std::chrono::milliseconds lateness{2};
constexpr std::chrono::seconds patience{60};

struct Handle {
  int process = 0, file = -1;
  std::uint64_t number = 0;  // of an event, or the bytes of memory
};
static_assert(sizeof(Handle) <= sizeof(IpcHandle));

void put(const Handle& handle, IpcHandle* into) {
  *into = {};
  std::memcpy(into->bytes, &handle, sizeof handle);
}
Handle get(const IpcHandle& from) {
  Handle handle;
  std::memcpy(&handle, from.bytes, sizeof handle);
  return handle;
}

SharedEvent* mapEvents(int file) {
  void* const memory = mmap(nullptr, mostEvents * sizeof(SharedEvent), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return static_cast<SharedEvent*>(memory);
}

// Of this process.
struct Events {
  Events() {
    if (ftruncate(file, mostEvents * sizeof(SharedEvent)) != 0) throw std::bad_alloc();
    first = mapEvents(file);
  }
  int file = memfd_create("fake-cuda-events", MFD_CLOEXEC);
  SharedEvent* first = nullptr;
  std::size_t count = 0;
};
Events& events() {
  static Events all;
  return all;
}

// -1: the process, or the file, is not there, or the word says so.
int openFile(const Handle& handle) {
  if (asked("no-sharing") || (handle.process == getpid() && !asked("opens-own"))) return -1;
  const std::string path = "/proc/" + std::to_string(handle.process) + "/fd/" + std::to_string(handle.file);
  return open(path.c_str(), O_RDWR | O_CLOEXEC);
}

// Shows in their order what was hidden, each some time after that. It lasts as long as the process.
class Shower {
 public:
  void add(std::function<void()> show) {
    const std::lock_guard lock(mutex_);
    waiting_.emplace_back(std::chrono::steady_clock::now() + lateness, std::move(show));
    if (!std::exchange(runs_, true)) std::thread([this] { run(); }).detach();
    added_.notify_one();
  }

 private:
  void run() {
    for (std::unique_lock lock(mutex_);;) {
      added_.wait(lock, [this] { return !waiting_.empty(); });
      const auto [when, show] = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      std::this_thread::sleep_until(when);
      show();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable added_;
  std::deque<std::pair<std::chrono::steady_clock::time_point, std::function<void()>>> waiting_;
  bool runs_ = false;
};

// What it holds now is there later. Nobody but the other processes looks at it, and they wait.
void hide(SharedCopies copies, SharedEvent* event, std::uint32_t number) {
  static Shower& shower = *new Shower;
  std::vector<std::string> contents;
  for (const SharedCopy& copy : copies) contents.emplace_back(copy.start, copy.bytes);
  for (const SharedCopy& copy : copies) std::memset(copy.start, 0xE5, copy.bytes);
  shower.add([copies = std::move(copies), contents = std::move(contents), event, number] {
    for (std::size_t i = 0; i < copies.size(); ++i) std::memcpy(copies[i].start, contents[i].data(), copies[i].bytes);
    event->done.store(number, std::memory_order_release);
  });
}

bool waitFor(const SharedEvent& event, std::uint32_t number) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (event.done.load(std::memory_order_acquire) < number) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::yield();
  }
  return true;
}

}  // namespace

SharedEvent* newSharedEvent() {
  Events& all = events();
  if (all.count == mostEvents) throw std::bad_alloc();
  return all.first + all.count++;
}

// At once: another process may wait, and this one may never ask.
Error recordShared(Stream* stream, Event& event) {
  const std::uint32_t number = ++event.shared->recorded;
  const bool right = enqueue(
      stream, {}, false,
      [copies = stream->copies, shared = event.shared, number] {
        if (asked("late-signals")) return hide(std::exchange(*copies, {}), shared, number);
        copies->clear();
        shared->done.store(number, std::memory_order_release);
      },
      &event.recorded);
  return right && runUntil(event.recorded) ? success : launchTimeout;
}

Error awaitShared(Stream* stream, const Event& event) {
  const std::uint32_t number = event.shared->recorded;
  const auto lost = [context = stream->context] { context->lost = launchTimeout; };
  const bool right = enqueue(stream, {}, false, [shared = event.shared, number, lost] {
    if (!waitFor(*shared, number)) lost();
  });
  return right ? success : launchTimeout;
}

}  // namespace fake

using namespace fake;

#pragma GCC visibility push(default)
extern "C" {

Error cuIpcGetMemHandle(IpcHandle* handle, Pointer address) {
  return inContext([&](Context& context) {
    const AllocationPtr memory = context.find(address, 1);
    if (!memory) return invalidValue;
    if (memory->share() < 0) return error(mapFailed);
    put({getpid(), memory->share(), memory->bytes()}, handle);
    return success;
  });
}

Error cuIpcOpenMemHandle_v2(Pointer* address, IpcHandle handle, unsigned flags) {
  return inContext([&](Context& context) {
    if (flags != enablesPeers) return invalidValue;
    const Handle shared = get(handle);
    const int file = openFile(shared);
    if (file < 0) return error(mapFailed);
    auto opened = std::make_shared<Allocation>(file, shared.number);
    close(file);
    *address = reinterpret_cast<Pointer>(opened->start());
    context.allocations.emplace(*address, std::move(opened));
    return success;
  });
}

Error cuIpcCloseMemHandle(Pointer address) {
  return inContext([&](Context& context) { return context.allocations.erase(address) ? success : invalidValue; });
}

Error cuIpcGetEventHandle(IpcHandle* handle, Event* event) {
  return inContext([&](Context&) {
    if (!event || !event->shared || event->isOpened) return error(invalidHandle);
    put({getpid(), events().file, static_cast<std::uint64_t>(event->shared - events().first)}, handle);
    return success;
  });
}

Error cuIpcOpenEventHandle(Event** event, IpcHandle handle) {
  return inContext([&](Context& context) {
    const Handle shared = get(handle);
    const int file = openFile(shared);
    if (file < 0) return error(mapFailed);
    *event = new Event{&context, false, nullptr, mapEvents(file) + shared.number, true};
    close(file);
    return success;
  });
}

}  // extern "C"
#pragma GCC visibility pop
