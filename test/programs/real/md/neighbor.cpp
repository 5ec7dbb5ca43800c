// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "neighbor.h"

#include <cstdio>

Neighbor::~Neighbor() {
  delete[] numneigh;
  delete[] neighbors;
}

void Neighbor::setup(MMD_float cut) {
  cutneigh = cut;
  cutneighsq = cut * cut;
}

static inline MMD_float nearest(MMD_float d, MMD_float prd) {
  if (d > 0.5 * prd) return d - prd;
  if (d < -0.5 * prd) return d + prd;
  return d;
}

/* full lists: each atom knows all its neighbors; called by all threads of a region */
void Neighbor::build(Atom &atom) {
  const int nlocal = atom.natoms;
  #pragma omp single
  if (nlocal > nmax) {
    nmax = nlocal;
    delete[] numneigh;
    delete[] neighbors;
    numneigh = new int[nmax];
    neighbors = new int[nmax * maxneighs];
  }
  const MMD_float *const x = atom.x;
  int overflow = 0;
  #pragma omp for schedule(static)
  for (int i = 0; i < nlocal; i++) {
    int *neighptr = &neighbors[i * maxneighs];
    int n = 0;
    const MMD_float xtmp = x[i * PAD + 0];
    const MMD_float ytmp = x[i * PAD + 1];
    const MMD_float ztmp = x[i * PAD + 2];
    for (int j = 0; j < nlocal; j++) {
      if (j == i) continue;
      const MMD_float delx = nearest(xtmp - x[j * PAD + 0], atom.box.xprd);
      const MMD_float dely = nearest(ytmp - x[j * PAD + 1], atom.box.yprd);
      const MMD_float delz = nearest(ztmp - x[j * PAD + 2], atom.box.zprd);
      const MMD_float rsq = delx * delx + dely * dely + delz * delz;
      if (rsq <= cutneighsq && n < maxneighs) neighptr[n++] = j;
    }
    numneigh[i] = n;
    if (n >= maxneighs) overflow = 1;
  }
  if (overflow) fprintf(stderr, "neighbor list overflow\n");
}
