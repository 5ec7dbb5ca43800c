// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hand-written descriptors and launches.
#include "kernels.h"

#include <cstdint>

namespace programs {
namespace {

constexpr const char* kFile = "kernels.cc";

template <class T>
T& scalar(const muster_chunk* chunk, int i) {
  return *static_cast<T*>(const_cast<void*>(chunk->scalars[i]));
}
template <class T>
T* array(const muster_chunk* chunk, int i) {
  return static_cast<T*>(chunk->arrays[i]);
}

// ------------------------------------------------------------------ jacobi

void jacobiNative(const muster_chunk* chunk) {
  const double* u = array<double>(chunk, 0);
  double* v = array<double>(chunk, 1);
  const long m = scalar<long>(chunk, 0);
  const muster_dim rows = chunk->dims[0];
  const muster_dim columns = chunk->dims[1];
#pragma omp parallel for
  for (long k = chunk->lo; k < chunk->hi; ++k) {
    const long i = rows.first + k * rows.step;
    for (long l = 0; l < columns.count; ++l) {
      const long j = columns.first + l * columns.step;
      v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]);
    }
  }
}

constexpr const char* kJacobiText = R"(
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
__kernel __attribute__((reqd_work_group_size(MUSTER_WG0, MUSTER_WG1, MUSTER_WG2)))
void muster_test_jacobi(__global double *u_buf, long u_origin, __global double *v_buf, long v_origin, long m,
                        long muster_first_0, long muster_step_0, long muster_lo_0, long muster_hi_0,
                        long muster_first_1, long muster_step_1, long muster_lo_1, long muster_hi_1) {
  const long k0 = muster_lo_0 + (long)get_global_id(1);
  const long k1 = muster_lo_1 + (long)get_global_id(0);
  if (k0 >= muster_hi_0 || k1 >= muster_hi_1) return;
  __global double *u = u_buf + u_origin;
  __global double *v = v_buf + v_origin;
  const long i = muster_first_0 + k0 * muster_step_0;
  const long j = muster_first_1 + k1 * muster_step_1;
  v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]);
}
)";

const muster_array_param kJacobiArrays[] = {{"u", 8, MUSTER_TYPE_F64, MUSTER_READ, 0, 0},
                                            {"v", 8, MUSTER_TYPE_F64, MUSTER_WRITE, 0, 0}};
const muster_scalar_param kJacobiScalars[] = {{"m", 8, MUSTER_TYPE_I64, {}, nullptr}};
const muster_access kJacobiAccesses[] = {{0, MUSTER_READ, 0, 10},
                                         {0, MUSTER_READ, 0, 10},
                                         {0, MUSTER_READ, 0, 10},
                                         {0, MUSTER_READ, 0, 10},
                                         {1, MUSTER_WRITE, 0, 10}};
const muster_kernel kJacobi = {MUSTER_ABI_VERSION,
                               MUSTER_KERNEL_NEEDS_FP64,
                               0x1001,
                               "muster_test_jacobi",
                               {kFile, 10, 1},
                               jacobiNative,
                               kJacobiText,
                               nullptr,
                               2,
                               1,
                               0,
                               2,
                               0,
                               5,
                               kJacobiArrays,
                               kJacobiScalars,
                               nullptr,
                               kJacobiAccesses,
                               nullptr};

// ------------------------------------------------------------------ axpy

void axpyNative(const muster_chunk* chunk) {
  int* x = array<int>(chunk, 0);
  const int a = scalar<int>(chunk, 0);
#pragma omp parallel for
  for (long k = chunk->lo; k < chunk->hi; ++k) {
    const long i = chunk->dims[0].first + k * chunk->dims[0].step;
    x[i] = x[i] + static_cast<int>(i) * a;
  }
}

constexpr const char* kAxpyText = R"(
__kernel __attribute__((reqd_work_group_size(MUSTER_WG0, MUSTER_WG1, MUSTER_WG2)))
void muster_test_axpy(__global int *x_buf, long x_origin, int a,
                      long muster_first_0, long muster_step_0, long muster_lo_0, long muster_hi_0) {
  const long k = muster_lo_0 + (long)get_global_id(0);
  if (k >= muster_hi_0) return;
  __global int *x = x_buf + x_origin;
  const long i = muster_first_0 + k * muster_step_0;
  x[i] = x[i] + (int)i * a;
}
)";

const muster_array_param kAxpyArrays[] = {{"x", 4, MUSTER_TYPE_I32, MUSTER_READ | MUSTER_WRITE, 0, 0}};
const muster_scalar_param kAxpyScalars[] = {{"a", 4, MUSTER_TYPE_I32, {}, nullptr}};
const muster_access kAxpyAccesses[] = {{0, MUSTER_READ, 0, 20}, {0, MUSTER_WRITE, 0, 20}};
const muster_kernel kAxpy = {MUSTER_ABI_VERSION,
                             0,
                             0x1002,
                             "muster_test_axpy",
                             {kFile, 20, 1},
                             axpyNative,
                             kAxpyText,
                             nullptr,
                             1,
                             1,
                             0,
                             1,
                             0,
                             2,
                             kAxpyArrays,
                             kAxpyScalars,
                             nullptr,
                             kAxpyAccesses,
                             nullptr};

// ------------------------------------------------------------------ summarise

void summariseNative(const muster_chunk* chunk) {
  const int* x = array<int>(chunk, 0);
  long sum = 0;
  int largest = -2147483647;
  long last = -1;
#pragma omp parallel for reduction(+ : sum) reduction(max : largest) lastprivate(last)
  for (long k = chunk->lo; k < chunk->hi; ++k) {
    const long i = chunk->dims[0].first + k * chunk->dims[0].step;
    sum += x[i];
    if (x[i] > largest) largest = x[i];
    last = i;
  }
  *static_cast<long*>(chunk->results[0]) = sum;
  *static_cast<int*>(chunk->results[1]) = largest;
  *static_cast<long*>(chunk->results[2]) = last;
}

constexpr const char* kSummariseText = R"(
__kernel __attribute__((reqd_work_group_size(MUSTER_WG0, MUSTER_WG1, MUSTER_WG2)))
void muster_test_summarise(__global int *x_buf, long x_origin,
                           long muster_first_0, long muster_step_0, long muster_lo_0, long muster_hi_0,
                           __global long *sum_out, __global int *largest_out, __global long *last_out) {
  __local long sums[MUSTER_WG0 * MUSTER_WG1 * MUSTER_WG2];
  __local int largests[MUSTER_WG0 * MUSTER_WG1 * MUSTER_WG2];
  __global int *x = x_buf + x_origin;
  long sum = 0;
  int largest = INT_MIN;
  for (long k = muster_lo_0 + (long)get_global_id(0); k < muster_hi_0; k += (long)get_global_size(0)) {
    const long i = muster_first_0 + k * muster_step_0;
    sum += x[i];
    largest = max(largest, x[i]);
    if (k == muster_hi_0 - 1) last_out[0] = i;
  }
  const int me = (int)get_local_id(0);
  sums[me] = sum;
  largests[me] = largest;
  for (int stride = MUSTER_WG0 / 2; stride > 0; stride /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me < stride) {
      sums[me] += sums[me + stride];
      largests[me] = max(largests[me], largests[me + stride]);
    }
  }
  if (me == 0) {
    sum_out[get_group_id(0)] = sums[0];
    largest_out[get_group_id(0)] = largests[0];
  }
}
)";

void addLong(void* into, const void* partial) { *static_cast<long*>(into) += *static_cast<const long*>(partial); }
void maxInt(void* into, const void* partial) {
  if (*static_cast<const int*>(partial) > *static_cast<int*>(into))
    *static_cast<int*>(into) = *static_cast<const int*>(partial);
}
void assignLong(void* into, const void* partial) { *static_cast<long*>(into) = *static_cast<const long*>(partial); }

const muster_array_param kSummariseArrays[] = {{"x", 4, MUSTER_TYPE_I32, MUSTER_READ, 0, 0}};
const muster_result_param kSummariseResults[] = {{"sum", 8, MUSTER_TYPE_I64, MUSTER_REDUCE_ADD, 0, addLong},
                                                 {"largest", 4, MUSTER_TYPE_I32, MUSTER_REDUCE_MAX, 0, maxInt},
                                                 {"last", 8, MUSTER_TYPE_I64, MUSTER_LASTPRIVATE, 0, assignLong}};
const muster_access kSummariseAccesses[] = {{0, MUSTER_READ, 0, 30}};
const muster_kernel kSummarise = {MUSTER_ABI_VERSION,
                                  0,
                                  0x1003,
                                  "muster_test_summarise",
                                  {kFile, 30, 1},
                                  summariseNative,
                                  kSummariseText,
                                  nullptr,
                                  1,
                                  0,
                                  3,
                                  1,
                                  0,
                                  1,
                                  kSummariseArrays,
                                  nullptr,
                                  kSummariseResults,
                                  kSummariseAccesses,
                                  nullptr};

// ------------------------------------------------------------------ gatherThrough (native only)

void gatherNative(const muster_chunk* chunk) {
  const int* index = array<int>(chunk, 0);
  const int* x = array<int>(chunk, 1);
  int* y = array<int>(chunk, 2);
#pragma omp parallel for
  for (long k = chunk->lo; k < chunk->hi; ++k) {
    const long i = chunk->dims[0].first + k * chunk->dims[0].step;
    y[i] = x[index[i]];
  }
}

const muster_array_param kGatherArrays[] = {{"index", 4, MUSTER_TYPE_I32, MUSTER_READ, 0, 0},
                                            {"x", 4, MUSTER_TYPE_I32, MUSTER_READ, 0, 0},
                                            {"y", 4, MUSTER_TYPE_I32, MUSTER_WRITE, 0, 0}};
const muster_access kGatherAccesses[] = {
    {0, MUSTER_READ, 0, 40}, {1, MUSTER_READ, MUSTER_ACCESS_UNBOUNDED, 40}, {2, MUSTER_WRITE, 0, 40}};
const muster_kernel kGather = {MUSTER_ABI_VERSION,
                               0,
                               0x1004,
                               "muster_test_gather",
                               {kFile, 40, 1},
                               gatherNative,
                               nullptr,
                               "it is native for this test",
                               3,
                               0,
                               0,
                               1,
                               0,
                               3,
                               kGatherArrays,
                               nullptr,
                               nullptr,
                               kGatherAccesses,
                               nullptr};

// ------------------------------------------------------------------ addReversed

void addReversedNative(const muster_chunk* chunk) {
  int* x = array<int>(chunk, 0);
  const int* y = array<int>(chunk, 1);
  const long n = scalar<long>(chunk, 0);
#pragma omp parallel for
  for (long k = chunk->lo; k < chunk->hi; ++k) {
    const long i = chunk->dims[0].first + k * chunk->dims[0].step;
    x[n - 1 - i] += scale * y[i];
  }
}

constexpr const char* kAddReversedText = R"(
__kernel __attribute__((reqd_work_group_size(MUSTER_WG0, MUSTER_WG1, MUSTER_WG2)))
void muster_test_add_reversed(__global int *x_buf, long x_origin, __global int *y_buf, long y_origin, long n, int scale,
                              long muster_first_0, long muster_step_0, long muster_lo_0, long muster_hi_0) {
  const long k = muster_lo_0 + (long)get_global_id(0);
  if (k >= muster_hi_0) return;
  __global int *x = x_buf + x_origin;
  __global int *y = y_buf + y_origin;
  const long i = muster_first_0 + k * muster_step_0;
  x[n - 1 - i] += scale * y[i];
}
)";

const muster_array_param kAddReversedArrays[] = {{"x", 4, MUSTER_TYPE_I32, MUSTER_READ | MUSTER_WRITE, 0, 0},
                                                 {"y", 4, MUSTER_TYPE_I32, MUSTER_READ, 0, 0}};
const muster_scalar_param kAddReversedScalars[] = {{"n", 8, MUSTER_TYPE_I64, {}, nullptr},
                                                   {"scale", 4, MUSTER_TYPE_I32, {}, &scale}};
const muster_access kAddReversedAccesses[] = {
    {0, MUSTER_READ, 0, 50}, {1, MUSTER_READ, 0, 50}, {0, MUSTER_WRITE, 0, 50}};
const muster_kernel kAddReversed = {MUSTER_ABI_VERSION,
                                    MUSTER_KERNEL_NEEDS_DISTINCT,
                                    0x1005,
                                    "muster_test_add_reversed",
                                    {kFile, 50, 1},
                                    addReversedNative,
                                    kAddReversedText,
                                    nullptr,
                                    2,
                                    2,
                                    0,
                                    1,
                                    0,
                                    3,
                                    kAddReversedArrays,
                                    kAddReversedScalars,
                                    nullptr,
                                    kAddReversedAccesses,
                                    nullptr};

const muster_kernel* const kAll[] = {&kJacobi, &kAxpy, &kSummarise, &kGather, &kAddReversed};

__attribute__((constructor)) void registerAll() {
  muster_register_kernels(kAll, kAll + sizeof kAll / sizeof *kAll, MUSTER_ABI_VERSION);
}

muster_launch launchOf(const muster_kernel& kernel, const muster_dim* dims, const int64_t* forms) {
  muster_launch launch{};
  launch.struct_size = sizeof launch;
  launch.kernel = &kernel;
  launch.dims = dims;
  launch.forms = forms;
  return launch;
}

}  // namespace

int scale = 1;

const muster_array_site siteU = {{kFile, 1, 1}, "u", "double", 8, MUSTER_TYPE_F64, MUSTER_PARTITIONED, 0, "affine"};
const muster_array_site siteV = {{kFile, 2, 1}, "v", "double", 8, MUSTER_TYPE_F64, MUSTER_PARTITIONED, 0, "affine"};
const muster_array_site siteX = {{kFile, 3, 1}, "x", "int", 4, MUSTER_TYPE_I32, MUSTER_PARTITIONED, 0, "affine"};
const muster_array_site siteY = {{kFile, 4, 1}, "y", "int", 4, MUSTER_TYPE_I32, MUSTER_PARTITIONED, 0, "affine"};
const muster_array_site siteIndex = {{kFile, 5, 1},      "index", "int",   4, MUSTER_TYPE_I32,
                                     MUSTER_PARTITIONED, 0,       "affine"};

void jacobi(double* u, double* v, long n, long m) {
  const muster_dim dims[] = {{1, 1, n - 2}, {1, 1, m - 2}};
  const int64_t forms[] = {m, 1, -m, m, 1, m, m, 1, -1, m, 1, 1, m, 1, 0};
  muster_launch launch = launchOf(kJacobi, dims, forms);
  void* arrays[] = {u, v};
  const void* scalars[] = {&m};
  launch.arrays = arrays;
  launch.scalars = scalars;
  muster_launch_loop(&launch);
}

namespace {

void launchAxpy(int* x, muster_dim dim, int a, unsigned flags) {
  const int64_t forms[] = {1, 0, 1, 0};
  muster_launch launch = launchOf(kAxpy, &dim, forms);
  launch.flags = flags;
  void* arrays[] = {x};
  const void* scalars[] = {&a};
  launch.arrays = arrays;
  launch.scalars = scalars;
  muster_launch_loop(&launch);
}

}  // namespace

void axpy(int* x, long n, int a, unsigned flags) { launchAxpy(x, {0, 1, n}, a, flags); }

void axpyFromOne(int* x, long n, int a) { launchAxpy(x, {1, 1, n}, a, 0); }

void summarise(int* x, long n, Summary& summary) {
  const muster_dim dims[] = {{0, 1, n}};
  const int64_t forms[] = {1, 0};
  muster_launch launch = launchOf(kSummarise, dims, forms);
  void* arrays[] = {x};
  void* results[] = {&summary.sum, &summary.largest, &summary.last};
  launch.arrays = arrays;
  launch.results = results;
  muster_launch_loop(&launch);
}

void gatherThrough(int* index, int* x, int* y, long n) {
  const muster_dim dims[] = {{0, 1, n}};
  const int64_t forms[] = {1, 0, 0, 0, 1, 0};
  muster_launch launch = launchOf(kGather, dims, forms);
  void* arrays[] = {index, x, y};
  launch.arrays = arrays;
  muster_launch_loop(&launch);
}

void addReversed(int* x, int* y, long n) {
  const muster_dim dims[] = {{0, 1, n}};
  const int64_t forms[] = {-1, n - 1, 1, 0, -1, n - 1};
  muster_launch launch = launchOf(kAddReversed, dims, forms);
  void* arrays[] = {x, y};
  const void* scalars[] = {&n, &scale};
  launch.arrays = arrays;
  launch.scalars = scalars;
  muster_launch_loop(&launch);
}

}  // namespace programs
