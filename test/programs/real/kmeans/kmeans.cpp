// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kmeans.hpp"

int KMeans::run(std::vector<Point> &points) {
  for (int c = 0; c < k_; ++c) centroids_[c] = points[(c * points.size()) / k_];
  int iteration = 0;
  while (iteration < maxIterations_) {
    ++iteration;
    if (!assign(points)) break;
    update(points);
  }
  return iteration;
}

bool KMeans::assign(std::vector<Point> &points) {
  bool changed = false;
#pragma omp parallel for
  for (size_t i = 0; i < points.size(); ++i) {
    double best = std::numeric_limits<double>::max();
    int nearest = -1;
    for (int c = 0; c < k_; ++c) {
      const double d = points[i].distance(centroids_[c]);
      if (d < best) {
        best = d;
        nearest = c;
      }
    }
    if (points[i].cluster != nearest) {
      points[i].cluster = nearest;
      changed = true;
    }
  }
  return changed;
}

// Coordinates are multiples of 1/256, so the sums are exact in any order.
void KMeans::update(const std::vector<Point> &points) {
  std::vector<int> count(k_, 0);
  std::vector<double> sumX(k_, 0.0), sumY(k_, 0.0);
#pragma omp parallel
  {
    std::vector<int> myCount(k_, 0);
    std::vector<double> myX(k_, 0.0), myY(k_, 0.0);
#pragma omp for nowait
    for (int i = 0; i < (int)points.size(); ++i) {
      const Point &p = points[i];
      myCount[p.cluster]++;
      myX[p.cluster] += p.x;
      myY[p.cluster] += p.y;
    }
#pragma omp critical
    for (int c = 0; c < k_; ++c) {
      count[c] += myCount[c];
      sumX[c] += myX[c];
      sumY[c] += myY[c];
    }
  }
  for (int c = 0; c < k_; ++c)
    if (count[c] > 0) {
      centroids_[c].x = std::round(sumX[c] / count[c] * 256) / 256;
      centroids_[c].y = std::round(sumY[c] / count[c] * 256) / 256;
    }
}

double KMeans::inertia(const std::vector<Point> &points) const {
  double sum = 0.0;
#pragma omp parallel for reduction(+ : sum) schedule(static)
  for (auto it = points.begin(); it < points.end(); ++it) sum += it->distance(centroids_[it->cluster]);
  return sum;
}
