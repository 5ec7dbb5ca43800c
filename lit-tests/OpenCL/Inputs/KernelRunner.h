// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs printed kernels on an OpenCL device without Muster's runtime: arguments are found by the names that the kernel's
// signature shows, arrays lie behind a margin in their buffers (so that origins are not 0).
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

inline void require(bool condition, const std::string& what) {
  if (condition) return;
  std::fprintf(stderr, "kernel runner: %s\n", what.c_str());
  std::exit(1);
}

inline void requireCl(cl_int status, const char* call) {
  require(status == CL_SUCCESS, std::string(call) + " failed with " + std::to_string(status));
}

// The programs of a printed text, and a device for them.
class Kernels {
 public:
  explicit Kernels(const char* path) {
    std::ifstream file(path);
    require(file.good(), std::string("cannot read ") + path);
    std::string line, program;
    bool inKernel = false;
    while (std::getline(file, line)) {
      inKernel = inKernel || line.starts_with("__kernel");
      if (!inKernel || !line.starts_with("}")) {
        program += line + "\n";
        continue;
      }
      program += "}\n";
      std::string next = line.substr(1) + "\n";
      if (program.find("#ifdef MUSTER_GUEST_TEXT\n") != std::string::npos) {
        for (std::string end; end != "#endif" && std::getline(file, end);) program += end + "\n";
        next.clear();
      }
      programs_.push_back(std::move(program));
      program = std::move(next);
      inKernel = false;
    }
    cl_platform_id platform;
    requireCl(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
    requireCl(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), "clGetDeviceIDs");
    cl_int status;
    context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
    requireCl(status, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &status);
    requireCl(status, "clCreateCommandQueue");
  }

  // The program whose kernel was made from a loop of `function`, and the kernel's name.
  std::pair<std::string, std::string> find(const std::string& function) const {
    const std::regex kernel("void (muster_" + function + "_[0-9]+)\\(");
    std::smatch match;
    for (const std::string& program : programs_)
      if (std::regex_search(program, match, kernel)) return {program, match[1]};
    require(false, "no kernel for function " + function);
    return {};
  }

  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;

 private:
  std::vector<std::string> programs_;
};

// One launch. Arrays and scalars go by the user's names; every array is copied back.
class Launch {
 public:
  Launch(Kernels& kernels, const std::string& function) : kernels_(kernels) {
    std::tie(text_, name_) = kernels.find(function);
    isPrivate_ = text_.find("#ifdef MUSTER_PRIVATE\n    , ") != std::string::npos;
  }

  Launch& dim(long first, long step, long count) {
    const long before = 2;  // iterations of another chunk
    dims_.push_back({first - before * step, step, before, before + count});
    return *this;
  }
  template <typename T>
  Launch& array(const std::string& name, std::vector<T>& values) {
    arrays_[name] = {values.data(), values.size(), sizeof(T)};
    return *this;
  }
  template <typename T>
  Launch& array(const std::string& name, T* values, std::size_t count) {
    arrays_[name] = {values, count, sizeof(T)};
    return *this;
  }
  template <typename T>
  Launch& scalar(const std::string& name, T value) {
    std::vector<char>& bytes = scalars_[name];
    bytes.resize(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    return *this;
  }
  // combine(value, partial) for each work-group; once with the value itself for lastprivate.
  template <typename T>
  Launch& result(const std::string& name, T& value, std::function<void(T&, T)> combine, bool last = false) {
    results_[name] = {sizeof(T), [&value, combine, last](const std::vector<char>& bytes) {
                        for (std::size_t i = 0; i < (last ? 1 : bytes.size() / sizeof(T)); ++i) {
                          T partial;
                          std::memcpy(&partial, &bytes[i * sizeof(T)], sizeof(T));
                          combine(value, partial);
                        }
                      }};
    return *this;
  }
  // At most this many work-groups in each dimension: kernels with reductions then stride.
  Launch& groups(std::size_t most) {
    mostGroups_ = most;
    return *this;
  }

  // Updates go to global memory also where work-groups could collect them.
  Launch& withoutPrivate() {
    isPrivate_ = false;
    return *this;
  }

  void run();

 private:
  static constexpr std::size_t margin = 5;  // elements before and behind an array
  struct Array {
    void* data;
    std::size_t count, size;
  };
  struct Result {
    std::size_t size;
    std::function<void(const std::vector<char>&)> take;
  };
  struct Buffer {
    cl_mem memory;
    std::string name;
  };

  cl_kernel build();
  std::string parameters() const;
  void setGeometry();
  void setArgument(cl_kernel kernel, cl_uint index, const std::string& parameter);
  cl_mem createBuffer(std::size_t bytes, const char* fill);
  void takeBack();

  Kernels& kernels_;
  std::string text_, name_;
  bool isPrivate_ = false;
  std::vector<std::array<long, 4>> dims_;
  std::map<std::string, Array> arrays_;
  std::map<std::string, std::vector<char>> scalars_;
  std::map<std::string, Result> results_;
  std::vector<Buffer> arrayBuffers_, resultBuffers_;
  std::array<std::size_t, 3> local_{1, 1, 1}, global_{1, 1, 1};
  std::size_t groups_ = 1, mostGroups_ = 1000000;
};

// Odd, so that the last work-item has fewer.
constexpr std::size_t pointsPerItem = 3;

inline cl_kernel Launch::build() {
  const char* source = text_.c_str();
  cl_int status;
  cl_program program = clCreateProgramWithSource(kernels_.context, 1, &source, nullptr, &status);
  requireCl(status, "clCreateProgramWithSource");
  std::string options = "-cl-std=CL1.2";
  for (int d = 0; d < 3; ++d) options += " -DMUSTER_WG" + std::to_string(d) + "=" + std::to_string(local_[d]);
  options += " -DMUSTER_POINTS=" + std::to_string(pointsPerItem);
  if (isPrivate_) options += " -DMUSTER_PRIVATE=1 -DMUSTER_COPIES=1";
  if (clBuildProgram(program, 1, &kernels_.device, options.c_str(), nullptr, nullptr) != CL_SUCCESS) {
    std::vector<char> log(100000);
    clGetProgramBuildInfo(program, kernels_.device, CL_PROGRAM_BUILD_LOG, log.size(), log.data(), nullptr);
    require(false, name_ + " does not build:\n" + log.data() + text_);
  }
  cl_kernel kernel = clCreateKernel(program, name_.c_str(), &status);
  requireCl(status, "clCreateKernel");
  return kernel;
}

inline void Launch::setGeometry() {
  const std::size_t sizes[3][3] = {{32, 1, 1}, {16, 4, 1}, {8, 4, 2}};
  for (std::size_t d = 0; d < dims_.size(); ++d) {
    local_[d] = sizes[dims_.size() - 1][d];
    const std::array<long, 4>& dim = dims_[dims_.size() - 1 - d];
    const std::size_t count = dim[3] - dim[2];
    const bool hasPoints = text_.find("MUSTER_POINTS") != std::string::npos;
    const bool isAlongAxis = hasPoints && d == (dims_.size() == 1 ? 0 : 1);
    const std::size_t tile = local_[d] * (isAlongAxis ? pointsPerItem : 1);
    const std::size_t groups = std::min(mostGroups_, (count + tile - 1) / tile);
    global_[d] = groups * local_[d];
    groups_ *= groups;
  }
}

inline cl_mem Launch::createBuffer(std::size_t bytes, const char* fill) {
  cl_int status;
  cl_mem memory = clCreateBuffer(kernels_.context, CL_MEM_READ_WRITE | (fill ? CL_MEM_COPY_HOST_PTR : 0), bytes,
                                 const_cast<char*>(fill), &status);
  requireCl(status, "clCreateBuffer");
  return memory;
}

inline void Launch::setArgument(cl_kernel kernel, cl_uint index, const std::string& parameter) {
  const std::string name = parameter.substr(parameter.find_last_of(" *") + 1);
  const auto stem = [&](const char* suffix) {
    return name.ends_with(suffix) ? name.substr(0, name.size() - std::strlen(suffix)) : std::string();
  };
  if (const std::string array = stem("_buf"); arrays_.count(array)) {
    const Array& given = arrays_.at(array);
    std::vector<char> filled((given.count + 2 * margin) * given.size, '\x5a');
    std::memcpy(&filled[margin * given.size], given.data, given.count * given.size);
    cl_mem memory = createBuffer(filled.size(), filled.data());
    arrayBuffers_.push_back({memory, array});
    return requireCl(clSetKernelArg(kernel, index, sizeof memory, &memory), "clSetKernelArg");
  }
  if (const std::string array = stem("_origin"); arrays_.count(array)) {
    const cl_long origin = margin;
    return requireCl(clSetKernelArg(kernel, index, sizeof origin, &origin), "clSetKernelArg");
  }
  if (const std::string result = stem("_out"); results_.count(result)) {
    cl_mem memory = createBuffer(groups_ * results_.at(result).size, nullptr);
    resultBuffers_.push_back({memory, result});
    return requireCl(clSetKernelArg(kernel, index, sizeof memory, &memory), "clSetKernelArg");
  }
  std::smatch match;
  if (std::regex_match(name, match, std::regex("muster_(first|step|lo|hi)_([0-2])"))) {
    const int which = match[1] == "first" ? 0 : match[1] == "step" ? 1 : match[1] == "lo" ? 2 : 3;
    const cl_long value = dims_.at(std::stoi(match[2]))[which];
    return requireCl(clSetKernelArg(kernel, index, sizeof value, &value), "clSetKernelArg");
  }
  if (const std::string array = stem("_own"); arrays_.count(array)) {  // two copies of what the buffer has
    const std::size_t bytes = 2 * (arrays_.at(array).count + 2 * margin) * arrays_.at(array).size;
    return requireCl(clSetKernelArg(kernel, index, bytes, nullptr), "clSetKernelArg");
  }
  std::string array = stem("_count");
  if (array.empty()) array = stem("_room");  // for all of them
  if (isPrivate_ && arrays_.count(array)) {
    const cl_uint count = static_cast<cl_uint>(arrays_.at(array).count + 2 * margin);
    return requireCl(clSetKernelArg(kernel, index, sizeof count, &count), "clSetKernelArg");
  }
  const std::string plain = stem("_value").empty() ? name : stem("_value");
  require(scalars_.count(plain), name_ + " wants an argument '" + parameter + "' that the test does not give");
  requireCl(clSetKernelArg(kernel, index, scalars_[plain].size(), scalars_[plain].data()), "clSetKernelArg");
}

inline void Launch::takeBack() {
  for (const Buffer& buffer : arrayBuffers_) {
    const Array& given = arrays_.at(buffer.name);
    std::vector<char> bytes((given.count + 2 * margin) * given.size);
    requireCl(
        clEnqueueReadBuffer(kernels_.queue, buffer.memory, CL_TRUE, 0, bytes.size(), bytes.data(), 0, nullptr, nullptr),
        "clEnqueueReadBuffer");
    for (std::size_t i = 0; i < margin * given.size; ++i)
      require(bytes[i] == '\x5a' && bytes[bytes.size() - 1 - i] == '\x5a', name_ + " writes outside of " + buffer.name);
    std::memcpy(given.data, &bytes[margin * given.size], given.count * given.size);
    clReleaseMemObject(buffer.memory);
  }
  for (const Buffer& buffer : resultBuffers_) {
    std::vector<char> bytes(groups_ * results_.at(buffer.name).size);
    requireCl(
        clEnqueueReadBuffer(kernels_.queue, buffer.memory, CL_TRUE, 0, bytes.size(), bytes.data(), 0, nullptr, nullptr),
        "clEnqueueReadBuffer");
    results_.at(buffer.name).take(bytes);
    clReleaseMemObject(buffer.memory);
  }
}

inline std::string Launch::parameters() const {
  const std::size_t open = text_.find("(", text_.find("void " + name_ + "(")) + 1;
  std::string list = text_.substr(open, text_.find(") {", open) - open);
  const std::size_t more = list.find("#ifdef MUSTER_");
  if (more == std::string::npos) return list;
  const std::size_t behind = list.find("\n#endif");
  const std::size_t comma = list.find(',', more);
  // No blanks behind a name.
  return list.substr(0, more - 1) + (isPrivate_ ? list.substr(comma, behind - comma) : "");
}

inline void Launch::run() {
  setGeometry();
  cl_kernel kernel = build();
  std::istringstream parameters(this->parameters());
  std::string parameter;
  for (cl_uint index = 0; std::getline(parameters, parameter, ','); ++index) setArgument(kernel, index, parameter);
  requireCl(clEnqueueNDRangeKernel(kernels_.queue, kernel, static_cast<cl_uint>(dims_.size()), nullptr, global_.data(),
                                   local_.data(), 0, nullptr, nullptr),
            "clEnqueueNDRangeKernel");
  takeBack();
  clReleaseKernel(kernel);
}
