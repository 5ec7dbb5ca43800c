// What loops do not do with numbers of 16 bits, on all devices or on those of OpenCL.
// RUN: %muster++ -std=c++20 -fsyntax-only -w -fplugin-arg-muster-remarks=missed %s 2>&1 | %filecheck %s
#pragma omp managed(anchor)
int *anchor = new int[1];

using H = _Float16;

void brains(int n, __bf16 *a, float *f) {
// CHECK: half_precision.cpp:[[#@LINE+1]]:1: remark: {{.*}} runs on CPUs only: uses '__bf16', which OpenCL does not have
#pragma omp parallel for
  for (int i = 0; i < n; ++i) f[i] = a[i];
}

void targets(int n, H *a, bool *b, int *at) {
// CHECK: half_precision.cpp:[[#@LINE+1]]:1: remark: {{.*}} runs on CPUs only: changes a variable inside the target of '+=' in half precision (line [[#@LINE+4]])
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int k = 0;
    a[2 * i + k++] += (H)1;
  }
// CHECK: half_precision.cpp:[[#@LINE+1]]:1: remark: {{.*}} runs on CPUs only: changes a variable inside the target of '++' in half precision (line [[#@LINE+4]])
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int k = 0;
    a[2 * i + k++]++;
  }
// CHECK: half_precision.cpp:[[#@LINE+1]]:1: remark: {{.*}} runs on CPUs only: uses operator '+=' on a type that OpenCL does not have it for (line [[#@LINE+3]])
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    b[i] += a[i];
  }
// CHECK: half_precision.cpp:[[#@LINE+1]]:1: remark: {{.*}} runs on CPUs only: updates an element of a type that OpenCL does not have (line [[#@LINE+4]])
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp atomic
    a[at[i]] += (H)1;
  }
}

void others(int n, H *a, float *f, bool *b) {
// CHECK: half_precision.cpp:[[#@LINE+1]]:1: remark: {{.*}} runs on CPUs only: calls '__builtin_isnormal', which has no OpenCL counterpart
#pragma omp parallel for
  for (int i = 0; i < n; ++i) b[i] = __builtin_isnormal(a[i]);
// CHECK: half_precision.cpp:[[#@LINE+1]]:1: remark: {{.*}} runs on CPUs only: reads or captures an element of another type than that of the variable, one of them in half precision (line [[#@LINE+5]])
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    float value;
#pragma omp atomic read
    value = a[i];
    f[i] = value;
  }
// CHECK: half_precision.cpp:[[#@LINE+1]]:1: remark: {{.*}} runs on CPUs only: uses complex numbers of '_Float16', which OpenCL does not have
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    _Complex _Float16 z = a[i];
    f[i] = __real__(z * z);
  }
}

// Remarks on loops that stay as they are come last.
void sums(int n, H *a) {
  H sum = 0, most = 0;
// CHECK: half_precision.cpp:[[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: 'reduction' of 'sum', which has half precision
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += a[i];
// CHECK: half_precision.cpp:[[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: 'reduction' of 'most', which has half precision
#pragma omp parallel for reduction(max : most)
  for (int i = 0; i < n; ++i) most = a[i] > most ? a[i] : most;
  a[0] = sum + most;
}

void sections(int n, H *a, H (&counts)[8]) {
// CHECK: half_precision.cpp:[[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: 'reduction' over elements of type 'H'
#pragma omp parallel for reduction(+ : counts)
  for (int i = 0; i < n; ++i) counts[i % 8] += a[i];
}

void root(int n, H *a) {
// CHECK: half_precision.cpp:[[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: calls '__builtin_sqrtf16', which is not defined in this translation unit
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = __builtin_sqrtf16(a[i]);
}
