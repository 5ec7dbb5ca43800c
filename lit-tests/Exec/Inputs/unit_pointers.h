// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What unit_pointers.cpp and unit_pointers_other.cpp share.
#pragma once

struct Place {
  double x, y;
  double length() const;
  void move(double dx, double dy = 1);
  Place operator-(const Place &other) const;
  static double between(Place a, Place b);
};
Place operator+(Place a, Place b);

struct Particle {
  Place at;
  float mass;
  int steps[3];
};

// Numbers, in memory of the loop and of its iterations.
double otherNext(double *seed);
void otherPair(double *pair);
void otherFill(double *a, int n, double value);
double otherDot(const double *x, const double *y, int n);
void otherExchange(double &a, double &b);
double otherTrace(const double (*matrix)[3]);
int otherAllThree(int *a, const double *b, Particle *c);
void otherThrough(double *pair);
void otherMany(double *a, double *b, double *c, double *d, const double *e);

// Structs.
Particle otherMade(int i);
double otherEnergy(Particle particle);
void otherAdvance(Particle *particle, double by);
double otherMass(const Particle &particle);

// What no loop on several devices may call.
void otherConstant(const double *a);
double otherKept(double *a);
void otherAtomic(double *a);
bool otherSame(const double *a, const double *b);
