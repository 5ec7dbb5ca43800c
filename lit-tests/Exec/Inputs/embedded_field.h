// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A class as headers hold them.
#pragma once
class Field {
 public:
  void step(int n) {
#pragma omp parallel for
    for (int i = 1; i < n - 1; ++i)
      for (int j = 0; j < 20; ++j) next_[i][j] = scale_ * (u_[i - 1][j] + u_[i + 1][j]) + i + j;
#pragma omp parallel for
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < 20; ++j) u_[i][j] = next_[i][j];
  }
  double sum() const {
    double total = 0;
    for (const auto& row : u_)
      for (double value : row) total += value;
    return total;
  }

 private:
  double scale_ = 0.5;
#pragma ompx managed(u_)
  double u_[53][20] = {};
#pragma ompx managed(next_)
  double next_[53][20] = {};
};
