// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions and methods that get pointers, references and structs from loops of another file.
#include "unit_pointers.h"

#include <cmath>

extern "C" void thirdPair(double *pair);

double Place::length() const { return std::sqrt(x * x + y * y); }
void Place::move(double dx, double dy) { x += dx, y += dy; }
Place Place::operator-(const Place &other) const { return {x - other.x, y - other.y}; }
double Place::between(Place a, Place b) { return (a - b).length(); }
Place operator+(Place a, Place b) { return {a.x + b.x, a.y + b.y}; }

double otherNext(double *seed) {
  *seed = std::fmod(*seed * 171 + 11, 1009);
  return *seed / 1009;
}
void otherPair(double *pair) {
  const double first = pair[0];
  pair[0] = pair[1];
  for (int k = 1; k < 2; ++k) pair[k] = first + 1;
}
void otherFill(double *a, int n, double value) {
  double *const end = a + n;
  for (double *p = a; p < end; ++p) *p = value += 0.5;
}
double otherDot(const double *x, const double *y, int n) {
  double sum = 0;
  while (n-- > 0) sum += *x++ * y[n];
  return sum;
}
void otherExchange(double &a, double &b) {
  const double old = a;
  a = b;
  b = old;
}
double otherTrace(const double (*matrix)[3]) { return matrix[0][0] + matrix[1][1] + matrix[2][2]; }
int otherAllThree(int *a, const double *b, Particle *c) {
  *a += 3;
  c->steps[*a % 3] += b[1] > 2;
  return c->steps[0];
}
void otherThrough(double *pair) {
  thirdPair(pair);
  pair[0] += 1;
}
void otherMany(double *a, double *b, double *c, double *d, const double *e) { *a += *b += *c += *d += *e; }

Particle otherMade(int i) {
  Particle made = {{i * 0.5, 1}, i / 3.0f, {i, i + 1, 2}};
  return made;
}
double otherEnergy(Particle particle) {
  particle.at.x += 1;
  return particle.mass * particle.at.length();
}
void otherAdvance(Particle *particle, double by) {
  particle->at.x += by;
  for (int &step : particle->steps) step += 2;
}
double otherMass(const Particle &particle) { return particle.mass + particle.steps[1]; }

void otherConstant(const double *a) { *const_cast<double *>(a) = 3; }
double otherKept(double *a) {
  static double *kept;
  if (kept == nullptr) kept = a;
  return *a;
}
void otherAtomic(double *a) {
#pragma omp atomic
  *a += 1;
}
bool otherSame(const double *a, const double *b) { return a == b; }
