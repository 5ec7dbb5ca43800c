// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hand-written rival of samples/matmul: one work-item per element; with a third argument "fast" tiles of 16 x 16
// in local memory, products and sums contracted. Prints what `matmul N STEPS collapse` prints (fast: but for rounding).
#include "opencl.h"
#include "sample.h"

static const char* const exactText = R"(
#pragma OPENCL FP_CONTRACT OFF
__kernel void multiply(__global const float *restrict a, __global const float *restrict b, __global float *restrict c, int n) {
  const int j = (int)get_global_id(0), i = (int)get_global_id(1);
  if (i >= n || j >= n) return;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[(size_t)i * n + k] * b[(size_t)k * n + j];
  c[(size_t)i * n + j] = sum;
}
)";

static const char* const fastText = R"(
__kernel void multiply(__global const float *restrict a, __global const float *restrict b, __global float *restrict c, int n) {
  __local float tileA[16][16], tileB[16][16];
  const int x = (int)get_local_id(0), y = (int)get_local_id(1);
  const int j = (int)get_global_id(0), i = (int)get_global_id(1);
  float sum = 0;
  for (int from = 0; from < n; from += 16) {
    tileA[y][x] = i < n && from + x < n ? a[(size_t)i * n + from + x] : 0;
    tileB[y][x] = j < n && from + y < n ? b[(size_t)(from + y) * n + j] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 16; ++k) sum += tileA[y][k] * tileB[k][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i < n && j < n) c[(size_t)i * n + j] = sum;
}
)";

int main(int argc, char** argv) {
  const int n = (int)numberArgument(argc, argv, 1, "the size", 384, 1, 65536);
  const int steps = (int)numberArgument(argc, argv, 2, "steps", 2, 1, 1000000);
  const bool fast = argc > 3 && strcmp(argv[3], "fast") == 0;
  const size_t count = (size_t)n * n;
  std::vector<float> a(count), b(count), c(count);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      a[(size_t)i * n + j] = (float)((i * 7 + j * 13) % 101) / 101.0f;
      b[(size_t)i * n + j] = (float)((i * 11 + j * 5) % 97) / 97.0f;
    }

  const OpenCl cl("matmul_opencl", fast ? fastText : exactText, "");
  cl_kernel kernel = cl.kernel("multiply");
  cl_mem deviceA = cl.buffer(a), deviceB = cl.buffer(b), deviceC = cl.buffer(c);
  cl.set(kernel, deviceA, deviceB, deviceC, n);
  const auto multiply = [&] {
    if (fast)
      cl.run<2>(kernel, {(size_t)n, (size_t)n}, {16, 16});
    else
      cl.run<2>(kernel, {(size_t)n, (size_t)n}, {64, 4});
  };
  multiply();
  cl.finish();
  const double start = secondsNow();
  for (int step = 0; step < steps; ++step) multiply();
  cl.finish();
  printTime("matmul_opencl", secondsNow() - start, steps);
  cl.read(deviceC, c);
  printf("matmul collapse: n = %d, last element %.9g, checksum %016llx\n", n, c[count - 1],
         checksum(c.data(), count * sizeof(float)));
  return 0;
}
