// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <cmath>
#include <limits>
#include <vector>

struct Point {
  double x, y;
  int cluster;

  Point() : x(0.0), y(0.0), cluster(-1) {}
  Point(double x, double y) : x(x), y(y), cluster(-1) {}

  double distance(const Point &p) const { return (p.x - x) * (p.x - x) + (p.y - y) * (p.y - y); }
};

class KMeans {
 public:
  KMeans(int k, int maxIterations) : k_(k), maxIterations_(maxIterations), centroids_(k) {}
  int run(std::vector<Point> &points);
  const std::vector<Point> &centroids() const { return centroids_; }
  double inertia(const std::vector<Point> &points) const;

 private:
  bool assign(std::vector<Point> &points);
  void update(const std::vector<Point> &points);

  int k_, maxIterations_;
#pragma ompx managed(centroids_)
  std::vector<Point> centroids_;
};
