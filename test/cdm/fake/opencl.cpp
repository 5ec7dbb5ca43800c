// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library with OpenCL's entry points and GPUs that do not exist, for what real drivers do not do on demand: two
// platforms with the same card, a platform or a context that fails, a device that is lost, operations that complete in
// an unexpected order (machine.h). It moves data in host memory and has one kernel, fake_mix (test/cdm/order_test.cpp).
// FAKE_OPENCL holds words that choose what goes wrong.
#include <CL/cl.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "machine.h"

const char* const fake::variable = "FAKE_OPENCL";

namespace {

using fake::asked;

// Zero at first; the system has memory for what was touched only.
class Memory {
 public:
  explicit Memory(std::size_t bytes) : bytes_(bytes), data_(static_cast<char*>(std::calloc(bytes, 1))) {}
  ~Memory() { std::free(data_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  [[nodiscard]] char* data() const { return data_; }
  // As NVIDIA's driver wants it.
  [[nodiscard]] bool hasLines(const size_t* origin, const size_t* region, size_t pitch) const {
    return origin[0] + region[0] <= pitch && (origin[1] + region[1]) * pitch <= bytes_;
  }

 private:
  std::size_t bytes_;
  char* data_;
};

// Handles only have to be different from one another; buffers are std::shared_ptr<Memory>.
char platforms[2], contextObject;
using Bytes = std::shared_ptr<Memory>;
struct Program {
  std::string text;
};
const std::string binaryStart = "fake binary of ";  // what follows is the text
struct Kernel {
  std::vector<std::vector<char>> arguments;
};
struct FakeDevice {
  cl_uint bus;
};
FakeDevice devices[2][2] = {{{1}, {2}}, {{1}, {3}}};  // bus 1 is listed by both platforms

// Commands share what they use: as with real drivers, it may be released while they wait.
Bytes bytesOf(cl_mem memory) { return *reinterpret_cast<Bytes*>(memory); }

template <class T>
T argument(const Kernel& kernel, std::size_t index) {
  T value;
  std::memcpy(&value, kernel.arguments.at(index).data(), sizeof value);
  return value;
}

// The kernel fake_mix: a[x] = 5 * a[x] + b[x] + x.
std::function<void()> mix(const Kernel& kernel) {
  const Bytes a = bytesOf(argument<cl_mem>(kernel, 0)), b = bytesOf(argument<cl_mem>(kernel, 2));
  const auto aOrigin = argument<cl_long>(kernel, 1), bOrigin = argument<cl_long>(kernel, 3);
  const auto first = argument<cl_long>(kernel, 4), by = argument<cl_long>(kernel, 5), lo = argument<cl_long>(kernel, 6),
             hi = argument<cl_long>(kernel, 7);
  return [=] {
    for (cl_long k = lo; k < hi; ++k) {
      const cl_long x = first + k * by;
      cl_uint& to = reinterpret_cast<cl_uint*>(a->data())[aOrigin + x];
      to = 5 * to + reinterpret_cast<const cl_uint*>(b->data())[bOrigin + x] + static_cast<cl_uint>(x);
    }
  };
}

// What a cl_event points to.
struct EventHandle {
  fake::CommandPtr command;
};

struct Enqueue {
  cl_command_queue queue;
  bool blocking = false, kernel = false;
  std::span<const cl_event> waits;
  cl_event* event = nullptr;
};

cl_int enqueue(const Enqueue& how, std::function<void()> run) {
  fake::Enqueue plain{*reinterpret_cast<fake::Queue*>(how.queue), how.blocking, how.kernel, {}};
  for (cl_event wait : how.waits) plain.waits.push_back(reinterpret_cast<EventHandle*>(wait)->command);
  fake::CommandPtr command;
  const bool right = fake::enqueue(plain, std::move(run), &command);
  if (how.event) *how.event = reinterpret_cast<cl_event>(new EventHandle{command});
  return right ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
}

cl_int answer(const void* value, std::size_t bytes, std::size_t room, void* to, std::size_t* needed) {
  if (needed) *needed = bytes;
  if (to && room < bytes) return CL_INVALID_VALUE;
  if (to) std::memcpy(to, value, bytes);
  return CL_SUCCESS;
}

cl_int answerText(const std::string& text, std::size_t room, void* to, std::size_t* needed) {
  return answer(text.c_str(), text.size() + 1, room, to, needed);
}

template <class T>
cl_int answerValue(T value, std::size_t room, void* to, std::size_t* needed) {
  return answer(&value, sizeof value, room, to, needed);
}

template <class T>
T succeed(cl_int* error, void* object) {
  if (error) *error = CL_SUCCESS;
  return reinterpret_cast<T>(object);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cl_int clGetPlatformIDs(cl_uint room, cl_platform_id* to, cl_uint* count) {
  if (count) *count = 2;
  for (cl_uint i = 0; to && i < room && i < 2; ++i) to[i] = reinterpret_cast<cl_platform_id>(&platforms[i]);
  return CL_SUCCESS;
}

cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info what, size_t room, void* to, size_t* needed) {
  const bool second = reinterpret_cast<char*>(platform) == &platforms[1];
  return answerText(what == CL_PLATFORM_NAME ? (second ? "Fake Two" : "Fake One") : "OpenCL 1.2 fake", room, to,
                    needed);
}

cl_int clGetDeviceIDs(cl_platform_id platform, cl_device_type, cl_uint room, cl_device_id* to, cl_uint* count) {
  const bool second = reinterpret_cast<char*>(platform) == &platforms[1];
  if (second && asked("second-platform-fails")) return CL_OUT_OF_HOST_MEMORY;
  if (asked("no-devices")) return CL_DEVICE_NOT_FOUND;
  if (count) *count = 2;
  for (cl_uint i = 0; to && i < room && i < 2; ++i) to[i] = reinterpret_cast<cl_device_id>(&devices[second][i]);
  return CL_SUCCESS;
}

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t room, void* to, size_t* needed) {
  const cl_uint bus = reinterpret_cast<FakeDevice*>(device)->bus;
  switch (what) {
    case CL_DEVICE_NAME:
      return answerText("Fake GPU " + std::to_string(bus), room, to, needed);
    case CL_DEVICE_EXTENSIONS:
      return answerText("cl_nv_device_attribute_query", room, to, needed);
    case CL_DEVICE_VENDOR:
    case CL_DRIVER_VERSION:
      return answerText("fake", room, to, needed);
    case CL_DEVICE_TYPE:
      return answerValue<cl_device_type>(CL_DEVICE_TYPE_GPU, room, to, needed);
    case CL_DEVICE_GLOBAL_MEM_SIZE:
      return answerValue<cl_ulong>(asked("large") ? cl_ulong{1} << 40 : 1 << 20, room, to, needed);
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
      return answerValue<cl_ulong>(asked("large") ? cl_ulong{1} << 40 : 600 << 10, room, to, needed);
    case CL_DEVICE_MAX_COMPUTE_UNITS:
      return answerValue<cl_uint>(4, room, to, needed);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
      return answerValue<size_t>(256, room, to, needed);
    case CL_DEVICE_AVAILABLE:
      return answerValue<cl_bool>(bus == 3 && asked("bus-3-unavailable") ? CL_FALSE : CL_TRUE, room, to, needed);
    case CL_DEVICE_COMPILER_AVAILABLE:
    case CL_DEVICE_ENDIAN_LITTLE:
      return answerValue<cl_bool>(CL_TRUE, room, to, needed);
    case 0x4008:  // CL_DEVICE_PCI_BUS_ID_NV
      return answerValue<cl_uint>(bus, room, to, needed);
    default:
      return CL_INVALID_VALUE;
  }
}

cl_context clCreateContext(const cl_context_properties*, cl_uint, const cl_device_id*,
                           void(CL_CALLBACK*)(const char*, const void*, size_t, void*), void*, cl_int* error) {
  if (!asked("no-context")) return succeed<cl_context>(error, &contextObject);
  *error = CL_OUT_OF_RESOURCES;
  return nullptr;
}
cl_command_queue clCreateCommandQueue(cl_context, cl_device_id, cl_command_queue_properties, cl_int* error) {
  return succeed<cl_command_queue>(error, fake::createQueue());
}

cl_mem clCreateBuffer(cl_context, cl_mem_flags, size_t bytes, void*, cl_int* error) {
  return succeed<cl_mem>(error, new Bytes(std::make_shared<Memory>(bytes)));
}
cl_int clReleaseMemObject(cl_mem memory) {
  delete reinterpret_cast<Bytes*>(memory);
  return CL_SUCCESS;
}
void* clEnqueueMapBuffer(cl_command_queue, cl_mem memory, cl_bool, cl_map_flags, size_t, size_t, cl_uint,
                         const cl_event*, cl_event*, cl_int* error) {
  return succeed<void*>(error, bytesOf(memory)->data());
}
cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem memory, cl_bool blocking, size_t offset, size_t bytes,
                            const void* from, cl_uint count, const cl_event* waits, cl_event* event) {
  // As drivers do that allocate at the first use.
  if (blocking && asked("full")) return CL_MEM_OBJECT_ALLOCATION_FAILURE;
  if (!blocking && asked("refuses-writes")) return CL_OUT_OF_RESOURCES;
  return enqueue({queue, blocking == CL_TRUE, false, {waits, count}, event},
                 [=, to = bytesOf(memory)] { std::memcpy(to->data() + offset, from, bytes); });
}
cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem memory, cl_bool blocking, size_t offset, size_t bytes,
                           void* to, cl_uint count, const cl_event* waits, cl_event* event) {
  return enqueue({queue, blocking == CL_TRUE, false, {waits, count}, event},
                 [=, from = bytesOf(memory)] { std::memcpy(to, from->data() + offset, bytes); });
}
cl_int clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem memory, cl_bool, const size_t* origin,
                                const size_t* hostOrigin, const size_t* region, size_t pitch, size_t, size_t hostPitch,
                                size_t, const void* from, cl_uint count, const cl_event* waits, cl_event* event) {
  if (asked("refuses-writes")) return CL_OUT_OF_RESOURCES;
  if (!bytesOf(memory)->hasLines(origin, region, pitch)) return CL_INVALID_VALUE;
  return enqueue({queue, false, false, {waits, count}, event},
                 [=, to = bytesOf(memory)->data() + origin[1] * pitch + origin[0], keep = bytesOf(memory),
                  source = static_cast<const char*>(from) + hostOrigin[0], bytes = region[0], rows = region[1]] {
                   for (size_t i = 0; i < rows; ++i) std::memcpy(to + i * pitch, source + i * hostPitch, bytes);
                 });
}
cl_int clEnqueueReadBufferRect(cl_command_queue queue, cl_mem memory, cl_bool, const size_t* origin,
                               const size_t* hostOrigin, const size_t* region, size_t pitch, size_t, size_t hostPitch,
                               size_t, void* to, cl_uint count, const cl_event* waits, cl_event* event) {
  if (!bytesOf(memory)->hasLines(origin, region, pitch)) return CL_INVALID_VALUE;
  return enqueue({queue, false, false, {waits, count}, event},
                 [=, from = bytesOf(memory)->data() + origin[1] * pitch + origin[0], keep = bytesOf(memory),
                  target = static_cast<char*>(to) + hostOrigin[0], bytes = region[0], rows = region[1]] {
                   for (size_t i = 0; i < rows; ++i) std::memcpy(target + i * hostPitch, from + i * pitch, bytes);
                 });
}
cl_int clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t fromOffset, size_t toOffset,
                           size_t bytes, cl_uint count, const cl_event* waits, cl_event* event) {
  return enqueue({queue, false, false, {waits, count}, event}, [=, source = bytesOf(from), target = bytesOf(to)] {
    std::memcpy(target->data() + toOffset, source->data() + fromOffset, bytes);
  });
}
// On a large device only the ends of what is filled, and as NVIDIA's drivers do not too much at once.
cl_int clEnqueueFillBuffer(cl_command_queue queue, cl_mem memory, const void* pattern, size_t patternBytes,
                           size_t offset, size_t bytes, cl_uint count, const cl_event* waits, cl_event* event) {
  if (patternBytes == 0 || offset % patternBytes != 0 || bytes % patternBytes != 0) return CL_INVALID_VALUE;
  const bool large = asked("large");
  if (large && bytes >= size_t{1} << 31) return CL_OUT_OF_RESOURCES;
  const auto* first = static_cast<const char*>(pattern);
  const size_t step = large && bytes > patternBytes ? bytes - patternBytes : patternBytes;
  return enqueue({queue, false, false, {waits, count}, event},
                 [=, to = bytesOf(memory), pattern = std::vector<char>(first, first + patternBytes)] {
                   for (size_t at = 0; at < bytes; at += step)
                     std::memcpy(to->data() + offset + at, pattern.data(), patternBytes);
                 });
}
cl_int clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint count, const cl_event* waits, cl_event* event) {
  return enqueue({queue, false, false, {waits, count}, event}, [] {});
}
cl_int clWaitForEvents(cl_uint count, const cl_event* events) {
  if (asked("lost")) return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  for (cl_uint i = 0; i < count; ++i)
    if (!fake::runUntil(reinterpret_cast<EventHandle*>(events[i])->command)) return CL_OUT_OF_RESOURCES;
  return CL_SUCCESS;
}
cl_int clGetEventInfo(cl_event event, cl_event_info, size_t room, void* to, size_t* needed) {
  fake::runSome();
  const bool done = reinterpret_cast<EventHandle*>(event)->command->done;
  return answerValue<cl_int>(asked("lost") ? CL_OUT_OF_RESOURCES : done ? CL_COMPLETE : CL_QUEUED, room, to, needed);
}

cl_int clGetEventProfilingInfo(cl_event event, cl_profiling_info what, size_t room, void* to, size_t* needed) {
  const fake::Command& command = *reinterpret_cast<EventHandle*>(event)->command;
  return answerValue<cl_ulong>(what == CL_PROFILING_COMMAND_START ? command.beganNs : command.endedNs, room, to,
                               needed);
}

cl_program clCreateProgramWithSource(cl_context, cl_uint, const char** text, const size_t*, cl_int* error) {
  if (asked("no-compiler")) {
    *error = CL_OUT_OF_HOST_MEMORY;
    return nullptr;
  }
  return succeed<cl_program>(error, new Program{text[0]});
}
cl_program clCreateProgramWithBinary(cl_context, cl_uint, const cl_device_id*, const size_t* bytes,
                                     const unsigned char** binary, cl_int* taken, cl_int* error) {
  const std::string text(reinterpret_cast<const char*>(binary[0]), bytes[0]);
  if (text.compare(0, binaryStart.size(), binaryStart) != 0) {
    *taken = *error = CL_INVALID_BINARY;
    return nullptr;
  }
  *taken = CL_SUCCESS;
  return succeed<cl_program>(error, new Program{text.substr(binaryStart.size())});
}
cl_int clBuildProgram(cl_program program, cl_uint, const cl_device_id*, const char*,
                      void(CL_CALLBACK*)(cl_program, void*), void*) {
  static int tries = 0;
  const std::string& text = reinterpret_cast<Program*>(program)->text;
  if (text.find("at the third try") != std::string::npos && ++tries % 3 != 0) return CL_BUILD_PROGRAM_FAILURE;
  const bool known = text.find("fake_mix") != std::string::npos;
  return known ? CL_SUCCESS : CL_BUILD_PROGRAM_FAILURE;
}
cl_int clGetProgramBuildInfo(cl_program, cl_device_id, cl_program_build_info, size_t, void*, size_t*) {
  return CL_INVALID_VALUE;
}
cl_int clGetProgramInfo(cl_program program, cl_program_info what, size_t room, void* to, size_t* needed) {
  const std::string binary = binaryStart + reinterpret_cast<Program*>(program)->text;
  if (what == CL_PROGRAM_BINARY_SIZES) return answerValue<size_t>(binary.size(), room, to, needed);
  if (what != CL_PROGRAM_BINARIES) return CL_INVALID_VALUE;
  std::memcpy(*static_cast<unsigned char**>(to), binary.data(), binary.size());
  return CL_SUCCESS;
}
cl_kernel clCreateKernel(cl_program, const char*, cl_int* error) {
  return succeed<cl_kernel>(error, new Kernel{std::vector<std::vector<char>>(8)});
}
cl_int clGetKernelWorkGroupInfo(cl_kernel, cl_device_id, cl_kernel_work_group_info what, size_t room, void* to,
                                size_t* needed) {
  return what == CL_KERNEL_LOCAL_MEM_SIZE ? answerValue<cl_ulong>(0, room, to, needed)
                                          : answerValue<size_t>(256, room, to, needed);
}
cl_int clSetKernelArg(cl_kernel kernel, cl_uint index, size_t bytes, const void* value) {
  std::vector<std::vector<char>>& arguments = reinterpret_cast<Kernel*>(kernel)->arguments;
  if (index >= arguments.size()) return CL_INVALID_ARG_INDEX;
  arguments[index].assign(static_cast<const char*>(value), static_cast<const char*>(value) + bytes);
  return CL_SUCCESS;
}
cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint, const size_t*, const size_t*,
                              const size_t*, cl_uint count, const cl_event* waits, cl_event* event) {
  return enqueue({queue, false, true, {waits, count}, event}, mix(*reinterpret_cast<Kernel*>(kernel)));
}
cl_int clEnqueueUnmapMemObject(cl_command_queue, cl_mem, void*, cl_uint, const cl_event*, cl_event*) {
  return CL_SUCCESS;
}
cl_int clFinish(cl_command_queue queue) {
  return fake::runQueue(*reinterpret_cast<fake::Queue*>(queue)) ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
}
cl_int clFlush(cl_command_queue queue) {
  fake::flush(*reinterpret_cast<fake::Queue*>(queue));
  return CL_SUCCESS;
}
cl_int clReleaseCommandQueue(cl_command_queue queue) {
  fake::destroyQueue(reinterpret_cast<fake::Queue*>(queue));
  return CL_SUCCESS;
}
cl_int clReleaseContext(cl_context) { return CL_SUCCESS; }
cl_int clReleaseEvent(cl_event event) {
  delete reinterpret_cast<EventHandle*>(event);
  return CL_SUCCESS;
}
cl_int clReleaseKernel(cl_kernel kernel) {
  delete reinterpret_cast<Kernel*>(kernel);
  return CL_SUCCESS;
}
cl_int clReleaseProgram(cl_program program) {
  delete reinterpret_cast<Program*>(program);
  return CL_SUCCESS;
}

}  // extern "C"
#pragma GCC visibility pop
