// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One value per reduction and type.
#include "kernels/identity.h"

#include <fmt/format.h>

#include <cstring>
#include <limits>
#include <type_traits>

namespace muster::cdm {

namespace {

template <class T>
T smallest() {
  if constexpr (std::is_floating_point_v<T>)
    return -std::numeric_limits<T>::infinity();
  else
    return std::numeric_limits<T>::lowest();
}

template <class T>
T largest() {
  if constexpr (std::is_floating_point_v<T>)
    return std::numeric_limits<T>::infinity();
  else
    return std::numeric_limits<T>::max();
}

template <class T>
void store(ResultKind kind, void* to) {
  T value{};
  switch (kind) {
    case ResultKind::mul:
    case ResultKind::logAnd:
      value = T(1);
      break;
    case ResultKind::bitAnd:
      if constexpr (std::is_same_v<T, bool>)
        value = true;
      else if constexpr (std::is_integral_v<T>)
        value = static_cast<T>(~T(0));
      break;
    case ResultKind::min:
      value = largest<T>();
      break;
    case ResultKind::max:
      value = smallest<T>();
      break;
    default:
      break;
  }
  std::memcpy(to, &value, sizeof value);
}

}  // namespace

Status writeIdentity(const KernelCode::ResultParam& result, void* to) {
  const auto unsupported = [&] {
    return Status(Errc::unsupported, fmt::format("result {} has no identity that a device can know", result.name));
  };
  if (result.kind == ResultKind::lastPrivate) return unsupported();
  if (result.kind == ResultKind::other || result.kind == ResultKind::programEnd) {  // by convention
    std::memset(to, 0, result.size);
    return {};
  }
  switch (result.type) {
    case ScalarType::boolean:
      store<bool>(result.kind, to);
      return {};
    case ScalarType::i8:
      store<std::int8_t>(result.kind, to);
      return {};
    case ScalarType::u8:
      store<std::uint8_t>(result.kind, to);
      return {};
    case ScalarType::i16:
      store<std::int16_t>(result.kind, to);
      return {};
    case ScalarType::u16:
      store<std::uint16_t>(result.kind, to);
      return {};
    case ScalarType::i32:
      store<std::int32_t>(result.kind, to);
      return {};
    case ScalarType::u32:
      store<std::uint32_t>(result.kind, to);
      return {};
    case ScalarType::i64:
      store<std::int64_t>(result.kind, to);
      return {};
    case ScalarType::u64:
      store<std::uint64_t>(result.kind, to);
      return {};
    case ScalarType::f32:
      store<float>(result.kind, to);
      return {};
    case ScalarType::f64:
      store<double>(result.kind, to);
      return {};
    case ScalarType::other:
      break;
  }
  return unsupported();
}

}  // namespace muster::cdm
