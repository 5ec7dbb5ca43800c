// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>
#include <iostream>

#include "kmeans.hpp"

int main(int argc, char **argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 3001, k = argc > 2 ? std::atoi(argv[2]) : 7;
#pragma ompx managed(points)
  std::vector<Point> points(n);
  unsigned state = 2463534242u;
  auto next = [&state] {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
  };
  for (auto &p : points) {
    const int blob = next() % k;
    p = Point((blob * 37 % 50) * 16 + (next() % 2048) / 256.0, (blob * 53 % 50) * 16 + (next() % 2048) / 256.0);
  }

  KMeans kmeans(k, 40);
  std::cout << "iterations " << kmeans.run(points) << "\n";
  std::vector<int> size(k);
  bool ok = true;
  for (const auto &p : points) {
    size[p.cluster]++;
    for (const auto &c : kmeans.centroids()) ok = ok && p.distance(kmeans.centroids()[p.cluster]) <= p.distance(c);
  }
  for (int c = 0; c < k; ++c)
    std::cout << "cluster " << c << ": " << size[c] << " at " << kmeans.centroids()[c].x << ", " << kmeans.centroids()[c].y << "\n";
  std::cout << "inertia " << kmeans.inertia(points) << (ok ? ", every point is nearest to its own centre\n" : ", WRONG\n");
  return ok ? 0 : 1;
}
