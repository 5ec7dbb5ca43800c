// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hand-written rival of samples/heat3d: one work-item per point, 32 x 4 x 2 groups; with a third argument "fast"
// with contraction. Prints what `heat3d LAYERS STEPS` prints (fast: but for rounding); build with the same -DNY, -DNX.
#include <cmath>
#include <utility>

#include "opencl.h"
#include "sample.h"

#ifndef NY
#define NY 64
#endif
#ifndef NX
#define NX 64
#endif

static const char* const kernelText = R"(
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#ifndef FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
__kernel void heat(__global const double *restrict u, __global double *restrict v, int layers, double k) {
  const int x = (int)get_global_id(0) + 1, y = (int)get_global_id(1) + 1, z = (int)get_global_id(2) + 1;
  if (x >= NX - 1 || y >= NY - 1 || z >= layers - 1) return;
  const size_t at = ((size_t)z * NY + y) * NX + x;
  v[at] = u[at] + k * (u[at - NY * NX] + u[at + NY * NX] + u[at - NX] + u[at + NX] + u[at - 1] + u[at + 1] - 6.0 * u[at]);
}
)";

int main(int argc, char** argv) {
  const int layers = (int)numberArgument(argc, argv, 1, "layers", 64, 3, 1000000);
  const int steps = (int)numberArgument(argc, argv, 2, "steps", 10, 1, 1000000);
  const bool fast = argc > 3 && strcmp(argv[3], "fast") == 0;
  const double k = 0.125;
  const size_t count = (size_t)layers * NY * NX;
  std::vector<double> u(count), v(count);
  for (int z = 0; z < layers; ++z)
    for (int y = 0; y < NY; ++y)
      for (int x = 0; x < NX; ++x)
        u[((size_t)z * NY + y) * NX + x] = z == 0 ? 100.0 : y == 0 ? 50.0 + x % 5 : (z * 5 + y * 3 + x * 7) % 32;

  const OpenCl cl("heat3d_opencl", kernelText,
                  "-DNY=" + std::to_string(NY) + " -DNX=" + std::to_string(NX) + (fast ? " -DFAST" : ""));
  cl_kernel kernel = cl.kernel("heat");
  cl_mem deviceU = cl.buffer(u), deviceV = cl.buffer(u);
  double start = 0;
  for (int step = -1; step < steps; ++step) {
    if (step == 0) {
      cl.finish();
      start = secondsNow();
    }
    cl.set(kernel, deviceU, deviceV, layers, k);
    cl.run<3>(kernel, {NX - 2, NY - 2, (size_t)layers - 2}, {32, 4, 2});
    std::swap(deviceU, deviceV);
  }
  cl.finish();
  printTime("heat3d_opencl", secondsNow() - start, steps);

  cl.read(deviceU, u);
  cl.read(deviceV, v);
  double largest = 0;
  for (size_t i = 0; i < count; ++i) largest = fmax(largest, fabs(u[i] - v[i]));
  printf("heat3d: %d x %d x %d, %d steps, centre %.17g, last change %.17g, checksum %016llx\n", layers, NY, NX,
         steps + 1, u[((size_t)(layers / 2) * NY + NY / 2) * NX + NX / 2], largest,
         checksum(u.data(), count * sizeof(double)));
  return 0;
}
