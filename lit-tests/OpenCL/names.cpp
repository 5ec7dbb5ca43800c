// Names that OpenCL C or CUDA claims are changed, shadowing and overloading become different names.
// RUN: %kernels %s > %t.cl
// RUN: %check-cl %t.cl
// RUN: %filecheck %s < %t.cl

#pragma omp managed(anchor)
int *anchor = new int[1];

static int min(int a, int b) {
  if (a < b) return a + 0;
  return b;
}
static float min(float a, float b) {
  if (a < b) return a + 0;
  return b;
}

void names(int global, float *kernel, int half, int _private, int muster_k_0) {
#pragma omp parallel for
  for (int get_global_id = 0; get_global_id < global; ++get_global_id) {
    int i = half, float4 = _private + muster_k_0;
    {
      int i = float4;
      kernel[i] = min(i, 2);
    }
    kernel[i] += min(kernel[i], 2.0f);
  }
}
// CHECK: static int my_min(int a, int b) {
// CHECK: static float my_min_2(float a_2, float b_2) {
// CHECK: void muster_names_[[#]](
// CHECK: __global float *my_kernel_buf, long my_kernel_origin,
// CHECK: int my_half,
// CHECK: int my_private,
// CHECK: int my_muster_k_0,
// CHECK: const int muster_base_0 = muster_int(muster_first_0 + muster_point);
// CHECK: int my_get_global_id = muster_base_0 + (int)(muster_k_0 - muster_point);
// CHECK: int i = my_half;
// CHECK: int my_float4 = my_private + my_muster_k_0;
// CHECK: int i_2 = my_float4;
// CHECK: my_kernel[i_2] = my_min(i_2, 2);
// CHECK: my_kernel[i] += my_min_2(my_kernel[i], 2.0f);

// Those of C++ and CUDA as well: a text is that, too. What CUDA has as functions may be variables.
static float norm3d(float a, float b, float c) {
  if (a < b) return c;
  return b;
}
static const float jn[2] = {0.5f, 1.5f};
void ofCuda(float *threadIdx, int warpSize, int y0) {
#pragma omp parallel for
  for (int i = 0; i < warpSize; ++i) threadIdx[i] = norm3d(threadIdx[i], jn[i & 1], y0 + warpSize);
}
// CHECK: __constant float my_jn[2] = {0.5f, 1.5f};
// CHECK: static float my_norm3d(float a, float b, float c) {
// CHECK: void muster_ofCuda_[[#]](
// CHECK: __global float *my_threadIdx_buf
// CHECK: int y0,
// CHECK: int my_warpSize,
// CHECK: my_threadIdx[i] = my_norm3d(my_threadIdx[i], my_jn[i & 1], y0 + my_warpSize);
