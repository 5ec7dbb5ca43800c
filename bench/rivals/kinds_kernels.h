// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels of kinds_opencl.cpp, written for large NVIDIA GPUs. WIDE: rows begin where wide accesses are aligned.
#pragma once

// 32 rows a work-group of 256: it loads 32 x 128 elements together, and its first 32 work-items add them up, each those
// of one row in their order. The next elements are on their way meanwhile.
static const char* const rowsText = R"(
#pragma OPENCL FP_CONTRACT OFF
float4 four(__global const float *row, int k, int n) {
#if WIDE
  return k < n ? *(__global const float4 *)(row + k) : (float4)(0);
#else
  return (float4)(k < n ? row[k] : 0, k + 1 < n ? row[k + 1] : 0, k + 2 < n ? row[k + 2] : 0,
                  k + 3 < n ? row[k + 3] : 0);
#endif
}

__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void rows(__global const float *restrict a, __global const float *restrict x, __global float *restrict y, int n) {
  __local float4 tile[32][33], part[32];
  const int l = (int)get_local_id(0), column = l % 32, first = (int)get_group_id(0) * 32;
  __global const float *row[4];
  float4 next[4], nextPart;
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    row[e] = a + (size_t)min(first + l / 32 + 8 * e, n - 1) * n;
    next[e] = four(row[e], 4 * column, n);
  }
  if (l < 32) nextPart = four(x, 4 * column, n);
  float sum = 0;
  for (int from = 0; from < n; from += 128) {
#pragma unroll
    for (int e = 0; e < 4; ++e) tile[l / 32 + 8 * e][column] = next[e];
    if (l < 32) part[column] = nextPart;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (from + 128 < n) {
#pragma unroll
      for (int e = 0; e < 4; ++e) next[e] = four(row[e], from + 128 + 4 * column, n);
      if (l < 32) nextPart = four(x, from + 128 + 4 * column, n);
    }
    if (l < 32 && from + 128 <= n) {
#pragma unroll
      for (int k = 0; k < 32; ++k) {
        const float4 left = tile[l][k], right = part[k];
        sum += left.x * right.x;
        sum += left.y * right.y;
        sum += left.z * right.z;
        sum += left.w * right.w;
      }
    } else if (l < 32) {
      for (int k = 0; k < n - from; ++k) sum += ((__local float *)tile[l])[k] * ((__local float *)part)[k];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l < 32 && first + l < n) y[first + l] = sum;
}
)";

// A cell a work-item, 256 x 1 groups; what the directions do is written out.
static const char* const latticeText = R"(
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
#define RELAXED(q, share, along) (q - 0.6 * (q - share * (1 + (along) + 0.5 * (along) * (along) - energy)))

__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void lattice(__global const double *restrict f, __global double *restrict g, int n) {
  const int x = (int)get_global_id(0), y = (int)get_global_id(1) + 1;
  if (x == 0 || x >= n - 1) return;
  const int plane = n * n, at = y * n + x;
  const double q0 = f[at], q1 = f[plane + at - 1], q2 = f[2 * plane + at - n], q3 = f[3 * plane + at + 1];
  const double q4 = f[4 * plane + at + n], q5 = f[5 * plane + at - n - 1], q6 = f[6 * plane + at - n + 1];
  const double q7 = f[7 * plane + at + n + 1], q8 = f[8 * plane + at + n - 1];
  const double rho = q0 + q1 + q2 + q3 + q4 + q5 + q6 + q7 + q8;
  const double ux = (q1 - q3 + q5 - q6 - q7 + q8) / rho, uy = (q2 - q4 + q5 + q6 - q7 - q8) / rho;
  const double energy = 1.5 * (ux * ux + uy * uy);
  const double axis = 1.0 / 9 * rho, diagonal = 1.0 / 36 * rho;
  const double right = 3 * ux, up = 3 * uy, rising = 3 * (ux + uy), falling = 3 * (ux - uy);
  g[at] = q0 - 0.6 * (q0 - 4.0 / 9 * rho * (1 - energy));
  g[plane + at] = RELAXED(q1, axis, right);
  g[2 * plane + at] = RELAXED(q2, axis, up);
  g[3 * plane + at] = RELAXED(q3, axis, -right);
  g[4 * plane + at] = RELAXED(q4, axis, -up);
  g[5 * plane + at] = RELAXED(q5, diagonal, rising);
  g[6 * plane + at] = RELAXED(q6, diagonal, -falling);
  g[7 * plane + at] = RELAXED(q7, diagonal, -rising);
  g[8 * plane + at] = RELAXED(q8, diagonal, falling);
}
)";

// 8 x 8 pixels a work-item, two rows at a time. Columns of three are sorted once for the three windows that they are
// in, and what two windows beside or below each other share is sorted once for both.
static const char* const medianText = R"(
void load(int v[10], __global const uchar *in, int x, int y, int n) {  // columns x - 1 to x + 8
  __global const uchar *at = in + (size_t)min(y, n - 1) * n + x;
#if WIDE
  const uint2 word = *(__global const uint2 *)at;
#pragma unroll
  for (int e = 0; e < 4; ++e) v[1 + e] = word.x >> 8 * e & 255, v[5 + e] = word.y >> 8 * e & 255;
#else
  for (int e = 0; e < 8; ++e) v[1 + e] = x + e < n ? at[e] : 0;
#endif
  v[0] = x > 0 ? at[-1] : 0;
  v[9] = x + 8 < n ? at[8] : 0;
}

int middle(int least, int most, int c) { return max(least, min(most, c)); }

// Of the windows in eight columns: two elements of each column are in order, c has the third ones.
void medians(__global uchar *out, const int least[10], const int most[10], const int c[10], int x, int y, int n) {
  if (y >= n - 1) return;
  int low[10], mid[10], high[10];
  uint result[8];
#pragma unroll
  for (int e = 0; e < 10; ++e) {
    low[e] = min(least[e], c[e]), mid[e] = middle(least[e], most[e], c[e]), high[e] = max(most[e], c[e]);
  }
#pragma unroll
  for (int e = 0; e < 8; e += 2) {
    const int a = max(low[e + 1], low[e + 2]), b = min(high[e + 1], high[e + 2]);
    const int p = min(mid[e + 1], mid[e + 2]), q = max(mid[e + 1], mid[e + 2]);
#pragma unroll
    for (int s = 0; s < 2; ++s) {
      const int edge = e + 3 * s, top = max(a, low[edge]), bottom = min(b, high[edge]);
      result[e + s] = middle(min(top, bottom), max(top, bottom), middle(p, q, mid[edge]));
    }
  }
  if (x == 0) result[0] = 0;
#if WIDE
  if (x + 8 == n) result[7] = 0;
  *(__global uint2 *)(out + (size_t)y * n + x) =
      (uint2)(result[0] | result[1] << 8 | result[2] << 16 | result[3] << 24,
              result[4] | result[5] << 8 | result[6] << 16 | result[7] << 24);
#else
  for (int e = 0; e < 8; ++e)
    if (x + e < n - 1) out[(size_t)y * n + x + e] = result[e];
#endif
}

__kernel __attribute__((reqd_work_group_size(64, 4, 1)))
void median(__global const uchar *restrict in, __global uchar *restrict out, int n) {
  const int x = (int)get_global_id(0) * 8, first = (int)get_global_id(1) * 8 + 1;
  if (x >= n || first >= n - 1) return;
  int a[10], b[10], c[10], d[10], least[10], most[10];
  load(a, in, x, first - 1, n);
  load(b, in, x, first, n);
#pragma unroll
  for (int pair = 0; pair < 4; ++pair) {
    const int y = first + 2 * pair;
    load(c, in, x, y + 1, n);
    load(d, in, x, y + 2, n);
#pragma unroll
    for (int e = 0; e < 10; ++e) least[e] = min(b[e], c[e]), most[e] = max(b[e], c[e]);
    medians(out, least, most, a, x, y, n);
    medians(out, least, most, d, x, y + 1, n);
#pragma unroll
    for (int e = 0; e < 10; ++e) a[e] = c[e], b[e] = d[e];
  }
}
)";

// Tiles of 64 x 64 in local memory, 16 x 16 groups, 16 bytes an access on both sides.
static const char* const transposeText = R"(
__kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void transpose(__global const float *restrict a, __global float *restrict b, int n) {
  __local float tile[64][65];
  const int across = 4 * (int)get_local_id(0), down = (int)get_local_id(1);
  const int left = (int)get_group_id(0) * 64, top = (int)get_group_id(1) * 64;
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    const int r = down + 16 * e, i = top + r, j = left + across;
    if (i >= n || j >= n) continue;
#if WIDE
    const float4 v = *(__global const float4 *)(a + (size_t)i * n + j);
    tile[across][r] = v.x, tile[across + 1][r] = v.y, tile[across + 2][r] = v.z, tile[across + 3][r] = v.w;
#else
    for (int s = 0; s < 4 && j + s < n; ++s) tile[across + s][r] = a[(size_t)i * n + j + s];
#endif
  }
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    const int r = down + 16 * e, j = left + r, i = top + across;
    if (j >= n || i >= n) continue;
#if WIDE
    *(__global float4 *)(b + (size_t)j * n + i) =
        (float4)(tile[r][across], tile[r][across + 1], tile[r][across + 2], tile[r][across + 3]);
#else
    for (int s = 0; s < 4 && i + s < n; ++s) b[(size_t)j * n + i + s] = tile[r][across + s];
#endif
  }
}
)";

// 16 pixels a work-item: three loads and one store of 16 bytes.
static const char* const grayText = R"(
#define BYTE(k) (word[(k) / 4] >> (k) % 4 * 8 & 255)
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void gray(__global const uchar *restrict rgb, __global uchar *restrict level, int n) {
  const int i = (int)get_global_id(0) * 16;
  if (i + 16 <= n) {
    __global const uint4 *from = (__global const uint4 *)(rgb + (size_t)3 * i);
    const uint4 a = from[0], b = from[1], c = from[2];
    const uint word[12] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w, c.x, c.y, c.z, c.w};
    uint result[4] = {0, 0, 0, 0};
#pragma unroll
    for (int p = 0; p < 16; ++p)
      result[p / 4] |= (77 * BYTE(3 * p) + 150 * BYTE(3 * p + 1) + 29 * BYTE(3 * p + 2)) >> 8 << p % 4 * 8;
    *(__global uint4 *)(level + i) = (uint4)(result[0], result[1], result[2], result[3]);
  } else {
    for (int p = i; p < n; ++p) level[p] = (77 * rgb[3 * p] + 150 * rgb[3 * p + 1] + 29 * rgb[3 * p + 2]) >> 8;
  }
}
)";

// Four sums a work-item, from five loads of 16 bytes.
static const char* const firText = R"(
#pragma OPENCL FP_CONTRACT OFF
__constant float tap[17] = {-0.01f, -0.02f, -0.03f, -0.02f, 0.01f,  0.06f,  0.12f,  0.17f, 0.19f,
                            0.17f,  0.12f,  0.06f,  0.01f,  -0.02f, -0.03f, -0.02f, -0.01f};
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fir(__global const float *restrict x, __global float *restrict y, int n) {
  const int i = (int)get_global_id(0) * 4;
  if (i + 4 <= n) {
    __global const float4 *from = (__global const float4 *)(x + i);
    float v[20];
#pragma unroll
    for (int e = 0; e < 5; ++e) {
      const float4 four = from[e];
      v[4 * e] = four.x, v[4 * e + 1] = four.y, v[4 * e + 2] = four.z, v[4 * e + 3] = four.w;
    }
    float4 sum = (float4)(0);
#pragma unroll
    for (int k = 0; k < 17; ++k) sum += tap[k] * (float4)(v[k], v[k + 1], v[k + 2], v[k + 3]);
    *(__global float4 *)(y + i) = sum;
  } else {
    for (int j = i; j < n; ++j) {
      float sum = 0;
      for (int k = 0; k < 17; ++k) sum += tap[k] * x[j + k];
      y[j] = sum;
    }
  }
}
)";

// A particle a work-item, in two accesses of 16 bytes: x, y, z, vx and vy, vz, m, q.
static const char* const particlesText = R"(
#pragma OPENCL FP_CONTRACT OFF
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void particles(__global float4 *restrict p, int n) {
  const int i = (int)get_global_id(0);
  if (i >= n) return;
  float4 a = p[2 * i], b = p[2 * i + 1];
  const float charge = b.w / b.z;
  const float square = a.x * a.x + a.y * a.y + a.z * a.z + 0.25f, pull = 1.0f / (square * sqrt(square));
  const float vx = a.w + 0.01f * (charge * b.x - pull * a.x);
  const float vy = b.x - 0.01f * (charge * a.w + pull * a.y);
  const float vz = b.y - 0.01f * (pull * a.z);
  p[2 * i] = (float4)(a.x + 0.01f * vx, a.y + 0.01f * vy, a.z + 0.01f * vz, vx);
  p[2 * i + 1] = (float4)(vy, vz, b.z, b.w);
}
)";

// Work-items that run in step have 8 x 4 points, a group 16 x 16. Four iterations go without a test; where the last one
// is too far away, which no point comes back from, they are done again with one each. fma here is exact: 2 * a is.
static const char* const mandelbrotText = R"(
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
#define NEXT { const double product = zx * zy; zx = zx * zx - zy * zy + cx; zy = fma(2.0, product, cy); }
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void mandelbrot(__global int *restrict count, int n, double step) {
  const int l = (int)get_local_id(0);
  const int j = (int)get_group_id(0) * 16 + l / 32 % 2 * 8 + l % 8;
  const int i = (int)get_group_id(1) * 16 + l / 64 * 4 + l / 8 % 4;
  if (i >= n || j >= n) return;
  const double cx = -2.2 + j * step, cy = -1.5 + i * step;
  double zx = 0, zy = 0;
  int k = 0;
  while (k < 256) {
    const double oldX = zx, oldY = zy;
    NEXT NEXT NEXT NEXT
    if (!(zx * zx + zy * zy <= 4)) {
      zx = oldX, zy = oldY;
      for (const int end = k + 4; k < end && zx * zx + zy * zy <= 4; ++k) NEXT
      break;
    }
    k += 4;
  }
  count[(size_t)i * n + j] = k;
}
)";

// 128 rows a work-group: it loads their entries together and keeps the products in local memory, then each work-item
// adds up those of one row in their order.
static const char* const sparseText = R"(
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
#define ROOM (128 * 27)
__kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void sparse(__global const int *restrict start, __global const int *restrict column,
            __global const double *restrict value, __global const double *restrict x, __global double *restrict y,
            int n) {
  __local double product[ROOM];
  const int l = (int)get_local_id(0), first = (int)get_group_id(0) * 128, row = first + l;
  const int begin = start[min(row, n)], end = start[min(row + 1, n)], last = start[min(first + 128, n)];
  double sum = 0;
  for (int from = start[first]; from < last; from += ROOM) {
    const int count = min(ROOM, last - from);
#pragma unroll 9
    for (int k = l; k < count; k += 128) product[k] = value[from + k] * x[column[from + k]];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = max(begin, from); k < min(end, from + ROOM); ++k) sum += product[k - from];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (row < n) y[row] = sum;
}
)";
