// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cuda/driver.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "backends/cuda/clock.h"
#include "backends/cuda/held_launches.h"
#include "backends/cuda/kernel.h"
#include "backends/cuda/locks.h"
#include "backends/cuda/programs.h"
#include "backends/cuda/rooms.h"

namespace muster::cdm {

using cuda::Error;

namespace {

// Of a command: its end, and its beginning where it has times.
struct Marks {
  cuda::Event* begin = nullptr;
  cuda::Event* end = nullptr;
};
struct Queue {
  Queue(const CudaApi& api, bool hasTimes) : timed(hasTimes), held(api) {}
  cuda::Stream* stream = nullptr;
  bool timed;
  CudaHeldLaunches held;
};
// With each room's event as commands know it.
struct SharedRooms {
  std::unique_ptr<CudaRooms> rooms;
  std::vector<Marks> filled;
};

// Memory is known by its address.
DriverMemory* handleOf(cuda::Pointer address) { return reinterpret_cast<DriverMemory*>(address); }
cuda::Pointer raw(DriverMemory* memory) { return reinterpret_cast<cuda::Pointer>(memory); }
Queue& raw(DriverQueue* queue) { return *reinterpret_cast<Queue*>(queue); }
Marks& raw(DriverEvent* event) { return *reinterpret_cast<Marks*>(event); }
CudaProgram& raw(DriverProgram* program) { return *reinterpret_cast<CudaProgram*>(program); }
CudaKernel& raw(DriverKernel* kernel) { return *reinterpret_cast<CudaKernel*>(kernel); }

// Where the rows lie is still to be said.
cuda::Copy2D copyOf(const Rows& rows, std::size_t sourcePitch, std::size_t targetPitch) {
  cuda::Copy2D copy;
  copy.srcPitch = sourcePitch;
  copy.dstPitch = targetPitch;
  copy.widthBytes = rows.bytes;
  copy.height = rows.count;
  return copy;
}

Driver::Limits limitsOf(const CudaHandle& handle) {
  const auto number = [&](cuda::DeviceAttribute attribute) {
    return static_cast<std::size_t>(cudaAttribute(handle, attribute, 1));
  };
  Driver::Limits limits;
  limits.group.total = number(cuda::maxThreadsOfBlock);
  limits.group.perAxis = {number(cuda::maxBlockX), number(cuda::maxBlockY), number(cuda::maxBlockZ)};
  limits.localMemory = number(cuda::sharedMemoryOfBlock);
  return limits;
}

class CudaDriver final : public Driver {
 public:
  CudaDriver(const CudaHandle& handle, DeviceInfo info, const StreamOptions& options, cuda::Context* context)
      : Driver(std::move(info), limitsOf(handle), options),
        handle_(handle),
        cuda_(*handle_.api),
        context_(context),
        programs_(handle_, context_),
        clock_(cuda_) {}
  // Whatever fails here has nobody left to tell.
  ~CudaDriver() override {
    use();
    clock_.close();
    for (const std::vector<Marks*>& marks : free_)
      for (Marks* free : marks) destroy(free);
    (void)cuda_.DevicePrimaryCtxRelease_v2(handle_.device);
  }

  [[nodiscard]] const std::string& textOf(const KernelCode& code) const override { return code.opencl; }
  [[nodiscard]] std::string optionsOf(const KernelBuild& build) const override { return programs_.optionsOf(build); }

  Result<Owned<DriverProgram>> compile(const std::string& text, const std::string& options) override {
    use();
    Result<CudaProgram> program = programs_.compile(text, options);
    if (!program) return program.status();
    return own(reinterpret_cast<DriverProgram*>(new CudaProgram(std::move(*program))));
  }
  Owned<DriverProgram> load(const std::string& binary, const std::string& /*options*/) override {
    use();
    CudaProgram program = programs_.load(binary);
    if (!program.module) return own<DriverProgram>(nullptr);
    return own(reinterpret_cast<DriverProgram*>(new CudaProgram(std::move(program))));
  }
  std::string binaryOf(DriverProgram* program) override { return raw(program).binary; }
  Result<Owned<DriverKernel>> kernelOf(DriverProgram* program, const KernelBuild& build) override {
    use();
    Result<std::unique_ptr<CudaKernel>> kernel = CudaKernel::find(cuda_, raw(program).module, build);
    if (!kernel) return kernel.status();
    return own(reinterpret_cast<DriverKernel*>(kernel->release()));
  }

  Result<Owned<DriverMemory>> allocate(std::size_t bytes) override {
    use();
    cuda::Pointer address = 0;
    if (const Error error = cuda_.MemAlloc_v2(&address, bytes)) return status(error);
    return own(handleOf(address));
  }

  // Known to each device of the process.
  Result<PinnedMemory> pinnedMemory(std::size_t bytes) override {
    use();
    void* address = nullptr;
    if (const Error error = cuda_.MemHostAlloc(&address, bytes, cuda::hostMemoryPortable))
      return failure("pinned host memory", status(error));
    return PinnedMemory(static_cast<std::byte*>(address), [this](std::byte* owned) {
      use();
      (void)cuda_.MemFreeHost(owned);
    });
  }
  Result<PinnedMemory> pin(std::span<std::byte> memory) override {
    use();
    if (const Error error = handle_.locks->lock(cuda_, memory))
      return failure("page-locking host memory", status(error));
    return PinnedMemory(memory.data(), [this](std::byte* owned) {
      use();
      handle_.locks->unlock(cuda_, owned);
    });
  }

  // Lower numbers go first. A kernel's groups leave room for them one by one.
  Result<Owned<DriverQueue>> createQueue(bool timed, bool urgent) override {
    use();
    auto queue = std::make_unique<Queue>(cuda_, timed);
    int last = 0, first = 0;
    if (const Error error = cuda_.CtxGetStreamPriorityRange(&last, &first))
      return failure("cuCtxGetStreamPriorityRange", status(error));
    if (const Error error =
            cuda_.StreamCreateWithPriority(&queue->stream, cuda::streamNonBlocking, urgent ? first : last))
      return failure("cuStreamCreateWithPriority", status(error));
    return own(reinterpret_cast<DriverQueue*>(queue.release()));
  }

  Status write(const Command& command, DriverMemory* to, std::size_t offset, const void* from,
               const Rows& rows) override {
    return run(command, [&](cuda::Stream* stream) {
      if (rows.count == 1) return cuda_.MemcpyHtoDAsync_v2(raw(to) + offset, from, rows.bytes, stream);
      cuda::Copy2D copy = copyOf(rows, rows.hostPitch, rows.pitch);
      copy.srcHost = from;
      copy.dstKind = cuda::Copy2D::device;
      copy.dstDevice = raw(to) + offset;
      return cuda_.Memcpy2DAsync_v2(&copy, stream);
    });
  }

  Status read(const Command& command, DriverMemory* from, std::size_t offset, void* to, const Rows& rows) override {
    return run(command, [&](cuda::Stream* stream) {
      if (rows.count == 1) return cuda_.MemcpyDtoHAsync_v2(to, raw(from) + offset, rows.bytes, stream);
      cuda::Copy2D copy = copyOf(rows, rows.pitch, rows.hostPitch);
      copy.srcKind = cuda::Copy2D::device;
      copy.srcDevice = raw(from) + offset;
      copy.dstHost = to;
      return cuda_.Memcpy2DAsync_v2(&copy, stream);
    });
  }

  Status copy(const Command& command, DriverMemory* from, std::size_t fromOffset, DriverMemory* to,
              std::size_t toOffset, std::size_t bytes) override {
    return run(command, [&](cuda::Stream* stream) {
      return cuda_.MemcpyDtoDAsync_v2(raw(to) + toOffset, raw(from) + fromOffset, bytes, stream);
    });
  }

  // Peers reach each other; so do devices of one card.
  [[nodiscard]] bool reaches(const Driver& other) const override {
    if (other.info().backend != info().backend) return false;
    const auto& peer = static_cast<const CudaDriver&>(other);
    if (peer.context_ == context_) return true;
    const auto [at, isNew] = peers_.try_emplace(peer.context_, false);
    if (isNew) at->second = enablePeer(peer);
    return at->second;
  }
  Status push(const Command& command, DriverMemory* from, std::size_t offset, const Rows& rows, DriverMemory* to,
              std::size_t toOffset) override {
    return run(command, [&](cuda::Stream* stream) {
      if (rows.count == 1) return cuda_.MemcpyDtoDAsync_v2(raw(to) + toOffset, raw(from) + offset, rows.bytes, stream);
      cuda::Copy2D copy = copyOf(rows, rows.pitch, rows.hostPitch);
      copy.srcKind = copy.dstKind = cuda::Copy2D::anywhere;
      copy.srcDevice = raw(from) + offset;
      copy.dstDevice = raw(to) + toOffset;
      return cuda_.Memcpy2DAsync_v2(&copy, stream);
    });
  }

  [[nodiscard]] bool hasRooms() const override { return true; }
  Result<Rooms> makeRooms(std::size_t roomBytes, std::size_t count) override {
    use();
    Result<std::unique_ptr<CudaRooms>> made = CudaRooms::make(cuda_, roomBytes, count);
    if (!made) return made.status();
    Result<std::vector<std::byte>> offer = (*made)->offer();
    if (!offer) return offer.status();
    Rooms rooms = roomsOf(std::move(*made));
    rooms.offer = std::move(*offer);
    return rooms;
  }
  Result<Rooms> openRooms(std::span<const std::byte> offer) override {
    use();
    Result<std::unique_ptr<CudaRooms>> opened = CudaRooms::open(cuda_, offer);
    if (!opened) return opened.status();
    return roomsOf(std::move(*opened));
  }
  Status signal(DriverQueue* queue, DriverEvent* event) override {
    use();
    MUSTER_TRY(startHeld(raw(queue)));
    return status(cuda_.EventRecord(raw(event).end, raw(queue).stream));
  }

  // By words where there are whole ones.
  Status fill(const Command& command, DriverMemory* to, std::size_t offset, std::byte value,
              std::size_t bytes) override {
    constexpr std::size_t word = sizeof(unsigned);
    const auto byte = std::to_integer<unsigned>(value);
    return run(command, [&](cuda::Stream* stream) {
      if ((offset | bytes) % word == 0)
        return cuda_.MemsetD32Async(raw(to) + offset, byte * 0x01010101u, bytes / word, stream);
      return cuda_.MemsetD8Async(raw(to) + offset, static_cast<unsigned char>(byte), bytes, stream);
    });
  }

  Status setArgument(DriverKernel* kernel, std::size_t index, std::size_t bytes, const void* value) override {
    raw(kernel).setArgument(index, bytes, value);
    return {};
  }
  Status launch(const Command& command, DriverKernel* kernel, const Axes& group, const Axes& groups) override {
    const cuda::KernelNode node = raw(kernel).node(group, groups);
    if (command.mayWait) {
      use();
      MUSTER_TRY(status(raw(kernel).allow(cuda_, node)));
      raw(command.queue).held.add(raw(kernel), node);
      return {};
    }
    return run(command, [&](cuda::Stream* stream) {
      const Error error = raw(kernel).allow(cuda_, node);
      return error == cuda::success ? muster::cdm::launch(cuda_, node, stream) : error;
    });
  }
  [[nodiscard]] bool holdsLaunches() const override { return true; }

  Status mark(const Command& command) override {
    return run(command, [](cuda::Stream*) { return cuda::success; });
  }
  Status flush(DriverQueue* queue) override {
    if (!raw(queue).held.any()) return {};
    use();
    return startHeld(raw(queue));
  }
  void finish(DriverQueue* queue) override {
    use();
    (void)startHeld(raw(queue));
    (void)cuda_.StreamSynchronize(raw(queue).stream);
  }

  Result<bool> isComplete(DriverEvent* event) override {
    use();
    const Error error = cuda_.EventQuery(raw(event).end);
    if (error != cuda::success && error != cuda::notReady) return status(error);
    return error == cuda::success;
  }
  Status wait(DriverEvent* event) override {
    use();
    return status(cuda_.EventSynchronize(raw(event).end));
  }
  Result<std::int64_t> timeOf(DriverEvent* event, Moment moment) override {
    use();
    const Marks& marks = raw(event);
    const auto [error, ns] = clock_.timeOf(moment == Moment::begin ? marks.begin : marks.end);
    if (error != cuda::success) return status(error);
    return ns;
  }

  // The driver waits for what uses the memory.
  void release(DriverMemory* memory) override {
    use();
    (void)cuda_.MemFree_v2(raw(memory));
  }
  void release(DriverQueue* queue) override {
    use();
    const std::unique_ptr<Queue> owned(&raw(queue));
    (void)cuda_.StreamDestroy_v2(owned->stream);
  }
  // The next command takes it.
  void release(DriverEvent* event) override { freeOf(raw(event).begin != nullptr).push_back(&raw(event)); }
  void release(DriverProgram* program) override { delete &raw(program); }
  void release(DriverKernel* kernel) override { delete &raw(kernel); }

 private:
  [[nodiscard]] Status status(Error error) const { return cudaStatus(cuda_, error); }
  // Any thread may call, and other libraries have contexts of their own.
  void use() const { (void)cuda_.CtxSetCurrent(context_); }

  [[nodiscard]] bool enablePeer(const CudaDriver& peer) const {
    int may = 0;
    if (cuda_.DeviceCanAccessPeer(&may, handle_.device, peer.handle_.device) != cuda::success || may == 0) return false;
    use();
    const Error error = cuda_.CtxEnablePeerAccess(peer.context_, 0);
    return error == cuda::success || error == cuda::peerAlreadyEnabled;
  }

  Rooms roomsOf(std::unique_ptr<CudaRooms> from) {
    const auto shared = std::shared_ptr<SharedRooms>(new SharedRooms{std::move(from), {}}, [this](SharedRooms* owned) {
      use();
      delete owned;
    });
    const CudaRooms& all = *shared->rooms;
    for (cuda::Event* event : all.filled()) shared->filled.push_back({nullptr, event});
    Rooms rooms{handleOf(all.memory()), {}, all.roomBytes(), {}, shared};
    for (Marks& marks : shared->filled) rooms.filled.push_back(reinterpret_cast<DriverEvent*>(&marks));
    return rooms;
  }

  [[nodiscard]] std::vector<Marks*>& freeOf(bool timed) { return free_.at(timed ? 1 : 0); }
  Result<Owned<DriverEvent>> takeEvent(bool timed) {
    std::vector<Marks*>& free = freeOf(timed);
    if (free.empty()) {
      auto marks = std::make_unique<Marks>();
      const unsigned flags = timed ? cuda::eventDefault : cuda::eventNoTimes;
      if (const Error error = cuda_.EventCreate(&marks->end, flags)) return status(error);
      const Error error = timed ? cuda_.EventCreate(&marks->begin, flags) : cuda::success;
      if (error != cuda::success) {
        destroy(marks.release());
        return status(error);
      }
      free.push_back(marks.release());
    }
    Marks* const marks = free.back();
    free.pop_back();
    return own(reinterpret_cast<DriverEvent*>(marks));
  }
  void destroy(Marks* marks) const {
    const std::unique_ptr<Marks> owned(marks);
    for (cuda::Event* event : {owned->begin, owned->end})
      if (event != nullptr) (void)cuda_.EventDestroy_v2(event);
  }

  Status startHeld(Queue& queue) {
    if (!queue.held.any()) return {};
    const Error error = queue.held.start(queue.stream);
    return error == cuda::success ? Status() : status(error).at("launches that waited for others");
  }
  // `enqueue` gives a stream one command.
  template <class Enqueue>
  Status run(const Command& command, const Enqueue& enqueue) {
    use();
    Queue& queue = raw(command.queue);
    MUSTER_TRY(startHeld(queue));
    for (DriverEvent* wait : command.waits)
      if (const Error error = cuda_.StreamWaitEvent(queue.stream, raw(wait).end, 0)) return status(error);
    if (command.event == nullptr) return status(enqueue(queue.stream));
    Result<Owned<DriverEvent>> event = takeEvent(queue.timed);
    if (!event) return event.status();
    const Marks& marks = raw(event->get());
    Error error = queue.timed ? cuda_.EventRecord(marks.begin, queue.stream) : cuda::success;
    if (error == cuda::success) error = enqueue(queue.stream);
    if (error == cuda::success) error = cuda_.EventRecord(marks.end, queue.stream);
    if (error != cuda::success) return status(error);
    *command.event = std::move(*event);
    return {};
  }

  CudaHandle handle_;
  const CudaApi& cuda_;
  cuda::Context* context_;
  CudaPrograms programs_;
  CudaClock clock_;
  std::array<std::vector<Marks*>, 2> free_;       // events without times, and with
  mutable std::map<cuda::Context*, bool> peers_;  // that were asked about: whether they are within reach
};

}  // namespace

Result<std::unique_ptr<Driver>> cudaDriver(const CudaHandle& handle, const DeviceInfo& info,
                                           const StreamOptions& options) {
  cuda::Context* context = nullptr;
  if (const Error error = handle.api->DevicePrimaryCtxRetain(&context, handle.device))
    return cudaStatus(*handle.api, error).at(info.name + ": cuDevicePrimaryCtxRetain");
  return std::unique_ptr<Driver>(std::make_unique<CudaDriver>(handle, info, options, context));
}

}  // namespace muster::cdm
