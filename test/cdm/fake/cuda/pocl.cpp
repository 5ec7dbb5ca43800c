// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pocl.h"

#include <chrono>
#include <cstdlib>
#include <map>
#include <thread>

namespace fake::pocl {

namespace {

struct Platform {
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
};

Platform open() {
  Platform made;
  cl_platform_id platforms[16];
  cl_uint count = 0;
  if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS) return {};
  for (cl_uint i = 0; i < count && i < 16 && !made.device; ++i)
    (void)clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &made.device, nullptr);
  if (!made.device) return {};
  made.context = clCreateContext(nullptr, 1, &made.device, nullptr, nullptr, nullptr);
  if (made.context) made.queue = clCreateCommandQueue(made.context, made.device, 0, nullptr);
  return made;
}

const Platform& platform() {
  static const Platform opened = open();
  return opened;
}

std::string logOf(cl_program program) {
  std::size_t bytes = 0;
  (void)clGetProgramBuildInfo(program, platform().device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes);
  std::string log(bytes, '\0');
  (void)clGetProgramBuildInfo(program, platform().device, CL_PROGRAM_BUILD_LOG, bytes, log.data(), nullptr);
  return log.c_str();
}

// By what the kernel takes: names of types are known to kernels that are built for it alone, which POCL would not find
// in its cache for other tests.
Parameter parameterOf(cl_kernel kernel, cl_uint index) {
  const auto takes = [&](std::size_t bytes, const void* value) {
    return clSetKernelArg(kernel, index, bytes, value) == CL_SUCCESS;
  };
  if (takes(16, nullptr)) return {Parameter::Kind::local, sizeof(std::uint64_t)};
  if (takes(sizeof(cl_mem), nullptr)) return {Parameter::Kind::global, sizeof(cl_mem)};
  const char zeros[16] = {};
  if (!takes(3, zeros))  // else of any size, for all that POCL says
    for (const std::size_t bytes : {1, 2, 4, 8, 16})
      if (takes(bytes, zeros)) return {Parameter::Kind::value, bytes};
  return {Parameter::Kind::value, 0};
}

class Program {
 public:
  Program(const std::string& text, const std::string& options) {
    const char* start = text.c_str();
    program_ = clCreateProgramWithSource(platform().context, 1, &start, nullptr, nullptr);
    isBuilt_ = clBuildProgram(program_, 1, &platform().device, options.c_str(), nullptr, nullptr) == CL_SUCCESS;
  }
  ~Program() { clReleaseProgram(program_); }  // which its kernels keep
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  [[nodiscard]] cl_program get() const { return program_; }
  [[nodiscard]] bool isBuilt() const { return isBuilt_; }

 private:
  cl_program program_;
  bool isBuilt_;
};

// One kernel of a text, in a program of its own.
class OneKernel {
 public:
  OneKernel(const std::string& text, const std::string& options, const std::string& name)
      : program_(text, options),
        kernel_(program_.isBuilt() ? clCreateKernel(program_.get(), name.c_str(), nullptr) : nullptr) {}
  ~OneKernel() {
    if (kernel_ != nullptr) clReleaseKernel(kernel_);
  }
  OneKernel(const OneKernel&) = delete;
  OneKernel& operator=(const OneKernel&) = delete;
  [[nodiscard]] cl_kernel get() const { return kernel_; }

 private:
  Program program_;
  cl_kernel kernel_;
};

// Of a parameter whose size POCL does not ask for. It comes as the group that a kernel asks for.
std::size_t sizeOf(const std::string& name, cl_uint index, const std::string& text, const std::string& options) {
  char type[1024] = {};
  const OneKernel told(text, options + " -cl-kernel-arg-info", name);
  if (clGetKernelArgInfo(told.get(), index, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type, nullptr) != CL_SUCCESS)
    return 0;
  const OneKernel asks(text + "\n__kernel __attribute__((reqd_work_group_size(sizeof(" + type +
                           "), 1, 1))) void fake_size_of_a_type(void) {}\n",
                       options, "fake_size_of_a_type");
  Axes size = {0, 0, 0};
  (void)clGetKernelWorkGroupInfo(asks.get(), platform().device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof size,
                                 size.data(), nullptr);
  return size[0];
}

std::shared_ptr<const Kernels> kernelsOf(cl_program program, const std::string& text, const std::string& options) {
  cl_uint count = 0;
  (void)clCreateKernelsInProgram(program, 0, nullptr, &count);
  std::vector<cl_kernel> made(count);
  if (count > 0) (void)clCreateKernelsInProgram(program, count, made.data(), nullptr);
  auto kernels = std::make_shared<Kernels>();
  for (cl_kernel kernel : made) kernels->push_back(std::make_shared<Kernel>(kernel, text, options));
  return kernels;
}

std::shared_ptr<const Kernels> buildOnce(const std::string& text, const std::string& options, std::string& log) {
  const Program program(text, options);
  log = logOf(program.get());
  return program.isBuilt() ? kernelsOf(program.get(), text, options) : nullptr;
}

}  // namespace

bool isHere() { return platform().queue != nullptr; }

Memory::Memory(void* start, std::size_t bytes)
    : memory_(clCreateBuffer(platform().context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, start, nullptr)) {}
Memory::~Memory() { clReleaseMemObject(memory_); }

Kernel::Kernel(cl_kernel kernel, const std::string& text, const std::string& options) : kernel_(kernel) {
  cl_uint count = 0;
  (void)clGetKernelInfo(kernel_, CL_KERNEL_NUM_ARGS, sizeof count, &count, nullptr);
  for (cl_uint i = 0; i < count; ++i) {
    parameters_.push_back(parameterOf(kernel_, i));
    if (Parameter& last = parameters_.back(); last.kind == Parameter::Kind::value && last.bytes == 0)
      last.bytes = sizeOf(name(), i, text, options);
  }
  cl_ulong local = 0;
  (void)clGetKernelWorkGroupInfo(kernel_, platform().device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local, &local, nullptr);
  ownLocal_ = local;
  (void)clGetKernelWorkGroupInfo(kernel_, platform().device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof builtFor_,
                                 builtFor_.data(), nullptr);
}
Kernel::~Kernel() { clReleaseKernel(kernel_); }

std::string Kernel::name() const {
  char text[1024] = {};
  (void)clGetKernelInfo(kernel_, CL_KERNEL_FUNCTION_NAME, sizeof text, text, nullptr);
  return text;
}

bool Kernel::run(const std::vector<Argument>& arguments, const Axes& group, const Axes& groups) const {
  for (cl_uint i = 0; i < arguments.size(); ++i)
    if (clSetKernelArg(kernel_, i, arguments[i].bytes, arguments[i].value) != CL_SUCCESS) return false;
  Axes items = groups;
  for (std::size_t axis = 0; axis < items.size(); ++axis) items[axis] *= group[axis];
  return clEnqueueNDRangeKernel(platform().queue, kernel_, 3, nullptr, items.data(), group.data(), 0, nullptr,
                                nullptr) == CL_SUCCESS &&
         clFinish(platform().queue) == CL_SUCCESS;
}

std::shared_ptr<const Kernels> build(const std::string& text, const std::string& options, std::string& log) {
  static std::map<std::string, std::shared_ptr<const Kernels>> known;
  std::shared_ptr<const Kernels>& kernels = known[options + "\n" + text];
  // POCL 3.1 fails without an error in the text, now and then, where another process fills its cache with the same one.
  for (int tries = 1; !kernels && tries <= 3; ++tries) {
    kernels = buildOnce(text, options, log);
    if (log.find("error") != std::string::npos) break;
    if (!kernels) std::this_thread::sleep_for(std::chrono::milliseconds(20 * tries));
  }
  return kernels;
}

}  // namespace fake::pocl
