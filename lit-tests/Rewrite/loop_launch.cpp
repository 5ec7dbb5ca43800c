// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a loop becomes: native code, descriptors, the launch.
//
// The output repeats these comments, which must not match themselves.
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-print=rewrite %s | grep -v '// *CHECK' | FileCheck %s
// A loop variable of the user's type and text at the user's place:
// RUN: not %muster++ -w -fsyntax-only -DBROKEN %s 2>&1 | FileCheck --check-prefix=BROKEN %s

static int level;
enum Colour { Red, Green };

// CHECK:      extern const muster_kernel *const __start_muster_kernels[]
// CHECK:      muster_register_kernels(__start_muster_kernels, __stop_muster_kernels, MUSTER_ABI_VERSION);
// CHECK-LABEL: double kitchen(
// CHECK:      struct muster_loop_[[#LINE:]] {
// CHECK-NEXT:   static void muster_run(const muster_chunk *muster_c) {
// CHECK-NEXT:     const float *in = static_cast<const float *>(muster_c->arrays[0]);
// CHECK-NEXT:     double *out = static_cast<double *>(muster_c->arrays[1]);
// CHECK-NEXT:     int (&table)[4][300] = *static_cast<int (*)[4][300]>(muster_c->arrays[2]);
// CHECK-NEXT:     int m = *static_cast<const int *>(muster_c->scalars[0]);
// CHECK-NEXT:     std::remove_reference<decltype(colour)>::type colour = *static_cast<
// CHECK-NEXT:     int level = *static_cast<const int *>(muster_c->scalars[2]);
// CHECK-NEXT:     constexpr int two = 2;
// CHECK-NEXT:     double sum = static_cast<double>(0);
// CHECK-NEXT:     double tmp;
// CHECK:          const int muster_n0 = static_cast<int>(muster_c->hi - muster_c->lo);
// CHECK-NEXT:     const int muster_first0 = static_cast<int>(muster_c->dims[0].first + muster_c->lo * muster_c->dims[0].step);
// CHECK-NEXT:     {{^}}#pragma omp parallel for firstprivate(in, out, m, colour, level) private(tmp) reduction(+ : sum) num_threads(m) schedule(static, two)
// CHECK-NEXT:     for (int muster_k0 = 0; muster_k0 < muster_n0; ++muster_k0) {
// CHECK-NEXT:       int i = static_cast<int>(muster_first0 + muster_k0 * (2));
// CHECK-NEXT: {{^}}#pragma clang diagnostic pop
// CHECK-NEXT: {{^}}#line [[#LINE + 1]]
// CHECK-NEXT: {{^                                     }}{
// CHECK-NEXT:     tmp = in[i * m + 1] * two;  // verbatim
// CHECK:        *static_cast<double *>(muster_c->results[0]) = sum;
// CHECK:      static void muster_combine_sum(void *muster_into, const void *muster_partial) {
// CHECK:        *muster_a = static_cast<double>(*muster_a + muster_b);
// CHECK:      {"in", sizeof(float), MUSTER_TYPE_F32, MUSTER_READ, 0, [[#]]},
// CHECK:      {"out", sizeof(double), MUSTER_TYPE_F64, MUSTER_WRITE, 0, [[#]]},
// CHECK:      {"table", sizeof(int), MUSTER_TYPE_I32, MUSTER_READ, 0, [[#]]},
// CHECK:      {"m", sizeof(m), MUSTER_TYPE_I32, {0, 0, 0}, nullptr},
// CHECK:      {"colour", sizeof(colour), MUSTER_TYPE_U32, {0, 0, 0}, nullptr},
// CHECK:      {"level", sizeof(::level), MUSTER_TYPE_I32, {0, 0, 0}, nullptr},
// CHECK:      {"sum", sizeof(sum), MUSTER_TYPE_F64, MUSTER_REDUCE_ADD, 0, &muster_loop_[[#LINE]]::muster_combine_sum},
// CHECK:      {0, MUSTER_READ, 0, [[#LINE + 2]]},
// CHECK:      {1, MUSTER_WRITE, MUSTER_ACCESS_CONDITIONAL, [[#LINE + 3]]},
// CHECK:      static const muster_kernel muster_this_kernel = {
// CHECK-NEXT:   MUSTER_ABI_VERSION, {{.*}}ull,
// CHECK-NEXT:   "muster_kitchen_[[#LINE]]", {"{{.*}}loop_launch.cpp", [[#LINE]], 1},
// CHECK:      __attribute__((used, retain, section("muster_kernels")))
// CHECK:      const int64_t muster_threads = static_cast<int64_t>(m);
// CHECK-NEXT: const int64_t muster_chunk_size = static_cast<int64_t>(two);
// CHECK:      const int muster_lower0 = 0;
// CHECK-NEXT: const int64_t muster_step0 = static_cast<int64_t>(two);
// CHECK:      {static_cast<int64_t>(muster_lower0), muster_step0, ::muster::tripCount(muster_lower0, n, muster_step0, ::muster::Relation::less, false)},
// CHECK:      const ::muster::Coefficient muster_s0(m);
// CHECK:        0, 0, 3,  // (i % 4) <= 3
// CHECK:        muster_s0, 0, 1,  // reads in[m*i + 1]
// CHECK:        muster_s{{[0-9]+}}, 0, -4611686018427387904 + 4611686018427387904 * muster_s{{[0-9]+}},  // writes out[i] if colour == Green
// CHECK:      (void *)out,
// CHECK:      &::level,
// CHECK:      &sum,
// CHECK:      sizeof(muster_launch), static_cast<uint32_t>((muster_forms.exact() ? 0 : MUSTER_LAUNCH_HOST) | (muster_chunk_size > 1 ? MUSTER_LAUNCH_CHUNKS : 0)),
// CHECK:      muster_threads, muster_chunk_size,
// CHECK:      muster_launch_loop(&muster_this_launch);
// CHECK:      {{^}}#line [[#LINE + 5]]
double kitchen(double *out, const float *in, int n, int m, Colour colour) {
  const int two = 2;
  double sum = 0, tmp;
  int table[4][300] = {};
#pragma omp parallel for private(tmp) reduction(+ : sum) num_threads(m) schedule(static, two)
  for (int i = 0; i < n; i += two) {
    tmp = in[i * m + 1] * two;  // verbatim
    if (colour == Green) out[i] = tmp + table[i % 4][1];
    sum += level;
  }

  return sum;
}

// An int may not count all iterations where the lower bound may be negative; an `if` clause is decided at the launch.
// CHECK-LABEL: void pieces(
// CHECK:      for (int64_t muster_lo = muster_c->lo; muster_lo < muster_c->hi; muster_lo += 0x40000000) {
// CHECK:      {{^}}#pragma omp parallel for firstprivate(a, low) if(low > 3)
// CHECK:      const bool muster_if = (low > 3);
// CHECK:      static_cast<uint32_t>((muster_forms.exact() ? 0 : MUSTER_LAUNCH_HOST) | (muster_if ? 0 : MUSTER_LAUNCH_SERIAL)),
void pieces(double *a, int low, int high) {
#pragma omp parallel for if (low > 3)
  for (int i = low; i < high; ++i) a[i] = 0;
}

// Devices claim blocks of what says that its iterations cost unequally.
// CHECK-LABEL: void uneven(
// CHECK:      static_cast<uint32_t>((muster_forms.exact() ? 0 : MUSTER_LAUNCH_HOST) | MUSTER_LAUNCH_UNEVEN),
// CHECK:      static_cast<uint32_t>((muster_forms.exact() ? 0 : MUSTER_LAUNCH_HOST) | (muster_chunk_size > 1 ? MUSTER_LAUNCH_CHUNKS : 0) | MUSTER_LAUNCH_UNEVEN),
// CHECK:      static_cast<uint32_t>(muster_forms.exact() ? 0 : MUSTER_LAUNCH_HOST),
void uneven(double *a, int high) {
#pragma omp parallel for schedule(guided)
  for (int i = 0; i < high; ++i) a[i] = 0;
#pragma omp parallel for schedule(dynamic, 8)
  for (int i = 0; i < high; ++i) a[i] = 1;
#pragma omp parallel for schedule(static)
  for (int i = 0; i < high; ++i) a[i] = 2;
}

// Pieces would begin their chunks anew.
// CHECK-LABEL: void whole(
// CHECK:      const int64_t muster_n0 = static_cast<int64_t>(muster_c->hi - muster_c->lo);
// CHECK-NEXT: const int64_t muster_first0 = static_cast<int64_t>(muster_c->dims[0].first + muster_c->lo * muster_c->dims[0].step);
// CHECK-NEXT: {{^}}#pragma omp parallel for firstprivate(a, b) schedule(static, 7)
// CHECK-NEXT: for (int64_t muster_k0 = 0; muster_k0 < muster_n0; ++muster_k0) {
// CHECK-NEXT: int i = static_cast<int>(muster_first0 + muster_k0);
void whole(double *a, double *b, int low, int high) {
#pragma omp parallel for schedule(static, 7)
  for (int i = low; i < high; ++i) a[i] = b[i + 1];
}

// Those of one thread may leave each other values.
// CHECK-LABEL: void blocks(
// CHECK:      const int64_t muster_n0
// CHECK:      int64_t muster_at = muster_b
// CHECK:      int i = static_cast<int>(muster_first0 + muster_at);
// CHECK-NEXT: const int muster_end = static_cast<int>(i + muster_size);
// CHECK-NEXT: for (; i < muster_end; ++i) {
void blocks(double *a, int low, int high, double t) {
#pragma omp parallel for firstprivate(t)
  for (int i = low; i < high; ++i) a[i] = t += i;
}

// The launch keeps the part of the iterations that each thread gets.
// CHECK-LABEL: void parts(
// CHECK:      sizeof(muster_launch), static_cast<uint32_t>((muster_forms.exact(){{.*}} ? 0 : MUSTER_LAUNCH_HOST) | MUSTER_LAUNCH_CHUNKS),
extern "C" int omp_get_max_threads();
void parts(double *a, const double *b, int n) {
  const int width = n / omp_get_max_threads();
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i / width] += b[i];
}

// CHECK-LABEL: void nest(
// CHECK:      {{^}}#pragma omp parallel for simd collapse(2) firstprivate(a, n)
// CHECK-NEXT: for (int muster_k0 = 0; muster_k0 < muster_n0; ++muster_k0)
// CHECK-NEXT: for (long muster_k1 = 0; muster_k1 < muster_n1; ++muster_k1) {
// CHECK-NEXT: int i = static_cast<int>(muster_first0 + muster_k0);
// CHECK-NEXT: long j = static_cast<long>(muster_first1 + muster_k1 * (-2));
void nest(double *a, int n) {
#pragma omp parallel for simd collapse(2)
  for (int i = 0; i < n; ++i)
    for (long j = n; j > 0; j -= 2) a[i * n + j] = 0;
}

// CHECK-LABEL: void last(
// CHECK:      if (muster_dims[0].count > 0) i = static_cast<int>(muster_dims[0].first + muster_dims[0].count * muster_dims[0].step);
void last(double *a, int n) {
  int i;
#pragma omp parallel for lastprivate(i)
  for (i = 0; i < n; ++i) a[i] = 0;
}

// A loop that steps back gets its arrays in bulk, where a statement can stand.
// CHECK-LABEL: void back(
// CHECK:      muster_host_access((void *)a, SIZE_MAX, MUSTER_READ | MUSTER_WRITE);
// CHECK-NEXT: muster_host_access((void *)b, SIZE_MAX, MUSTER_READ);
// CHECK:      {{^}}#line [[#@LINE + 3]]
// CHECK-NEXT: {{^}}#pragma omp parallel for{{$}}
void back(double *a, const double *b, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp critical
    a[i] = b[i];
  }
  if (n > 3)
#pragma omp parallel for
    for (int i = 0; i < n; ++i)
#pragma omp critical
      a[i] = b[i];
}
// CHECK-NOT: muster_host_access

// Arrays that no directive names stay in registers: their addresses go nowhere.
// CHECK-LABEL: void backLocally(
// CHECK:      muster_host_access((void *)a, SIZE_MAX, MUSTER_READ | MUSTER_WRITE);
// CHECK-NEXT: muster_host_access((void *)::anothers, SIZE_MAX, MUSTER_READ | MUSTER_WRITE);
// CHECK-NEXT: muster_host_access((void *)named, SIZE_MAX, MUSTER_READ | MUSTER_WRITE);
// CHECK-NOT:  muster_host_access
extern double anothers[3];
static double own[3];
void backLocally(double *a, int n) {
  double local[3] = {1, 2, 3};
#pragma ompx managed(named)
  double named[3];
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp critical
    a[i] = local[i % 3] + own[i % 3] + anothers[i % 3] + (named[i % 3] = i);
  }
}
// CHECK-LABEL: void broken(

#ifdef BROKEN
void broken(double *a, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    a[i] = 1;
  }
  // BROKEN: loop_launch.cpp:[[#@LINE + 1]]:5: error: use of undeclared identifier 'undeclared'
    undeclared = 2;
}
#endif
