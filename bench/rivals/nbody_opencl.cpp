// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hand-written rival of samples/nbody: one work-item per body; with a third argument "fast" positions go through
// local memory, and rsqrt and contraction replace the exact operations. Prints what `nbody BODIES STEPS` prints.
#include "opencl.h"
#include "sample.h"

static const char* const exactText = R"(
#pragma OPENCL FP_CONTRACT OFF
__kernel void accelerate(__global const float *restrict x, __global const float *restrict y, __global const float *restrict z,
                         __global const float *restrict mass, __global float *restrict vx, __global float *restrict vy,
                         __global float *restrict vz, int n) {
  const int i = (int)get_global_id(0);
  if (i >= n) return;
  float ax = 0, ay = 0, az = 0;
  for (int j = 0; j < n; ++j) {
    const float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
    const float square = dx * dx + dy * dy + dz * dz + 1e-3f;
    const float inverse = 1.0f / sqrt(square);
    const float pull = mass[j] * inverse * inverse * inverse;
    ax += pull * dx;
    ay += pull * dy;
    az += pull * dz;
  }
  vx[i] += 0.0009765625f * ax;
  vy[i] += 0.0009765625f * ay;
  vz[i] += 0.0009765625f * az;
}
)";

static const char* const fastText = R"(
__kernel void accelerate(__global const float *restrict x, __global const float *restrict y, __global const float *restrict z,
                         __global const float *restrict mass, __global float *restrict vx, __global float *restrict vy,
                         __global float *restrict vz, int n) {
  __local float4 tile[256];
  const int i = (int)get_global_id(0), me = (int)get_local_id(0);
  const float3 at = i < n ? (float3)(x[i], y[i], z[i]) : (float3)(0);
  float3 a = (float3)(0);
  for (int from = 0; from < n; from += 256) {
    const int j = from + me;
    tile[me] = j < n ? (float4)(x[j], y[j], z[j], mass[j]) : (float4)(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 256; ++k) {
      const float3 d = tile[k].xyz - at;
      const float inverse = rsqrt(dot(d, d) + 1e-3f);
      a += tile[k].w * inverse * inverse * inverse * d;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i >= n) return;
  vx[i] += 0.0009765625f * a.x;
  vy[i] += 0.0009765625f * a.y;
  vz[i] += 0.0009765625f * a.z;
}
)";

static const char* const moveText = R"(
__kernel void move(__global float *restrict x, __global float *restrict y, __global float *restrict z,
                   __global const float *restrict vx, __global const float *restrict vy, __global const float *restrict vz, int n) {
  const int i = (int)get_global_id(0);
  if (i >= n) return;
  x[i] += 0.0009765625f * vx[i];
  y[i] += 0.0009765625f * vy[i];
  z[i] += 0.0009765625f * vz[i];
}
)";

int main(int argc, char** argv) {
  const int n = (int)numberArgument(argc, argv, 1, "bodies", 2048, 1, 100000000);
  const int steps = (int)numberArgument(argc, argv, 2, "steps", 5, 1, 1000000);
  const bool fast = argc > 3 && strcmp(argv[3], "fast") == 0;
  std::vector<float> x(n), y(n), z(n), mass(n), vx(n), vy(n), vz(n);
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

  const std::string text = std::string(fast ? fastText : exactText) + moveText;
  const OpenCl cl("nbody_opencl", text.c_str(), fast ? "" : OpenCl::exactFloat);
  cl_kernel accelerate = cl.kernel("accelerate"), move = cl.kernel("move");
  cl_mem deviceX = cl.buffer(x), deviceY = cl.buffer(y), deviceZ = cl.buffer(z), deviceMass = cl.buffer(mass),
         deviceVx = cl.buffer(vx), deviceVy = cl.buffer(vy), deviceVz = cl.buffer(vz);
  cl.set(accelerate, deviceX, deviceY, deviceZ, deviceMass, deviceVx, deviceVy, deviceVz, n);
  cl.set(move, deviceX, deviceY, deviceZ, deviceVx, deviceVy, deviceVz, n);
  double start = 0;
  for (int step = -1; step < steps; ++step) {
    if (step == 0) {
      cl.finish();
      start = secondsNow();
    }
    cl.run<1>(accelerate, {(size_t)n}, {256});
    cl.run<1>(move, {(size_t)n}, {256});
  }
  cl.finish();
  printTime("nbody_opencl", secondsNow() - start, steps);

  cl.read(deviceX, x);
  cl.read(deviceY, y);
  cl.read(deviceZ, z);
  cl.read(deviceVx, vx);
  cl.read(deviceVy, vy);
  cl.read(deviceVz, vz);
  double energy = 0;
  for (int i = 0; i < n; ++i)
    energy += 0.5 * mass[i] * ((double)vx[i] * vx[i] + (double)vy[i] * vy[i] + (double)vz[i] * vz[i]);
  const size_t bytes = (size_t)n * sizeof(float);
  printf("nbody: %d bodies, %d steps, x of the first %.9g, kinetic energy %.12g, checksum %016llx\n", n, steps + 1,
         x[0], energy, checksum(x.data(), bytes) ^ checksum(y.data(), bytes) * 3 ^ checksum(z.data(), bytes) * 5);
  return 0;
}
