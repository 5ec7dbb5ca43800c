// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of a header that loops of C programs call.
#ifndef C_FUNCTIONS_H
#define C_FUNCTIONS_H
typedef struct {
  double x, y, z;
} vec3;

static inline vec3 minus(vec3 a, vec3 b) { return (vec3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline double dot(const vec3 *a, const vec3 *b) { return a->x * b->x + a->y * b->y + a->z * b->z; }
static inline void add_to(vec3 *restrict a, double f, const vec3 *restrict b) {
  a->x += f * b->x;
  a->y += f * b->y;
  a->z += f * b->z;
}
#define SQUARE(x) ((x) * (x))
#endif
