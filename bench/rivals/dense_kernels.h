// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels of dense_opencl.cpp, written for large NVIDIA GPUs.
#pragma once

// Four pixels of all 16 output channels a work-item; the weights lie in local memory, those of one place together.
static const char* const channelsText = R"(
#pragma OPENCL FP_CONTRACT OFF
__kernel __attribute__((reqd_work_group_size(32, 4, 1)))
void channels(__global const float *restrict in, __global const float *restrict w, __global float *restrict out,
              int n) {
  __local float4 weight[16 * 9 * 4];
  const int l = (int)(get_local_id(0) + 32 * get_local_id(1)), m = n + 2;
  for (int e = l; e < 16 * 9 * 16; e += 128)
    ((__local float *)weight)[e] = w[e % 16 * 144 + e / 16];
  barrier(CLK_LOCAL_MEM_FENCE);
  const int x = 4 * (int)get_global_id(0), y = (int)get_global_id(1);
  if (x >= n || y >= n) return;
  float4 sum[4][4];
#pragma unroll
  for (int p = 0; p < 4; ++p)
#pragma unroll
    for (int o = 0; o < 4; ++o) sum[p][o] = (float4)(0);
  for (int c = 0; c < 16; ++c)
#pragma unroll
    for (int dy = 0; dy < 3; ++dy) {
      __global const float *row = in + (size_t)(c * m + y + dy) * m + x;
      float v[6];
#pragma unroll
      for (int e = 0; e < 6; ++e) v[e] = x + e < m ? row[e] : 0;
#pragma unroll
      for (int dx = 0; dx < 3; ++dx)
#pragma unroll
        for (int o = 0; o < 4; ++o) {
          const float4 by = weight[(c * 9 + dy * 3 + dx) * 4 + o];
#pragma unroll
          for (int p = 0; p < 4; ++p) sum[p][o] += v[p + dx] * by;
        }
    }
#pragma unroll
  for (int p = 0; p < 4; ++p)
    if (x + p < n) {
      __global float *to = out + (size_t)y * n + x + p;
      const size_t plane = (size_t)n * n;
#pragma unroll
      for (int o = 0; o < 4; ++o) {
        to[4 * o * plane] = sum[p][o].x, to[(4 * o + 1) * plane] = sum[p][o].y;
        to[(4 * o + 2) * plane] = sum[p][o].z, to[(4 * o + 3) * plane] = sum[p][o].w;
      }
    }
}
)";

// Two points a work-item in registers, the centres in local memory.
static const char* const nearestText = R"(
#pragma OPENCL FP_CONTRACT OFF
#define ADD(part) { const float t = p[s][d].part - by.part; square[s] += t * t; }
__kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void nearest(__global const float4 *restrict point, __global const float4 *restrict centre, __global int *restrict result,
             int n) {
  __local float4 all[64 * 4];
  const int l = (int)get_local_id(0), first = (int)get_group_id(0) * 256 + l;
  for (int e = l; e < 64 * 4; e += 128) all[e] = centre[e];
  barrier(CLK_LOCAL_MEM_FENCE);
  float4 p[2][4];
  float least[2] = {1e30f, 1e30f};
  int best[2] = {0, 0};
#pragma unroll
  for (int s = 0; s < 2; ++s)
#pragma unroll
    for (int d = 0; d < 4; ++d) p[s][d] = point[(size_t)min(first + 128 * s, n - 1) * 4 + d];
  for (int c = 0; c < 64; ++c) {
    float square[2] = {0, 0};
#pragma unroll
    for (int d = 0; d < 4; ++d) {
      const float4 by = all[4 * c + d];
#pragma unroll
      for (int s = 0; s < 2; ++s) {
        ADD(x) ADD(y) ADD(z) ADD(w)
      }
    }
#pragma unroll
    for (int s = 0; s < 2; ++s)
      if (square[s] < least[s]) least[s] = square[s], best[s] = c;
  }
#pragma unroll
  for (int s = 0; s < 2; ++s)
    if (first + 128 * s < n) result[first + 128 * s] = best[s];
}
)";

// Of what all pairs of rows give, 128 x 64 elements a group of 256, 8 x 4 a work-item. STEP(sum, l, r) is done with the
// elements of a row each, FROM is what a sum begins with, and DONE(sum, i, j) what is stored. TURNED: the right one's
// rows are columns.
static const char* const pairsText = R"(
#ifdef DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#pragma OPENCL FP_CONTRACT OFF
#define DEEP 8
__kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void pairs(__global const T *restrict a, __global T *restrict c, int n, int depth) {
  __local T left[DEEP][128 + 4], right[DEEP][64 + 4];
  const int x = (int)get_local_id(0), y = (int)get_local_id(1), l = x + 16 * y;
  const int top = (int)get_group_id(1) * 128, side = (int)get_group_id(0) * 64;
  T sum[8][4], nextLeft[4], nextRight[2];
#pragma unroll
  for (int p = 0; p < 8; ++p)
#pragma unroll
    for (int q = 0; q < 4; ++q) sum[p][q] = FROM(min(top + y + 16 * p, n - 1), min(side + x + 16 * q, n - 1));
#define FETCH(from)                                                                                              \
  _Pragma("unroll") for (int e = 0; e < 4; ++e)                                                                  \
      nextLeft[e] = a[(size_t)min(top + l / DEEP + 32 * e, n - 1) * depth + min(from + l % DEEP, depth - 1)];    \
  _Pragma("unroll") for (int e = 0; e < 2; ++e)                                                                  \
      nextRight[e] = TURNED ? a[(size_t)min(from + l / 64 + 4 * e, depth - 1) * n + min(side + l % 64, n - 1)]   \
                            : a[(size_t)min(side + l / DEEP + 32 * e, n - 1) * depth + min(from + l % DEEP, depth - 1)];
  FETCH(0)
  for (int from = 0; from < depth; from += DEEP) {
#pragma unroll
    for (int e = 0; e < 4; ++e) left[l % DEEP][l / DEEP + 32 * e] = nextLeft[e];
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      if (TURNED) right[l / 64 + 4 * e][l % 64] = nextRight[e];
      else right[l % DEEP][l / DEEP + 32 * e] = nextRight[e];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (from + DEEP < depth) { FETCH(from + DEEP) }
    const int count = min(DEEP, depth - from);
    if (count == DEEP) {
#pragma unroll
      for (int k = 0; k < DEEP; ++k) {
        T row[8], column[4];
#pragma unroll
        for (int p = 0; p < 8; ++p) row[p] = left[k][y + 16 * p];
#pragma unroll
        for (int q = 0; q < 4; ++q) column[q] = right[k][x + 16 * q];
#pragma unroll
        for (int p = 0; p < 8; ++p)
#pragma unroll
          for (int q = 0; q < 4; ++q) STEP(sum[p][q], row[p], column[q])
      }
    } else {
      for (int k = 0; k < count; ++k)
#pragma unroll
        for (int p = 0; p < 8; ++p)
#pragma unroll
          for (int q = 0; q < 4; ++q) STEP(sum[p][q], left[k][y + 16 * p], right[k][x + 16 * q])
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
#pragma unroll
  for (int p = 0; p < 8; ++p)
#pragma unroll
    for (int q = 0; q < 4; ++q)
      if (top + y + 16 * p < n && side + x + 16 * q < n)
        c[(size_t)(top + y + 16 * p) * n + side + x + 16 * q] = DONE(sum[p][q]);
}
)";

// 32 systems a group of 128, eight equations of each at a time in local memory; the first 32 work-items solve them.
static const char* const tridiagonalText = R"(
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
#define WIDE 8
#define PLACE(e) ((l / WIDE + 16 * (e)) * (WIDE + 1) + l % WIDE)
#define EACH _Pragma("unroll") for (int e = 0; e < 2; ++e)
__kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void tridiagonal(__global const double *restrict lower, __global const double *restrict middle,
                 __global const double *restrict upper, __global const double *restrict right,
                 __global double *restrict ratio, __global double *restrict x, int n, int m) {
  __local double a[32 * (WIDE + 1)], b[32 * (WIDE + 1)], c[32 * (WIDE + 1)], d[32 * (WIDE + 1)];
  const int l = (int)get_local_id(0), first = (int)get_group_id(0) * 32;
  size_t from[2];
  EACH from[e] = (size_t)min(first + l / WIDE + 16 * e, n - 1) * m + l % WIDE;
  double nextA[2], nextB[2], nextC[2], nextD[2], before = 0, known = 0;
  EACH nextA[e] = lower[from[e]], nextB[e] = middle[from[e]], nextC[e] = upper[from[e]], nextD[e] = right[from[e]];
  for (int t = 0; t < m; t += WIDE) {
    EACH a[PLACE(e)] = nextA[e], b[PLACE(e)] = nextB[e], c[PLACE(e)] = nextC[e], d[PLACE(e)] = nextD[e];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t + WIDE < m)
      EACH nextA[e] = lower[from[e] + t + WIDE], nextB[e] = middle[from[e] + t + WIDE],
           nextC[e] = upper[from[e] + t + WIDE], nextD[e] = right[from[e] + t + WIDE];
    if (l < 32) {
#pragma unroll
      for (int k = 0; k < WIDE; ++k) {
        const int at = l * (WIDE + 1) + k;
        if (t + k == 0) {
          before = c[at] / b[at], known = d[at] / b[at];
        } else {
          const double scale = 1 / (b[at] - a[at] * before);
          before = c[at] * scale, known = (d[at] - a[at] * known) * scale;
        }
        c[at] = before, d[at] = known;
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    EACH if (first + l / WIDE + 16 * e < n) ratio[from[e] + t] = c[PLACE(e)], x[from[e] + t] = d[PLACE(e)];
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
  EACH nextC[e] = ratio[from[e] + m - WIDE], nextD[e] = x[from[e] + m - WIDE];
  for (int t = m - WIDE; t >= 0; t -= WIDE) {
    EACH c[PLACE(e)] = nextC[e], d[PLACE(e)] = nextD[e];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t > 0) EACH nextC[e] = ratio[from[e] + t - WIDE], nextD[e] = x[from[e] + t - WIDE];
    if (l < 32) {
#pragma unroll
      for (int k = WIDE - 1; k >= 0; --k) {
        const int at = l * (WIDE + 1) + k;
        known = t + k == m - 1 ? d[at] : d[at] - c[at] * known;
        d[at] = known;
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    EACH if (first + l / WIDE + 16 * e < n) x[from[e] + t] = d[PLACE(e)];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
)";

// A row a group of 256, which keeps it in registers. KEPT: elements of a work-item.
static const char* const softmaxText = R"(
float whole(float value, int isMost, __local float *shared) {
  const int l = (int)get_local_id(0);
  shared[l] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int half_ = 128; half_ > 0; half_ /= 2) {
    if (l < half_) shared[l] = isMost ? fmax(shared[l], shared[l + half_]) : shared[l] + shared[l + half_];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  const float result = shared[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  return result;
}

__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void softmax(__global const float *restrict in, __global float *restrict out, int n) {
  __local float shared[256];
  const int l = (int)get_local_id(0);
  const size_t row = (size_t)get_group_id(0) * n;
  float v[KEPT], most = -INFINITY, sum = 0;
#pragma unroll
  for (int e = 0; e < KEPT; ++e) v[e] = l + 256 * e < n ? in[row + l + 256 * e] : -INFINITY;
#pragma unroll
  for (int e = 0; e < KEPT; ++e) most = fmax(most, v[e]);
  most = whole(most, 1, shared);
#pragma unroll
  for (int e = 0; e < KEPT; ++e) v[e] = native_exp(v[e] - most), sum += v[e];
  sum = native_recip(whole(sum, 0, shared));
#pragma unroll
  for (int e = 0; e < KEPT; ++e)
    if (l + 256 * e < n) out[row + l + 256 * e] = v[e] * sum;
}
)";

// 32 rows a group of 128, 32 elements of each at a time in local memory; the first 32 work-items walk along them.
static const char* const recurrenceText = R"(
#pragma OPENCL FP_CONTRACT OFF
__kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void recurrence(__global const float *restrict in, __global float *restrict out, int n) {
  __local float tile[32][33];
  const int l = (int)get_local_id(0), first = (int)get_group_id(0) * 32, column = l % 32;
  float next[8], state = 0;
#pragma unroll
  for (int e = 0; e < 8; ++e) next[e] = in[(size_t)min(first + l / 32 + 4 * e, n - 1) * n + min(column, n - 1)];
  for (int t = 0; t < n; t += 32) {
#pragma unroll
    for (int e = 0; e < 8; ++e) tile[l / 32 + 4 * e][column] = next[e];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t + 32 < n)
#pragma unroll
      for (int e = 0; e < 8; ++e)
        next[e] = in[(size_t)min(first + l / 32 + 4 * e, n - 1) * n + min(t + 32 + column, n - 1)];
    if (l < 32)
#pragma unroll
      for (int k = 0; k < 32; ++k) {
        state = 0.75f * state + 0.25f * tile[l][k];
        tile[l][k] = state;
      }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int e = 0; e < 8; ++e)
      if (first + l / 32 + 4 * e < n && t + column < n)
        out[(size_t)(first + l / 32 + 4 * e) * n + t + column] = tile[l / 32 + 4 * e][column];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
)";
