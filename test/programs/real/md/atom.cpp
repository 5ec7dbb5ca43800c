// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "atom.h"

#include <cmath>
#include <cstdlib>
#include <cstring>

Atom::Atom() {
  natoms = 0;
  nmax = 0;
  x = v = f = nullptr;
}

Atom::~Atom() {
  delete[] x;
  delete[] v;
  delete[] f;
}

void Atom::growarray(int n) {
  MMD_float *newx = new MMD_float[n * PAD];
  MMD_float *newv = new MMD_float[n * PAD];
  MMD_float *newf = new MMD_float[n * PAD];
  if (natoms) {
    memcpy(newx, x, natoms * PAD * sizeof(MMD_float));
    memcpy(newv, v, natoms * PAD * sizeof(MMD_float));
  }
  memset(newf, 0, n * PAD * sizeof(MMD_float));
  delete[] x;
  delete[] v;
  delete[] f;
  x = newx;
  v = newv;
  f = newf;
  nmax = n;
}

void Atom::addatom(MMD_float x_in, MMD_float y_in, MMD_float z_in, MMD_float vx_in, MMD_float vy_in, MMD_float vz_in) {
  if (natoms == nmax) growarray(nmax + 128);
  x[natoms * PAD + 0] = x_in;
  x[natoms * PAD + 1] = y_in;
  x[natoms * PAD + 2] = z_in;
  v[natoms * PAD + 0] = vx_in;
  v[natoms * PAD + 1] = vy_in;
  v[natoms * PAD + 2] = vz_in;
  natoms++;
}

/* enforce PBC */
void Atom::pbc() {
  #pragma omp for
  for (int i = 0; i < natoms; i++) {
    if (x[i * PAD + 0] < 0.0) x[i * PAD + 0] += box.xprd;
    if (x[i * PAD + 0] >= box.xprd) x[i * PAD + 0] -= box.xprd;
    if (x[i * PAD + 1] < 0.0) x[i * PAD + 1] += box.yprd;
    if (x[i * PAD + 1] >= box.yprd) x[i * PAD + 1] -= box.yprd;
    if (x[i * PAD + 2] < 0.0) x[i * PAD + 2] += box.zprd;
    if (x[i * PAD + 2] >= box.zprd) x[i * PAD + 2] -= box.zprd;
  }
}

void create_box(Atom &atom, int nx, int ny, int nz, double rho) {
  double lattice = pow((4.0 / rho), (1.0 / 3.0));
  atom.box.xprd = nx * lattice;
  atom.box.yprd = ny * lattice;
  atom.box.zprd = nz * lattice;
}

int create_atoms(Atom &atom, int nx, int ny, int nz, double rho) {
  double alat = pow((4.0 / rho), (1.0 / 3.0));
  unsigned seed = 12345;
  for (int k = 0; k < 2 * nz; k++)
    for (int j = 0; j < 2 * ny; j++)
      for (int i = 0; i < 2 * nx; i++) {
        if ((i + j + k) % 2) continue;
        double vel[3];
        for (int m = 0; m < 3; m++) {
          seed = seed * 1103515245u + 12345u;
          vel[m] = ((seed >> 8) & 0xffff) / 65536.0 - 0.5;
        }
        atom.addatom(0.5 * alat * i, 0.5 * alat * j, 0.5 * alat * k, vel[0], vel[1], vel[2]);
      }
  return 0;
}
