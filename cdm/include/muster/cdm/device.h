// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ComputeDevice: one GPU, or the whole multi-core CPU of one rank (ClusterJaMP, section III). The public
// calls check their arguments; a backend implements the do... calls only and gets sane arguments.
//
// Thread-safety: calls on one device must not overlap; calls on different devices may.
// Order: operations of one device take effect as if in the order of the calls; those that touch different bytes may
// overlap. Writes and fills are complete in the order of the calls, and so are reads. write, fill, read, copy and
// launch may return before the operation is done; finish() waits for all, wait() for one. Memory handed to write or
// read must stay valid, and that of a write unchanged, until then; that of a write at most until waitForSource() for
// it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "muster/cdm/device_rooms.h"
#include "muster/cdm/status.h"
#include "muster/chunk.h"

namespace muster::cdm {

enum class DeviceKind : std::uint8_t { cpu, gpu, accelerator };
[[nodiscard]] const char* toString(DeviceKind kind);

struct DeviceInfo {
  std::string name;  // "NVIDIA H100 80GB HBM3"
  std::string vendor;
  std::string driver;   // version text
  std::string backend;  // "cpu", "opencl"
  DeviceKind kind = DeviceKind::cpu;
  std::uint64_t memoryBytes = 0;
  std::uint64_t maxAllocationBytes = 0;
  std::uint32_t computeUnits = 0;
  bool fp64 = true;
  // Native code can address this device's buffers, through address().
  bool hostAddressable = false;
  // Tells two handles of the same hardware apart from two devices: PCI address or UUID, "" if unknown.
  std::string hardwareId;
  std::string selector;  // the word of MUSTER_DEVICES that names it on its host: "cpu", "opencl:1"
  bool operator==(const DeviceInfo&) const = default;
};

// Host memory that belongs to whoever holds it.
using PinnedMemory = std::shared_ptr<std::byte[]>;
// A piece of a device's memory. 0 is never a valid handle.
using BufferId = std::uint64_t;
// An operation that was queued; 0 stands for one that is already complete.
using Event = std::uint64_t;

enum class ScalarType : std::uint8_t { boolean, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, other };
[[nodiscard]] std::size_t sizeOf(ScalarType type);  // 0 for other
// Other: only `combine` knows the operation; a partial result whose bytes are all zero changes nothing.
// ProgramEnd: the same, but a device has one for all work-groups, which any work-item may write (at most one per
// kernel, of kMostEndBytes).
enum class ResultKind : std::uint8_t {
  add,
  mul,
  bitAnd,
  bitOr,
  bitXor,
  logAnd,
  logOr,
  min,
  max,
  lastPrivate,
  other,
  programEnd
};
inline constexpr std::uint32_t kMostEndBytes = 64;

// A device that is there and is not used.
struct LeftOut {
  std::string device, reason;
};

// A kernel was built from its text, which took so long; where its binary is kept for later runs, or an empty path. Of
// any thread.
using BuildObserver = std::function<void(double seconds, const std::filesystem::path& keptIn)>;

// How a kernel's iterations lie in an NDRange.
struct Schedule : muster_schedule {
  Schedule(const std::array<std::uint8_t, 3>& order = {0, 1, 2}, std::uint8_t pointsAxis = 0, std::uint8_t points = 1)
      : muster_schedule{} {
    for (std::size_t axis = 0; axis < order.size(); ++axis) this->order[axis] = order[axis];
    points_axis = pointsAxis, this->points = points, most_passes = 1;
  }
  Schedule(const muster_schedule& schedule) : muster_schedule(schedule) {}

  [[nodiscard]] std::size_t dimension(std::size_t dimensions, std::size_t axis) const {
    return dimensions - 1 - order[axis];
  }
  // A kernel may have more arrays than the mask has bits.
  [[nodiscard]] bool isPrivatized(std::size_t array) const { return array < 32 && (privatized >> array & 1) != 0; }
};

// Which form of a kernel a device with several runs: the one that fits the launch, the schedule's at any size and on
// any device, or one iteration for each work-item.
enum class KernelForms { automatic, first, plain };

// What a kernel's floating-point arithmetic leaves open. A device then does what is fastest; else what the host does.
struct FloatRules {
  bool anyDenormals = false;  // they may count as zero
  bool anyFusing = false;     // products and sums may be rounded once, together
  bool anyNan = false;        // there are no NaN and no infinities
  bool anyOrder = false;      // sums may be put together in another order, and zeros have no sign
  bool anyDigits = false;     // the last digits of quotients, roots and functions
  bool operator==(const FloatRules&) const = default;
};

struct KernelCode;
class Fusion;
class KeptLaunch;

// A loop that takes turns with another one (muster_steps): which of the common kernel's arguments it has.
struct KernelTurn {
  const KernelCode* code = nullptr;
  std::vector<std::uint16_t> arrays;
  std::size_t firstScalar = 0;
};

// What a device needs to know of a kernel. Built once per kernel by the registry; outlives all launches.
struct KernelCode {
  struct Array {
    std::string name;
    std::uint32_t elementSize = 0;
    bool written = false;
    ScalarType type = ScalarType::other;  // of an element
  };
  struct Scalar {
    std::string name;
    ScalarType type = ScalarType::other;
    std::uint32_t size = 0;
  };
  struct ResultParam {
    std::string name;
    ScalarType type = ScalarType::other;
    std::uint32_t size = 0;
    ResultKind kind = ResultKind::add;
    void (*combine)(void* into, const void* partial) = nullptr;
  };
  std::uint64_t id = 0;
  std::string name;      // OpenCL function name
  std::string location;  // "file:line" for messages
  muster_native_fn native = nullptr;
  std::string opencl;  // OpenCL C 1.2; empty: runs natively only
  std::uint32_t dimensions = 1;
  Schedule schedule;
  bool needsFp64 = false;
  FloatRules floats;
  std::vector<Array> arrays;
  std::vector<Scalar> scalars;
  std::vector<std::vector<std::uint8_t>> expected;  // bytes of the scalars in launches to come; empty: not known
  std::vector<ResultParam> results;
  // Made of several (src/core/fused_code.h): it runs in the form that they ran in, and no other one is tried.
  bool isFused = false;
  // Of two loops in turn: those of the first step and of the second one. Such code has no launches of one step, and is
  // never native.
  std::vector<KernelTurn> turns;
};

// One array argument: element e of the user's array lies at byte originBytes + e * elementSize of the buffer
// (originBytes may be negative: the device holds only a window of the array). buffer 0: this chunk touches no
// element of the array; code that runs on this machine's CPUs gets originBytes as the address of element 0.
// Bytes [touchedBegin, touchedEnd) of the buffer are all that the chunk can touch (the default is any byte): a device
// may let transfers of other bytes overlap with the launch.
struct ArrayArg {
  BufferId buffer = 0;
  std::int64_t originBytes = 0;
  std::size_t touchedBegin = 0, touchedEnd = SIZE_MAX;
  bool absent = false;  // the kernel gets a null pointer
};

// The element of an array that an iteration touches in all of its accesses, and no other iteration does: that of number
// `constant` and, for each dimension, coefficients[d] times the number of the iteration in it.
struct OwnElement {
  std::array<std::int64_t, 3> coefficients = {};
  std::int64_t constant = 0;
  bool operator==(const OwnElement&) const = default;
};

// Which operations are timed. samples: kernels, of short ones in a row only some, which costs least.
enum class Timings : std::uint8_t { off, samples, all };

// When one operation ran, on std::chrono::steady_clock, in nanoseconds.
struct OperationTiming {
  enum class Kind : std::uint8_t { kernel, write, read, copy };
  Kind kind = Kind::kernel;  // copy: also for fills
  Event event = 0;           // what the call returned; a launch that takes several device operations counts as one
  std::int64_t beginNs = 0, endNs = 0;
  std::uint64_t bytes = 0;  // of a transfer
  bool measured = true;     // false: it ran, but is not one of the samples; its times are 0
  std::uint32_t steps = 1;  // of a launch of several steps, so many of them: all, or one where each has its own times
  std::uint32_t fused = 1;  // launches that ran as one; each of them has its part of the time
};

// One chunk of one launch on one device.
struct KernelLaunch {
  const KernelCode* code = nullptr;
  std::span<const muster_dim> dims;  // code->dimensions of them, dims[0] outermost
  std::int64_t lo = 0, hi = 0;       // logical iterations of dims[0]
  std::span<const ArrayArg> arrays = {};
  std::span<const void* const> scalars = {};  // addresses of values; read during the call
  // Addresses for results (partial values), written by the time the launch's event is complete. The device
  // itself combines its work-groups' partials with ResultParam::combine. A lastPrivate result has a value only
  // if hi is the end of dims[0], else what stands there is not defined. A reduction over no iteration gives the
  // identity. The caller has set a programEnd result to zero.
  std::span<void* const> results = {};
  // An odd number of launches at once, from one to the next of which the schedule's two arrays change places
  // (muster_steps), or two loops take turns (KernelCode::turns). Where dims[0] has more iterations than the chunk, the
  // device computes those around it as well, as far as the last step depends on them. Behind it, [lo, hi) of the array
  // that is written has what the last step gives. All else that the steps write, in both arrays, may hold anything.
  std::uint32_t steps = 1;
  // Of each array, where there is such an element; empty: not known. Launches that come one behind the other may then
  // run as one, and wait for each other (src/core/fusion.h).
  std::span<const std::optional<OwnElement>> own = {};
};

// One of the steps of a launch: iterations that it has to compute, and its code's arguments among those of the launch.
struct LaunchStep {
  const KernelCode* code = nullptr;
  std::int64_t lo = 0, hi = 0;
  std::span<const std::uint16_t> arrays;
  std::size_t firstScalar = 0;
};

// Calls run(step) for each step of a launch. The first error ends it.
template <class Run>
Status forEachStep(const KernelLaunch& launch, const Run& run) {
  const KernelCode& code = *launch.code;
  const muster_steps& kind = code.schedule.steps;
  std::vector<std::uint16_t> arrays(code.arrays.size());
  std::iota(arrays.begin(), arrays.end(), std::uint16_t{0});
  for (std::uint32_t i = 0; i < launch.steps; ++i) {
    const std::int64_t around = std::int64_t{launch.steps - 1 - i} * kind.reach;
    LaunchStep step{.code = &code,
                    .lo = std::max<std::int64_t>(0, launch.lo - around),
                    .hi = std::min(launch.dims[0].count, launch.hi + around),
                    .arrays = arrays};
    if (!code.turns.empty()) {
      const KernelTurn& turn = code.turns[i % 2];
      step.code = turn.code, step.arrays = turn.arrays, step.firstScalar = turn.firstScalar;
    }
    MUSTER_TRY(run(step));
    if (launch.steps != 1) std::swap(arrays[kind.from], arrays[kind.to]);
  }
  return {};
}

// Equal rows in a device's buffer and in host memory, or in another device's buffer. Bytes; a pitch leads from the
// start of a row to that of the next one, and is at least a row.
struct Rows {
  std::size_t bytes = 0, count = 1;
  std::size_t pitch = 0, hostPitch = 0;
};

class ComputeDevice {
 public:
  virtual ~ComputeDevice();
  ComputeDevice(const ComputeDevice&) = delete;
  ComputeDevice& operator=(const ComputeDevice&) = delete;

  [[nodiscard]] const DeviceInfo& info() const { return info_; }

  // bytes > 0. Contents are undefined. Errc::outOfMemory names the sizes.
  Result<BufferId> allocate(std::size_t bytes);
  // Makes memory of the caller's a buffer without a copy (hostAddressable devices only: the CPU works in place).
  Result<BufferId> wrap(void* memory, std::size_t bytes);
  Status release(BufferId buffer);
  // Host address of a buffer on a hostAddressable device, else nullptr.
  [[nodiscard]] void* address(BufferId buffer);

  // No alignment is asked for; 0 bytes are allowed. The two ranges of copy() must not overlap.
  Result<Event> write(BufferId to, std::size_t offset, const void* from, std::size_t bytes);
  Result<Event> read(BufferId from, std::size_t offset, void* to, std::size_t bytes);
  // The same for rows, of which the offset and the pointer are the first one's. One operation where the device can do
  // it, which for many short rows is a thousand times faster than one for each.
  Result<Event> writeRows(BufferId to, std::size_t offset, const void* from, const Rows& rows);
  Result<Event> readRows(BufferId from, std::size_t offset, void* to, const Rows& rows);
  Result<Event> copy(BufferId from, std::size_t fromOffset, BufferId to, std::size_t toOffset, std::size_t bytes);
  // Whether the other device's memory is within reach of this one's copies: cards of one host that are peers.
  [[nodiscard]] bool reaches(const ComputeDevice& other) const { return &other != this && doReaches(other); }
  // Copies rows to a device that is reached, past the host; there they are rows.hostPitch apart. It comes in the order
  // of both devices' operations: neither has to be waited for. The event is this device's.
  Result<Event> push(BufferId from, std::size_t offset, const Rows& rows, ComputeDevice& target, BufferId to,
                     std::size_t toOffset);
  // Rooms for messages to devices of other processes of this host, and those that one of another process offers. Reads
  // into rooms and writes from them are as those of host memory. Errors only mean that messages go through host memory.
  [[nodiscard]] virtual bool hasRooms() const { return false; }
  virtual Result<DeviceRooms> makeRooms(std::size_t roomBytes, std::size_t count);
  virtual Result<DeviceRooms> openRooms(std::span<const std::byte> offer);
  // Own room `number` is filled by the reads so far. Once the call has returned, the other process may call
  // awaitFilled: its writes after that come after those reads. The host waits for nothing.
  virtual Status signalFilled(const DeviceRooms& rooms, std::size_t number);
  virtual Status awaitFilled(const DeviceRooms& rooms, std::size_t number);
  // Memory of a device that has rooms, for messages of a library that takes its addresses. To the device's reads and
  // writes it is as pinnedMemory; the CPU cannot access it.
  virtual Result<PinnedMemory> messageMemory(std::size_t bytes);
  // Sets bytes [offset, offset + bytes) of the buffer to `value`, in the device's own memory. As for write(), no
  // alignment is asked for, 0 bytes are allowed, and a range that does not fit is Errc::invalidArgument.
  Result<Event> fill(BufferId to, std::size_t offset, std::byte value, std::size_t bytes);

  // Host memory for messages: a GPU's transfers use it directly (it is page-locked), those with other memory copy once
  // more on the host. Contents are undefined. It must be dropped before the device, and costs time to get and to drop.
  Result<PinnedMemory> pinnedMemory(std::size_t bytes);
  // The same for memory that somebody else gives and takes back, maybe shared with another process: page-locked until
  // what this returns is dropped. An error only means that transfers with it copy once more.
  Result<PinnedMemory> pin(std::span<std::byte> memory);

  // Compiles ahead of the first launch (also done by launch), for the code's expected scalars. Errc::buildFailed
  // carries the compiler's log. iterations: of all dimensions, of the launches to come; small ones may run another
  // variant than large ones.
  Status prepare(const KernelCode& code, double iterations = std::numeric_limits<double>::infinity());
  Result<Event> launch(const KernelLaunch& launch);
  // Launches may wait for others that come behind them (src/core/fusion.h, src/stream/launch_holder.h). Any call that
  // may not overtake them starts them, and so does this one, for when no other comes.
  [[nodiscard]] bool holdsLaunches() const;
  Status flush();

  Status wait(Event event);
  // Whether it is complete, without waiting for that. Launches that wait for others are started.
  Result<bool> test(Event event);
  // Until the memory that was handed to this write may be changed: often at once, long before the write is done.
  Status waitForSource(Event write);
  Status finish();

  // Which operations are timed from now on (off at first). Operations of native code are done within the call and
  // are not listed; samples list no transfers. takeTimings gives those that are known to be complete, once each, in the
  // order of the calls; it does not wait.
  Status keepTimings(Timings timings);
  [[nodiscard]] std::vector<OperationTiming> takeTimings();

  // Remembers for later runs what kernels of several launches would have saved in this one (src/core/fusion.h).
  void keepSavings();

 protected:
  explicit ComputeDevice(DeviceInfo info);
  // Launches may become one from now on.
  void fuseLaunches();

  virtual Result<BufferId> doAllocate(std::size_t bytes) = 0;
  virtual Result<BufferId> doWrap(void* memory, std::size_t bytes);
  virtual Status doRelease(BufferId buffer) = 0;
  virtual void* doAddress(BufferId buffer);
  virtual Result<Event> doWrite(BufferId to, std::size_t offset, const void* from, std::size_t bytes) = 0;
  virtual Result<Event> doRead(BufferId from, std::size_t offset, void* to, std::size_t bytes) = 0;
  // There are rows, and bytes in them. One by one unless the backend knows better.
  virtual Result<Event> doWriteRows(BufferId to, std::size_t offset, const void* from, const Rows& rows);
  virtual Result<Event> doReadRows(BufferId from, std::size_t offset, void* to, const Rows& rows);
  virtual Result<Event> doCopy(BufferId from, std::size_t fromOffset, BufferId to, std::size_t toOffset,
                               std::size_t bytes) = 0;
  virtual bool doReaches(const ComputeDevice& other) const;
  virtual Result<Event> doPush(BufferId from, std::size_t offset, const Rows& rows, ComputeDevice& target, BufferId to,
                               std::size_t toOffset);
  // Writes from host memory unless the backend knows better, and waits for that.
  virtual Result<Event> doFill(BufferId to, std::size_t offset, std::byte value, std::size_t bytes);
  virtual Result<PinnedMemory> doPinnedMemory(std::size_t bytes);
  virtual Result<PinnedMemory> doPin(std::span<std::byte> memory);
  virtual Status doPrepare(const KernelCode& code, double iterations) = 0;
  virtual Result<Event> doLaunch(const KernelLaunch& launch) = 0;
  // One after the other unless the backend knows better.
  virtual Result<Event> doLaunchSteps(const KernelLaunch& launch);
  // Of a device that fuses launches: in which form it runs this one, 0: an iteration for each work-item, else a number
  // of Schedule::blocks; none: in another form. And how many seconds the build of a kernel takes; 0: it was built by an
  // earlier run.
  virtual std::optional<std::uint8_t> doFusedForm(const KernelLaunch& launch);
  virtual double doSecondsToBuild(const KernelCode& code);
  // What such a kernel would have saved in earlier runs, and from now on what it would have in all of them.
  virtual double doSavedSeconds(const KernelCode& code);
  virtual void doKeepSavedSeconds(const KernelCode& code, double seconds);
  virtual Status doWait(Event event) = 0;
  // Waits unless the backend knows better.
  virtual Result<bool> doTest(Event event);
  virtual Status doWaitForSource(Event write) { return doWait(write); }
  virtual Status doFinish() = 0;
  [[nodiscard]] virtual bool doHoldsLaunches() const { return false; }
  virtual Status doFlush() { return {}; }
  virtual Status doKeepTimings(Timings timings);
  virtual std::vector<OperationTiming> doTakeTimings();

  DeviceInfo info_;

 private:
  [[nodiscard]] const std::size_t* extentOf(BufferId buffer) const;
  [[nodiscard]] Status fail(Errc code, const std::string& what) const;
  Status remember(const Result<BufferId>& buffer, std::size_t bytes);
  Status checkRange(BufferId buffer, std::size_t offset, std::size_t bytes, const char* call) const;
  Status checkRows(BufferId buffer, std::size_t offset, const Rows& rows, const char* call) const;
  Status checkShape(const KernelLaunch& launch) const;
  Status checkArguments(const KernelLaunch& launch) const;

  // device_fusion.cpp
  Result<Event> launchAmong(const KernelLaunch& launch);
  // Runs what waits: before each call that must not overtake it.
  Status settle();
  Status runTaken();
  void endRun();
  Result<Event> launchFused(std::span<const KeptLaunch> launches, const KernelCode& code);
  void keepPromise(Event promise, Event event);
  Status lose(const Status& why);
  Result<Event> operationOf(Event event);

  std::vector<std::pair<BufferId, std::size_t>> extents_;  // size of each live buffer, sorted by id
  std::unique_ptr<Fusion> fusion_;                         // nullptr: each launch runs by itself
  Status lost_;                                            // what waited could not run: nothing else does
  Event promised_;                                         // the last event that was given out before its operation
  std::map<Event, Event> kept_;                            // what those stand for
  std::map<Event, std::vector<Event>> promisesOf_;         // the other way round
};

}  // namespace muster::cdm
