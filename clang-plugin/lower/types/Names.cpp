// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names in a kernel's program: close to the user's, all different, none that OpenCL C or CUDA C++ claims.
#include "lower/types/Names.h"

#include <algorithm>
#include <cstring>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"
#include "lower/types/CudaNames.h"

namespace muster::plugin::lower {

namespace {

// C99's and OpenCL C's keywords, types, functions and macros up to version 3.0 (a device may compile 1.2 text with a
// newer compiler that still declares the newer names). Sorted.
const char* const claimed[] = {"NAN",
                               "HUGE_VAL",
                               "HUGE_VALF",
                               "INFINITY",
                               "MAXFLOAT",
                               "NULL",
                               "_Bool",
                               "_Complex",
                               "_Imaginary",
                               "abs",
                               "abs_diff",
                               "acos",
                               "acosh",
                               "acospi",
                               "add_sat",
                               "all",
                               "any",
                               "asin",
                               "asinh",
                               "asinpi",
                               "asm",
                               "atan",
                               "atan2",
                               "atan2pi",
                               "atanh",
                               "atanpi",
                               "auto",
                               "barrier",
                               "bitselect",
                               "bool",
                               "break",
                               "case",
                               "cbrt",
                               "ceil",
                               "char",
                               "clamp",
                               "clk_event_t",
                               "clk_profiling_info",
                               "clz",
                               "complex",
                               "const",
                               "constant",
                               "continue",
                               "copysign",
                               "cos",
                               "cosh",
                               "cospi",
                               "cross",
                               "ctz",
                               "default",
                               "degrees",
                               "distance",
                               "do",
                               "dot",
                               "double",
                               "else",
                               "enum",
                               "erf",
                               "erfc",
                               "event_t",
                               "exp",
                               "exp10",
                               "exp2",
                               "expm1",
                               "extern",
                               "fabs",
                               "fast_distance",
                               "fast_length",
                               "fast_normalize",
                               "fdim",
                               "float",
                               "floor",
                               "fma",
                               "fmax",
                               "fmin",
                               "fmod",
                               "for",
                               "fract",
                               "frexp",
                               "generic",
                               "global",
                               "goto",
                               "hadd",
                               "half",
                               "hypot",
                               "if",
                               "ilogb",
                               "imaginary",
                               "inline",
                               "int",
                               "int16_t",
                               "int32_t",
                               "int64_t",
                               "int8_t",
                               "intptr_t",
                               "isequal",
                               "isfinite",
                               "isgreater",
                               "isgreaterequal",
                               "isinf",
                               "isless",
                               "islessequal",
                               "islessgreater",
                               "isnan",
                               "isnormal",
                               "isnotequal",
                               "isordered",
                               "isunordered",
                               "kernel",
                               "ldexp",
                               "length",
                               "lgamma",
                               "lgamma_r",
                               "local",
                               "log",
                               "log10",
                               "log1p",
                               "log2",
                               "logb",
                               "long",
                               "mad",
                               "mad24",
                               "mad_hi",
                               "mad_sat",
                               "max",
                               "maxmag",
                               "mem_fence",
                               "memory_order",
                               "memory_scope",
                               "min",
                               "minmag",
                               "mix",
                               "modf",
                               "mul24",
                               "mul_hi",
                               "nan",
                               "ndrange_t",
                               "nextafter",
                               "normalize",
                               "pipe",
                               "popcount",
                               "pow",
                               "pown",
                               "powr",
                               "prefetch",
                               "printf",
                               "private",
                               "ptrdiff_t",
                               "quad",
                               "queue_t",
                               "radians",
                               "read_mem_fence",
                               "read_only",
                               "read_write",
                               "register",
                               "remainder",
                               "remquo",
                               "reserve_id_t",
                               "restrict",
                               "return",
                               "rhadd",
                               "rint",
                               "rootn",
                               "rotate",
                               "round",
                               "rsqrt",
                               "sampler_t",
                               "select",
                               "short",
                               "shuffle",
                               "shuffle2",
                               "sign",
                               "signbit",
                               "signed",
                               "sin",
                               "sincos",
                               "sinh",
                               "sinpi",
                               "size_t",
                               "sizeof",
                               "smoothstep",
                               "sqrt",
                               "static",
                               "step",
                               "struct",
                               "sub_sat",
                               "switch",
                               "tan",
                               "tanh",
                               "tanpi",
                               "tgamma",
                               "trunc",
                               "typedef",
                               "typeof",
                               "uchar",
                               "uint",
                               "uint16_t",
                               "uint32_t",
                               "uint64_t",
                               "uint8_t",
                               "uintptr_t",
                               "uniform",
                               "ulong",
                               "union",
                               "unsigned",
                               "upsample",
                               "ushort",
                               "vec_step",
                               "void",
                               "volatile",
                               "wait_group_events",
                               "while",
                               "write_mem_fence",
                               "write_only"};

// Families of names: as_int, convert_float, get_global_id, image2d_t, FLT_MAX, CLK_LOCAL_MEM_FENCE, ...
const char* const claimedPrefixes[] = {
    "as_",      "async_", "atom_",      "atomic_", "CHAR_",       "CL_",        "cl_",     "CLK_",
    "convert_", "DBL_",   "FLT_",       "FP_",     "get_",        "HALF_",      "half_",   "image",
    "INT_",     "LONG_",  "M_",         "memory_", "muster_",     "MUSTER_",    "native_", "OPENCL_",
    "pocl",     "POCL",   "read_image", "SCHAR_",  "SHRT_",       "sub_group_", "UCHAR_",  "UINT_",
    "ULONG_",   "USHRT_", "vload",      "vstore",  "work_group_", "write_image"};

// float4, uchar16, half8, float4x4, ...
bool isVectorType(llvm::StringRef name) {
  for (llvm::StringRef base : {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double",
                               "half", "bool", "quad"}) {
    llvm::StringRef rest = name;
    if (rest.consume_front(base) && !rest.empty() && llvm::isDigit(rest.front()) &&
        rest.find_first_not_of("0123456789x") == llvm::StringRef::npos)
      return true;
  }
  return false;
}

bool isClaimed(llvm::StringRef name) {
  static const std::set<std::string> names(std::begin(claimed), std::end(claimed));
  return names.count(name.str()) || isVectorType(name) || isWordOfCuda(name) ||
         llvm::any_of(claimedPrefixes, [&](const char* prefix) { return name.starts_with(prefix); });
}

}  // namespace

std::string Names::legal(llvm::StringRef wanted) {
  std::string name;
  // Names that begin with an underscore belong to the compiler, on the host and on the device.
  for (char c : wanted.ltrim('_'))
    if (llvm::isAlnum(c) || c == '_')
      name += c;
    else if (!name.empty() && name.back() != '_')
      name += '_';
  if (name.empty() || llvm::isDigit(name.front())) name = "v" + name;
  if (isClaimed(name)) name = "my_" + name;
  return name;
}

std::string Names::unique(llvm::StringRef wanted) { return numbered(legal(wanted) + ending_); }

std::string Names::uniqueOutside(llvm::StringRef wanted) {
  const std::string name = legal(wanted);
  return numbered((isFunctionOfCuda(name) ? "my_" + name : name) + ending_);
}

std::string Names::numbered(const std::string& base) {
  std::string name = base;
  for (unsigned i = 2; !used_.insert(name).second; ++i) name = base + "_" + std::to_string(i);
  return name;
}

std::string Names::common(llvm::StringRef wanted, llvm::StringRef what) {
  return "muster_" + legal(wanted) + "_" + llvm::utohexstr(llvm::xxh3_64bits(what), /*LowerCase=*/true);
}

}  // namespace muster::plugin::lower
