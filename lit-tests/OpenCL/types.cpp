// Arrays of all forms, row pointers, references, tables, structs, unions.
// RUN: %kernels %s > %t.cl
// RUN: %check-cl %t.cl
// RUN: %filecheck %s < %t.cl
#include <vector>

#pragma omp managed(anchor)
int *anchor = new int[1];

double grid[100][20];
static const float weights[2][3] = {{1, 2}, {3}};

struct Cell {
  int id[2];
  float weight;
};

void types(int n, int m, double *u, double (*rows)[20], std::vector<int> &w) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double *row = u + i * m;
    double(&fixed)[20] = rows[i];
    const double &first = row[0];
    row[1] = fixed[2] + first + row[2] + *grid[i];
    w[i] = w.data()[i] + weights[i % 2][1];
    Cell cells[2] = {{{1, 2}, 3}, {{i}}};
    Cell &cell = cells[i % 2];
    cell.id[1] += 4;
    Cell copy = cell;
    row[3] = copy.weight + (&cell)->id[0];
    union {
      float f;
      unsigned u;
    } pun;
    pun.f = row[4];
    row[4] = pun.u;
    const int near[3] = {-1, 0, 1};
    const int here[2] = {i, i + 1};
    row[5] = near[i % 3] + here[i % 2];
    double *end = row + m;
    for (double *p = row; p != end; ++p) *p *= 2;
  }
}
// CHECK: typedef struct {
// CHECK-NEXT: int id[2];
// CHECK-NEXT: float weight;
// CHECK-NEXT: } Cell;
// CHECK: typedef union {
// CHECK: __constant float weights[2][3] = {{[{][{]}}1.0f, 2.0f, 0.0f}, {3.0f, 0.0f, 0.0f{{[}][}]}};
// CHECK: __constant int near[3] = {-1, 0, 1};
// CHECK: __global double (*rows)[20] = (__global double (*)[20])(rows_buf + rows_origin);
// CHECK: __global double *row = u + i * m;
// CHECK-NEXT: __global double (*fixed)[20] = &rows[i];
// CHECK-NEXT: __global const double *first = &row[0];
// CHECK-NEXT: row[1] = (*fixed)[2] + *first + row[2] + *grid[i];
// CHECK-NEXT: w[i] = w[i] + weights[i % 2][1];
// CHECK-NEXT: Cell cells[2] = {{[{][{][{]}}1, 2}, 3}, {{[{][{]}}i}, 0.0f{{[}][}]}};
// CHECK-NEXT: Cell *cell = &cells[i % 2];
// CHECK-NEXT: cell->id[1] += 4;
// CHECK-NEXT: Cell copy = *cell;
// CHECK-NEXT: row[3] = copy.weight + cell->id[0];
// CHECK: const int here[2] = {i, i + 1};
// CHECK: for (__global double *p = row; p != end; ++p) {
// CHECK-NEXT: *p *= 2;
