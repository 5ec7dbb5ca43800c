// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// First arrivals of seismic waves in depth, by wavefront construction: the traveltime stage of a Kirchhoff migration.
// A wavefront is a line of points at which rays from the shot are after the same time. It is advanced step by step,
// gets further points where neighbours part, and gives its times to the grid nodes that it passes. Shots are
// independent, and cost very differently. Arguments: model (0 gradient, 1 layers), shots, grid nodes across, points
// of the front for each cell.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "sample.h"

namespace {

constexpr double width = 10;        // of the model, in km; its depth is half of that
constexpr double tick = 1e-8;       // s; times are whole numbers, so that their minimum needs no order
constexpr unsigned never = ~0u;     // the time of a node that no front has passed
constexpr int fan = 97;             // rays at the start, of which the first and the last go straight up
constexpr double tolerance = 5e-3;  // relative, of times; what the first few cells around the shot need

// Velocity in km/s by depth: a line, and smooth transitions from one layer to the next.
struct Model {
  double base, slope, thickness;
  int transitions;
  double depth[3], jump[3];
};

struct Velocity {
  double value, slope;
};

// Slowness is the ray's direction divided by the velocity: with it, rays need no sines, which devices round otherwise.
struct Point {
  double x, z, px, pz;
  long joined;  // 1: a cell lies between this point and the next
};

// The part of the model that a shot looks at, in nodes.
struct Aperture {
  int left, columns, rows, shotColumn, shotRow;
  double h;  // km from node to node
};

struct Result {
  long steps, points, nodes, reached, largest;
  double error;
  unsigned long long sum;
};

inline Velocity velocityAt(Model model, double z) {
  Velocity v = {model.base + model.slope * z, model.slope};
  for (int k = 0; k < model.transitions; ++k) {
    double s = (z - model.depth[k]) / model.thickness + 0.5;
    s = s < 0 ? 0 : s > 1 ? 1 : s;
    v.value += model.jump[k] * s * s * (3 - 2 * s);
    v.slope += model.jump[k] * 6 * s * (1 - s) / model.thickness;
  }
  return v;
}

struct Rate {
  double x, z, pz;
};

// The ray equations. The slowness px is constant (Snell's law), since the velocity depends on depth alone.
inline Rate rateAt(Model model, double px, double z, double pz) {
  const Velocity v = velocityAt(model, z);
  const double square = v.value * v.value;
  return {square * px, square * pz, -v.slope / v.value};
}

// A Runge-Kutta step of fourth order.
inline Point advanced(Point p, Model model, double dt) {
  const double half = dt / 2;
  const Rate a = rateAt(model, p.px, p.z, p.pz);
  const Rate b = rateAt(model, p.px, p.z + half * a.z, p.pz + half * a.pz);
  const Rate c = rateAt(model, p.px, p.z + half * b.z, p.pz + half * b.pz);
  const Rate d = rateAt(model, p.px, p.z + dt * c.z, p.pz + dt * c.pz);
  p.x += dt / 6 * (a.x + 2 * (b.x + c.x) + d.x);
  p.z += dt / 6 * (a.z + 2 * (b.z + c.z) + d.z);
  p.pz += dt / 6 * (a.pz + 2 * (b.pz + c.pz) + d.pz);
  return p;
}

void advance(const Point* before, Point* after, int n, Model model, double dt) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) after[i] = advanced(before[i], model, dt);
}

// Points stay two cells beyond the aperture, so that cells between rays cover all of its nodes.
inline bool isInside(Point p, Aperture a) {
  const double x = p.x / a.h - a.left, z = p.z / a.h;
  return x > -2 && x < a.columns + 1 && z > -2 && z < a.rows + 1;
}

inline double distance(Point a, Point b) { return sqrt((a.x - b.x) * (a.x - b.x) + (a.z - b.z) * (a.z - b.z)); }

// The times of the nodes in a triangle of three points. A node's time follows from the corners' times and slownesses
// such that it is exact where time is a quadratic function of place. Neighbouring cells may give one node a time.
inline void timeTriangle(unsigned* times, Aperture g, Point a, Point b, Point c, double ta, double tb, double tc) {
  const double area = (b.x - a.x) * (c.z - a.z) - (c.x - a.x) * (b.z - a.z);
  if (fabs(area) < 1e-9 * g.h * g.h) return;
  const double inset = 1e-9;  // a node on an edge belongs to both sides
  const int left = (int)ceil(fmin(a.x, fmin(b.x, c.x)) / g.h - inset) - g.left;
  const int right = (int)floor(fmax(a.x, fmax(b.x, c.x)) / g.h + inset) - g.left;
  const int top = (int)ceil(fmin(a.z, fmin(b.z, c.z)) / g.h - inset);
  const int bottom = (int)floor(fmax(a.z, fmax(b.z, c.z)) / g.h + inset);
  for (int row = top > 0 ? top : 0; row <= bottom && row < g.rows; ++row)
    for (int column = left > 0 ? left : 0; column <= right && column < g.columns; ++column) {
      const double x = (g.left + column) * g.h, z = row * g.h;
      const double wb = ((x - a.x) * (c.z - a.z) - (c.x - a.x) * (z - a.z)) / area;
      const double wc = ((b.x - a.x) * (z - a.z) - (x - a.x) * (b.z - a.z)) / area;
      const double wa = 1 - wb - wc;
      if (wa < -inset || wb < -inset || wc < -inset) continue;
      const double time = wa * (ta + 0.5 * (a.px * (x - a.x) + a.pz * (z - a.z))) +
                          wb * (tb + 0.5 * (b.px * (x - b.x) + b.pz * (z - b.z))) +
                          wc * (tc + 0.5 * (c.px * (x - c.x) + c.pz * (z - c.z)));
      const unsigned ticks = (unsigned)(time / tick + 0.5);
      const size_t at = (size_t)row * g.columns + column;
#pragma omp atomic compare
      if (ticks < times[at]) times[at] = ticks;
    }
}

// Each cell lies between two neighbouring rays and two steps; its nodes keep their earliest time.
void timeCells(const Point* before, const Point* after, unsigned* times, int n, Aperture aperture, double t,
               double dt) {
#pragma omp parallel for
  for (int i = 0; i < n - 1; ++i) {
    if (!before[i].joined) continue;
    const Point a = before[i], b = before[i + 1], c = after[i], d = after[i + 1];
    timeTriangle(times, aperture, a, c, d, t, t + dt, t + dt);
    timeTriangle(times, aperture, a, d, b, t, t + dt, t);
  }
}

// What becomes of each point: nothing outside the aperture, otherwise itself and those that are put in behind it.
int countPoints(const Point* after, int* counts, int n, Aperture aperture, double limit) {
  int changes = 0;
#pragma omp parallel for reduction(+ : changes)
  for (int i = 0; i < n; ++i) {
    int count = isInside(after[i], aperture) ? 1 : 0;
    if (count == 1 && after[i].joined && isInside(after[i + 1], aperture))
      count += (int)fmin(distance(after[i], after[i + 1]) / limit, 15);
    counts[i] = count;
    changes += count != 1;
  }
  return changes;
}

// A point of the front at part s of the way from a to b, on the cubic that is at right angles to both slownesses.
inline Point between(Point a, Point b, double s, Model model) {
  const double chord = distance(a, b), dx = b.x - a.x, dz = b.z - a.z;
  const double speedA = velocityAt(model, a.z).value, speedB = velocityAt(model, b.z).value;
  // A caustic turns a front over: its tangent then points the other way.
  const double lengthA = copysign(chord * speedA, a.pz * dx - a.px * dz);
  const double lengthB = copysign(chord * speedB, b.pz * dx - b.px * dz);
  const double r = 1 - s, wa = s * r * r * lengthA, wb = -s * s * r * lengthB;
  const double linear = s * s * (3 - 2 * s);
  Point p = {a.x + linear * dx + wa * a.pz + wb * b.pz, a.z + linear * dz - wa * a.px - wb * b.px, r * a.px + s * b.px,
             r * a.pz + s * b.pz, 1};
  const double scale = 1 / (velocityAt(model, p.z).value * sqrt(p.px * p.px + p.pz * p.pz));
  p.px *= scale;
  p.pz *= scale;
  return p;
}

// The front with points dropped and put in: point j comes from point source[j].
void movePoints(const Point* after, const int* starts, const int* source, Point* before, int total, Aperture aperture,
                Model model) {
#pragma omp parallel for
  for (int j = 0; j < total; ++j) {
    const int i = source[j], behind = j - starts[i], parts = starts[i + 1] - starts[i];
    Point p = after[i];
    if (behind > 0) p = between(p, after[i + 1], (double)behind / parts, model);
    p.joined = after[i].joined && isInside(after[i + 1], aperture);
    before[j] = p;
  }
}

void startFan(Point* points, Aperture aperture, Model model) {
  const double x = (aperture.left + aperture.shotColumn) * aperture.h, z = aperture.shotRow * aperture.h;
  const double slowness = 1 / velocityAt(model, z).value;
  for (int i = 0; i < fan; ++i) {
    const double angle = M_PI * (2.0 * i / (fan - 1) - 1);
    points[i] = {x, z, slowness * sin(angle), slowness * cos(angle), i + 1 < fan};
  }
}

// The time straight down from z, by Simpson's rule.
double timeDown(Model model, double from, double to) {
  const int parts = 400;
  double sum = 0;
  for (int k = 0; k <= parts; ++k)
    sum += (k == 0 || k == parts ? 1 : k % 2 ? 4 : 2) / velocityAt(model, from + (to - from) * k / parts).value;
  return sum * (to - from) / (3 * parts);
}

// What is known without rays: all times in a gradient, and in layers those straight below the shot (others: -1).
double knownTime(Model model, double x, double z, double shotZ) {
  if (model.transitions) return x == 0 && z >= shotZ ? timeDown(model, shotZ, z) : -1;
  const double k = model.slope, product = velocityAt(model, z).value * velocityAt(model, shotZ).value;
  return acosh(1 + k * k * (x * x + (z - shotZ) * (z - shotZ)) / (2 * product)) / k;
}

void check(const unsigned* times, Aperture a, Model model, Result* result) {
  result->nodes = (long)a.rows * a.columns;
  for (long at = 0; at < result->nodes; ++at) {
    if (times[at] == never) continue;
    ++result->reached;
    const double x = (at % a.columns - a.shotColumn) * a.h, z = at / a.columns * a.h;
    const double known = knownTime(model, x, z, a.shotRow * a.h);
    if (known > 0) result->error = fmax(result->error, fabs(times[at] * tick / known - 1));
  }
  result->sum = checksum(times, result->nodes * sizeof *times);
}

Result shoot(Aperture aperture, Model model, int perCell) {
#pragma omp managed(before, after)
  std::vector<Point> before(fan), after(fan);
#pragma omp managed(counts, source)
  std::vector<int> counts(fan + 1), source(fan);
#pragma omp managed(times)
  std::vector<unsigned> times((size_t)aperture.rows * aperture.columns, never);

  const double fastest = velocityAt(model, (aperture.rows + 1) * aperture.h).value, dt = 0.5 * aperture.h / fastest;
  Result result = {};
  startFan(before.data(), aperture, model);
  for (int n = fan; n > 1; ++result.steps) {
    advance(before.data(), after.data(), n, model, dt);
    timeCells(before.data(), after.data(), times.data(), n, aperture, result.steps * dt, dt);
    result.points += n;
    result.largest = std::max<long>(result.largest, n);
    if (countPoints(after.data(), counts.data(), n, aperture, aperture.h / perCell) == 0) {
      before.swap(after);
      continue;
    }
    counts[n] = 0;  // counts become the places at which points begin
    std::exclusive_scan(counts.data(), counts.data() + n + 1, counts.data(), 0);
    const int total = counts[n];
    if ((size_t)total > before.size()) {
      before.resize(2 * (size_t)total);
      after.resize(before.size());
      counts.resize(before.size() + 1);
      source.resize(before.size());
    }
    for (int i = 0; i < n; ++i) std::fill(&source[counts[i]], &source[counts[i + 1]], i);
    movePoints(after.data(), counts.data(), source.data(), before.data(), total, aperture, model);
    n = total;
  }
  check(times.data(), aperture, model, &result);
  return result;
}

// Apertures from a fifteenth of the model to all of it, in no order: what a shot costs grows with the square.
Aperture apertureOf(int shot, int shots, int across) {
  const double part = shots > 1 ? (shot * 41 + 3) % shots / (shots - 1.0) : 1;
  const double size = 0.065 + 0.935 * part * part;
  const int column = (int)((across - 1) * (shot + 0.5) / shots), half = (int)(size * (across - 1) / 2);
  const int left = std::max(0, column - half), right = std::min(across - 1, column + half);
  const int row = 1 + shot % 3;
  return {left, right - left + 1, std::max(row + 2, half + 1), column - left, row, width / (across - 1)};
}

}  // namespace

int main(int argc, char** argv) {
  const bool layers = numberArgument(argc, argv, 1, "model", 0, 0, 1) == 1;
  const int shots = (int)numberArgument(argc, argv, 2, "shots", 12, 1, 36);
  const int across = (int)numberArgument(argc, argv, 3, "grid nodes across", 801, 61, 8001);
  const int perCell = (int)numberArgument(argc, argv, 4, "points for each cell", 6, 1, 64);
  const Model model = layers ? Model{1.5, 0, 0.4, 3, {0.8, 2.0, 3.4}, {0.7, 0.6, 1.2}} : Model{1.5, 0.6, 0, 0, {}, {}};

  std::vector<Result> results(shots);
  const double start = secondsNow();
#pragma omp parallel for schedule(dynamic)
  for (int shot = 0; shot < shots; ++shot) results[shot] = shoot(apertureOf(shot, shots, across), model, perCell);
  const double seconds = secondsNow() - start;

  Result all = {};
  long fewest = results[0].points, most = 0;
  for (const Result& one : results) {
    all.steps += one.steps, all.points += one.points, all.nodes += one.nodes, all.reached += one.reached;
    all.largest = std::max(all.largest, one.largest);
    all.error = fmax(all.error, one.error);
    fewest = std::min(fewest, one.points), most = std::max(most, one.points);
    all.sum = all.sum * 1099511628211ull + one.sum;
  }
  printf("traveltime: %s, %d shots, %ld steps, %ld points (%ld to %ld a shot), %ld in the largest front\n",
         layers ? "layers" : "gradient", shots, all.steps, all.points, fewest, most, all.largest);
  printf("traveltime: %ld of %ld nodes reached, error at most %.4f %%, checksum %016llx\n", all.reached, all.nodes,
         100 * all.error, all.sum);
  printTime("traveltime", seconds, 1);
  if (all.error <= tolerance && all.reached >= 0.9 * all.nodes) return 0;
  fprintf(stderr, "%s: the error is more than %g %%, or nodes are missing\n", argv[0], 100 * tolerance);
  return 1;
}
