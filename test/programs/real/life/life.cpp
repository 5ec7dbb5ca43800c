// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conway's game of life on a torus: a vector of vectors.
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

typedef std::vector<std::vector<int>> Board;

static int neighbours(const Board &board, int row, int col) {
  const int rows = board.size(), cols = board[0].size();
  int count = 0;
  for (int dr = -1; dr <= 1; ++dr)
    for (int dc = -1; dc <= 1; ++dc)
      if (dr != 0 || dc != 0) count += board[(row + dr + rows) % rows][(col + dc + cols) % cols];
  return count;
}

static void step(const Board &now, Board &next) {
#pragma omp parallel for
  for (int i = 0; i < (int)now.size(); ++i)
    for (int j = 0; j < (int)now[i].size(); ++j) {
      const int n = neighbours(now, i, j);
      next[i][j] = n == 3 || (n == 2 && now[i][j]) ? 1 : 0;
    }
}

int main(int argc, char **argv) {
  const int rows = argc > 1 ? std::atoi(argv[1]) : 29, cols = argc > 2 ? std::atoi(argv[2]) : 31;
#pragma ompx managed(now)
  Board now(rows, std::vector<int>(cols, 0));
#pragma ompx managed(next)
  Board next(rows, std::vector<int>(cols, 0));
  // A glider: after 4 generations it is the same, one row lower and one column to the right.
  const int glider[5][2] = {{0, 1}, {1, 2}, {2, 0}, {2, 1}, {2, 2}};
  for (auto &cell : glider) now[cell[0]][cell[1]] = 1;

  const int generations = 40;
  for (int g = 0; g < generations; ++g) {
    step(now, next);
    now.swap(next);
  }
  int alive = 0;
#pragma omp parallel for reduction(+ : alive) collapse(2)
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j) alive += now[i][j];

  bool ok = alive == 5;
  for (auto &cell : glider) ok = ok && now[(cell[0] + generations / 4) % rows][(cell[1] + generations / 4) % cols] == 1;
  for (const auto &row : now) {
    std::string text;
    for (int cell : row) text += cell ? '#' : '.';
    std::cout << text << "\n";
  }
  std::cout << alive << (ok ? " cells, where the glider must be\n" : " cells, WRONG\n");
  return ok ? 0 : 1;
}
