// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filters a signal in the frequency domain, and transforms there and back.
#include <cstdio>
#include <cstdlib>

#include "fft.hpp"

int main(int argc, char **argv) {
  const std::size_t n = std::size_t(1) << (argc > 1 ? std::atoi(argv[1]) : 9);
#pragma ompx managed(data)
  std::vector<signal::Complex> data(n);
  for (std::size_t i = 0; i < n; ++i)
    data[i] = {std::sin(2 * M_PI * 5 * i / n) + 0.5 * std::cos(2 * M_PI * 40 * i / n), i % 7 == 0 ? 0.25 : 0.0};
  const std::vector<signal::Complex> original = data;

  signal::Fft fft(n);
  fft.forward(data);
  std::printf("bin 5: %.9f  bin 40: %.9f\n", std::abs(data[5]) / n, std::abs(data[40]) / n);
  double power = 0.0;
#pragma omp parallel for reduction(+ : power)
  for (std::size_t i = 0; i < n; ++i) power += std::norm(data[i]);
  std::printf("power %.6f\n", power / n);
  fft.inverse(data);

  double worst = 0.0;
  for (std::size_t i = 0; i < n; ++i) worst = std::max(worst, std::abs(data[i] - original[i]));
  std::printf("%s\n", worst < 1e-12 ? "there and back again: equal" : "WRONG");
  return worst < 1e-12 ? 0 : 1;
}
