// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What NVRTC has built in and texts of kernels use, for a clang without CUDA: declarations alone.
#pragma clang force_cuda_host_device begin

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __forceinline__ inline __attribute__((always_inline))

typedef unsigned long size_t;
struct dim3 {
  unsigned x, y, z;
};
extern const __device__ dim3 threadIdx, blockIdx, blockDim, gridDim;
void __threadfence();
int __clz(int);
int __clzll(long long);
int __popc(unsigned);
int __popcll(unsigned long long);
float __double2float_rz(double);

#define FOR_FLOATS(declare) declare(float) declare(double)
#define FUNCTION1(name) float name(float); double name(double);
#define FUNCTION2(name) float name(float, float); double name(double, double);
FUNCTION1(acos) FUNCTION1(acosh) FUNCTION1(asin) FUNCTION1(asinh) FUNCTION1(atan) FUNCTION1(atanh) FUNCTION1(cbrt)
FUNCTION1(ceil) FUNCTION1(cos) FUNCTION1(cosh) FUNCTION1(erf) FUNCTION1(erfc) FUNCTION1(exp) FUNCTION1(exp10)
FUNCTION1(exp2) FUNCTION1(expm1) FUNCTION1(fabs) FUNCTION1(floor) FUNCTION1(lgamma) FUNCTION1(log) FUNCTION1(log10)
FUNCTION1(log1p) FUNCTION1(log2) FUNCTION1(logb) FUNCTION1(rint) FUNCTION1(round) FUNCTION1(sin) FUNCTION1(sinh)
FUNCTION1(sqrt) FUNCTION1(tan) FUNCTION1(tanh) FUNCTION1(tgamma) FUNCTION1(trunc)
FUNCTION2(atan2) FUNCTION2(copysign) FUNCTION2(fdim) FUNCTION2(fmax) FUNCTION2(fmin) FUNCTION2(fmod) FUNCTION2(hypot)
FUNCTION2(nextafter) FUNCTION2(pow) FUNCTION2(remainder)
#define MORE(type)                                                                                                    \
  type fma(type, type, type); type ldexp(type, int); type frexp(type, int*); type modf(type, type*);                  \
  type remquo(type, type, int*); int ilogb(type); bool isfinite(type); bool isinf(type); bool isnan(type);            \
  bool signbit(type);
FOR_FLOATS(MORE)

#define SELECTION(type) type min(type, type); type max(type, type);
SELECTION(int) SELECTION(unsigned) SELECTION(long) SELECTION(unsigned long) SELECTION(float) SELECTION(double)
int abs(int);
long abs(long);

#define ATOMICS(type) type atomicAdd(type*, type); type atomicExch(type*, type); type atomicCAS(type*, type, type);
#define WORD_ATOMICS(type)                                                                                            \
  ATOMICS(type) type atomicSub(type*, type); type atomicMin(type*, type); type atomicMax(type*, type);                \
  type atomicAnd(type*, type); type atomicOr(type*, type); type atomicXor(type*, type);
WORD_ATOMICS(int) WORD_ATOMICS(unsigned) ATOMICS(unsigned long long)
