// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <cmath>
#include <complex>
#include <cstddef>
#include <vector>

namespace signal {

using Complex = std::complex<double>;

/// Radix-2 FFT in Stockham's ordering: no bit reversal, two buffers that change roles after each pass.
class Fft {
 public:
  explicit Fft(std::size_t n);
  void forward(std::vector<Complex> &data) { transform(data, false); }
  void inverse(std::vector<Complex> &data);

 private:
  void transform(std::vector<Complex> &data, bool conjugate);
  std::size_t n_;
#pragma ompx managed(twiddle_)
  std::vector<Complex> twiddle_;
#pragma ompx managed(work_)
  std::vector<Complex> work_;
};

/// Scales all elements.
template <class T, class S>
void scale(std::vector<T> &data, S factor) {
#pragma omp parallel for simd
  for (std::size_t i = 0; i < data.size(); ++i) data[i] *= factor;
}

}  // namespace signal
