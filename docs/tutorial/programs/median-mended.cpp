// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Step 5 of the tutorial: the median filter with a sort of its own, which runs on every device.
#include <cstdio>

int main() {
  const int n = 100000;
#pragma ompx managed(noisy)
  double* noisy = new double[n];
#pragma ompx managed(smooth)
  double* smooth = new double[n]();
#pragma omp parallel for
  for (int i = 0; i < n; ++i) noisy[i] = i * 7919 % 1000;

#pragma omp parallel for
  for (int i = 2; i < n - 2; ++i) {
    double near[5];
    for (int k = 0; k < 5; ++k) near[k] = noisy[i - 2 + k];
    for (int k = 1; k < 5; ++k) {  // insertion sort
      const double value = near[k];
      int at = k;
      for (; at > 0 && near[at - 1] > value; --at) near[at] = near[at - 1];
      near[at] = value;
    }
    smooth[i] = near[2];
  }

  double sum = 0;
  for (int i = 0; i < n; ++i) sum += smooth[i];
  printf("mean %.6f\n", sum / n);
  delete[] noisy;
  delete[] smooth;
}
