// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts and native functions of the test kernels.
#include "kernels.h"

#include <fmt/format.h>

#include "identity.h"

namespace muster::cdm::test {

namespace {

template <class T>
constexpr const char* clName() {
  if constexpr (std::is_same_v<T, bool>) return "uchar";
  if constexpr (std::is_same_v<T, std::int8_t>) return "char";
  if constexpr (std::is_same_v<T, std::uint8_t>) return "uchar";
  if constexpr (std::is_same_v<T, std::int16_t>) return "short";
  if constexpr (std::is_same_v<T, std::uint16_t>) return "ushort";
  if constexpr (std::is_same_v<T, std::int32_t>) return "int";
  if constexpr (std::is_same_v<T, std::uint32_t>) return "uint";
  if constexpr (std::is_same_v<T, std::int64_t>) return "long";
  if constexpr (std::is_same_v<T, std::uint64_t>) return "ulong";
  if constexpr (std::is_same_v<T, float>) return "float";
  if constexpr (std::is_same_v<T, double>) return "double";
}

std::string dimParameters(int dimensions) {
  std::string text;
  for (int d = 0; d < dimensions; ++d)
    text += fmt::format("{0}long muster_first_{1}, long muster_step_{1}, long muster_lo_{1}, long muster_hi_{1}",
                        d ? ", " : "", d);
  return text;
}

// The whole text of a kernel from its parameters (before and after the dimensions) and its body.
std::string kernelText(const std::string& name, int dimensions, const std::string& before, const std::string& after,
                       const std::string& body, bool fp64 = false) {
  return fmt::format(
      "{}#pragma OPENCL FP_CONTRACT OFF\n"
      "__kernel __attribute__((reqd_work_group_size(MUSTER_WG0, MUSTER_WG1, MUSTER_WG2)))\n"
      "void {}({}, {}{}{}) {{\n{}\n}}\n",
      fp64 ? "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" : "", name, before, dimParameters(dimensions),
      after.empty() ? "" : ", ", after, body);
}

std::uint64_t nextId() {
  static std::uint64_t last = 1000;
  return ++last;
}

KernelCode makeCode(const std::string& name, std::uint32_t dimensions, muster_native_fn native) {
  KernelCode code;
  code.id = nextId();
  code.name = name;
  code.location = "kernels.cpp:1";
  code.native = native;
  code.dimensions = dimensions;
  return code;
}

std::int64_t value(const muster_dim& dim, std::int64_t k) { return dim.first + k * dim.step; }

template <class T>
T* array(const muster_chunk* chunk, int index) {
  return static_cast<T*>(chunk->arrays[index]);
}

template <class T>
T scalar(const muster_chunk* chunk, int index) {
  return *static_cast<const T*>(chunk->scalars[index]);
}

// Calls body(i) or body(i, j) or body(i, j, k) with the loop variables of every iteration of the chunk.
template <class Body>
void forEach2(const muster_chunk* chunk, Body body) {
  for (std::int64_t k = chunk->lo; k < chunk->hi; ++k)
    for (std::int64_t l = 0; l < chunk->dims[1].count; ++l) body(value(chunk->dims[0], k), value(chunk->dims[1], l));
}
template <class Body>
void forEach3(const muster_chunk* chunk, Body body) {
  forEach2(chunk, [&](std::int64_t i, std::int64_t j) {
    for (std::int64_t m = 0; m < chunk->dims[2].count; ++m) body(i, j, value(chunk->dims[2], m));
  });
}

// ---------------------------------------------------------------- addScalar

template <class T>
void addScalarNatively(const muster_chunk* chunk) {
  const T* x = array<T>(chunk, 0);
  T* y = array<T>(chunk, 1);
  const T s = scalar<T>(chunk, 0);
  for (std::int64_t k = chunk->lo; k < chunk->hi; ++k) {
    const std::int64_t i = value(chunk->dims[0], k);
    if constexpr (std::is_same_v<T, bool>)
      y[i] = x[i] != s;
    else
      y[i] = static_cast<T>(x[i] + s);
  }
}

template <class T>
KernelCode makeAddScalar() {
  const std::string type = clName<T>();
  KernelCode code = makeCode("add_scalar", 1, addScalarNatively<T>);
  code.needsFp64 = std::is_same_v<T, double>;
  code.arrays = {{"x", sizeof(T), false}, {"y", sizeof(T), true}};
  code.scalars = {{"s", scalarType<T>(), sizeof(T)}};
  code.opencl = kernelText(
      code.name, 1,
      fmt::format("__global const {0} *x_buf, long x_origin, __global {0} *y_buf, long y_origin, {0} s", type), "",
      fmt::format("long k = muster_lo_0 + (long)get_global_id(0);\n"
                  "long i = muster_first_0 + k * muster_step_0;\n"
                  "if (k < muster_hi_0) (y_buf + y_origin)[i] = ({})((x_buf + x_origin)[i] {} s);",
                  type, std::is_same_v<T, bool> ? "!=" : "+"),
      code.needsFp64);
  return code;
}

// ---------------------------------------------------------------- reduceAll

bool usesSecondArray(ResultKind kind) {
  return kind == ResultKind::mul || kind == ResultKind::logAnd || kind == ResultKind::logOr;
}

const char* kindName(ResultKind kind) {
  constexpr const char* names[] = {"add", "mul", "and", "or", "xor", "land", "lor", "min", "max", "last"};
  return names[static_cast<int>(kind)];
}

// a OP b as OpenCL text.
std::string operation(ResultKind kind, const std::string& a, const std::string& b) {
  constexpr const char* operators[] = {"+", "*", "&", "|", "^", "&&", "||", "<", ">"};
  const char* op = operators[static_cast<int>(kind)];
  if (kind == ResultKind::min || kind == ResultKind::max) return fmt::format("({1} {2} {0} ? {1} : {0})", a, b, op);
  return fmt::format("({} {} {})", a, op, b);
}

template <class T>
T identityOf(ResultKind kind) {
  KernelCode::ResultParam result;
  result.type = scalarType<T>();
  result.kind = kind;
  T identity{};
  if (!writeIdentity(result, &identity).ok()) panic("no identity");
  return identity;
}

template <class T>
std::string identityText(ResultKind kind) {
  if constexpr (std::is_floating_point_v<T>) {
    if (kind == ResultKind::min) return "INFINITY";
    if (kind == ResultKind::max) return "-INFINITY";
    return fmt::format("{}", identityOf<T>(kind));
  } else if constexpr (std::is_unsigned_v<T>) {
    return fmt::format("{}ul", static_cast<std::uint64_t>(identityOf<T>(kind)));
  } else {
    // The smallest value has no literal of its own.
    const auto identity = static_cast<std::int64_t>(identityOf<T>(kind));
    return identity < 0 ? fmt::format("({}l - 1)", identity + 1) : fmt::format("{}l", identity);
  }
}

template <class T>
void reduceNatively(const muster_chunk* chunk) {
  const T* x = array<T>(chunk, 0);
  const T* m = array<T>(chunk, 1);
  std::size_t at = 0;
  for (ResultKind kind : reductionKinds<T>()) {
    T result = identityOf<T>(kind);
    for (std::int64_t k = chunk->lo; k < chunk->hi; ++k) {
      const std::int64_t i = value(chunk->dims[0], k);
      result = apply(kind, result, usesSecondArray(kind) ? m[i] : x[i]);
    }
    *static_cast<T*>(chunk->results[at++]) = result;
  }
}

template <class T, ResultKind... Kinds>
void addResults(KernelCode& code) {
  (code.results.push_back({kindName(Kinds), scalarType<T>(), sizeof(T), Kinds, combine<T, Kinds>}), ...);
}

template <class T>
KernelCode makeReduceAll() {
  using enum ResultKind;
  const std::string type = clName<T>();
  // A sum of bools is a bool.
  const auto converted = [&](const std::string& text) {
    return std::is_same_v<T, bool> ? fmt::format("({} != 0)", text) : fmt::format("({})({})", type, text);
  };
  KernelCode code = makeCode("reduce_all", 1, reduceNatively<T>);
  code.needsFp64 = std::is_same_v<T, double>;
  code.arrays = {{"x", sizeof(T), false}, {"m", sizeof(T), false}};
  if constexpr (std::is_integral_v<T>)
    addResults<T, add, mul, bitAnd, bitOr, bitXor, logAnd, logOr, min, max>(code);
  else
    addResults<T, add, mul, logAnd, logOr, min, max>(code);
  std::string after, start, loop, end;
  for (const auto& result : code.results) {
    const std::string v = "v_" + result.name;
    after += fmt::format("{}__global {} *{}_out", after.empty() ? "" : ", ", type, result.name);
    start += fmt::format("{} {} = {};\n", type, v, identityText<T>(result.kind));
    loop +=
        fmt::format("{} = {};\n", v, converted(operation(result.kind, v, usesSecondArray(result.kind) ? "m" : "x")));
    end += fmt::format(
        "slots[me] = {}; barrier(CLK_LOCAL_MEM_FENCE);\n"
        "for (size_t stride = MUSTER_WG0 / 2; stride > 0; stride /= 2) {{\n"
        "  if (me < stride) slots[me] = {};\n  barrier(CLK_LOCAL_MEM_FENCE);\n}}\n"
        "if (me == 0) {}_out[get_group_id(0)] = slots[0];\nbarrier(CLK_LOCAL_MEM_FENCE);\n",
        v, converted(operation(result.kind, "slots[me]", "slots[me + stride]")), result.name);
  }
  code.opencl = kernelText(
      code.name, 1,
      fmt::format("__global const {0} *x_buf, long x_origin, __global const {0} *m_buf, long m_origin", type), after,
      fmt::format(
          "__local {0} slots[MUSTER_WG0 * MUSTER_WG1 * MUSTER_WG2];\nsize_t me = get_local_id(0);\n{1}"
          "for (long k = muster_lo_0 + (long)get_global_id(0); k < muster_hi_0; k += (long)get_global_size(0)) {{\n"
          "long i = muster_first_0 + k * muster_step_0;\n"
          "{0} x = (x_buf + x_origin)[i], m = (m_buf + m_origin)[i];\n{2}}}\n{3}",
          type, start, loop, end),
      code.needsFp64);
  return code;
}

}  // namespace

template <class T>
const KernelCode& addScalar() {
  static const KernelCode code = makeAddScalar<T>();
  return code;
}

template <class T>
const KernelCode& reduceAll() {
  static const KernelCode code = makeReduceAll<T>();
  return code;
}

#define MUSTER_FOR_ALL_TYPES(X)                                                                                      \
  X(bool)                                                                                                            \
  X(std::int8_t)                                                                                                     \
  X(std::uint8_t) X(std::int16_t) X(std::uint16_t) X(std::int32_t) X(std::uint32_t) X(std::int64_t) X(std::uint64_t) \
      X(float) X(double)
#define MUSTER_INSTANTIATE(T)                \
  template const KernelCode& addScalar<T>(); \
  template const KernelCode& reduceAll<T>();
MUSTER_FOR_ALL_TYPES(MUSTER_INSTANTIATE)

const KernelCode& neighbours() {
  static const KernelCode kernel = [] {
    KernelCode code = makeCode("neighbours", 2, [](const muster_chunk* chunk) {
      const int* x = array<int>(chunk, 0);
      int* y = array<int>(chunk, 1);
      const auto width = scalar<std::int64_t>(chunk, 0);
      forEach2(chunk, [&](std::int64_t i, std::int64_t j) {
        const std::int64_t at = i * width + j;
        y[at] = x[at - width] + x[at + width] + x[at - 1] + x[at + 1];
      });
    });
    code.arrays = {{"x", sizeof(int), false}, {"y", sizeof(int), true}};
    code.scalars = {{"width", ScalarType::i64, 8}};
    code.opencl = kernelText(
        code.name, 2, "__global const int *x_buf, long x_origin, __global int *y_buf, long y_origin, long width", "",
        "__global const int *x = x_buf + x_origin; __global int *y = y_buf + y_origin;\n"
        "long k = muster_lo_0 + (long)get_global_id(1), l = muster_lo_1 + (long)get_global_id(0);\n"
        "if (k < muster_hi_0 && l < muster_hi_1) {\n"
        "  long at = (muster_first_0 + k * muster_step_0) * width + muster_first_1 + l * muster_step_1;\n"
        "  y[at] = x[at - width] + x[at + width] + x[at - 1] + x[at + 1];\n}");
    return code;
  }();
  return kernel;
}

const KernelCode& fill3d() {
  static const KernelCode kernel = [] {
    KernelCode code = makeCode("fill3d", 3, [](const muster_chunk* chunk) {
      auto* y = array<std::int64_t>(chunk, 0);
      const auto b = scalar<std::int64_t>(chunk, 0), c = scalar<std::int64_t>(chunk, 1);
      forEach3(chunk, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
        y[(i * b + j) * c + k] += 1 + i + 100 * j + 10000 * k;
      });
    });
    code.arrays = {{"y", 8, true}};
    code.scalars = {{"b", ScalarType::i64, 8}, {"c", ScalarType::i64, 8}};
    code.opencl =
        kernelText(code.name, 3, "__global long *y_buf, long y_origin, long b, long c", "",
                   "long p = muster_lo_0 + (long)get_global_id(2), q = muster_lo_1 + (long)get_global_id(1);\n"
                   "long r = muster_lo_2 + (long)get_global_id(0);\n"
                   "if (p < muster_hi_0 && q < muster_hi_1 && r < muster_hi_2) {\n"
                   "  long i = muster_first_0 + p * muster_step_0, j = muster_first_1 + q * muster_step_1;\n"
                   "  long k = muster_first_2 + r * muster_step_2;\n"
                   "  (y_buf + y_origin)[(i * b + j) * c + k] += 1 + i + 100 * j + 10000 * k;\n}");
    return code;
  }();
  return kernel;
}

const KernelCode& sum3d() {
  static const KernelCode kernel = [] {
    KernelCode code = makeCode("sum3d", 3, [](const muster_chunk* chunk) {
      const auto* x = array<std::int64_t>(chunk, 0);
      const auto b = scalar<std::int64_t>(chunk, 0), c = scalar<std::int64_t>(chunk, 1);
      std::int64_t sum = 0, last = 0;
      forEach3(chunk, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
        last = (i * b + j) * c + k;
        sum += x[last];
      });
      *static_cast<std::int64_t*>(chunk->results[0]) = sum;
      *static_cast<std::int64_t*>(chunk->results[1]) = last;
    });
    code.arrays = {{"x", 8, false}};
    code.scalars = {{"b", ScalarType::i64, 8}, {"c", ScalarType::i64, 8}};
    addResults<std::int64_t, ResultKind::add, ResultKind::lastPrivate>(code);
    code.opencl = kernelText(
        code.name, 3, "__global const long *x_buf, long x_origin, long b, long c",
        "__global long *sum_out, __global long *last_out",
        "__local long slots[MUSTER_WG0 * MUSTER_WG1 * MUSTER_WG2];\n"
        "long sum = 0;\n"
        "for (long p = muster_lo_0 + (long)get_global_id(2); p < muster_hi_0; p += (long)get_global_size(2))\n"
        " for (long q = muster_lo_1 + (long)get_global_id(1); q < muster_hi_1; q += (long)get_global_size(1))\n"
        "  for (long r = muster_lo_2 + (long)get_global_id(0); r < muster_hi_2; r += (long)get_global_size(0)) {\n"
        "   long i = muster_first_0 + p * muster_step_0, j = muster_first_1 + q * muster_step_1;\n"
        "   long at = (i * b + j) * c + muster_first_2 + r * muster_step_2;\n"
        "   sum += (x_buf + x_origin)[at];\n"
        "   if (p == muster_hi_0 - 1 && q == muster_hi_1 - 1 && r == muster_hi_2 - 1) last_out[0] = at;\n"
        "  }\n"
        "size_t me = get_local_id(0) + MUSTER_WG0 * (get_local_id(1) + MUSTER_WG1 * get_local_id(2));\n"
        "slots[me] = sum; barrier(CLK_LOCAL_MEM_FENCE);\n"
        "for (size_t stride = MUSTER_WG0 * MUSTER_WG1 * MUSTER_WG2 / 2; stride > 0; stride /= 2) {\n"
        "  if (me < stride) slots[me] += slots[me + stride];\n  barrier(CLK_LOCAL_MEM_FENCE);\n}\n"
        "size_t group = get_group_id(0) + get_num_groups(0) * (get_group_id(1) + get_num_groups(1) * "
        "get_group_id(2));\n"
        "if (me == 0) sum_out[group] = slots[0];");
    return code;
  }();
  return kernel;
}

const KernelCode& lastIndex() {
  static const KernelCode kernel = [] {
    KernelCode code = makeCode("last_index", 2, [](const muster_chunk* chunk) {
      int* y = array<int>(chunk, 0);
      const auto width = scalar<std::int64_t>(chunk, 0);
      std::int64_t last = 0;
      forEach2(chunk, [&](std::int64_t i, std::int64_t j) {
        y[i * width + j] = static_cast<int>(i + j);
        last = i * 1000 + j;
      });
      *static_cast<std::int64_t*>(chunk->results[0]) = last;
    });
    code.arrays = {{"y", sizeof(int), true}};
    code.scalars = {{"width", ScalarType::i64, 8}};
    addResults<std::int64_t, ResultKind::lastPrivate>(code);
    code.opencl =
        kernelText(code.name, 2, "__global int *y_buf, long y_origin, long width", "__global long *last_out",
                   "long k = muster_lo_0 + (long)get_global_id(1), l = muster_lo_1 + (long)get_global_id(0);\n"
                   "if (k < muster_hi_0 && l < muster_hi_1) {\n"
                   "  long i = muster_first_0 + k * muster_step_0, j = muster_first_1 + l * muster_step_1;\n"
                   "  (y_buf + y_origin)[i * width + j] = (int)(i + j);\n"
                   "  if (k == muster_hi_0 - 1 && l == muster_hi_1 - 1) last_out[0] = i * 1000 + j;\n}");
    return code;
  }();
  return kernel;
}

namespace {

KernelCode makeIncrement(const std::string& name) {
  KernelCode code = makeCode(name, 1, [](const muster_chunk* chunk) {
    for (std::int64_t k = chunk->lo; k < chunk->hi; ++k) ++array<int>(chunk, 0)[value(chunk->dims[0], k)];
  });
  code.arrays = {{"y", sizeof(int), true}};
  code.opencl = kernelText(code.name, 1, "__global int *y_buf, long y_origin", "",
                           "long k = muster_lo_0 + (long)get_global_id(0);\n"
                           "if (k < muster_hi_0) (y_buf + y_origin)[muster_first_0 + k * muster_step_0] += 1;");
  return code;
}

}  // namespace

const KernelCode& increment() {
  static const KernelCode code = makeIncrement("increment");
  return code;
}

const KernelCode& brokenText() {
  static const KernelCode kernel = [] {
    KernelCode code = makeIncrement("broken_text");
    code.opencl += "this is no OpenCL;\n";
    return code;
  }();
  return kernel;
}

const KernelCode& wrongName() {
  static const KernelCode kernel = [] {
    KernelCode code = makeIncrement("right_name");
    code.name = "wrong_name";
    return code;
  }();
  return kernel;
}

const KernelCode& nativeOnly() {
  static const KernelCode kernel = [] {
    KernelCode code = makeIncrement("native_only");
    code.opencl.clear();
    return code;
  }();
  return kernel;
}

const KernelCode& openclOnly() {
  static const KernelCode kernel = [] {
    KernelCode code = makeIncrement("opencl_only");
    code.native = nullptr;
    return code;
  }();
  return kernel;
}

const std::vector<const KernelCode*>& allKernels() {
  static const std::vector<const KernelCode*> kernels = [] {
    std::vector<const KernelCode*> all = {&neighbours(), &fill3d(),    &sum3d(),      &lastIndex(), &increment(),
                                          &brokenText(), &wrongName(), &nativeOnly(), &openclOnly()};
#define MUSTER_LIST(T)            \
  all.push_back(&addScalar<T>()); \
  all.push_back(&reduceAll<T>());
    MUSTER_FOR_ALL_TYPES(MUSTER_LIST)
#undef MUSTER_LIST
    return all;
  }();
  return kernels;
}

}  // namespace muster::cdm::test
