// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "force_lj.h"

void ForceLJ::compute(Atom &atom, Neighbor &neighbor) {
  int nlocal = atom.natoms;
  const int *numneigh = neighbor.numneigh;
  int maxneighs = neighbor.maxneighs;
  MMD_float *x = atom.x, *f = atom.f;
  MMD_float t_eng_vdwl = 0;
  MMD_float t_virial = 0;

  // loop over neighbors of my atoms
  // store force on atom i
  #pragma omp parallel for reduction(+:t_eng_vdwl,t_virial)
  for (int i = 0; i < nlocal; i++) {
    const int *neighs = &neighbor.neighbors[i * maxneighs];
    const int numneighs = numneigh[i];
    const MMD_float xtmp = x[i * PAD + 0];
    const MMD_float ytmp = x[i * PAD + 1];
    const MMD_float ztmp = x[i * PAD + 2];
    MMD_float fix = 0, fiy = 0, fiz = 0;
    for (int k = 0; k < numneighs; k++) {
      const int j = neighs[k];
      MMD_float del[3] = {xtmp - x[j * PAD + 0], ytmp - x[j * PAD + 1], ztmp - x[j * PAD + 2]};
      const MMD_float prd[3] = {atom.box.xprd, atom.box.yprd, atom.box.zprd};
      for (int d = 0; d < 3; d++) {
        if (del[d] > 0.5 * prd[d]) del[d] -= prd[d];
        else if (del[d] < -0.5 * prd[d]) del[d] += prd[d];
      }
      const MMD_float rsq = del[0] * del[0] + del[1] * del[1] + del[2] * del[2];
      if (rsq < cutforcesq) {
        const MMD_float sr2 = 1.0 / rsq;
        const MMD_float sr6 = sr2 * sr2 * sr2 * sigma6;
        const MMD_float force = 48.0 * sr6 * (sr6 - 0.5) * sr2 * epsilon;
        fix += del[0] * force;
        fiy += del[1] * force;
        fiz += del[2] * force;
        t_eng_vdwl += 2.0 * sr6 * (sr6 - 1.0) * epsilon;
        t_virial += 0.5 * rsq * force;
      }
    }
    f[i * PAD + 0] = fix;
    f[i * PAD + 1] = fiy;
    f[i * PAD + 2] = fiz;
  }
  eng_vdwl = t_eng_vdwl;
  virial = t_virial;
}
