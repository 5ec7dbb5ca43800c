// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hand-written rival: the 5-point Jacobi of bench/programs/jacobi.cpp as an OpenCL program, one work-item per
// point, 64 x 4 groups, data resident on the first GPU (or the first device). Arguments: n, steps.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <cstdlib>
#include <utility>
#include <vector>

#include "../programs/report.h"

namespace {

const char* kernelText = R"(
#pragma OPENCL FP_CONTRACT OFF
__kernel void jacobi(__global const float *restrict u, __global float *restrict v, int n) {
  const int j = (int)get_global_id(0) + 1, i = (int)get_global_id(1) + 1;
  if (i >= n - 1 || j >= n - 1) return;
  v[(size_t)i * n + j] = 0.25f * (u[(size_t)(i - 1) * n + j] + u[(size_t)(i + 1) * n + j] +
                                  u[(size_t)i * n + j - 1] + u[(size_t)i * n + j + 1]);
}
)";

void check(cl_int error, const char* what) {
  if (error == CL_SUCCESS) return;
  fprintf(stderr, "jacobi_opencl: %s: OpenCL error %d\n", what, error);
  exit(1);
}

cl_device_id pickDevice() {
  cl_uint count = 0;
  check(clGetPlatformIDs(0, nullptr, &count), "clGetPlatformIDs");
  std::vector<cl_platform_id> platforms(count);
  check(clGetPlatformIDs(count, platforms.data(), nullptr), "clGetPlatformIDs");
  cl_device_id device = nullptr;
  for (const cl_device_type type : {cl_device_type{CL_DEVICE_TYPE_GPU}, cl_device_type{CL_DEVICE_TYPE_ALL}})
    for (cl_platform_id platform : platforms)
      if (!device && clGetDeviceIDs(platform, type, 1, &device, nullptr) != CL_SUCCESS) device = nullptr;
  if (!device) check(CL_DEVICE_NOT_FOUND, "no device");
  char name[256] = "";
  clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, nullptr);
  fprintf(stderr, "jacobi_opencl: %s\n", name);
  return device;
}

}  // namespace

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 4096;
  const int steps = argc > 2 ? atoi(argv[2]) : 50;
  const size_t count = (size_t)n * n;
  std::vector<float> data(count);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) data[(size_t)i * n + j] = (float)((i * 31 + j * 17) % 1000) / 1000.0f;

  cl_device_id device = pickDevice();
  cl_int error;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &error);
  check(error, "clCreateContext");
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
  check(error, "clCreateCommandQueue");
  cl_program program = clCreateProgramWithSource(context, 1, &kernelText, nullptr, &error);
  check(error, "clCreateProgramWithSource");
  check(clBuildProgram(program, 1, &device, "-cl-std=CL1.2", nullptr, nullptr), "clBuildProgram");
  cl_kernel kernel = clCreateKernel(program, "jacobi", &error);
  check(error, "clCreateKernel");
  cl_mem u =
      clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, count * sizeof(float), data.data(), &error);
  check(error, "clCreateBuffer");
  cl_mem v =
      clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, count * sizeof(float), data.data(), &error);
  check(error, "clCreateBuffer");

  const size_t local[2] = {64, 4};
  const size_t global[2] = {((size_t)n - 2 + 63) / 64 * 64, ((size_t)n - 2 + 3) / 4 * 4};
  double start = 0;
  for (int step = -3; step < steps; ++step) {
    if (step == 0) {
      check(clFinish(queue), "clFinish");
      start = now();
    }
    check(clSetKernelArg(kernel, 0, sizeof u, &u), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof v, &v), "clSetKernelArg");
    check(clSetKernelArg(kernel, 2, sizeof n, &n), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(queue, kernel, 2, nullptr, global, local, 0, nullptr, nullptr),
          "clEnqueueNDRangeKernel");
    std::swap(u, v);
  }
  check(clFinish(queue), "clFinish");
  const double seconds = now() - start;
  check(clEnqueueReadBuffer(queue, u, CL_TRUE, 0, count * sizeof(float), data.data(), 0, nullptr, nullptr),
        "clEnqueueReadBuffer");
  double edge = data[count / 2 + n / 2];
  report("jacobi_opencl", seconds, steps, 2.0 * sizeof(float) * (double)count,
         checksum(data.data(), count * sizeof(float)) ^ checksum(&edge, sizeof edge));
  return 0;
}
