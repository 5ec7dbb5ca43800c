// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Image filters over bytes: clamped borders, boxes, colour to grey, mirror, transpose. The plain program is the oracle.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t.muster && %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
#include <algorithm>
#include "Inputs/wild_report.h"
typedef unsigned char uchar;
static inline int clampi(int v, int lo, int hi) { return v < lo ? lo : v > hi ? hi : v; }
static const float K[3][3] = {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}};
void blur(uchar* dst, const uchar* src, int w, int h) {
#pragma omp parallel for schedule(static)
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      float s = 0;
      for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
          s += K[dy + 1][dx + 1] * src[clampi(y + dy, 0, h - 1) * w + clampi(x + dx, 0, w - 1)];
      dst[y * w + x] = (uchar)(s / 16);
    }
}
void box(uchar* dst, const uchar* src, int w, int h, int r) {
#pragma omp parallel for collapse(2)
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      int s = 0, c = 0;
      for (int yy = std::max(0, y - r); yy <= std::min(h - 1, y + r); yy++)
        for (int xx = std::max(0, x - r); xx <= std::min(w - 1, x + r); xx++) {
          s += src[yy * w + xx];
          c++;
        }
      dst[y * w + x] = s / c;
    }
}
void rgb(uchar* g, const uchar* c, int w, int h, int st) {
#pragma omp parallel for
  for (int y = 0; y < h; y++) {
    const uchar* row = c + y * st;
    uchar* o = g + y * w;
    for (int x = 0; x < w; x++) o[x] = (row[3 * x] * 77 + row[3 * x + 1] * 150 + row[3 * x + 2] * 29) >> 8;
  }
}
int main() {
  int w = 53, h = 41;
#pragma ompx managed(a)
  uchar* a = new uchar[w * h];
#pragma ompx managed(b)
  uchar* b = (uchar*)malloc(w * h);
#pragma ompx managed(c)
  uchar* c = new uchar[w * h * 3];
  fill(c, w * h * 3, 9);
  rgb(a, c, w, h, w * 3);
  report("grey", a, w * h);
  blur(b, a, w, h);
  report("blur", b, w * h);
  box(a, b, w, h, 2);
  report("box", a, w * h);
  for (int y = 0; y < h / 2; y++) std::swap_ranges(a + y * w, a + (y + 1) * w, a + (h - 1 - y) * w);
#pragma omp parallel for
  for (int i = 0; i < w * h; i++) b[i] = a[i] > 40 ? 255 : 0;
  report("thr", b, w * h);
#pragma omp parallel for
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w / 2; x++) {
      uchar t = b[y * w + x];
      b[y * w + x] = b[y * w + w - 1 - x];
      b[y * w + w - 1 - x] = t;
    }
  report("mirror", b, w * h);
  int hist[256] = {0};
  for (int i = 0; i < w * h; i++) hist[b[i]]++;
  printf("%d %d\n", hist[0], hist[255]);
#pragma omp parallel for
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) b[x * h + y] = a[y * w + x];
  report("transpose", b, w * h);
}
