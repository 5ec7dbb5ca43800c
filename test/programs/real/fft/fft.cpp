// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fft.hpp"

#include <stdexcept>
#include <utility>

namespace signal {

Fft::Fft(std::size_t n) : n_(n), twiddle_(n / 2), work_(n) {
  if (n == 0 || (n & (n - 1))) throw std::invalid_argument("fft: the length must be a power of two");
  for (std::size_t k = 0; k < n / 2; ++k) twiddle_[k] = std::polar(1.0, -2.0 * M_PI * double(k) / double(n));
}

void Fft::transform(std::vector<Complex> &data, bool conjugate) {
  const long half = long(n_ / 2);
  for (long length = half, stride = 1; length >= 1; length /= 2, stride *= 2) {
    const Complex *in = data.data();
    Complex *out = work_.data();
#pragma omp parallel for
    for (long t = 0; t < half; ++t) {
      const long p = t / stride, q = t % stride;
      const Complex w = conjugate ? std::conj(twiddle_[p * stride]) : twiddle_[p * stride];
      const Complex a = in[q + stride * p];
      const Complex b = in[q + stride * (p + length)];
      out[q + stride * (2 * p)] = a + b;
      out[q + stride * (2 * p + 1)] = (a - b) * w;
    }
    data.swap(work_);
  }
}

void Fft::inverse(std::vector<Complex> &data) {
  transform(data, true);
  scale(data, 1.0 / double(n_));
}

}  // namespace signal
