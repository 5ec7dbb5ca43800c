// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hand-written rival of bench/programs/paths.cpp: a work-item per pair, 256 x 1 groups; with a third argument
// "fast" four pairs a work-item, by accesses of 16 bytes. Prints what `paths SIDE STEPS` prints.
#include "opencl.h"
#include "sample.h"

static const char* const kernelText = R"(
__kernel void relax(__global int *restrict d, int n, int k) {
  const int j = (int)get_global_id(0) * PAIRS, i = (int)get_global_id(1);
  if (j >= n || i >= n) return;
#if PAIRS == 4
  const int4 through = d[i * n + k] + vload4(0, d + k * n + j);
  vstore4(min(through, vload4(0, d + i * n + j)), 0, d + i * n + j);
#else
  const int through = d[i * n + k] + d[k * n + j];
  if (through < d[i * n + j]) d[i * n + j] = through;
#endif
}
)";

int main(int argc, char** argv) {
  const int n = (int)numberArgument(argc, argv, 1, "places", 1024, 4, 40000);
  const int steps = (int)numberArgument(argc, argv, 2, "steps", 100, 1, n);
  const bool fast = argc > 3 && strcmp(argv[3], "fast") == 0;
  if (n % 4 != 0) return fprintf(stderr, "paths_opencl: places have to be a multiple of 4\n"), 2;
  std::vector<int> d((size_t)n * n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) d[(size_t)i * n + j] = i == j ? 0 : (int)(1 + ((size_t)i * n + j) * 7919 % 1009);
  const OpenCl cl("paths_opencl", kernelText, fast ? "-DPAIRS=4" : "-DPAIRS=1");
  cl_kernel kernel = cl.kernel("relax");
  cl_mem device = cl.buffer(d);
  double start = 0;
  for (int k = -1; k < steps; ++k) {
    if (k == 0) cl.finish(), start = secondsNow();
    cl.set(kernel, device, n, k < 0 ? 0 : k);
    cl.run<2>(kernel, {(size_t)(fast ? n / 4 : n), (size_t)n}, {256, 1});
  }
  cl.finish();
  printTime("paths_opencl", secondsNow() - start, steps);
  cl.read(device, d);
  printf("paths: %d places, %d steps, checksum %016llx\n", n, steps, checksum(d.data(), d.size() * sizeof(int)));
  return 0;
}
