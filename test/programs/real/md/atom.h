// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ATOM_H
#define ATOM_H

typedef double MMD_float;
#define PAD 3

struct Box {
  MMD_float xprd, yprd, zprd;
};

class Atom {
 public:
  int natoms, nmax;
#pragma ompx managed(x, v, f)
  MMD_float *x, *v, *f;
  Box box;

  Atom();
  ~Atom();
  void growarray(int n);
  void addatom(MMD_float x, MMD_float y, MMD_float z, MMD_float vx, MMD_float vy, MMD_float vz);
  void pbc();
};

void create_box(Atom &atom, int nx, int ny, int nz, double rho);
int create_atoms(Atom &atom, int nx, int ny, int nz, double rho);
#endif
