// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FORCE_LJ_H
#define FORCE_LJ_H
#include "neighbor.h"

class ForceLJ {
 public:
  MMD_float cutforcesq, epsilon, sigma6;
  MMD_float eng_vdwl, virial;
  explicit ForceLJ(MMD_float cutforce) : cutforcesq(cutforce * cutforce), epsilon(1.0), sigma6(1.0), eng_vdwl(0), virial(0) {}
  void compute(Atom &atom, Neighbor &neighbor);
};
#endif
