// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of structs, and elements that gather from their nodes as unstructured meshes do, then scatter back by way of
// the corners of each node; arguments: how (particles, mesh), n, steps.
#include <cstdlib>
#include <cstring>

#include "report.h"

struct Particle {
  double x[3], v[3];
  float mass;
  int kind;
};

namespace {

uint64_t particles(int n, int steps, double& seconds) {
#pragma omp managed(p)
  Particle* p = new Particle[n];
  for (int i = 0; i < n; ++i) p[i] = {{i * 0.5, i * 0.25, 1}, {1, -1, 0.5}, 1.0f + i % 3, i % 4};
  double start = 0;
  for (int step = -2; step < steps; ++step) {
    if (step == 0) start = now();
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
      const double scale = p[i].kind == 0 ? 0 : 0.01 / p[i].mass;
      for (int d = 0; d < 3; ++d) {
        p[i].v[d] -= scale * p[i].x[d];
        p[i].x[d] += 0.01 * p[i].v[d];
      }
    }
  }
  seconds = now() - start;
  const uint64_t sum = checksum(p, (size_t)n * sizeof(Particle));
  delete[] p;
  return sum;
}

// n elements in each direction.
uint64_t mesh(int n, int steps, double& seconds) {
  const int nodes = (n + 1) * (n + 1) * (n + 1), elements = n * n * n;
#pragma omp managed(x, force)
  double *x = new double[nodes], *force = new double[8 * elements];
#pragma omp managed(list, corners)
  int *list = new int[8 * elements], *corners = new int[8 * nodes];
  for (int i = 0; i < nodes; ++i) x[i] = i % 97 * 0.01;
  for (int i = 0; i < 8 * nodes; ++i) corners[i] = -1;
  for (int e = 0; e < elements; ++e) {
    const int i = e % n, j = e / n % n, k = e / (n * n);
    for (int c = 0; c < 8; ++c) {
      const int node = (i + c % 2) + (n + 1) * ((j + c / 2 % 2) + (n + 1) * (k + c / 4));
      list[8 * e + c] = node;
      corners[8 * node + c] = 8 * e + c;
    }
  }
  double start = 0;
  for (int step = -2; step < steps; ++step) {
    if (step == 0) start = now();
#pragma omp parallel for
    for (int e = 0; e < elements; ++e) {
      double mean = 0;
      for (int c = 0; c < 8; ++c) mean += x[list[8 * e + c]];
      mean *= 0.125;
      for (int c = 0; c < 8; ++c) force[8 * e + c] = mean - x[list[8 * e + c]];
    }
#pragma omp parallel for
    for (int i = 0; i < nodes; ++i) {
      double sum = 0;
      for (int c = 0; c < 8; ++c)
        if (corners[8 * i + c] >= 0) sum += force[corners[8 * i + c]];
      x[i] += 0.05 * sum;
    }
  }
  seconds = now() - start;
  const uint64_t sum = checksum(x, (size_t)nodes * sizeof(double));
  delete[] x;
  delete[] force;
  delete[] list;
  delete[] corners;
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  const bool isMesh = argc > 1 && strcmp(argv[1], "mesh") == 0;
  const int n = argc > 2 ? atoi(argv[2]) : isMesh ? 40 : 1000000;
  const int steps = argc > 3 ? atoi(argv[3]) : 20;
  double seconds = 0;
  const uint64_t sum = isMesh ? mesh(n, steps, seconds) : particles(n, steps, seconds);
  report(isMesh ? "mesh" : "particles", seconds, steps, 0, sum);
  return 0;
}
