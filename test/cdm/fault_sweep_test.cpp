// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each function of OpenCL, on POCL, and of CUDA, on the stand-in, fails at its n-th call: whatever a device says has
// worked has worked, and what has not is an error with a text. Nothing hangs, and the device can be destroyed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "backends/opencl/inventory.h"
#include "conformance.h"
#include "fake_cuda.h"
#include "muster/cdm/device_manager.h"
#include "test_directory.h"

namespace muster::cdm::test {

namespace {

constexpr int elements = 5000;
constexpr std::size_t bytes = elements * sizeof(int);

// What operations under way may use: after an error nobody has waited for them.
struct HostMemory {
  std::vector<int> ones = std::vector<int>(elements, 1), values = std::vector<int>(elements), results;
  std::vector<std::byte> shared = std::vector<std::byte>(bytes);
  PinnedMemory pinned, alsoPinned;
};

// Stops at the first error, as Muster does. The values are right if there is none.
class Program {
 public:
  Program(ComputeDevice& device, HostMemory& memory) : device_(device), memory_(memory) {}

  Status run() {
    const Result<BufferId> a = device_.allocate(bytes), b = device_.allocate(bytes);
    MUSTER_TRY(a.status());
    MUSTER_TRY(b.status());
    MUSTER_TRY(device_.keepTimings(Timings::all));
    MUSTER_TRY(device_.write(*a, 0, memory_.ones.data(), bytes).status());
    for (int i = 0; i < 3; ++i) MUSTER_TRY(incrementAll(*a));
    MUSTER_TRY(device_.fill(*b, 0, std::byte{0xFF}, bytes).status());
    MUSTER_TRY(device_.copy(*a, 0, *b, 0, bytes).status());
    MUSTER_TRY(incrementAll(*b));
    const Result<PinnedMemory> pinned = device_.pinnedMemory(bytes);
    MUSTER_TRY(pinned.status());
    memory_.pinned = *pinned;
    const Result<PinnedMemory> alsoPinned = device_.pin(memory_.shared);
    MUSTER_TRY(alsoPinned.status());
    memory_.alsoPinned = *alsoPinned;
    MUSTER_TRY(device_.read(*b, 0, pinned->get(), bytes).status());
    const Result<Event> read = device_.read(*a, 0, memory_.values.data(), bytes);
    MUSTER_TRY(read.status());
    MUSTER_TRY(device_.wait(*read));
    EXPECT_EQ(memory_.values, std::vector<int>(elements, 4));
    MUSTER_TRY(device_.finish());
    std::memcpy(memory_.values.data(), pinned->get(), bytes);
    EXPECT_EQ(memory_.values, std::vector<int>(elements, 5));
    (void)device_.takeTimings();
    MUSTER_TRY(sum(*b));
    MUSTER_TRY(device_.keepTimings(Timings::off));  // launches have no events of their own
    constexpr int inRow = 120;                      // so many start together
    for (int i = 0; i < inRow; ++i) MUSTER_TRY(incrementAll(*a));
    MUSTER_TRY(device_.read(*a, 0, memory_.values.data(), bytes).status());
    MUSTER_TRY(device_.finish());
    EXPECT_EQ(memory_.values, std::vector<int>(elements, 4 + inRow));
    if (device_.hasRooms()) {
      MUSTER_TRY(sendToItself(*a));
      MUSTER_TRY(device_.messageMemory(bytes).status());
    }
    return device_.release(*a);
  }

 private:
  // As two processes do.
  Status sendToItself(BufferId buffer) {
    const Result<DeviceRooms> own = device_.makeRooms(bytes, 2);
    MUSTER_TRY(own.status());
    const Result<DeviceRooms> opened = device_.openRooms(own->offer);
    MUSTER_TRY(opened.status());
    MUSTER_TRY(device_.read(buffer, 0, own->memory.get() + bytes, bytes).status());
    MUSTER_TRY(device_.signalFilled(*own, 1));
    MUSTER_TRY(device_.awaitFilled(*opened, 1));
    MUSTER_TRY(device_.write(buffer, 0, opened->memory.get() + bytes, bytes).status());
    return device_.finish();
  }

  Status incrementAll(BufferId buffer) {
    const muster_dim dim = {0, 1, elements};
    const ArrayArg array = {buffer, 0};
    KernelLaunch launch;
    launch.code = &increment();
    launch.dims = {&dim, 1};
    launch.hi = elements;
    launch.arrays = {&array, 1};
    return device_.launch(launch).status();
  }

  // The first result of reduceAll is the sum.
  Status sum(BufferId buffer) {
    const KernelCode& code = reduceAll<int>();
    const muster_dim dim = {0, 1, elements};
    const ArrayArg arrays[] = {{buffer, 0}, {buffer, 0}};
    std::vector<int>& results = memory_.results;
    results.resize(code.results.size());
    std::vector<void*> places;
    for (int& result : results) places.push_back(&result);
    KernelLaunch launch;
    launch.code = &code;
    launch.dims = {&dim, 1};
    launch.hi = elements;
    launch.arrays = arrays;
    launch.results = places;
    const Result<Event> event = device_.launch(launch);
    MUSTER_TRY(event.status());
    MUSTER_TRY(device_.wait(*event));
    EXPECT_EQ(results[0], 5 * elements);
    return {};
  }

  ComputeDevice& device_;
  HostMemory& memory_;
};

struct Backend {
  std::string name;  // any call of it
  std::vector<std::string> calls;
  std::vector<std::string> errors;  // how their names begin
  // The first device; Errc::notFound if none is listed.
  std::function<Result<std::unique_ptr<ComputeDevice>>(const std::shared_ptr<Faults>&, const StreamOptions&)> open;
};

template <class Inventory>
Result<std::unique_ptr<ComputeDevice>> openFirst(const Inventory& inventory, const StreamOptions& options) {
  if (inventory.entries().empty()) return Status(Errc::notFound, inventory.problem());
  return inventory.open(0, options);
}

Backend openCl() {
  return {"opencl", openClCalls(), {"CL_"}, [](const auto& faults, const StreamOptions& options) {
            return openFirst(OpenClInventory("libOpenCL.so.1", faults), options);
          }};
}
Backend cuda() {
  return {"cuda", cudaCalls(), {"CUDA_ERROR_", "NVRTC_ERROR_"}, [](const auto& faults, const StreamOptions& options) {
            return openFirst(fakeCuda(faults), options);
          }};
}

// Whether the fault was met.
bool sweepOnce(const Backend& backend, const Fault& fault, const StreamOptions& options) {
  HostMemory memory;
  Result<std::unique_ptr<ComputeDevice>> device =
      backend.open(std::make_shared<Faults>(std::vector<Fault>{fault}, 0), options);
  Status status = device.status();
  if (device) status = Program(**device, memory).run();
  // A fault may hide that the device is a CPU.
  if (device && (options.likeGpu || (*device)->info().kind != DeviceKind::cpu)) {  // they belong to the device
    memory.pinned.reset();
    memory.alsoPinned.reset();
  }
  if (status.ok()) return false;
  EXPECT_FALSE(status.message().empty());
  const bool isNamed = std::ranges::any_of(
      backend.errors, [&](const std::string& name) { return status.message().find(name) != std::string::npos; });
  EXPECT_TRUE(isNamed || status.code() == Errc::notFound) << status.message();
  return true;
}

// `keeps`: a run finds the binaries of those before it.
void sweep(const Backend& backend, bool likeGpu, bool keeps) {
  const Status present = backend.open(nullptr, {}).status();
  if (!present.ok()) GTEST_SKIP() << "none here: " << present.message();
  const TestDirectory kept;
  const ScopedVariable fake("FAKE_CUDA", "opens-own");
  const auto once = [&](const std::string& call, std::uint64_t number) {
    SCOPED_TRACE(call + ":" + std::to_string(number));
    const TestDirectory own;
    StreamOptions options;
    options.likeGpu = likeGpu;
    options.fuse = true;
    options.cacheDirectory = (keeps ? kept : own).path();
    return sweepOnce(backend, {call, number, -1}, options);
  };
  int met = 0;
  for (const std::string& call : backend.calls)
    for (const std::uint64_t number : {1, 2, 3, 7}) met += once(call, number);
  EXPECT_GT(met, 40);  // else the faults are not where the program goes
  for (std::uint64_t number = 1; number < 160; number += 3) once(backend.name, number);
}

TEST(FaultSweep, OfACpuTypeDevice) { sweep(openCl(), false, true); }
TEST(FaultSweep, OfADeviceThatIsUsedAsAGpu) { sweep(openCl(), true, true); }
TEST(FaultSweep, OfCudaThatCompiles) { sweep(cuda(), false, false); }
TEST(FaultSweep, OfCudaThatLoadsBinaries) { sweep(cuda(), false, true); }

}  // namespace

}  // namespace muster::cdm::test
