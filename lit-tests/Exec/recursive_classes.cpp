// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classes that hold containers of objects of their own, or of each other: what ends with one is read once.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-remarks=none -fplugin-arg-muster-summary %s -o %t.muster 2>&1 \
// RUN:   | FileCheck %s
// RUN: %run timeout 60 %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl timeout 60 %t.muster | diff %t.expected -
//
// CHECK: loops: 2 for all devices, 0 for CPUs only, 0 plain OpenMP
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

struct Tree {
  std::string key;
  std::vector<Tree> kids;
  std::vector<Tree *> others;
  ~Tree() { key.clear(); }
};
struct Edge;
struct Node {
  std::vector<std::unique_ptr<Edge>> edges;
  std::map<int, std::shared_ptr<Node>> next;
};
struct Edge {
  std::vector<Node> ends;
  ~Edge() {}
};

int depth(const Tree &tree) { return tree.kids.empty() ? 1 : 1 + depth(tree.kids[0]); }
std::size_t grown(Node node) {
  node.edges.push_back(std::make_unique<Edge>());
  return node.edges.size();
}

int main() {
  const int n = 1000;
#pragma ompx managed(u)
  double *u = new double[n];
#pragma omp parallel
  {
    Tree tree, kid;
    tree.kids.push_back(kid);
    const int levels = depth(tree);
#pragma omp for
    for (int i = 0; i < n; ++i) u[i] = i * levels;
  }
#pragma omp parallel
  {
    const std::size_t edges = grown(Node());
#pragma omp for
    for (int i = 0; i < n; ++i) u[i] += edges;
  }
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += u[i];
  std::printf("%g\n", sum);
  delete[] u;
  return 0;
}
