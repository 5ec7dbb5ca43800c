// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sobel edge detector: plain C++ with OpenMP, and two managed arrays. Built without Muster's plugin (the pragmas are
// then hidden by the macro) it is the ordinary OpenMP program that the demo compares with.
#include <omp.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "image.h"

namespace {

// One pass over the image; knows nothing of Muster: plain pointers, a plain loop.
void sobel(const unsigned char* in, unsigned char* out, int width, int height) {
#pragma omp parallel for
  for (int y = 1; y < height - 1; ++y) {
    for (int x = 1; x < width - 1; ++x) {
      const int upLeft = in[(y - 1) * width + x - 1], up = in[(y - 1) * width + x],
                upRight = in[(y - 1) * width + x + 1];
      const int left = in[y * width + x - 1], right = in[y * width + x + 1];
      const int downLeft = in[(y + 1) * width + x - 1], down = in[(y + 1) * width + x],
                downRight = in[(y + 1) * width + x + 1];
      const int gx = upRight + 2 * right + downRight - upLeft - 2 * left - downLeft;
      const int gy = downLeft + 2 * down + downRight - upLeft - 2 * up - upRight;
      const float magnitude = sqrtf((float)(gx * gx + gy * gy));
      out[y * width + x] = magnitude > 255.0f ? 255 : (unsigned char)magnitude;
    }
  }
}

int run(const char* input, const char* output, int steps) {
  const Image image = readImage(input);
  const int width = image.width, height = image.height;
  const size_t pixels = (size_t)width * height;

#pragma omp alloc_start
#pragma omp managed(grey)
  unsigned char* grey = new unsigned char[pixels];
#pragma omp managed(edges)
  unsigned char* edges = new unsigned char[pixels]();
#pragma omp alloc_end

  memcpy(grey, image.grey.data(), pixels);
  sobel(grey, edges, width, height);  // not timed: kernels are built, arrays are spread
  const double start = omp_get_wtime();
  for (int step = 0; step < steps; ++step) sobel(grey, edges, width, height);
  const double seconds = omp_get_wtime() - start;
  writePng(output, edges, width, height);
  fprintf(stderr, "sobel: %d x %d pixels, %d steps, %.3f ms per step\n", width, height, steps, seconds / steps * 1e3);

  delete[] grey;
  delete[] edges;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const int steps = argc == 4 ? atoi(argv[3]) : 50;
  if (argc < 3 || argc > 4 || steps < 1) {
    fprintf(stderr, "usage: %s INPUT.{png,jpg} OUTPUT.png [STEPS]\n", argv[0]);
    return 2;
  }
  try {
    return run(argv[1], argv[2], steps);
  } catch (const std::exception& error) {
    fprintf(stderr, "sobel: %s\n", error.what());
    return 1;
  }
}
