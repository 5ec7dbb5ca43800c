// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gravity by a quadtree: built by recursion on the host, children by index, walked with a stack of one's own.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

struct Node { int child[4]; int first, count; float cx, cy, mass, size; };
struct Body { float x, y, m; };
static int build(std::vector<Node> &t, std::vector<Body> &b, int lo, int hi, float x, float y, float s) {
  int id = t.size(); t.push_back({{-1,-1,-1,-1}, lo, hi-lo, 0, 0, 0, s});
  float m = 0, cx = 0, cy = 0; for (int i = lo; i < hi; i++) { m += b[i].m; cx += b[i].m*b[i].x; cy += b[i].m*b[i].y; }
  t[id].mass = m; t[id].cx = m > 0 ? cx/m : x; t[id].cy = m > 0 ? cy/m : y;
  if (hi-lo <= 4) return id;
  auto q = [&](const Body &p) { return (p.x >= x) + 2*(p.y >= y); };
  int at = lo;
  for (int k = 0; k < 4; k++) {
    int e = std::stable_partition(b.begin()+at, b.begin()+hi, [&](const Body &p) { return q(p) == k; }) - b.begin();
    if (e > at) { int c = build(t, b, at, e, x+(k&1 ? s/4 : -s/4), y+(k&2 ? s/4 : -s/4), s/2); t[id].child[k] = c; }
    at = e;
  }
  return id;
}
int main() {
  bool ok = true;
#pragma omp managed(bodies)
  std::vector<Body> bodies(503);
#pragma omp managed(tree)
  std::vector<Node> tree;
#pragma omp managed(acc)
  std::vector<float> acc(2*503);
  unsigned s = 1; for (auto &b : bodies) { s = s*1664525+1013904223; b.x = (s>>8)/16777216.0f; s = s*1664525+1013904223; b.y = (s>>8)/16777216.0f; b.m = 1; }
  for (int step = 0; step < 3; step++) {
    tree.clear(); build(tree, bodies, 0, bodies.size(), 0.5f, 0.5f, 1.0f);
    const std::vector<Body> before = bodies;
    const float theta2 = 0.25f;
#pragma omp parallel for schedule(dynamic, 32)
    for (int i = 0; i < (int)bodies.size(); i++) {
      int stack[64], top = 0; stack[top++] = 0; float ax = 0, ay = 0;
      while (top > 0) {
        const Node &nd = tree[stack[--top]];
        float dx = nd.cx-bodies[i].x, dy = nd.cy-bodies[i].y, r2 = dx*dx+dy*dy+1e-4f;
        if (nd.size*nd.size < theta2*r2) { float inv = nd.mass/(r2*sqrtf(r2)); ax += dx*inv; ay += dy*inv; continue; }
        bool leaf = true;
        for (int k = 0; k < 4; k++) if (nd.child[k] >= 0) { stack[top++] = nd.child[k]; leaf = false; }
        if (leaf) for (int j = nd.first; j < nd.first+nd.count; j++) { if (j == i) continue;
          float ex = bodies[j].x-bodies[i].x, ey = bodies[j].y-bodies[i].y, q2 = ex*ex+ey*ey+1e-4f, inv = bodies[j].m/(q2*sqrtf(q2)); ax += ex*inv; ay += ey*inv; }
      }
      acc[2*i] = ax; acc[2*i+1] = ay;
    }
#pragma omp parallel for
    for (size_t i = 0; i < bodies.size(); i++) { bodies[i].x += 1e-6f*acc[2*i]; bodies[i].y += 1e-6f*acc[2*i+1]; bodies[i].x = std::min(std::max(bodies[i].x, 0.f), 1.f); bodies[i].y = std::min(std::max(bodies[i].y, 0.f), 1.f); }
    double sum = 0; for (float a : acc) sum += std::fabs(a); printf("%d %.9g\n", (int)tree.size(), sum);
    // Against the direct sum.
    double wrong = 0, all = 0;
    const int n = (int)bodies.size();
#pragma omp parallel for reduction(+ : wrong, all)
    for (int i = 0; i < n; i++) {
      float ax = 0, ay = 0;
      for (int j = 0; j < n; j++) {
        if (j == i) continue;
        float dx = before[j].x - before[i].x, dy = before[j].y - before[i].y, r2 = dx * dx + dy * dy + 1e-4f;
        float inv = before[j].m / (r2 * sqrtf(r2));
        ax += dx * inv;
        ay += dy * inv;
      }
      wrong += std::fabs(acc[2 * i] - ax) + std::fabs(acc[2 * i + 1] - ay);
      all += std::fabs(ax) + std::fabs(ay);
    }
    ok = ok && wrong < 0.02 * all;
  }
  printf(ok ? "near the direct sum\n" : "not near the direct sum: WRONG\n");
  return ok ? 0 : 1;
}
