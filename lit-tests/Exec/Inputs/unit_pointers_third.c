// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a function of a file that is called itself calls, in C.
struct point {
  double x, y;
};

void thirdPair(double *pair) {
  pair[0] *= 2;
  pair[1] -= pair[0];
}
void thirdMove(struct point *p, const double *by) { p->x += by[0], p->y -= by[1]; }
struct point thirdMirror(struct point p) {
  struct point q = {p.y, p.x};
  return q;
}
void thirdRandom(int n, double *seed, double values[]) {
  for (int i = 0; i < n; i++) {
    *seed = (long)(*seed * 1103 + 12345) % 32768;
    values[i] = *seed / 32768;
  }
}
