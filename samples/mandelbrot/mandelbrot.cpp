// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Mandelbrot set as a picture: rows cost from a few steps a point to thousands, and which ones cost most nobody
// knows before. Arguments: width, height, steps at most for a point, a PPM file to write (none: no picture).
#include <vector>

#include "sample.h"

namespace {

// The part of the plane that the picture shows.
constexpr double left = -2.25, top = 1.25, across = 3.0;

// Steps until the point leaves the circle around 0 from which nothing comes back, or `most`.
inline int stepsAt(double x, double y, int most) {
  double re = 0, im = 0;
  int steps = 0;
  while (steps < most && re * re + im * im <= 4) {
    const double next = re * re - im * im + x;
    im = 2 * re * im + y;
    re = next;
    ++steps;
  }
  return steps;
}

void compute(int* steps, int width, int height, int most) {
  const double size = across / width;  // of a pixel
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < height; ++i)
    for (int j = 0; j < width; ++j)
      steps[(size_t)i * width + j] = stepsAt(left + (j + 0.5) * size, top - (i + 0.5) * size, most);
}

bool write(const char* path, const int* steps, int width, int height, int most) {
  FILE* file = fopen(path, "wb");
  if (file == nullptr) return false;
  fprintf(file, "P6\n%d %d\n255\n", width, height);
  std::vector<unsigned char> row((size_t)width * 3);
  bool good = true;
  for (int i = 0; i < height; ++i) {
    for (int j = 0; j < width; ++j) {
      const int n = steps[(size_t)i * width + j];
      unsigned char* pixel = &row[(size_t)j * 3];
      pixel[0] = (unsigned char)(n == most ? 0 : n * 9 % 256);
      pixel[1] = (unsigned char)(n == most ? 0 : n * 5 % 256);
      pixel[2] = (unsigned char)(n == most ? 0 : 80 + n * 3 % 176);
    }
    good = good && fwrite(row.data(), 1, row.size(), file) == row.size();
  }
  return fclose(file) == 0 && good;
}

}  // namespace

int main(int argc, char** argv) {
  const int width = (int)numberArgument(argc, argv, 1, "width", 1200, 1, 32768);
  const int height = (int)numberArgument(argc, argv, 2, "height", 1000, 1, 32768);
  const int most = (int)numberArgument(argc, argv, 3, "steps", 2000, 1, 10000000);
  const size_t points = (size_t)width * height;

#pragma omp managed(steps)
  int* steps = new int[points];
  const double start = secondsNow();
  compute(steps, width, height, most);
  const double seconds = secondsNow() - start;

  long total = 0, inside = 0;
#pragma omp parallel for reduction(+ : total, inside)
  for (size_t k = 0; k < points; ++k) {
    total += steps[k];
    inside += steps[k] == most;
  }
  printf("mandelbrot: %d x %d, %ld steps, %ld points inside, checksum %016llx\n", width, height, total, inside,
         checksum(steps, points * sizeof(int)));
  printTime("mandelbrot", seconds, 1);
  if (argc > 4 && !write(argv[4], steps, width, height, most)) {
    fprintf(stderr, "%s: cannot write %s\n", argv[0], argv[4]);
    return 1;
  }
  delete[] steps;
  return 0;
}
