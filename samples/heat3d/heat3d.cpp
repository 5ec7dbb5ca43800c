// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The heat equation in a box: explicit steps of the 7-point stencil on 3-D arrays, two loops collapsed. The cross
// section is a constant of the program, as 3-D arrays of C++ want it (-DNY=... -DNX=...); arguments: layers, steps.
#include <cmath>
#include <utility>

#include "sample.h"

#ifndef NY
#define NY 64
#endif
#ifndef NX
#define NX 64
#endif

namespace {

typedef double Layer[NY][NX];

void step(const Layer* u, Layer* v, int layers, double k) {
#pragma omp parallel for collapse(2)
  for (int z = 1; z < layers - 1; ++z)
    for (int y = 1; y < NY - 1; ++y)
      for (int x = 1; x < NX - 1; ++x)
        v[z][y][x] = u[z][y][x] + k * (u[z - 1][y][x] + u[z + 1][y][x] + u[z][y - 1][x] + u[z][y + 1][x] +
                                       u[z][y][x - 1] + u[z][y][x + 1] - 6.0 * u[z][y][x]);
}

double largestChange(const Layer* u, const Layer* v, int layers) {
  double largest = 0;
#pragma omp parallel for reduction(max : largest)
  for (int z = 0; z < layers; ++z)
    for (int y = 0; y < NY; ++y)
      for (int x = 0; x < NX; ++x) largest = fmax(largest, fabs(u[z][y][x] - v[z][y][x]));
  return largest;
}

}  // namespace

int main(int argc, char** argv) {
  const int layers = (int)numberArgument(argc, argv, 1, "layers", 64, 3, 1000000);
  const int steps = (int)numberArgument(argc, argv, 2, "steps", 10, 1, 1000000);
  const double k = 0.125;  // exact in binary; stable below 1/6

#pragma omp alloc_start
#pragma omp managed(u)
  Layer* u = new Layer[layers];
#pragma omp managed(v)
  Layer* v = new Layer[layers];
#pragma omp alloc_end

  // One hot face, one warm face, an uneven inside; both arrays, because the boundary is never written again.
#pragma omp parallel for
  for (int z = 0; z < layers; ++z)
    for (int y = 0; y < NY; ++y)
      for (int x = 0; x < NX; ++x)
        u[z][y][x] = v[z][y][x] = z == 0 ? 100.0 : y == 0 ? 50.0 + x % 5 : (z * 5 + y * 3 + x * 7) % 32;

  step(u, v, layers, k);  // not timed: kernels are built, arrays are spread
  std::swap(u, v);
  const double start = secondsNow();
  for (int t = 0; t < steps; ++t) {
    step(u, v, layers, k);
    std::swap(u, v);
  }
  const double centre = u[layers / 2][NY / 2][NX / 2];
  printTime("heat3d", secondsNow() - start, steps);

  printf("heat3d: %d x %d x %d, %d steps, centre %.17g, last change %.17g, checksum %016llx\n", layers, NY, NX,
         steps + 1, centre, largestChange(u, v, layers), checksum(u, (size_t)layers * sizeof(Layer)));
  delete[] u;
  delete[] v;
  return 0;
}
