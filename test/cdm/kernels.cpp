// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Test kernels of one element type, and those with something wrong.
#include "kernels.h"

#include "kernel_parts.h"
#include "muster/cdm/merge_kernels.h"

namespace muster::cdm::test {

const KernelCode& neighbours() {
  static const KernelCode kernel = [] {
    KernelCode code = makeCode("neighbours", 2, [](const muster_chunk* chunk) {
      const int* x = array<int>(chunk, 0);
      int* y = array<int>(chunk, 1);
      const auto width = scalar<std::int64_t>(chunk, 0);
      forEach2(chunk, [&](std::int64_t i, std::int64_t j) {
        const std::int64_t at = i * width + j;
        y[at] = x[at - width] + x[at + width] + x[at - 1] + x[at + 1];
      });
    });
    code.arrays = {{"x", sizeof(int), false}, {"y", sizeof(int), true}};
    code.scalars = {{"width", ScalarType::i64, 8}};
    code.schedule.steps = {5, 1, 0, 1, 0};
    code.opencl = kernelText(
        code.name, 2, "__global const int *x_buf, long x_origin, __global int *y_buf, long y_origin, long width", "",
        "__global const int *x = x_buf + x_origin; __global int *y = y_buf + y_origin;\n"
        "long k = muster_lo_0 + (long)get_global_id(1), l = muster_lo_1 + (long)get_global_id(0);\n"
        "if (k < muster_hi_0 && l < muster_hi_1) {\n"
        "  long at = (muster_first_0 + k * muster_step_0) * width + muster_first_1 + l * muster_step_1;\n"
        "  y[at] = x[at - width] + x[at + width] + x[at - 1] + x[at + 1];\n}");
    return code;
  }();
  return kernel;
}

const KernelCode& fill3d() {
  static const KernelCode kernel = [] {
    KernelCode code = makeCode("fill3d", 3, [](const muster_chunk* chunk) {
      auto* y = array<std::int64_t>(chunk, 0);
      const auto b = scalar<std::int64_t>(chunk, 0), c = scalar<std::int64_t>(chunk, 1);
      forEach3(chunk, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
        y[(i * b + j) * c + k] += 1 + i + 100 * j + 10000 * k;
      });
    });
    code.arrays = {{"y", 8, true}};
    code.scalars = {{"b", ScalarType::i64, 8}, {"c", ScalarType::i64, 8}};
    code.schedule = {{0, 1, 2}, 1, 4};
    code.opencl = kernelText(
        code.name, 3, "__global long *y_buf, long y_origin, long b, long c", "",
        // Several iterations a work-item, where the backend wants them.
        "long p = muster_lo_0 + (long)get_global_id(2), row = muster_lo_1 + (long)get_global_id(1) * MUSTER_POINTS;\n"
        "long r = muster_lo_2 + (long)get_global_id(0);\n"
        "for (long q = row; q < row + MUSTER_POINTS; ++q)\n"
        "if (p < muster_hi_0 && q < muster_hi_1 && r < muster_hi_2) {\n"
        "  long i = muster_first_0 + p * muster_step_0, j = muster_first_1 + q * muster_step_1;\n"
        "  long k = muster_first_2 + r * muster_step_2;\n"
        "  (y_buf + y_origin)[(i * b + j) * c + k] += 1 + i + 100 * j + 10000 * k;\n}");
    return code;
  }();
  return kernel;
}

const KernelCode& columns() {
  static const KernelCode kernel = [] {
    KernelCode code = makeCode("columns", 2, [](const muster_chunk* chunk) {
      const auto height = scalar<std::int64_t>(chunk, 0);
      forEach2(chunk, [&](std::int64_t i, std::int64_t j) {
        array<int>(chunk, 1)[j * height + i] = array<int>(chunk, 0)[j * height + i] + static_cast<int>(i);
      });
    });
    code.arrays = {{"x", sizeof(int), false}, {"y", sizeof(int), true}};
    code.scalars = {{"height", ScalarType::i64, 8}};
    code.schedule = {{1, 0, 2}, 1, 4};
    code.opencl = kernelText(
        code.name, 2, "__global const int *x_buf, long x_origin, __global int *y_buf, long y_origin, long height", "",
        "long k = muster_lo_0 + (long)get_global_id(0), first = muster_lo_1 + (long)get_global_id(1) * MUSTER_POINTS;\n"
        "for (long l = first; l < first + MUSTER_POINTS; ++l)\n"
        "if (k < muster_hi_0 && l < muster_hi_1) {\n"
        "  long i = muster_first_0 + k * muster_step_0, j = muster_first_1 + l * muster_step_1;\n"
        "  (y_buf + y_origin)[j * height + i] = (x_buf + x_origin)[j * height + i] + (int)i;\n}");
    return code;
  }();
  return kernel;
}

const KernelCode& apart() {
  static const KernelCode kernel = [] {
    KernelCode code = makeCode("apart", 1, [](const muster_chunk* chunk) {
      for (std::int64_t k = chunk->lo; k < chunk->hi; ++k) {
        const std::int64_t i = value(chunk->dims[0], k);
        array<int>(chunk, 1)[i] += array<int>(chunk, 0)[i];
      }
    });
    code.arrays = {{"x", sizeof(int), false, ScalarType::i32}, {"y", sizeof(int), true, ScalarType::i32}};
    code.schedule = {{0, 1, 2}, 0, 4};
    code.opencl = kernelText(
        code.name, 1, "__global const int *x_buf, long x_origin, __global int *y_buf, long y_origin", "",
        "long first = muster_lo_0 + (long)get_group_id(0) * (MUSTER_WG0 * MUSTER_POINTS) + (long)get_local_id(0);\n"
        "for (int p = 0; p < MUSTER_POINTS; ++p) {\n"
        "  long k = first + p * MUSTER_WG0, i = muster_first_0 + k * muster_step_0;\n"
        "  if (k < muster_hi_0) (y_buf + y_origin)[i] += (x_buf + x_origin)[i];\n}");
    return code;
  }();
  return kernel;
}

const KernelCode& sum3d() {
  static const KernelCode kernel = [] {
    KernelCode code = makeCode("sum3d", 3, [](const muster_chunk* chunk) {
      const auto* x = array<std::int64_t>(chunk, 0);
      const auto b = scalar<std::int64_t>(chunk, 0), c = scalar<std::int64_t>(chunk, 1);
      std::int64_t sum = 0, last = 0;
      forEach3(chunk, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
        last = (i * b + j) * c + k;
        sum += x[last];
      });
      *static_cast<std::int64_t*>(chunk->results[0]) = sum;
      *static_cast<std::int64_t*>(chunk->results[1]) = last;
    });
    code.arrays = {{"x", 8, false}};
    code.scalars = {{"b", ScalarType::i64, 8}, {"c", ScalarType::i64, 8}};
    addResults<std::int64_t, ResultKind::add, ResultKind::lastPrivate>(code);
    code.opencl = kernelText(
        code.name, 3, "__global const long *x_buf, long x_origin, long b, long c",
        "__global long *sum_out, __global long *last_out",
        "__local long slots[MUSTER_WG0 * MUSTER_WG1 * MUSTER_WG2];\n"
        "long sum = 0;\n"
        "for (long p = muster_lo_0 + (long)get_global_id(2); p < muster_hi_0; p += (long)get_global_size(2))\n"
        " for (long q = muster_lo_1 + (long)get_global_id(1); q < muster_hi_1; q += (long)get_global_size(1))\n"
        "  for (long r = muster_lo_2 + (long)get_global_id(0); r < muster_hi_2; r += (long)get_global_size(0)) {\n"
        "   long i = muster_first_0 + p * muster_step_0, j = muster_first_1 + q * muster_step_1;\n"
        "   long at = (i * b + j) * c + muster_first_2 + r * muster_step_2;\n"
        "   sum += (x_buf + x_origin)[at];\n"
        "   if (p == muster_hi_0 - 1 && q == muster_hi_1 - 1 && r == muster_hi_2 - 1) last_out[0] = at;\n"
        "  }\n"
        "size_t me = get_local_id(0) + MUSTER_WG0 * (get_local_id(1) + MUSTER_WG1 * get_local_id(2));\n"
        "slots[me] = sum; barrier(CLK_LOCAL_MEM_FENCE);\n"
        "for (size_t stride = MUSTER_WG0 * MUSTER_WG1 * MUSTER_WG2 / 2; stride > 0; stride /= 2) {\n"
        "  if (me < stride) slots[me] += slots[me + stride];\n  barrier(CLK_LOCAL_MEM_FENCE);\n}\n"
        "size_t group = get_group_id(0) + get_num_groups(0) * (get_group_id(1) + get_num_groups(1) * "
        "get_group_id(2));\n"
        "if (me == 0) sum_out[group] = slots[0];");
    return code;
  }();
  return kernel;
}

const KernelCode& lastIndex() {
  static const KernelCode kernel = [] {
    KernelCode code = makeCode("last_index", 2, [](const muster_chunk* chunk) {
      int* y = array<int>(chunk, 0);
      const auto width = scalar<std::int64_t>(chunk, 0);
      std::int64_t last = 0;
      forEach2(chunk, [&](std::int64_t i, std::int64_t j) {
        y[i * width + j] = static_cast<int>(i + j);
        last = i * 1000 + j;
      });
      *static_cast<std::int64_t*>(chunk->results[0]) = last;
    });
    code.arrays = {{"y", sizeof(int), true, ScalarType::i32}};
    code.scalars = {{"width", ScalarType::i64, 8}};
    addResults<std::int64_t, ResultKind::lastPrivate>(code);
    code.opencl =
        kernelText(code.name, 2, "__global int *y_buf, long y_origin, long width", "__global long *last_out",
                   "long k = muster_lo_0 + (long)get_global_id(1), l = muster_lo_1 + (long)get_global_id(0);\n"
                   "if (k < muster_hi_0 && l < muster_hi_1) {\n"
                   "  long i = muster_first_0 + k * muster_step_0, j = muster_first_1 + l * muster_step_1;\n"
                   "  (y_buf + y_origin)[i * width + j] = (int)(i + j);\n"
                   "  if (k == muster_hi_0 - 1 && l == muster_hi_1 - 1) last_out[0] = i * 1000 + j;\n}");
    return code;
  }();
  return kernel;
}

const KernelCode& endsAtNegative() {
  static const KernelCode kernel = [] {
    KernelCode code = makeCode("ends_at_negative", 1, [](const muster_chunk* chunk) {
      for (std::int64_t k = chunk->lo; k < chunk->hi; ++k) {
        const std::int64_t i = value(chunk->dims[0], k);
        if (array<int>(chunk, 0)[i] < 0) *static_cast<End*>(chunk->results[0]) = {1, static_cast<std::int32_t>(i)};
      }
    });
    code.arrays = {{"x", sizeof(int), false}};
    const auto keepFirst = [](void* into, const void* partial) {
      if (static_cast<End*>(into)->how == 0) *static_cast<End*>(into) = *static_cast<const End*>(partial);
    };
    code.results = {{"end", ScalarType::other, sizeof(End), ResultKind::programEnd, keepFirst}};
    code.opencl = kernelText(code.name, 1, "__global const int *x_buf, long x_origin", "__global int *end_out",
                             "long k = muster_lo_0 + (long)get_global_id(0);\n"
                             "if (k >= muster_hi_0) return;\n"
                             "long i = muster_first_0 + k * muster_step_0;\n"
                             "if ((x_buf + x_origin)[i] < 0)\n"
                             "  if (atomic_cmpxchg((volatile __global int *)end_out, 0, 1) == 0) end_out[1] = (int)i;");
    return code;
  }();
  return kernel;
}

namespace {

KernelCode makeIncrement(const std::string& name) {
  KernelCode code = makeCode(name, 1, [](const muster_chunk* chunk) {
    for (std::int64_t k = chunk->lo; k < chunk->hi; ++k) ++array<int>(chunk, 0)[value(chunk->dims[0], k)];
  });
  code.arrays = {{"y", sizeof(int), true, ScalarType::i32}};
  code.opencl = kernelText(code.name, 1, "__global int *y_buf, long y_origin", "",
                           "long k = muster_lo_0 + (long)get_global_id(0);\n"
                           "if (k < muster_hi_0) (y_buf + y_origin)[muster_first_0 + k * muster_step_0] += 1;");
  return code;
}

}  // namespace

const KernelCode& increment() {
  static const KernelCode code = makeIncrement("increment");
  return code;
}

const KernelCode& brokenText() {
  static const KernelCode kernel = [] {
    KernelCode code = makeIncrement("broken_text");
    code.opencl += "this is no OpenCL;\n";
    return code;
  }();
  return kernel;
}

const KernelCode& wrongName() {
  static const KernelCode kernel = [] {
    KernelCode code = makeIncrement("right_name");
    code.name = "wrong_name";
    return code;
  }();
  return kernel;
}

const KernelCode& nativeOnly() {
  static const KernelCode kernel = [] {
    KernelCode code = makeIncrement("native_only");
    code.opencl.clear();
    return code;
  }();
  return kernel;
}

const KernelCode& openclOnly() {
  static const KernelCode kernel = [] {
    KernelCode code = makeIncrement("opencl_only");
    code.native = nullptr;
    return code;
  }();
  return kernel;
}

const std::vector<const KernelCode*>& allKernels() {
  static const std::vector<const KernelCode*> kernels = [] {
    std::vector<const KernelCode*> all = {&neighbours(), &columns(),   &apart(),      &histogram(),      &window(),
                                          &rowSums(),    &fillRows(),  &fillLayers(), &fillShort(),      &blocks(),
                                          &fill3d(),     &sum3d(),     &lastIndex(),  &endsAtNegative(), &increment(),
                                          &brokenText(), &wrongName(), &nativeOnly(), &openclOnly()};
#define MUSTER_LIST(T)            \
  all.push_back(&addScalar<T>()); \
  all.push_back(&reduceAll<T>());
    MUSTER_FOR_ALL_TYPES(MUSTER_LIST)
#undef MUSTER_LIST
    for (const std::size_t unit : {1, 2, 4, 8}) {
      for (int kernel = 0; kernel <= static_cast<int>(MergeKernel::apply); ++kernel)
        all.push_back(&mergeKernel(static_cast<MergeKernel>(kernel), unit));
    }
    for (int type = 0; type < static_cast<int>(ScalarType::other); ++type)
      all.push_back(mergeUpdateKernel(static_cast<ScalarType>(type)));
    return all;
  }();
  return kernels;
}

}  // namespace muster::cdm::test
