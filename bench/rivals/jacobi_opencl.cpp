// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hand-written rival: the 5-point Jacobi of bench/programs/jacobi.cpp as an OpenCL program, one work-item per
// point, 64 x 4 groups, data resident. Arguments: n, steps.
#include <cstdlib>
#include <utility>

#include "../programs/report.h"
#include "opencl.h"

static const char* const kernelText = R"(
#pragma OPENCL FP_CONTRACT OFF
__kernel void jacobi(__global const float *restrict u, __global float *restrict v, int n) {
  const int j = (int)get_global_id(0) + 1, i = (int)get_global_id(1) + 1;
  if (i >= n - 1 || j >= n - 1) return;
  v[(size_t)i * n + j] = 0.25f * (u[(size_t)(i - 1) * n + j] + u[(size_t)(i + 1) * n + j] +
                                  u[(size_t)i * n + j - 1] + u[(size_t)i * n + j + 1]);
}
)";

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 4096;
  const int steps = argc > 2 ? atoi(argv[2]) : 50;
  const size_t count = (size_t)n * n;
  std::vector<float> data(count);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) data[(size_t)i * n + j] = (float)((i * 31 + j * 17) % 1000) / 1000.0f;

  const OpenCl cl("jacobi_opencl", kernelText, "");
  cl_kernel kernel = cl.kernel("jacobi");
  cl_mem u = cl.buffer(data), v = cl.buffer(data);
  double start = 0;
  for (int step = -3; step < steps; ++step) {
    if (step == 0) {
      cl.finish();
      start = now();
    }
    cl.set(kernel, u, v, n);
    cl.run<2>(kernel, {(size_t)n - 2, (size_t)n - 2}, {64, 4});
    std::swap(u, v);
  }
  cl.finish();
  const double seconds = now() - start;
  cl.read(u, data);
  double edge = data[count / 2 + n / 2];
  report("jacobi_opencl", seconds, steps, 2.0 * sizeof(float) * (double)count,
         checksum(data.data(), count * sizeof(float)) ^ checksum(&edge, sizeof edge));
  return 0;
}
