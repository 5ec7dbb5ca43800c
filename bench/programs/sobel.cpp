// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The paper's first benchmark on a generated image of n x n pixels; arguments: n, steps.
#include <cmath>
#include <cstdlib>

#include "report.h"

static void sobel(const unsigned char* in, unsigned char* out, int width, int height) {
#pragma omp parallel for
  for (int y = 1; y < height - 1; ++y) {
    for (int x = 1; x < width - 1; ++x) {
      const int gx = in[(y - 1) * width + x + 1] + 2 * in[y * width + x + 1] + in[(y + 1) * width + x + 1] -
                     in[(y - 1) * width + x - 1] - 2 * in[y * width + x - 1] - in[(y + 1) * width + x - 1];
      const int gy = in[(y + 1) * width + x - 1] + 2 * in[(y + 1) * width + x] + in[(y + 1) * width + x + 1] -
                     in[(y - 1) * width + x - 1] - 2 * in[(y - 1) * width + x] - in[(y - 1) * width + x + 1];
      const float magnitude = sqrtf((float)(gx * gx + gy * gy));
      out[y * width + x] = magnitude > 255.0f ? 255 : (unsigned char)magnitude;
    }
  }
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 8192;
  const int steps = argc > 2 ? atoi(argv[2]) : 20;
  const size_t pixels = (size_t)n * n;
#pragma omp alloc_start
#pragma omp managed(image)
  unsigned char* image = new unsigned char[pixels];
#pragma omp managed(edges)
  unsigned char* edges = new unsigned char[pixels]();
#pragma omp alloc_end
  uint32_t state = 1;
  for (size_t i = 0; i < pixels; ++i) {
    state = state * 1664525u + 1013904223u;
    image[i] = (unsigned char)((state >> 24) / 4 + (i % n) / 64);
  }
  for (int warm = 0; warm < 2; ++warm) sobel(image, edges, n, n);
  const double start = now();
  for (int step = 0; step < steps; ++step) sobel(image, edges, n, n);
  volatile unsigned char last = edges[pixels / 2];
  (void)last;
  const double seconds = now() - start;
  report("sobel", seconds, steps, 2.0 * (double)pixels, checksum(edges, pixels));
  delete[] image;
  delete[] edges;
  return 0;
}
