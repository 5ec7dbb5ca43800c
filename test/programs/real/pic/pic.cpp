// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Particles in cells, one dimension: charges are deposited with atomics, species in a vector of structs with vectors.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

struct Species { double q, m; int n;
#pragma omp managed(x)
  std::vector<double> x;
#pragma omp managed(v)
  std::vector<double> v;
};
class Grid { public: int nx; double dx;
#pragma omp managed(rho)
  std::vector<double> rho;
#pragma omp managed(E)
  std::vector<double> E;
#pragma omp managed(phi)
  std::vector<double> phi;
  Grid(int nx) : nx(nx), dx(1.0/nx), rho(nx), E(nx), phi(nx) {} };
class Pic {
  Grid &g; std::vector<Species> sp; double dt = 0.01;
 public:
  Pic(Grid &g, int n) : g(g) {
    sp.resize(2);
    for (int s = 0; s < 2; s++) {
      Species &p = sp[s]; p.q = s ? 1 : -1; p.m = s ? 100 : 1; p.n = n; p.x.resize(n); p.v.resize(n);
#pragma omp parallel for
      for (int i = 0; i < n; i++) { p.x[i] = (i+0.5)/n; p.v[i] = s ? 0 : 0.1*std::sin(2*M_PI*p.x[i]); }
    }
  }
  void deposit() {
    std::fill(g.rho.begin(), g.rho.end(), 0.0);
    for (auto &p : sp) {
      const double w = p.q/p.n;
#pragma omp parallel for
      for (int i = 0; i < p.n; i++) {
        double xi = p.x[i]/g.dx; int c = (int)xi; double f = xi-c;
#pragma omp atomic
        g.rho[c % g.nx] += w*(1-f);
#pragma omp atomic update
        g.rho[(c+1) % g.nx] += w*f;
      }
    }
  }
  void field() {
    for (int it = 0; it < 20; it++) {
#pragma omp parallel for
      for (int i = 0; i < g.nx; i++) g.E[i] = 0.5*(g.phi[(i+1)%g.nx]+g.phi[(i+g.nx-1)%g.nx]+g.dx*g.dx*g.rho[i]);
      std::swap(g.E, g.phi);
    }
#pragma omp parallel for
    for (int i = 0; i < g.nx; i++) g.E[i] = -(g.phi[(i+1)%g.nx]-g.phi[(i-1+g.nx)%g.nx])/(2*g.dx);
  }
  void push() {
    for (size_t s = 0; s < sp.size(); ++s) {
      auto &p = sp[s];
#pragma omp parallel for
      for (int i = 0; i < p.n; i++) {
        double xi = p.x[i]/g.dx; int c = std::min((int)xi, g.nx-1); double f = xi-c;
        double e = g.E[c]*(1-f)+g.E[(c+1)%g.nx]*f;
        p.v[i] += dt*p.q/p.m*e;
        double nx = p.x[i] + dt*p.v[i];
        p.x[i] = nx - std::floor(nx);
        if (p.x[i] >= 1) p.x[i] = 0;
      }
    }
  }
  double charge() const {
    double net = 0;
    for (double r : g.rho) net += r;
    return std::fabs(net);
  }
  double energy() { double k = 0; for (auto &p : sp) {
#pragma omp parallel for reduction(+:k)
      for (int i = 0; i < p.n; i++) k += 0.5*p.m*p.v[i]*p.v[i]/p.n; }
    return k; }
};

int main() {
  Grid g(37);
  Pic pic(g, 1511);
  bool ok = true;
  const double before = pic.energy();
  for (int t = 0; t < 6; t++) {
    pic.deposit();
    pic.field();
    pic.push();
    printf("%d %.12f\n", t, pic.energy());
    ok = ok && pic.charge() < 1e-12 && std::fabs(pic.energy() - before) < 0.2 * before;
  }
  printf(ok ? "charge and energy are kept\n" : "charge or energy: WRONG\n");
  return ok ? 0 : 1;
}
