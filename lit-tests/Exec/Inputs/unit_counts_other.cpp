// Built with Muster, for unit_counts.cpp.
double total = 0, most = 0;
int seen = 0;

void addEach(double x) {
#pragma omp critical
  total += x;
}
void keepMost(double x) {
#pragma omp critical
  if (most < x) most = x;
}
void fail(int wrong) {
  if (wrong != 0) __builtin_abort();
}
void keep(int threads) { seen = threads; }
