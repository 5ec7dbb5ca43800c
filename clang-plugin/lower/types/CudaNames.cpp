// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/types/CudaNames.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace muster::plugin::lower {

namespace {

constexpr const char* words =
    "alignas alignof and and_eq bitand bitor catch char8_t char16_t char32_t class co_await co_return "
    "co_yield compl concept const_cast consteval constexpr constinit decltype delete dynamic_cast "
    "explicit export false friend mutable namespace new noexcept not not_eq nullptr nullptr_t operator or "
    "or_eq protected public reinterpret_cast requires static_assert static_cast template this "
    "thread_local throw true try typeid typename using virtual wchar_t xor xor_eq blockDim blockIdx dim3 "
    "gridDim threadIdx warpSize";

constexpr const char* functions =
    "acosf acoshf asinf asinhf atan2f atanf atanhf cbrtf ceilf copysignf cosf coshf cospif cyl_bessel_i0 "
    "cyl_bessel_i0f cyl_bessel_i1 cyl_bessel_i1f erfcf erfcinv erfcinvf erfcx erfcxf erff erfinv erfinvf "
    "exp10f exp2f expf expm1f fabsf fdimf fdivide fdividef floorf fmaf fmaxf fminf fmodf frexpf hypotf "
    "ilogbf j0 j0f j1 j1f jn jnf labs ldexpf lgammaf llabs llmax llmin llrint llrintf llround llroundf "
    "log10f log1pf log2f logbf logf lrint lrintf lround lroundf modff nanf nearbyint nearbyintf "
    "nextafterf norm norm3d norm3df norm4d norm4df normcdf normcdff normcdfinv normcdfinvf normf powf "
    "rcbrt rcbrtf remainderf remquof rhypot rhypotf rintf rnorm rnorm3d rnorm3df rnorm4d rnorm4df rnormf "
    "roundf rsqrtf scalbln scalblnf scalbn scalbnf sincosf sincospi sincospif sinf sinhf sinpif sqrtf "
    "tanf tanhf tgammaf truncf ullmax ullmin umax umin y0 y0f y1 y1f yn ynf assert clock clock64 free "
    "malloc memcpy memset atomicAdd atomicAnd atomicCAS atomicDec atomicExch atomicInc atomicMax "
    "atomicMin atomicOr atomicSub atomicXor ballot float2int float_as_int int2float int_as_float mulhi "
    "mul64hi saturate umul24 umulhi umul64hi urhadd uhadd";

llvm::StringSet<> setOf(llvm::StringRef list) {
  llvm::SmallVector<llvm::StringRef, 0> parts;
  list.split(parts, ' ');
  llvm::StringSet<> names;
  for (const llvm::StringRef part : parts) names.insert(part);
  return names;
}

}  // namespace

bool isWordOfCuda(llvm::StringRef name) {
  static const llvm::StringSet<> names = setOf(words);
  return names.contains(name);
}

bool isFunctionOfCuda(llvm::StringRef name) {
  static const llvm::StringSet<> names = setOf(functions);
  return names.contains(name) || (name.starts_with("make_") && llvm::isDigit(name.back()));  // make_float4
}

}  // namespace muster::plugin::lower
