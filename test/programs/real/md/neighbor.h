// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef NEIGHBOR_H
#define NEIGHBOR_H
#include "atom.h"

class Neighbor {
 public:
  int maxneighs = 100;
  MMD_float cutneigh, cutneighsq;
#pragma ompx managed(neighbors)
  int *neighbors = nullptr;  // maxneighs for each atom
#pragma ompx managed(numneigh)
  int *numneigh = nullptr;
  int nmax = 0;

  ~Neighbor();
  void setup(MMD_float cut);
  void build(Atom &);
};
#endif
