// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cuda/prelude.h"

namespace muster::cdm {

// NVRTC knows CUDA's own functions and types without any header. Where these have OpenCL's names, they do the same.
const char* const cudaPrelude = R"(
#define MUSTER_CUDA
#define __NV_CL_C_VERSION 120
#define __ENDIAN_LITTLE__ 1
#define cl_khr_fp64 1
#define cl_khr_int64_base_atomics 1

typedef signed char muster_cuda_char;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
#define MUSTER_INLINE static __device__ __forceinline__

// ---- kernels ----

// Those of a text that is put together are other things for a while (core/fused_code.cpp): words that stay.
#define MUSTER_KERNEL extern "C" __global__
#if __CUDACC_VER_MAJOR__ >= 13 && __CUDA_ARCH__ >= 900
#define MUSTER_FIXED_SIZE(x, y, z) block_size((x, y, z))
#else
#define MUSTER_FIXED_SIZE(x, y, z) launch_bounds((x) * (y) * (z))
#endif
#define __kernel MUSTER_KERNEL
#define reqd_work_group_size MUSTER_FIXED_SIZE
#define work_group_size_hint(x, y, z)
#define restrict __restrict__

// Addresses have no memory in their types: `local` and `constant` are of pointers, the others of what lies there.
#define __global
#define __local __shared__
#define local
// CUDA's own word for the latter is a macro with one of these in it.
#undef __constant__
#define __constant static const __attribute__((__constant__))
#define constant const

// An argument in local memory is how far from here it begins.
extern __shared__ __align__(16) uchar muster_cuda_memory[];
template <class T>
MUSTER_INLINE T* muster_dynamic(T* offset) {
  return reinterpret_cast<T*>(muster_cuda_memory + reinterpret_cast<size_t>(offset));
}

// To an argument of a type that the caller's text does not know.
struct muster_cuda_pointer {
  void* place;
  template <class T>
  __device__ __forceinline__ operator T*() const {
    return static_cast<T*>(place);
  }
};
#define MUSTER_POINTER(place) (muster_cuda_pointer{place})

// ---- work-items ----

#define MUSTER_ALONG(axis, of) ((axis) == 0 ? (of).x : (axis) == 1 ? (of).y : (of).z)
MUSTER_INLINE size_t get_local_id(uint axis) { return MUSTER_ALONG(axis, threadIdx); }
MUSTER_INLINE size_t get_group_id(uint axis) { return MUSTER_ALONG(axis, blockIdx); }
MUSTER_INLINE size_t get_local_size(uint axis) { return MUSTER_ALONG(axis, blockDim); }
MUSTER_INLINE size_t get_num_groups(uint axis) { return MUSTER_ALONG(axis, gridDim); }
MUSTER_INLINE size_t get_global_id(uint axis) { return get_group_id(axis) * get_local_size(axis) + get_local_id(axis); }
MUSTER_INLINE size_t get_global_size(uint axis) { return get_num_groups(axis) * get_local_size(axis); }

#define CLK_LOCAL_MEM_FENCE 1
#define CLK_GLOBAL_MEM_FENCE 2
MUSTER_INLINE void barrier(uint) { __syncthreads(); }
MUSTER_INLINE void mem_fence(uint) { __threadfence(); }

// Of the number that begins a block, how it was made: where NVRTC knows, it takes the four indexes behind it apart, and
// no longer joins stores side by side.
MUSTER_INLINE long MUSTER_HIDE(long number) {
  asm("" : "+l"(number));
  return number;
}

// ---- values ----

// Of a vector by its elements, or of a struct by its members in braces.
#define MUSTER_MAKE(type) type

// Of elements that are read and written together. A number by itself makes none.
template <class T>
struct __align__(2 * sizeof(T)) muster_cuda_vector2 {
  T s0, s1;
  muster_cuda_vector2() = default;
  __device__ __forceinline__ muster_cuda_vector2(T a, T b) : s0(a), s1(b) {}
};
template <class T>
struct __align__(4 * sizeof(T)) muster_cuda_vector4 {
  T s0, s1, s2, s3;
  muster_cuda_vector4() = default;
  __device__ __forceinline__ muster_cuda_vector4(T a, T b, T c, T d) : s0(a), s1(b), s2(c), s3(d) {}
};
template <class T>
struct __align__(8 * sizeof(T)) muster_cuda_vector8 {
  T s0, s1, s2, s3, s4, s5, s6, s7;
  muster_cuda_vector8() = default;
  __device__ __forceinline__ muster_cuda_vector8(T a, T b, T c, T d, T e, T f, T g, T h)
      : s0(a), s1(b), s2(c), s3(d), s4(e), s5(f), s6(g), s7(h) {}
};
template <class T>
struct __align__(16 * sizeof(T)) muster_cuda_vector16 {
  T s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, sA, sB, sC, sD, sE, sF;
  muster_cuda_vector16() = default;
  __device__ __forceinline__ muster_cuda_vector16(T a, T b, T c, T d, T e, T f, T g, T h, T i, T j, T k, T l, T m, T n, T o, T p)
      : s0(a), s1(b), s2(c), s3(d), s4(e), s5(f), s6(g), s7(h), s8(i), s9(j), sA(k), sB(l), sC(m), sD(n), sE(o), sF(p) {}
};
#define char2 muster_cuda_vector2<muster_cuda_char>
#define char4 muster_cuda_vector4<muster_cuda_char>
#define char8 muster_cuda_vector8<muster_cuda_char>
#define char16 muster_cuda_vector16<muster_cuda_char>
#define uchar2 muster_cuda_vector2<uchar>
#define uchar4 muster_cuda_vector4<uchar>
#define uchar8 muster_cuda_vector8<uchar>
#define uchar16 muster_cuda_vector16<uchar>
#define short2 muster_cuda_vector2<short>
#define short4 muster_cuda_vector4<short>
#define short8 muster_cuda_vector8<short>
#define short16 muster_cuda_vector16<short>
#define ushort2 muster_cuda_vector2<ushort>
#define ushort4 muster_cuda_vector4<ushort>
#define ushort8 muster_cuda_vector8<ushort>
#define ushort16 muster_cuda_vector16<ushort>
#define int2 muster_cuda_vector2<int>
#define int4 muster_cuda_vector4<int>
#define int8 muster_cuda_vector8<int>
#define int16 muster_cuda_vector16<int>
#define uint2 muster_cuda_vector2<uint>
#define uint4 muster_cuda_vector4<uint>
#define uint8 muster_cuda_vector8<uint>
#define uint16 muster_cuda_vector16<uint>
#define long2 muster_cuda_vector2<long>
#define long4 muster_cuda_vector4<long>
#define long8 muster_cuda_vector8<long>
#define long16 muster_cuda_vector16<long>
#define ulong2 muster_cuda_vector2<ulong>
#define ulong4 muster_cuda_vector4<ulong>
#define ulong8 muster_cuda_vector8<ulong>
#define ulong16 muster_cuda_vector16<ulong>
#define float2 muster_cuda_vector2<float>
#define float4 muster_cuda_vector4<float>
#define float8 muster_cuda_vector8<float>
#define float16 muster_cuda_vector16<float>
#define double2 muster_cuda_vector2<double>
#define double4 muster_cuda_vector4<double>
#define double8 muster_cuda_vector8<double>
#define double16 muster_cuda_vector16<double>

template <class To, class From>
MUSTER_INLINE To muster_cuda_bits(From value) {
  static_assert(sizeof(To) == sizeof(From), "both have the same bits");
  union {
    From given;
    To wanted;
  } bits;
  bits.given = value;
  return bits.wanted;
}
#define MUSTER_SAME_BITS(type)            \
  template <class T>                      \
  MUSTER_INLINE type as_##type(T value) { \
    return muster_cuda_bits<type>(value); \
  }
MUSTER_SAME_BITS(uchar)
MUSTER_SAME_BITS(short)
MUSTER_SAME_BITS(ushort)
MUSTER_SAME_BITS(int)
MUSTER_SAME_BITS(uint)
MUSTER_SAME_BITS(long)
MUSTER_SAME_BITS(ulong)
MUSTER_SAME_BITS(float)
MUSTER_SAME_BITS(double)
template <class T>
MUSTER_INLINE muster_cuda_char as_char(T value) {
  return muster_cuda_bits<muster_cuda_char>(value);
}

struct half {
  ushort bits;
};
MUSTER_INLINE float vload_half(size_t at, const half* from) {
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(from[at].bits));
  return value;
}
MUSTER_INLINE void vstore_half_rte(float value, size_t at, half* to) {
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(to[at].bits) : "f"(value));
}
MUSTER_INLINE float convert_float_rtz(double value) { return __double2float_rz(value); }

// ---- functions ----

#undef INFINITY
#define INFINITY __builtin_bit_cast(float, 0x7f800000)
#define FLT_MIN 1.17549435e-38f
#define DBL_MIN 2.2250738585072014e-308
#define DBL_MAX 1.7976931348623157e+308
#define DBL_EPSILON 2.2204460492503131e-16

template <class T>
MUSTER_INLINE T clamp(T value, T low, T high) {
  return min(max(value, low), high);
}
MUSTER_INLINE uint clz(uint bits) { return __clz(bits); }
MUSTER_INLINE ulong clz(ulong bits) { return __clzll(bits); }
MUSTER_INLINE uint popcount(uint bits) { return __popc(bits); }
MUSTER_INLINE ulong popcount(ulong bits) { return __popcll(bits); }

MUSTER_INLINE int isnormal(float value) { return fabs(value) >= FLT_MIN && fabs(value) < INFINITY; }
MUSTER_INLINE int isnormal(double value) { return fabs(value) >= DBL_MIN && fabs(value) < INFINITY; }
template <class T>
MUSTER_INLINE int isgreater(T a, T b) {
  return a > b;
}
template <class T>
MUSTER_INLINE int isgreaterequal(T a, T b) {
  return a >= b;
}
template <class T>
MUSTER_INLINE int isless(T a, T b) {
  return a < b;
}
template <class T>
MUSTER_INLINE int islessequal(T a, T b) {
  return a <= b;
}
template <class T>
MUSTER_INLINE int islessgreater(T a, T b) {
  return a < b || a > b;
}
template <class T>
MUSTER_INLINE int isunordered(T a, T b) {
  return a != a || b != b;
}

// ---- atomics ----

// CUDA has them for the plain types of 32 bits, and of 64 bits for unsigned long long.
template <class T>
struct muster_cuda_word;
template <>
struct muster_cuda_word<int> {
  typedef int type;
};
template <>
struct muster_cuda_word<uint> {
  typedef uint type;
};
template <>
struct muster_cuda_word<long> {
  typedef unsigned long long type;
};
template <>
struct muster_cuda_word<ulong> {
  typedef unsigned long long type;
};
#define MUSTER_ATOMIC(name, function, given)                                                \
  template <class T>                                                                        \
  MUSTER_INLINE T name(volatile T* place, T value) {                                        \
    typedef typename muster_cuda_word<T>::type word;                                             \
    return static_cast<T>(function((word*)place, static_cast<word>(given)));                \
  }                                                                                         \
  template <class T, class V>                                                               \
  MUSTER_INLINE T name(volatile T* place, V value) {                                        \
    return name(place, static_cast<T>(value));                                              \
  }
MUSTER_ATOMIC(atomic_add, atomicAdd, value)
MUSTER_ATOMIC(atomic_sub, atomicSub, value)
MUSTER_ATOMIC(atomic_xchg, atomicExch, value)
MUSTER_ATOMIC(atomic_min, atomicMin, value)
MUSTER_ATOMIC(atomic_max, atomicMax, value)
MUSTER_ATOMIC(atomic_and, atomicAnd, value)
MUSTER_ATOMIC(atomic_or, atomicOr, value)
MUSTER_ATOMIC(atomic_xor, atomicXor, value)
MUSTER_ATOMIC(atom_add, atomicAdd, value)
MUSTER_ATOMIC(atom_sub, atomicAdd, -value)
MUSTER_ATOMIC(atom_xchg, atomicExch, value)
template <class T>
MUSTER_INLINE T atomic_inc(volatile T* place) {
  return atomic_add(place, T(1));
}
template <class T, class V, class W>
MUSTER_INLINE T atomic_cmpxchg(volatile T* place, V seen, W next) {
  typedef typename muster_cuda_word<T>::type word;
  return static_cast<T>(atomicCAS((word*)place, static_cast<word>(static_cast<T>(seen)), static_cast<word>(static_cast<T>(next))));
}
template <class T, class V, class W>
MUSTER_INLINE T atom_cmpxchg(volatile T* place, V seen, W next) {
  return atomic_cmpxchg(place, seen, next);
}

// As in OpenCL, on all hosts.
#define char muster_cuda_char
)";

}  // namespace muster::cdm
