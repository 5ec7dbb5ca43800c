// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gravitation of n bodies, all pairs: each body's acceleration needs all positions, so every device reads all of
// them and moves its own share. Arguments: bodies, steps.
#include <cmath>
#include <initializer_list>

#include "sample.h"

namespace {

constexpr float timeStep = 1.0f / 1024, softening = 1e-3f;

void accelerate(const float* x, const float* y, const float* z, const float* mass, float* vx, float* vy, float* vz,
                int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    float ax = 0, ay = 0, az = 0;
    for (int j = 0; j < n; ++j) {
      const float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
      const float square = dx * dx + dy * dy + dz * dz + softening;
      const float inverse = 1.0f / sqrtf(square);
      const float pull = mass[j] * inverse * inverse * inverse;
      ax += pull * dx;
      ay += pull * dy;
      az += pull * dz;
    }
    vx[i] += timeStep * ax;
    vy[i] += timeStep * ay;
    vz[i] += timeStep * az;
  }
}

void move(float* x, float* y, float* z, const float* vx, const float* vy, const float* vz, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    x[i] += timeStep * vx[i];
    y[i] += timeStep * vy[i];
    z[i] += timeStep * vz[i];
  }
}

double kineticEnergy(const float* vx, const float* vy, const float* vz, const float* mass, int n) {
  double energy = 0;
#pragma omp parallel for reduction(+ : energy)
  for (int i = 0; i < n; ++i)
    energy += 0.5 * mass[i] * ((double)vx[i] * vx[i] + (double)vy[i] * vy[i] + (double)vz[i] * vz[i]);
  return energy;
}

}  // namespace

int main(int argc, char** argv) {
  const int n = (int)numberArgument(argc, argv, 1, "bodies", 2048, 1, 100000000);
  const int steps = (int)numberArgument(argc, argv, 2, "steps", 5, 1, 1000000);

#pragma omp alloc_start
#pragma omp managed(x, y, z, mass)
  float *x = new float[n], *y = new float[n], *z = new float[n], *mass = new float[n];
#pragma omp managed(vx, vy, vz)
  float *vx = new float[n](), *vy = new float[n](), *vz = new float[n]();
#pragma omp alloc_end

  unsigned state = 12345;
  const auto uniform = [&state] {
    state = state * 1664525u + 1013904223u;
    return (float)(state >> 8) / 16777216.0f;
  };
  for (int i = 0; i < n; ++i) {
    x[i] = 2 * uniform() - 1;
    y[i] = 2 * uniform() - 1;
    z[i] = 2 * uniform() - 1;
    mass[i] = (0.5f + uniform()) / (float)n;
  }

  accelerate(x, y, z, mass, vx, vy, vz, n);  // not timed: kernels are built, arrays are spread
  move(x, y, z, vx, vy, vz, n);
  const double start = secondsNow();
  for (int step = 0; step < steps; ++step) {
    accelerate(x, y, z, mass, vx, vy, vz, n);
    move(x, y, z, vx, vy, vz, n);
  }
  const float first = x[0];
  printTime("nbody", secondsNow() - start, steps);

  const size_t bytes = (size_t)n * sizeof(float);
  printf("nbody: %d bodies, %d steps, x of the first %.9g, kinetic energy %.12g, checksum %016llx\n", n, steps + 1,
         first, kineticEnergy(vx, vy, vz, mass, n),
         checksum(x, bytes) ^ checksum(y, bytes) * 3 ^ checksum(z, bytes) * 5);
  for (float* array : {x, y, z, mass, vx, vy, vz}) delete[] array;
  return 0;
}
