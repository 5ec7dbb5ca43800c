// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library with the entry points of CUDA's driver and of NVRTC, and cards that do not exist: kernels run by POCL in
// host memory, commands on machine.h. The variable FAKE_CUDA holds words:
//   devices=N memory=BYTES capability=NN threads=N   cards, and what each has
//   driver=13000 nvrtc=13000                         versions
//   no-device no-context no-compiler full            what fails
//   lost or lost=ERROR                               each call from now on
//   refuses-writes refuses-copies refuses-kernels
//   refuses-changes                                  of what is in a graph
//   no-peers                                         cards that do not reach each other
//   no-sharing                                       memory that no other process can open
//   opens-own                                        the process that made it can, too
//   late-signals                                     what another process waits for is there a little later
// This header: objects of the driver. One thread at a time is in the library.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "backends/cuda/cuda.h"
#include "machine.h"
#include "pocl.h"

namespace fake {

namespace cuda = muster::cdm::cuda;

// Errors that the backend has no name for.
enum : int {
  notInitialized = 3,
  invalidImage = 200,
  mapFailed = 205,
  invalidContext = 201,
  noBinaryForDevice = 209,
  invalidDevice = 101,
  invalidHandle = 400,
  notFound = 500,
  alreadyRegistered = 712,
  notRegistered = 713,
};
constexpr cuda::Error error(int code) {
  return static_cast<cuda::Error>(code);  // NOLINT(clang-analyzer-optin.core.EnumCastOutOfRange)
}

// Memory of a card, which is host memory at the same address. It holds what nobody expects at first.
class Allocation {
 public:
  explicit Allocation(std::size_t bytes);
  // Of another process, which shares this file.
  Allocation(int file, std::size_t bytes);
  ~Allocation();
  Allocation(const Allocation&) = delete;
  Allocation& operator=(const Allocation&) = delete;

  [[nodiscard]] char* start() const { return start_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] const pocl::Memory& memory() const { return *memory_; }
  // False once something was stored in front of it or behind it.
  [[nodiscard]] bool isIntact() const;
  // The file that holds it from now on, for other processes; -1: there is none.
  int share();
  [[nodiscard]] bool isShared() const { return file_ >= 0; }

 private:
  [[nodiscard]] std::size_t whole() const;

  std::size_t bytes_;
  int file_ = -1;
  char* start_;
  std::unique_ptr<pocl::Memory> memory_;
};
// Commands share what they use: it may be freed while they wait.
using AllocationPtr = std::shared_ptr<Allocation>;

// What processes know of an event: how often it was recorded, and the number of those that is done.
struct SharedEvent {
  std::atomic<std::uint32_t> recorded, done;
};
// What was copied to memory of several processes since an event of theirs was recorded.
struct SharedCopy {
  AllocationPtr keep;
  char* start = nullptr;
  std::size_t bytes = 0;
};
using SharedCopies = std::vector<SharedCopy>;

}  // namespace fake

namespace muster::cdm::cuda {

struct Context {
  Device device = 0;
  int uses = 0;
  Error lost = success;  // after an error of a kernel each call gives it
  std::map<Pointer, fake::AllocationPtr> allocations;
  std::size_t held = 0;  // bytes of these
  std::map<Stream*, std::unique_ptr<Stream>> streams;

  std::set<const Context*> peers;  // whose memory commands of this one may use

  // What all of these bytes are in; nullptr if they are in none.
  [[nodiscard]] fake::AllocationPtr find(Pointer at, std::size_t bytes) const;
  // The same in peers' memory as well.
  [[nodiscard]] fake::AllocationPtr findReached(Pointer at, std::size_t bytes) const;
};

struct Stream {
  Stream(Context* owner, fake::Queue* own) : context(owner), queue(own) {}
  ~Stream() { fake::destroyQueue(queue); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  Context* context;
  fake::Queue* queue;
  std::shared_ptr<fake::SharedCopies> copies = std::make_shared<fake::SharedCopies>();
};

struct Event {
  Context* context = nullptr;
  bool hasTimes = false;
  fake::CommandPtr recorded;
  fake::SharedEvent* shared = nullptr;  // of several processes
  bool isOpened = false;                // of another one
};

}  // namespace muster::cdm::cuda

namespace fake {

std::recursive_mutex& oneAtATime();
bool isInitialized();
int devices();
unsigned capability();
// Of the calling thread; may be nullptr.
cuda::Context*& currentContext();
// The device's context whose memory an address is of; nullptr: it is none.
cuda::Context* contextAt(cuda::Pointer at);

// A call on the current context.
template <class Call>
cuda::Error inContext(const Call& call) {
  const std::lock_guard lock(oneAtATime());
  cuda::Context* const context = currentContext();
  if (!isInitialized()) return error(notInitialized);
  if (!context || context->uses == 0) return error(invalidContext);
  if (asked("lost")) context->lost = error(static_cast<int>(asked("lost=", cuda::launchFailed)));
  return context->lost != cuda::success ? context->lost : call(*context);
}

// The same, of a stream of the context's.
template <class Call>
cuda::Error onStream(cuda::Stream* stream, const Call& call) {
  return inContext(
      [&](cuda::Context& context) { return context.streams.contains(stream) ? call(context) : error(invalidHandle); });
}

// Commands of events that several processes have.
cuda::Error recordShared(cuda::Stream* stream, cuda::Event& event);
cuda::Error awaitShared(cuda::Stream* stream, const cuda::Event& event);

SharedEvent* newSharedEvent();

// A command of a stream. Nothing waits for it to be told to begin.
bool enqueue(cuda::Stream* stream, const std::vector<CommandPtr>& waits, bool kernel, std::function<void()> run,
             CommandPtr* added = nullptr);

}  // namespace fake
