// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inverse roots of all floats, of which kernels for NVIDIA GPUs have a sequence of their own (decision 42): a sum of
// their bits, which is the same in every build. Usage: roots [NUMBERS, 2^32].
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

int main(int argc, char** argv) {
  const std::uint64_t all = argc > 1 ? strtoull(argv[1], nullptr, 10) : std::uint64_t{1} << 32;
  const int part = 1 << 24;
#pragma ompx managed(numbers)
  std::uint32_t* numbers = new std::uint32_t[part];
  std::uint64_t sum = 0;
  for (std::uint64_t first = 0; first < all; first += part) {
    const std::uint32_t begin = (std::uint32_t)first;
    std::uint64_t own = 0;
#pragma omp parallel for reduction(+ : own)
    for (int i = 0; i < part; i++) {
      numbers[i] = begin + (std::uint32_t)i;
      float value;
      memcpy(&value, &numbers[i], sizeof value);
      const float root = 1.0f / sqrtf(value);
      std::uint32_t bits;
      memcpy(&bits, &root, sizeof bits);
      if (root != root) bits = 0x7fc00000;
      own += (bits ^ numbers[i]) * (2 * (std::uint64_t)i + 1);
    }
    sum = sum * 31 + own;
  }
  printf("roots of %llu numbers, sum %016llx\n", (unsigned long long)all, (unsigned long long)sum);
  delete[] numbers;
}
