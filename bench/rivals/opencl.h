// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the hand-written OpenCL programs share: one device (the first GPU, else the first device), one in-order queue,
// one program. Every error ends the process, as in a program that its author runs himself.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

class OpenCl {
 public:
  OpenCl(const char* name, const char* text, const std::string& options) : name_(name), device_(pickDevice()) {
    cl_int error;
    context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &error);
    check(error, "clCreateContext");
    queue_ = clCreateCommandQueue(context_, device_, 0, &error);
    check(error, "clCreateCommandQueue");
    program_ = clCreateProgramWithSource(context_, 1, &text, nullptr, &error);
    check(error, "clCreateProgramWithSource");
    check(clBuildProgram(program_, 1, &device_, ("-cl-std=CL1.2 " + options).c_str(), nullptr, nullptr),
          "clBuildProgram");
  }

  // Build option for division and square root in float as the host has them, where the device can.
  static constexpr const char* exactFloat = "-cl-fp32-correctly-rounded-divide-sqrt";

  cl_kernel kernel(const char* function) const {
    cl_int error;
    cl_kernel result = clCreateKernel(program_, function, &error);
    check(error, "clCreateKernel");
    return result;
  }

  template <class T>
  cl_mem buffer(const std::vector<T>& data) const {
    cl_int error;
    cl_mem result = clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, data.size() * sizeof(T),
                                   const_cast<T*>(data.data()), &error);
    check(error, "clCreateBuffer");
    return result;
  }

  // A buffer of zeros; bytes is a multiple of 4.
  cl_mem zeros(size_t bytes) const {
    cl_int error;
    cl_mem result = clCreateBuffer(context_, CL_MEM_READ_WRITE, bytes, nullptr, &error);
    check(error, "clCreateBuffer");
    const cl_uint zero = 0;
    check(clEnqueueFillBuffer(queue_, result, &zero, sizeof zero, 0, bytes, 0, nullptr, nullptr),
          "clEnqueueFillBuffer");
    return result;
  }

  // Memory of the host that the driver may have pinned for transfers; for good.
  void* pinned(size_t bytes) const {
    cl_int error;
    cl_mem memory = clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, nullptr, &error);
    check(error, "clCreateBuffer");
    void* result =
        clEnqueueMapBuffer(queue_, memory, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0, nullptr, nullptr, &error);
    check(error, "clEnqueueMapBuffer");
    return result;
  }

  template <class... Arguments>
  void set(cl_kernel kernel, const Arguments&... arguments) const {
    cl_uint index = 0;
    (check(clSetKernelArg(kernel, index++, sizeof arguments, &arguments), "clSetKernelArg"), ...);
  }

  // Runs `items` work-items, each number rounded up to whole groups.
  template <size_t N>
  void run(cl_kernel kernel, std::array<size_t, N> items, std::array<size_t, N> group) const {
    for (size_t d = 0; d < N; ++d) items[d] = (items[d] + group[d] - 1) / group[d] * group[d];
    check(clEnqueueNDRangeKernel(queue_, kernel, N, nullptr, items.data(), group.data(), 0, nullptr, nullptr),
          "clEnqueueNDRangeKernel");
  }

  void finish() const { check(clFinish(queue_), "clFinish"); }

  // Bytes of a buffer; the transfer goes on after the call.
  void readPart(cl_mem buffer, size_t first, size_t bytes, void* to) const {
    check(clEnqueueReadBuffer(queue_, buffer, CL_FALSE, first, bytes, to, 0, nullptr, nullptr), "clEnqueueReadBuffer");
  }
  void writePart(cl_mem buffer, size_t first, size_t bytes, const void* from) const {
    check(clEnqueueWriteBuffer(queue_, buffer, CL_FALSE, first, bytes, from, 0, nullptr, nullptr),
          "clEnqueueWriteBuffer");
  }

  template <class T>
  void read(cl_mem buffer, std::vector<T>& data) const {
    check(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, data.size() * sizeof(T), data.data(), 0, nullptr, nullptr),
          "clEnqueueReadBuffer");
  }

 private:
  void check(cl_int error, const char* what) const {
    if (error == CL_SUCCESS) return;
    fprintf(stderr, "%s: %s: OpenCL error %d\n", name_, what, error);
    exit(1);
  }

  cl_device_id pickDevice() const {
    cl_uint count = 0;
    check(clGetPlatformIDs(0, nullptr, &count), "clGetPlatformIDs");
    std::vector<cl_platform_id> platforms(count);
    check(clGetPlatformIDs(count, platforms.data(), nullptr), "clGetPlatformIDs");
    cl_device_id device = nullptr;
    for (const cl_device_type type : {cl_device_type{CL_DEVICE_TYPE_GPU}, cl_device_type{CL_DEVICE_TYPE_ALL}})
      for (cl_platform_id platform : platforms)
        if (!device && clGetDeviceIDs(platform, type, 1, &device, nullptr) != CL_SUCCESS) device = nullptr;
    if (!device) check(CL_DEVICE_NOT_FOUND, "no device");
    char text[256] = "";
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof text, text, nullptr);
    fprintf(stderr, "%s: %s\n", name_, text);
    return device;
  }

  const char* name_;
  cl_device_id device_;
  cl_context context_;
  cl_command_queue queue_;
  cl_program program_;
};
