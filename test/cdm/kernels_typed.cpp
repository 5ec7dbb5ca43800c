// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Test kernels that exist once per element type.
#include "kernel_parts.h"
#include "kernels/identity.h"

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
  code.arrays = {{"x", sizeof(T), false, scalarType<T>()}, {"y", sizeof(T), true, scalarType<T>()}};
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

#define MUSTER_INSTANTIATE(T)                \
  template const KernelCode& addScalar<T>(); \
  template const KernelCode& reduceAll<T>();
MUSTER_FOR_ALL_TYPES(MUSTER_INSTANTIATE)

}  // namespace muster::cdm::test
