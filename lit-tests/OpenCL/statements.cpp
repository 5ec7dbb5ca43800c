// Statements: each of C's, and those of C++ that C can say in other words.
// RUN: %kernels %s > %t.cl
// RUN: %check-cl %t.cl
// RUN: %filecheck %s < %t.cl

#pragma omp managed(anchor)
int *anchor = new int[1];

void statements(int n, int *a) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int t = 0;
    // CHECK: int t = 0;
    // CHECK-NEXT: {
    // CHECK-NEXT: int j = 0;
    // CHECK-NEXT: int k = 9;
    // CHECK-NEXT: for (; j < k; ++j, --k) {
    for (int j = 0, k = 9; j < k; ++j, --k) t += j;
    // CHECK: for (int j_2 = 0; j_2 < 3; j_2++) {
    for (int j = 0; j < 3; j++)
      if (t > j) break;
    // CHECK: while (1) {
    // CHECK-NEXT: int rest = t - 3;
    // CHECK-NEXT: if (!rest) {
  // CHECK-NEXT: break;
  // CHECK-NEXT: }
    while (int rest = t - 3) t -= rest > 0 ? 1 : -1;
    // CHECK: do {
    // CHECK-NEXT: ++t;
    // CHECK-NEXT: } while (t < 9);
    do ++t;
    while (t < 9);
    // CHECK: {
    // CHECK-NEXT: int x = t;
    // CHECK-NEXT: if (x > 2) {
    // CHECK-NEXT: t = 1;
    // CHECK-NEXT: } else if (x == 1) {
    // CHECK-NEXT: t = 2;
    // CHECK-NEXT: } else {
    // CHECK-NEXT: t = 3;
    if (int x = t; x > 2)
      t = 1;
    else if (x == 1)
      t = 2;
    else
      t = 3;
    // CHECK: switch (t) {
    // CHECK-NEXT: case 0:;
    // CHECK-NEXT: int y;
    // CHECK-NEXT: y = t;
    // CHECK-NEXT: a[i] = y;
    // CHECK-NEXT: break;
    // CHECK-NEXT: case 1:
    // CHECK-NEXT: case 2:
    // CHECK-NEXT: a[i] = 5;
    // CHECK-NEXT: ;
    // CHECK-NEXT: default:
    // CHECK-NEXT: a[i] = 7;
    switch (t) {
      case 0:
        int y;
        y = t;
        a[i] = y;
        break;
      case 1:
      case 2:
        a[i] = 5;
        [[fallthrough]];
      default:
        a[i] = 7;
    }
    // CHECK: a[i] = 8;
    // CHECK-NOT: a[i] = 9;
    if constexpr (sizeof(int) == 4)
      a[i] = 8;
    else
      a[i] = 9;
  }
}
