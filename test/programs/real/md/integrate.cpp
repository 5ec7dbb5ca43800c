// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Velocity Verlet, and the program.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "force_lj.h"

class Integrate {
 public:
  MMD_float dt, dtforce;
  int ntimes;
  Integrate(MMD_float step, int n) : dt(step), dtforce(0.5 * step), ntimes(n) {}
  void initialIntegrate(Atom &);
  void finalIntegrate(Atom &);
  void run(Atom &, ForceLJ &, Neighbor &);
};

void Integrate::initialIntegrate(Atom &atom) {
  MMD_float *x = atom.x, *v = atom.v, *f = atom.f;
  int nlocal = atom.natoms;
  #pragma omp parallel for
  for (int i = 0; i < nlocal; i++) {
    v[i * PAD + 0] += dtforce * f[i * PAD + 0];
    v[i * PAD + 1] += dtforce * f[i * PAD + 1];
    v[i * PAD + 2] += dtforce * f[i * PAD + 2];
    x[i * PAD + 0] += dt * v[i * PAD + 0];
    x[i * PAD + 1] += dt * v[i * PAD + 1];
    x[i * PAD + 2] += dt * v[i * PAD + 2];
  }
}

void Integrate::finalIntegrate(Atom &atom) {
  #pragma omp parallel for
  for (int i = 0; i < PAD * atom.natoms; i++) atom.v[i] += dtforce * atom.f[i];
}

static double temperature(Atom &atom) {
  MMD_float t = 0;
  const MMD_float *v = atom.v;
  #pragma omp parallel for reduction(+:t)
  for (int i = 0; i < atom.natoms; i++) {
    const MMD_float vx = v[i * PAD + 0], vy = v[i * PAD + 1], vz = v[i * PAD + 2];
    t += (vx * vx + vy * vy + vz * vz);
  }
  return t;
}

static double total(Atom &atom, ForceLJ &force) { return force.eng_vdwl + 0.5 * temperature(atom); }

void Integrate::run(Atom &atom, ForceLJ &force, Neighbor &neighbor) {
  for (int n = 0; n < ntimes; n++) {
    initialIntegrate(atom);
    if ((n + 1) % 10 == 0) {
      #pragma omp parallel
      {
        atom.pbc();
        neighbor.build(atom);
      }
    }
    force.compute(atom, neighbor);
    finalIntegrate(atom);
    if ((n + 1) % 5 == 0)
      printf("%4d  T %.6e  U %.6e  P %.6e\n", n + 1, temperature(atom) / (3.0 * atom.natoms), force.eng_vdwl / atom.natoms,
             force.virial / atom.natoms);
  }
}

int main(int argc, char **argv) {
  const int cells = argc > 1 ? atoi(argv[1]) : 4, steps = argc > 2 ? atoi(argv[2]) : 20;
  Atom atom;
  Neighbor neighbor;
  ForceLJ force(2.5);
  Integrate integrate(0.004, steps);
  create_box(atom, cells, cells, cells, 0.8442);
  create_atoms(atom, cells, cells, cells, 0.8442);
  neighbor.setup(2.8);
  #pragma omp parallel
  neighbor.build(atom);
  force.compute(atom, neighbor);
  const double before = total(atom, force);
  integrate.run(atom, force, neighbor);
  const double after = total(atom, force);
  const bool ok = std::fabs(after - before) < 0.05 * std::fabs(before);
  printf("%d atoms, energy %s\n", atom.natoms, ok ? "conserved" : "DRIFTS");
  return ok ? 0 : 1;
}
