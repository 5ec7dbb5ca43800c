// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <cstddef>

// A two-dimensional array with halo, which owns its storage.
template <typename T>
class Grid {
  int rows_, cols_, halo_;
#pragma ompx managed(data_)
  T *data_;

 public:
  Grid(int rows, int cols, int halo = 1)
      : rows_(rows), cols_(cols), halo_(halo), data_(new T[(rows + 2 * halo) * (cols + 2 * halo)]()) {}
  Grid(const Grid &) = delete;
  Grid &operator=(const Grid &) = delete;
  ~Grid() { delete[] data_; }

  inline T &operator()(int i, int j) { return data_[(i + halo_) * (cols_ + 2 * halo_) + j + halo_]; }
  inline const T &operator()(int i, int j) const { return data_[(i + halo_) * (cols_ + 2 * halo_) + j + halo_]; }
  int rows() const { return rows_; }
  int cols() const { return cols_; }
};
