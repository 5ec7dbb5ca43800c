// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions that make variables of static storage, or members, private, and whose copies cannot be told from the
// originals; names that native code cannot spell.
//
// RUN: %muster++ -w -fsyntax-only %s 2>&1 | %filecheck %s
int g = 7, &alias = g;
namespace spaced {
int inside;
}
struct Holder {
  static int count;
  int own;
};
int Holder::count = 1;
static int get() { return g; }
static int twice() { return 2 * get(); }

void regions(double *a, int n, Holder &holder) {
// CHECK: :[[@LINE+1]]:1: remark: region stays plain OpenMP on rank 0: calls 'get', which uses 'g' itself, and not the copy that the region makes of it; give it the value
#pragma omp parallel private(g)
  {
    g = 2;
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = g + twice();
  }
// CHECK: :[[@LINE+1]]:1: remark: region stays {{.*}}: makes 'inside', a variable of static storage, private, and names it with a qualifier; give the region a local variable instead
#pragma omp parallel private(spaced::inside)
  {
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = spaced::inside = i;
  }
// CHECK: :[[@LINE+1]]:1: remark: region stays {{.*}}: makes 'g', a variable of static storage, private, and names it with a qualifier
#pragma omp parallel firstprivate(g)
  {
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = ::g;
  }
  using H = Holder;
// CHECK: :[[@LINE+1]]:1: remark: region stays {{.*}}: makes 'count', a variable of static storage, private, and names it with a qualifier
#pragma omp parallel firstprivate(H::count)
  {
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = holder.count;
  }
// CHECK: :[[@LINE+1]]:1: remark: region stays {{.*}}: makes 'alias', a variable of static storage, private, and it is a reference
#pragma omp parallel firstprivate(alias)
  {
    alias = 2;
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = alias;
  }
// CHECK: :[[@LINE+1]]:1: remark: region stays {{.*}}: makes 'g', a variable of static storage, private, and declares it again
#pragma omp parallel firstprivate(g)
  {
    g = 2;
#pragma omp for
    for (int i = 0; i < n; ++i) {
      extern int g;
      a[i] = g;
    }
  }
}

static union {
  int whole;
  float real;
};
void anonymous(double *a, int n) {
// CHECK: :[[@LINE+1]]:1: remark: loop stays {{.*}}: uses a variable of an anonymous union; give the union a name
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = whole;
}

struct Derived : Holder {
  double list[3];
  int read() const { return own; }
  void run(double *a, int n) {
// CHECK: :[[@LINE+1]]:1: remark: region stays {{.*}}: makes 'count', a variable of static storage, private, and names it as a member of an object
#pragma omp parallel firstprivate(count)
    {
      count = 2;
#pragma omp for
      for (int i = 0; i < n; ++i) a[i] = this->count;
    }
  }
  void members(double *a, int n) {
// CHECK: :[[@LINE+1]]:1: remark: region stays {{.*}}: calls a function that uses 'own' of the object, and not the copy that the region makes of it; give it the value
#pragma omp parallel firstprivate(own)
    {
      own += 2;
#pragma omp for
      for (int i = 0; i < n; ++i) a[i] = own + read();
    }
// CHECK: :[[@LINE+1]]:1: remark: loop stays {{.*}}: names 'own', a member that a clause makes private, by more than its name; write its name alone
#pragma omp parallel for private(own)
    for (int i = 0; i < n; ++i) {
      own = i;
      a[i] = this->own;
    }
// CHECK: :[[@LINE+1]]:1: remark: loop stays {{.*}}: names 'this->list' with a qualifier
#pragma omp parallel for
    for (int i = 0; i < n; ++i) a[i] = Derived::list[i % 3];
  }
};
template <class... T>
double fold(double *a, int n, T... more) {
  double s = 0;
// CHECK: :[[@LINE+1]]:1: remark: loop stays {{.*}}: has a body whose text has no clear end; put it into braces
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; ++i) s += (a[i] + ... + more);
  return s;
}
template double fold(double *, int, int, float);
