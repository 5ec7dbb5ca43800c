// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/opencl/driver.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "backends/opencl/programs.h"

namespace muster::cdm {

namespace {

// Handles of the core are OpenCL's own.
cl_mem raw(DriverMemory* memory) { return reinterpret_cast<cl_mem>(memory); }
cl_command_queue raw(DriverQueue* queue) { return reinterpret_cast<cl_command_queue>(queue); }
cl_event raw(DriverEvent* event) { return reinterpret_cast<cl_event>(event); }
cl_program raw(DriverProgram* program) { return reinterpret_cast<cl_program>(program); }
cl_kernel raw(DriverKernel* kernel) { return reinterpret_cast<cl_kernel>(kernel); }

// That OpenCL 1.2 asks for.
constexpr cl_ulong leastLocalMemory = 32 << 10;

Driver::Limits limitsOf(const ClHandle& handle) {
  Driver::Limits limits;
  limits.group.total = clDeviceValue<std::size_t>(handle, CL_DEVICE_MAX_WORK_GROUP_SIZE, 1);
  std::size_t perAxis[16] = {};  // CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS of them, at least 3
  if (handle.api->GetDeviceInfo(handle.device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof perAxis, perAxis, nullptr) ==
      CL_SUCCESS)
    limits.group.perAxis = {perAxis[0], perAxis[1], perAxis[2]};
  limits.localMemory = clDeviceValue<cl_ulong>(handle, CL_DEVICE_LOCAL_MEM_SIZE, leastLocalMemory);
  // POCL has a cache of its own. Asked for binaries, it walks that folder, and crashes (3.1) when another process, such
  // as another rank, compiles the same kernel just then.
  limits.keepsBinaries = !isPocl(handle);
  return limits;
}

class OpenClDriver final : public Driver {
 public:
  // `service`: a queue for what no command waits for: first touches of memory, page-locked memory.
  OpenClDriver(const ClHandle& handle, DeviceInfo info, const StreamOptions& options, ClContext context,
               ClQueue service)
      : Driver(std::move(info), limitsOf(handle), options),
        handle_(handle),
        cl_(*handle_.api),
        context_(std::move(context)),
        service_(std::move(service)),
        programs_(*this, handle_, context_.get()) {}

  [[nodiscard]] const std::string& textOf(const KernelCode& code) const override { return code.opencl; }
  [[nodiscard]] std::string optionsOf(const KernelBuild& build) const override { return programs_.optionsOf(build); }

  Result<Owned<DriverProgram>> compile(const std::string& text, const std::string& options) override {
    Result<ClProgram> program = programs_.compile(text, options);
    if (!program) return program.status();
    return own(reinterpret_cast<DriverProgram*>(program->take()));
  }
  Owned<DriverProgram> load(const std::string& binary, const std::string& options) override {
    return own(reinterpret_cast<DriverProgram*>(programs_.load(binary, options).take()));
  }
  std::string binaryOf(DriverProgram* program) override { return programs_.binaryOf(raw(program)); }
  Result<Owned<DriverKernel>> kernelOf(DriverProgram* program, const KernelBuild& build) override {
    Result<ClKernel> kernel = programs_.kernelOf(raw(program), build);
    if (!kernel) return kernel.status();
    return own(reinterpret_cast<DriverKernel*>(kernel->take()));
  }

  // Drivers put off allocating until the first use, where a failure could not be told from a lost device: one byte is
  // written at once.
  Result<Owned<DriverMemory>> allocate(std::size_t bytes) override {
    cl_int error = CL_SUCCESS;
    ClMemory memory(handle_.api, cl_.CreateBuffer(context_.get(), CL_MEM_READ_WRITE, bytes, nullptr, &error));
    const std::byte zero{};
    if (error == CL_SUCCESS)
      error = cl_.EnqueueWriteBuffer(service_.get(), memory.get(), CL_TRUE, 0, 1, &zero, 0, nullptr, nullptr);
    switch (error) {
      case CL_SUCCESS:
        return own(reinterpret_cast<DriverMemory*>(memory.take()));
      case CL_MEM_OBJECT_ALLOCATION_FAILURE:
      case CL_OUT_OF_RESOURCES:
      case CL_OUT_OF_HOST_MEMORY:
      case CL_INVALID_BUFFER_SIZE:
        return Status(Errc::outOfMemory, clErrorName(error));
      default:
        return clStatus(error);
    }
  }

  Result<PinnedMemory> pinnedMemory(std::size_t bytes) override {
    cl_int error = CL_SUCCESS;
    ClMemory memory(handle_.api, cl_.CreateBuffer(context_.get(), CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes,
                                                  nullptr, &error));
    if (error != CL_SUCCESS) return failure("pinned host memory", clStatus(error));
    return map(std::move(memory), bytes);
  }

  Result<PinnedMemory> pin(std::span<std::byte> memory) override {
    cl_int error = CL_SUCCESS;
    ClMemory buffer(handle_.api, cl_.CreateBuffer(context_.get(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                                                  memory.size(), memory.data(), &error));
    if (error != CL_SUCCESS) return failure("page-locking host memory", clStatus(error));
    Result<PinnedMemory> mapped = map(std::move(buffer), memory.size());
    if (!mapped || mapped->get() == memory.data()) return mapped;
    return Status(Errc::unsupported, info().name + ": the driver keeps a copy of host memory that it is to page-lock");
  }

  Result<Owned<DriverQueue>> createQueue(bool timed, bool /*urgent*/) override {
    cl_int error = CL_SUCCESS;
    const cl_command_queue queue =
        cl_.CreateCommandQueue(context_.get(), handle_.device, timed ? CL_QUEUE_PROFILING_ENABLE : 0, &error);
    if (error != CL_SUCCESS) return failure("clCreateCommandQueue", clStatus(error));
    return own(reinterpret_cast<DriverQueue*>(queue));
  }

  Status write(const Command& command, DriverMemory* to, std::size_t offset, const void* from,
               const Rows& rows) override {
    if (rows.count == 1)
      return run(command, [&](auto... tail) {
        return cl_.EnqueueWriteBuffer(raw(command.queue), raw(to), CL_FALSE, offset, rows.bytes, from, tail...);
      });
    const Rectangle at(offset, rows);
    return run(command, [&](auto... tail) {
      return cl_.EnqueueWriteBufferRect(raw(command.queue), raw(to), CL_FALSE, at.origin, at.hostOrigin, at.region,
                                        rows.pitch, 0, rows.hostPitch, 0, from, tail...);
    });
  }

  Status read(const Command& command, DriverMemory* from, std::size_t offset, void* to, const Rows& rows) override {
    if (rows.count == 1)
      return run(command, [&](auto... tail) {
        return cl_.EnqueueReadBuffer(raw(command.queue), raw(from), CL_FALSE, offset, rows.bytes, to, tail...);
      });
    const Rectangle at(offset, rows);
    return run(command, [&](auto... tail) {
      return cl_.EnqueueReadBufferRect(raw(command.queue), raw(from), CL_FALSE, at.origin, at.hostOrigin, at.region,
                                       rows.pitch, 0, rows.hostPitch, 0, to, tail...);
    });
  }

  Status copy(const Command& command, DriverMemory* from, std::size_t fromOffset, DriverMemory* to,
              std::size_t toOffset, std::size_t bytes) override {
    return run(command, [&](auto... tail) {
      return cl_.EnqueueCopyBuffer(raw(command.queue), raw(from), raw(to), fromOffset, toOffset, bytes, tail...);
    });
  }

  // The widest pattern that fits: drivers may set one pattern at a time.
  Status fill(const Command& command, DriverMemory* to, std::size_t offset, std::byte value,
              std::size_t bytes) override {
    std::array<std::byte, 16> pattern;
    pattern.fill(value);
    const std::size_t unit = std::min(pattern.size(), std::size_t{1} << std::countr_zero(offset | bytes));
    return run(command, [&](auto... tail) {
      return cl_.EnqueueFillBuffer(raw(command.queue), raw(to), pattern.data(), unit, offset, bytes, tail...);
    });
  }

  Status setArgument(DriverKernel* kernel, std::size_t index, std::size_t bytes, const void* value) override {
    return clStatus(cl_.SetKernelArg(raw(kernel), static_cast<cl_uint>(index), bytes, value));
  }

  Status launch(const Command& command, DriverKernel* kernel, const Axes& group, const Axes& groups) override {
    Axes global = groups;
    for (std::size_t axis = 0; axis < global.size(); ++axis) global[axis] *= group[axis];
    return run(command, [&](auto... tail) {
      return cl_.EnqueueNDRangeKernel(raw(command.queue), raw(kernel), static_cast<cl_uint>(global.size()), nullptr,
                                      global.data(), group.data(), tail...);
    });
  }

  Status mark(const Command& command) override {
    return run(command, [&](auto... tail) { return cl_.EnqueueMarkerWithWaitList(raw(command.queue), tail...); });
  }

  Status flush(DriverQueue* queue) override {
    const cl_int error = cl_.Flush(raw(queue));
    return error == CL_SUCCESS ? Status() : failure("clFlush", clStatus(error));
  }
  void finish(DriverQueue* queue) override { (void)cl_.Finish(raw(queue)); }

  Result<bool> isComplete(DriverEvent* event) override {
    cl_int state = CL_COMPLETE;
    cl_int error = cl_.GetEventInfo(raw(event), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, nullptr);
    if (error == CL_SUCCESS) error = std::min(state, CL_COMPLETE);  // a failed command has an error for its state
    if (error != CL_SUCCESS) return clStatus(error);
    return state == CL_COMPLETE;
  }

  Status wait(DriverEvent* event) override {
    const cl_event awaited = raw(event);
    return clStatus(cl_.WaitForEvents(1, &awaited));
  }

  Result<std::int64_t> timeOf(DriverEvent* event, Moment moment) override {
    cl_ulong ns = 0;
    const cl_int error = cl_.GetEventProfilingInfo(
        raw(event), moment == Moment::begin ? CL_PROFILING_COMMAND_START : CL_PROFILING_COMMAND_END, sizeof ns, &ns,
        nullptr);
    if (error != CL_SUCCESS) return clStatus(error);
    return static_cast<std::int64_t>(ns);
  }

  // The only errors that releasing can give are those of a broken handle, which cannot be helped here.
  void release(DriverMemory* memory) override { (void)cl_.ReleaseMemObject(raw(memory)); }
  void release(DriverQueue* queue) override { (void)cl_.ReleaseCommandQueue(raw(queue)); }
  void release(DriverEvent* event) override { (void)cl_.ReleaseEvent(raw(event)); }
  void release(DriverProgram* program) override { (void)cl_.ReleaseProgram(raw(program)); }
  void release(DriverKernel* kernel) override { (void)cl_.ReleaseKernel(raw(kernel)); }

 private:
  // `enqueue`: a call of OpenCL's that enqueues a command, which gets what all of them end with.
  template <class Enqueue>
  Status run(const Command& command, const Enqueue& enqueue) {
    std::array<cl_event, Command::mostWaits> waits;
    std::transform(command.waits.begin(), command.waits.end(), waits.begin(),
                   [](DriverEvent* wait) { return raw(wait); });
    const auto count = static_cast<cl_uint>(command.waits.size());
    cl_event event = nullptr;
    const cl_int error =
        enqueue(count, count == 0 ? nullptr : waits.data(), command.event == nullptr ? nullptr : &event);
    if (error != CL_SUCCESS) return clStatus(error);
    if (command.event != nullptr) *command.event = own(reinterpret_cast<DriverEvent*>(event));
    return {};
  }

  // Stays mapped for as long as it lives: that is how OpenCL gives out page-locked memory.
  Result<PinnedMemory> map(ClMemory memory, std::size_t bytes) {
    cl_int error = CL_SUCCESS;
    void* const start = cl_.EnqueueMapBuffer(service_.get(), memory.get(), CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                             bytes, 0, nullptr, nullptr, &error);
    if (error != CL_SUCCESS) return failure("mapping pinned host memory", clStatus(error));
    // Errors have nobody left to tell.
    return PinnedMemory(static_cast<std::byte*>(start), [this, owned = std::move(memory)](std::byte* address) {
      (void)cl_.EnqueueUnmapMemObject(service_.get(), owned.get(), address, 0, nullptr, nullptr);
      (void)cl_.Finish(service_.get());
    });
  }

  // Where rows lie, as OpenCL wants it.
  struct Rectangle {
    Rectangle(std::size_t offset, const Rows& rows)
        : origin{offset % rows.pitch, offset / rows.pitch, 0}, region{rows.bytes, rows.count, 1} {}
    std::size_t origin[3], hostOrigin[3] = {}, region[3];
  };

  ClHandle handle_;
  const ClApi& cl_;
  ClContext context_;
  ClQueue service_;
  ClPrograms programs_;
};

}  // namespace

Result<std::unique_ptr<Driver>> openClDriver(const ClHandle& handle, const DeviceInfo& info,
                                             const StreamOptions& options) {
  cl_int error = CL_SUCCESS;
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                              reinterpret_cast<cl_context_properties>(handle.platform), 0};
  ClContext context(handle.api, handle.api->CreateContext(properties, 1, &handle.device, nullptr, nullptr, &error));
  if (error != CL_SUCCESS) return clStatus(error).at(info.name + ": clCreateContext");
  ClQueue service(handle.api, handle.api->CreateCommandQueue(context.get(), handle.device, 0, &error));
  if (error != CL_SUCCESS) return clStatus(error).at(info.name + ": clCreateCommandQueue");
  return std::unique_ptr<Driver>(
      std::make_unique<OpenClDriver>(handle, info, options, std::move(context), std::move(service)));
}

}  // namespace muster::cdm
