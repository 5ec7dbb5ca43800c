// Built with Muster, for unit_counts.cpp.
double total = 0;
int seen = 0;

void addEach(double x) {
#pragma omp critical
  total += x;
}
void fail(int wrong) {
  if (wrong != 0) __builtin_abort();
}
void keep(int threads) { seen = threads; }
