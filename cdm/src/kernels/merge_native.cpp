// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The merge kernels for CPUs, compiled with OpenMP. Positions and values may come straight out of a message, so no
// alignment is taken for granted: units go through memcpy, which compilers turn into plain moves.
#include "kernels/merge_native.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace muster::cdm {
namespace {

constexpr std::int64_t kWorthATeam = 1 << 14;
constexpr std::int64_t kTileWords = mergeTile / 32;

template <class T>
T scalar(const muster_chunk* chunk, int index) {
  return *static_cast<const T*>(chunk->scalars[index]);
}

template <class T>
T load(const std::byte* base, std::int64_t index) {
  T value;
  std::memcpy(&value, base + index * static_cast<std::int64_t>(sizeof value), sizeof value);
  return value;
}

template <class T>
void store(std::byte* base, std::int64_t index, T value) {
  std::memcpy(base + index * static_cast<std::int64_t>(sizeof value), &value, sizeof value);
}

std::byte* array(const muster_chunk* chunk, int index) { return static_cast<std::byte*>(chunk->arrays[index]); }

// Where positions lie.
class Table {
 public:
  Table(const std::byte* entries, std::uint32_t intervals) : entries_(entries), intervals_(intervals) {}

  // Calls body(position, element, count) for each stretch of [lo, hi) whose elements follow one another.
  template <class Body>
  void forEach(std::int64_t lo, std::int64_t hi, Body body) const {
    for (std::uint32_t i = find(lo); lo < hi; ++i) {
      const std::int64_t end = i + 1 < intervals_ ? std::min<std::int64_t>(hi, start(i + 1)) : hi;
      body(lo, load<std::uint32_t>(entries_, 2 * i + 1) + (lo - start(i)), end - lo);
      lo = end;
    }
  }

 private:
  [[nodiscard]] std::int64_t start(std::uint32_t i) const {
    return load<std::uint32_t>(entries_, 2 * static_cast<std::int64_t>(i));
  }
  [[nodiscard]] std::uint32_t find(std::int64_t position) const {
    std::uint32_t lo = 0, hi = intervals_;
    while (hi - lo > 1) {
      const std::uint32_t middle = lo + (hi - lo) / 2;
      (start(middle) <= position ? lo : hi) = middle;
    }
    return lo;
  }

  const std::byte* entries_;
  std::uint32_t intervals_;
};

template <class U>
void fill(const muster_chunk* chunk) {
  std::byte* const a = array(chunk, 0);
  const Table table(array(chunk, 1), scalar<std::uint32_t>(chunk, 0));
  const U value = scalar<U>(chunk, 1);
  const std::int64_t lo = chunk->lo, hi = chunk->hi;
#pragma omp parallel for schedule(static) if (hi - lo > kWorthATeam)
  for (std::int64_t from = lo; from < hi; from += mergeTile) {
    table.forEach(from, std::min(hi, from + mergeTile), [&](std::int64_t, std::int64_t element, std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i) store(a, element + i, value);
    });
  }
}

// Stores the bits of tiles [lo, hi): differ(position, element, count, bits) sets those of one stretch.
template <class Differ>
void findInTiles(const muster_chunk* chunk, const Table& table, std::byte* bitmap, std::int64_t elements,
                 Differ differ) {
  const std::int64_t lo = chunk->lo, hi = chunk->hi;
#pragma omp parallel for schedule(static) if (hi - lo > kWorthATeam)
  for (std::int64_t from = lo; from < hi; from += mergeTile) {
    std::uint32_t bits[kTileWords] = {};
    table.forEach(from, std::min(elements, from + mergeTile),
                  [&](std::int64_t position, std::int64_t element, std::int64_t count) {
                    differ(position, element, count, bits, position - from);
                  });
    std::memcpy(bitmap + from / 8, bits, sizeof bits);
  }
}

void setBit(std::uint32_t* bits, std::int64_t at, bool set) { bits[at / 32] |= std::uint32_t{set} << at % 32; }

// Which of 32 elements differ.
template <class U>
std::uint32_t differing(const std::byte* a, const std::byte* b) {
  std::uint32_t bits = 0;
#if defined(__SSE2__)
  constexpr std::uint32_t lanes = 16 / sizeof(U), all = (1u << lanes) - 1;
  for (std::uint32_t k = 0; k < 32; k += lanes) {
    const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(a + k * sizeof(U)));
    const __m128i y = _mm_loadu_si128(reinterpret_cast<const __m128i*>(b + k * sizeof(U)));
    int equal = 0;
    if constexpr (sizeof(U) == 1) {
      equal = _mm_movemask_epi8(_mm_cmpeq_epi8(x, y));
    } else if constexpr (sizeof(U) == 2) {
      equal = _mm_movemask_epi8(_mm_packs_epi16(_mm_cmpeq_epi16(x, y), _mm_setzero_si128()));
    } else if constexpr (sizeof(U) == 4) {
      equal = _mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(x, y)));
    } else {
      const __m128i halves = _mm_cmpeq_epi32(x, y);
      equal = _mm_movemask_pd(_mm_castsi128_pd(_mm_and_si128(halves, _mm_shuffle_epi32(halves, 0xB1))));
    }
    bits |= (static_cast<std::uint32_t>(equal) ^ all) << k;
  }
#else
  for (std::uint32_t k = 0; k < 32; ++k) bits |= std::uint32_t{load<U>(a, k) != load<U>(b, k)} << k;
#endif
  return bits;
}

// Sets the bits from `at` on of elements that differ; where `b` is one word of values for all, `step` is 0.
template <class U>
void setDiffering(const std::byte* a, const std::byte* b, std::int64_t step, std::int64_t count, std::uint32_t* bits,
                  std::int64_t at) {
  std::int64_t i = 0;
  const auto one = [&](std::int64_t n) { setBit(bits, at + n, load<U>(a, n) != load<U>(b, n * step)); };
  for (; i < count && (at + i) % 32 != 0; ++i) one(i);
  for (; i + 32 <= count; i += 32)
    bits[(at + i) / 32] =
        differing<U>(a + i * static_cast<std::int64_t>(sizeof(U)), b + i * step * static_cast<std::int64_t>(sizeof(U)));
  for (; i < count; ++i) one(i);
}

template <class U>
void find(const muster_chunk* chunk) {
  const std::byte *a = array(chunk, 0), *twin = array(chunk, 1);
  const Table table(array(chunk, 2), scalar<std::uint32_t>(chunk, 0));
  const auto bytes = static_cast<std::int64_t>(scalar<std::uint32_t>(chunk, 1) * sizeof(U));
  findInTiles(
      chunk, table, array(chunk, 3), scalar<std::uint32_t>(chunk, 2),
      [=](std::int64_t position, std::int64_t element, std::int64_t count, std::uint32_t* bits, std::int64_t at) {
        const std::byte *now = a + element * bytes, *before = twin + position * bytes;
        const auto different = [&](std::int64_t i, std::int64_t size) {
          return std::memcmp(now + i * size, before + i * size, static_cast<std::size_t>(size)) != 0;
        };
        if (!different(0, count * bytes)) return;
        if (bytes == sizeof(U)) {
          setDiffering<U>(now, before, 1, count, bits, at);
        } else {
          for (std::int64_t i = 0; i < count; ++i) setBit(bits, at + i, different(i, bytes));
        }
      });
}

template <class U>
void findValue(const muster_chunk* chunk) {
  const std::byte* a = array(chunk, 0);
  const Table table(array(chunk, 1), scalar<std::uint32_t>(chunk, 0));
  std::byte values[32 * sizeof(U)];
  for (std::int64_t i = 0; i < 32; ++i) store(values, i, scalar<U>(chunk, 2));
  findInTiles(chunk, table, array(chunk, 2), scalar<std::uint32_t>(chunk, 1),
              [&](std::int64_t, std::int64_t element, std::int64_t count, std::uint32_t* bits, std::int64_t at) {
                setDiffering<U>(a + element * static_cast<std::int64_t>(sizeof(U)), values, 0, count, bits, at);
              });
}

void count(const muster_chunk* chunk) {
  const std::byte* bitmap = array(chunk, 0);
  std::byte* counts = array(chunk, 1);
  const std::int64_t lo = chunk->lo, hi = chunk->hi;
#pragma omp parallel for schedule(static) if ((hi - lo) * mergeTile > kWorthATeam)
  for (std::int64_t tile = lo; tile < hi; ++tile) {
    std::uint32_t bits = 0;
    for (std::int64_t word = 0; word < kTileWords; ++word)
      bits += static_cast<std::uint32_t>(std::popcount(load<std::uint32_t>(bitmap, tile * kTileWords + word)));
    store(counts, tile, bits);
  }
}

template <class U>
void gather(const muster_chunk* chunk) {
  const std::byte *a = array(chunk, 0), *bitmap = array(chunk, 2), *offsets = array(chunk, 3);
  std::byte *positions = array(chunk, 4), *values = array(chunk, 5);
  const Table table(array(chunk, 1), scalar<std::uint32_t>(chunk, 0));
  const auto bytes = static_cast<std::int64_t>(scalar<std::uint32_t>(chunk, 1) * sizeof(U));
  const std::int64_t first = scalar<std::uint32_t>(chunk, 2);
  const std::int64_t lo = chunk->lo, hi = chunk->hi;
#pragma omp parallel for schedule(static) if (hi - lo > kWorthATeam)
  for (std::int64_t from = lo; from < hi; from += mergeTile) {
    std::int64_t k = load<std::uint32_t>(offsets, from / mergeTile) - first;
    for (std::int64_t word = from; word < from + mergeTile; word += 32) {
      std::uint32_t bits = load<std::uint32_t>(bitmap, word / 32);
      if (bits == 0) continue;
      table.forEach(word, word + 32 - std::countl_zero(bits),
                    [&](std::int64_t position, std::int64_t element, std::int64_t stretch) {
                      std::uint64_t left =
                          std::uint64_t{bits} >> (position - word) & ((std::uint64_t{1} << stretch) - 1);
                      for (; left != 0; left &= left - 1) {
                        const std::int64_t i = std::countr_zero(left);
                        store(positions, k, static_cast<std::uint32_t>(position + i));
                        if (bytes == sizeof(U)) {
                          store(values, k, load<U>(a, element + i));
                        } else {
                          std::memcpy(values + k * bytes, a + (element + i) * bytes, static_cast<std::size_t>(bytes));
                        }
                        ++k;
                      }
                    });
    }
  }
}

template <class U>
void apply(const muster_chunk* chunk) {
  std::byte* a = array(chunk, 0);
  const std::byte *positions = array(chunk, 1), *values = array(chunk, 2);
  const auto bytes = static_cast<std::int64_t>(scalar<std::uint32_t>(chunk, 0) * sizeof(U));
  const std::int64_t lo = chunk->lo, hi = chunk->hi;
  if (bytes == sizeof(U)) {
#pragma omp parallel for schedule(static) if (hi - lo > kWorthATeam)
    for (std::int64_t k = lo; k < hi; ++k) store(a, load<std::uint32_t>(positions, k), load<U>(values, k));
    return;
  }
#pragma omp parallel for schedule(static) if (hi - lo > kWorthATeam)
  for (std::int64_t k = lo; k < hi; ++k)
    std::memcpy(a + load<std::uint32_t>(positions, k) * bytes, values + k * bytes, static_cast<std::size_t>(bytes));
}

// Calls body(element, place in the twin) for each position of the chunk. Only for a device that builds no kernels does
// native code work on pairs, so that no team is worth while.
template <class Body>
void forEachPair(const muster_chunk* chunk, const std::byte* pairs, Body body) {
  const auto intervals = static_cast<std::int64_t>(scalar<std::uint32_t>(chunk, 0));
  std::int64_t i = 0;
  const auto entry = [&](std::int64_t at, int which) {
    return static_cast<std::int64_t>(load<std::uint32_t>(pairs, 3 * at + which));
  };
  for (std::int64_t k = chunk->lo; k < chunk->hi; ++k) {
    while (i + 1 < intervals && entry(i + 1, 0) <= k) ++i;
    body(entry(i, 1) + k - entry(i, 0), entry(i, 2) + k - entry(i, 0));
  }
}

template <class U>
void join(const muster_chunk* chunk) {
  std::byte* a = array(chunk, 0);
  const std::byte *twin = array(chunk, 1), *values = array(chunk, 2);
  const auto bytes = static_cast<std::int64_t>(scalar<std::uint32_t>(chunk, 1) * sizeof(U));
  const bool over = scalar<std::uint32_t>(chunk, 2) != 0;
  forEachPair(chunk, array(chunk, 3), [&](std::int64_t element, std::int64_t place) {
    const auto size = static_cast<std::size_t>(bytes);
    const auto isOld = [&](const std::byte* copy) {
      return std::memcmp(copy + element * bytes, twin + place * bytes, size) == 0;
    };
    if (!isOld(values) && (over || isOld(a))) std::memcpy(a + element * bytes, values + element * bytes, size);
  });
}

template <class U>
void clash(const muster_chunk* chunk) {
  const std::byte *a = array(chunk, 0), *twin = array(chunk, 1), *values = array(chunk, 2);
  std::byte* found = array(chunk, 4);
  const auto bytes = static_cast<std::int64_t>(scalar<std::uint32_t>(chunk, 1) * sizeof(U));
  forEachPair(chunk, array(chunk, 3), [&](std::int64_t element, std::int64_t place) {
    const std::byte *x = a + element * bytes, *y = values + element * bytes, *old = twin + place * bytes;
    const auto differ = [&](const std::byte* p, const std::byte* q) {
      return std::memcmp(p, q, static_cast<std::size_t>(bytes)) != 0;
    };
    if (!differ(x, y) || !differ(x, old) || !differ(y, old)) return;
    store(found, 0, load<std::uint32_t>(found, 0) + 1);
    store(found, 1, std::min(load<std::uint32_t>(found, 1), static_cast<std::uint32_t>(element)));
  });
}

// As `update`, with the values of another copy.
struct Combine {
  template <class T, class Op>
  static void run(const muster_chunk* chunk, Op op) {
    std::byte* a = array(chunk, 0);
    const std::byte* values = array(chunk, 1);
    const T identity = scalar<T>(chunk, 2);
    forEachPair(chunk, array(chunk, 2), [&](std::int64_t element, std::int64_t) {
      const T value = load<T>(values, element);
      if (std::memcmp(&value, &identity, sizeof value) != 0)
        store(a, element, static_cast<T>(op(load<T>(a, element), value)));
    });
  }
  static constexpr int opScalar = 1;
};

struct Update {
  template <class T, class Op>
  static void run(const muster_chunk* chunk, Op op) {
    std::byte* a = array(chunk, 0);
    const std::byte *positions = array(chunk, 1), *values = array(chunk, 2);
    const std::int64_t lo = chunk->lo, hi = chunk->hi;
#pragma omp parallel for schedule(static) if (hi - lo > kWorthATeam)
    for (std::int64_t k = lo; k < hi; ++k) {
      const std::int64_t at = load<std::uint32_t>(positions, k);
      store(a, at, static_cast<T>(op(load<T>(a, at), load<T>(values, k))));
    }
  }
  static constexpr int opScalar = 0;
};

// Sums and products wrap around, as those of the devices do.
template <class T>
auto wrapping(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return value;
  } else if constexpr (sizeof(T) < sizeof(unsigned)) {
    return static_cast<unsigned>(value);
  } else {
    return static_cast<std::make_unsigned_t<T>>(value);
  }
}

template <class How, class T>
void combineBits(const muster_chunk* chunk, ResultKind op) {
  if constexpr (std::is_integral_v<T>) {
    if (op == ResultKind::bitAnd) return How::template run<T>(chunk, [](T x, T y) { return x & y; });
    if (op == ResultKind::bitOr) return How::template run<T>(chunk, [](T x, T y) { return x | y; });
    if (op == ResultKind::bitXor) return How::template run<T>(chunk, [](T x, T y) { return x ^ y; });
  }
}

template <class How, class T>
void combineAny(const muster_chunk* chunk) {
  const auto op = static_cast<ResultKind>(scalar<std::uint32_t>(chunk, How::opScalar));
  switch (op) {
    case ResultKind::add:
      if constexpr (std::is_same_v<T, bool>)
        return How::template run<T>(chunk, [](T x, T y) { return x || y; });
      else
        return How::template run<T>(chunk, [](T x, T y) { return wrapping(x) + wrapping(y); });
    case ResultKind::mul:
      if constexpr (std::is_same_v<T, bool>)
        return How::template run<T>(chunk, [](T x, T y) { return x && y; });
      else
        return How::template run<T>(chunk, [](T x, T y) { return wrapping(x) * wrapping(y); });
    case ResultKind::logAnd:
      return How::template run<T>(chunk, [](T x, T y) { return x && y; });
    case ResultKind::logOr:
      return How::template run<T>(chunk, [](T x, T y) { return x || y; });
    case ResultKind::min:
      return How::template run<T>(chunk, [](T x, T y) { return y < x ? y : x; });
    case ResultKind::max:
      return How::template run<T>(chunk, [](T x, T y) { return x < y ? y : x; });
    default:
      return combineBits<How, T>(chunk, op);
  }
}

template <class U>
muster_native_fn nativeOf(MergeKernel kernel) {
  switch (kernel) {
    case MergeKernel::fill:
      return fill<U>;
    case MergeKernel::find:
      return find<U>;
    case MergeKernel::findValue:
      return findValue<U>;
    case MergeKernel::count:
      return count;
    case MergeKernel::gather:
      return gather<U>;
    case MergeKernel::apply:
      return apply<U>;
    case MergeKernel::join:
      return join<U>;
    case MergeKernel::clash:
      return clash<U>;
  }
  return nullptr;
}

template <class How>
muster_native_fn combining(ScalarType type) {
  switch (type) {
    case ScalarType::boolean:
      return combineAny<How, bool>;
    case ScalarType::i8:
      return combineAny<How, std::int8_t>;
    case ScalarType::u8:
      return combineAny<How, std::uint8_t>;
    case ScalarType::i16:
      return combineAny<How, std::int16_t>;
    case ScalarType::u16:
      return combineAny<How, std::uint16_t>;
    case ScalarType::i32:
      return combineAny<How, std::int32_t>;
    case ScalarType::u32:
      return combineAny<How, std::uint32_t>;
    case ScalarType::i64:
      return combineAny<How, std::int64_t>;
    case ScalarType::u64:
      return combineAny<How, std::uint64_t>;
    case ScalarType::f32:
      return combineAny<How, float>;
    case ScalarType::f64:
      return combineAny<How, double>;
    case ScalarType::other:
      break;
  }
  return nullptr;
}

}  // namespace

muster_native_fn mergeNative(MergeKernel kernel, std::size_t unit) {
  switch (unit) {
    case 1:
      return nativeOf<std::uint8_t>(kernel);
    case 2:
      return nativeOf<std::uint16_t>(kernel);
    case 4:
      return nativeOf<std::uint32_t>(kernel);
    default:
      return nativeOf<std::uint64_t>(kernel);
  }
}

muster_native_fn mergeUpdateNative(ScalarType type) { return combining<Update>(type); }

muster_native_fn mergeCombineNative(ScalarType type) { return combining<Combine>(type); }

}  // namespace muster::cdm
