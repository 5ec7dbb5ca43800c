// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Test kernels whose texts have several forms, one of which a schedule asks for.
#include "kernel_parts.h"
#include "kernels.h"

namespace muster::cdm::test {

const KernelCode& window() {
  static const KernelCode kernel = [] {
    KernelCode code = makeCode("window", 2, [](const muster_chunk* chunk) {
      const auto width = scalar<std::int64_t>(chunk, 0);
      forEach2(chunk, [&](std::int64_t i, std::int64_t j) {
        int sum = 0;
        for (int l = 0; l < scalar<std::int32_t>(chunk, 1); ++l) sum += array<int>(chunk, 0)[i * width + j + l];
        array<int>(chunk, 1)[i * width + j] = sum;
      });
    });
    code.arrays = {{"x", sizeof(int), false}, {"y", sizeof(int), true}};
    code.scalars = {{"width", ScalarType::i64, 8}, {"taps", ScalarType::i32, 4}};
    code.schedule = {{0, 1, 2}, 1, 4};
    code.schedule.n_constants = code.schedule.n_counts = 1;
    code.schedule.most_counted = 9;
    code.schedule.constants[0] = 1;
    code.schedule.counts[0][1] = 1;
    // Wrong where a text is built for another value than the launch's, or for several rows without one.
    code.opencl =
        "#ifdef MUSTER_VALUE_1\n#define TAPS (taps == MUSTER_VALUE_1 ? taps : -1000)\n"
        "#else\n#define TAPS (MUSTER_POINTS == 1 ? taps : -1000)\n#endif\n" +
        kernelText(code.name, 2,
                   "__global const int *x_buf, long x_origin, __global int *y_buf, long y_origin, long width, int taps",
                   "",
                   "long l = muster_lo_1 + (long)get_global_id(0), first = muster_lo_0 + (long)get_global_id(1) * "
                   "MUSTER_POINTS;\n"
                   "for (long k = first; k < first + MUSTER_POINTS; ++k)\n"
                   "if (k < muster_hi_0 && l < muster_hi_1) {\n"
                   "  long i = muster_first_0 + k * muster_step_0, j = muster_first_1 + l * muster_step_1;\n"
                   "  int sum = TAPS == -1000 ? -1 : 0;\n"
                   "  for (int t = 0; t < TAPS; ++t) sum += (x_buf + x_origin)[i * width + j + t];\n"
                   "  (y_buf + y_origin)[i * width + j] = sum;\n}");
    return code;
  }();
  return kernel;
}

const KernelCode& rowSums() {
  static const KernelCode kernel = [] {
    KernelCode code = makeCode("row_sums", 1, [](const muster_chunk* chunk) {
      const auto width = scalar<std::int32_t>(chunk, 0);
      for (std::int64_t k = chunk->lo; k < chunk->hi; ++k) {
        const std::int64_t i = value(chunk->dims[0], k);
        int sum = 0;
        for (int e = 0; e < width; ++e) sum += array<int>(chunk, 0)[i * width + e];
        array<int>(chunk, 1)[i] = sum;
      }
    });
    code.arrays = {{"x", sizeof(int), false}, {"y", sizeof(int), true}};
    code.scalars = {{"width", ScalarType::i32, 4}};
    code.schedule.tiled = code.schedule.n_constants = code.schedule.n_counts = 1;
    code.schedule.counts[0][1] = 1;
    // Wrong where the other form runs for shorter rows, or in larger groups.
    code.opencl =
        "#ifdef MUSTER_TILES\n#define WRONG (width < 64 || MUSTER_WG0 > 64)\n#else\n#define WRONG 0\n#endif\n" +
        kernelText(code.name, 1,
                   "__global const int *x_buf, long x_origin, __global int *y_buf, long y_origin, int width", "",
                   "#ifdef MUSTER_TILES\n__local int shared[MUSTER_WG0];\nshared[get_local_id(0)] = 0;\n"
                   "barrier(CLK_LOCAL_MEM_FENCE);\n#endif\n"
                   "long k = muster_lo_0 + (long)get_global_id(0), i = muster_first_0 + k * muster_step_0;\n"
                   "if (k < muster_hi_0) {\n"
                   "  int sum = WRONG ? -1 : 0;\n"
                   "  for (int e = 0; e < width; ++e) sum += (x_buf + x_origin)[i * width + e];\n"
                   "  (y_buf + y_origin)[i] = sum;\n}");
    return code;
  }();
  return kernel;
}

const KernelCode& fillRows() {
  static const KernelCode kernel = [] {
    KernelCode code = makeCode("fill_rows", 1, [](const muster_chunk* chunk) {
      const auto width = scalar<std::int32_t>(chunk, 0);
      for (std::int64_t k = chunk->lo; k < chunk->hi; ++k) {
        const std::int64_t i = value(chunk->dims[0], k);
        for (int j = 0; j < width; ++j) array<int>(chunk, 1)[i * width + j] = array<int>(chunk, 0)[i] + j;
      }
    });
    code.arrays = {{"x", sizeof(int), false}, {"y", sizeof(int), true}};
    code.scalars = {{"width", ScalarType::i32, 4}};
    code.schedule.grouped = MUSTER_GROUPED_COUNTED, code.schedule.n_constants = 1;
    code.schedule.group_count[1] = 1;
    // Wrong where the other form runs for shorter rows.
    code.opencl = kernelText(
        code.name, 1, "__global const int *x_buf, long x_origin, __global int *y_buf, long y_origin, int width", "",
        "#ifdef MUSTER_GROUPS\nlong k = muster_lo_0 + (long)get_group_id(0);\n"
        "const int first = width < 64 ? 1 : (int)get_local_id(0), step = MUSTER_WG0;\n#else\n"
        "long k = muster_lo_0 + (long)get_global_id(0);\nconst int first = 0, step = 1;\n#endif\n"
        "if (k < muster_hi_0) {\n"
        "  long i = muster_first_0 + k * muster_step_0;\n"
        "  for (int j = first; j < width; j += step)\n"
        "    (y_buf + y_origin)[i * width + j] = (x_buf + x_origin)[i] + j;\n}");
    return code;
  }();
  return kernel;
}

// Of kernels that fill layers: `grouped` says which iteration a group's work-item has, and its steps of the loop
// inside.
static std::string layersText(const std::string& name, const std::string& grouped) {
  return kernelText(
      name, 2, "__global const int *x_buf, long x_origin, __global int *y_buf, long y_origin, int columns, int width",
      "",
      "#ifdef MUSTER_GROUPS\n" + grouped +
          "#else\n"
          "long k = muster_lo_0 + (long)get_global_id(1), m = muster_lo_1 + (long)get_global_id(0);\n"
          "const int first = 0, step = 1;\n#endif\n"
          "if (k < muster_hi_0 && m < muster_hi_1) {\n"
          "  long at = (muster_first_0 + k * muster_step_0) * columns + muster_first_1 + m * muster_step_1;\n"
          "  for (int l = first; l < width; l += step) (y_buf + y_origin)[at * width + l] = (x_buf + x_origin)[at] + "
          "l;\n}");
}

const KernelCode& fillLayers() {
  static const KernelCode kernel = [] {
    KernelCode code = makeCode("fill_layers", 2, [](const muster_chunk* chunk) {
      const auto columns = scalar<std::int32_t>(chunk, 0), width = scalar<std::int32_t>(chunk, 1);
      forEach2(chunk, [&](std::int64_t i, std::int64_t j) {
        const std::int64_t at = i * columns + j;
        for (int l = 0; l < width; ++l) array<int>(chunk, 1)[at * width + l] = array<int>(chunk, 0)[at] + l;
      });
    });
    code.arrays = {{"x", sizeof(int), false}, {"y", sizeof(int), true}};
    code.scalars = {{"columns", ScalarType::i32, 4}, {"width", ScalarType::i32, 4}};
    code.schedule.grouped = MUSTER_GROUPED_COUNTED, code.schedule.n_constants = 1, code.schedule.constants[0] = 1;
    code.schedule.group_count[1] = 1;
    // Wrong where the other form runs for shorter layers, or a group has rows.
    code.opencl =
        layersText(code.name,
                   "long k = muster_lo_0 + (long)get_group_id(1), m = muster_lo_1 + (long)get_group_id(0);\n"
                   "const int first = width < 32 || MUSTER_WG1 != 1 ? 1 : (int)get_local_id(0), step = MUSTER_WG0;\n");
    return code;
  }();
  return kernel;
}

const KernelCode& fillShort() {
  static const KernelCode kernel = [] {
    KernelCode code = fillLayers();
    code.name = "fill_short", code.id = nextId();
    code.schedule.grouped = MUSTER_GROUPED_ROWS;
    // Wrong where groups of another form run for short layers, or have other lanes.
    code.opencl = layersText(
        code.name,
        "long k = muster_lo_0 + (long)get_group_id(1) * get_local_size(2) + get_local_id(2);\n"
        "long m = muster_lo_1 + (long)get_group_id(0) * get_local_size(1) + get_local_id(1);\n"
        "const int step = (int)get_local_size(0);\n"
        "const int isRight = MUSTER_GROUPS == 1 ? width == 200 : width > 1 && (width == step || step < 16);\n"
        "const int first = isRight ? (int)get_local_id(0) : 1000;\n");
    // A launch chooses the size of its groups.
    const std::string fixed = "reqd_work_group_size";
    code.opencl.replace(code.opencl.find(fixed), fixed.size(), "work_group_size_hint");
    return code;
  }();
  return kernel;
}

const KernelCode& blocks() {
  static const KernelCode kernel = [] {
    KernelCode code = makeCode("blocks", 2, [](const muster_chunk* chunk) {
      const auto width = scalar<std::int32_t>(chunk, 0);
      forEach2(chunk, [&](std::int64_t i, std::int64_t j) {
        array<int>(chunk, 1)[i * width + j] += 3 * array<int>(chunk, 0)[i * width + j];
      });
    });
    code.arrays = {{"x", sizeof(int), false}, {"y", sizeof(int), true}};
    code.scalars = {{"width", ScalarType::i32, 4}};
    code.schedule.n_blocks = 2;
    code.schedule.blocks[0] = {{4, 2, 1}, 3, 1, 1, {0}, 3, {8, 2}, 0, 0, 0};
    code.schedule.blocks[1] = {{3, 2, 1}, 0, 0, 0, {0}, 0, {4, 2}, 0, 0, 0};
    // Wrong where accesses are not aligned, arrays are one, or groups are others.
    code.opencl = kernelText(
        code.name, 2, "__global const int *x_buf, long x_origin, __global int *y_buf, long y_origin, int width", "",
        "#if MUSTER_BLOCKS == 1\n#define ROWS 2\n#define COLUMNS 4\n#define APART 1\n#define WRONG (width % 4 != 0 || "
        "x_buf == y_buf || x_origin % 4 != 0 || y_origin % 4 != 0 || MUSTER_WG0 != 8 || MUSTER_WG1 != 2)\n"
        "long first = muster_lo_1 - ((muster_first_1 + muster_lo_1) & 3) + (long)get_global_id(0) * 4;\n"
        "long row = muster_lo_0 - ((muster_first_0 + muster_lo_0) & 1) + (long)get_global_id(1) * 2;\n"
        "#elif MUSTER_BLOCKS == 2\n#define ROWS 2\n#define COLUMNS (3 * MUSTER_WG0)\n#define APART MUSTER_WG0\n"
        "#define WRONG (MUSTER_WG0 != 4 || MUSTER_WG1 != 2)\n"
        "long first = muster_lo_1 + (long)get_group_id(0) * COLUMNS + (long)get_local_id(0);\n"
        "long row = muster_lo_0 + (long)get_global_id(1) * ROWS;\n"
        "#else\n#define ROWS 1\n#define COLUMNS 1\n#define APART 1\n#define WRONG 0\n"
        "long first = muster_lo_1 + (long)get_global_id(0);\n"
        "long row = muster_lo_0 + (long)get_global_id(1);\n#endif\n"
        "for (long k = max(row, muster_lo_0); k < min(row + ROWS, muster_hi_0); ++k)\n"
        "  for (long l = max(first, muster_lo_1); l < min(first + COLUMNS, muster_hi_1); l += APART) {\n"
        "    long i = muster_first_0 + k * muster_step_0, j = muster_first_1 + l * muster_step_1;\n"
        "    (y_buf + y_origin)[i * width + j] += WRONG ? -1000 : 3 * (x_buf + x_origin)[i * width + j];\n  }");
    return code;
  }();
  return kernel;
}

const KernelCode& histogram() {
  static const KernelCode kernel = [] {
    KernelCode code = makeCode("histogram", 1, [](const muster_chunk* chunk) {
      for (std::int64_t k = chunk->lo; k < chunk->hi; ++k) {
        const int x = array<int>(chunk, 0)[value(chunk->dims[0], k)];
        __atomic_fetch_add(&array<int>(chunk, 1)[x % 5], x % 3, __ATOMIC_RELAXED);
      }
    });
    code.arrays = {{"x", sizeof(int), false}, {"y", sizeof(int), true}};
    code.schedule.privatized = 1U << 1, code.schedule.most_passes = 1;
    code.opencl = kernelText(
        code.name, 1, "__global const int *x_buf, long x_origin, __global int *y_buf, long y_origin", "",
        "__global int *y = y_buf + y_origin;\n"
        "#ifdef MUSTER_PRIVATE\n"
        "#ifdef MUSTER_CUDA\ny_own = muster_dynamic(y_own);\n#endif\n"
        "for (uint e = (uint)get_local_id(0); e < y_count << MUSTER_COPIES; e += MUSTER_WG0) y_own[e] = 0;\n"
        "barrier(CLK_LOCAL_MEM_FENCE);\n"
        "#endif\n"
        "for (long k = muster_lo_0 + (long)get_global_id(0); k < muster_hi_0; k += (long)get_global_size(0)) {\n"
        "  int x = (x_buf + x_origin)[muster_first_0 + k * muster_step_0];\n"
        "#ifdef MUSTER_PRIVATE\n"
        "  atomic_add(y_own + (((y + x % 5 - y_buf) << MUSTER_COPIES) + get_local_id(0) % (1 << MUSTER_COPIES)), x % "
        "3);\n}\n"
        "barrier(CLK_LOCAL_MEM_FENCE);\n"
        "for (uint e = (uint)get_local_id(0); e < y_count << MUSTER_COPIES; e += MUSTER_WG0)\n"
        "  atomic_add(y_buf + (e >> MUSTER_COPIES), y_own[e]);\n"
        "#else\n"
        "  atomic_add(y + x % 5, x % 3);\n}\n"
        "#endif\n");
    code.opencl.insert(code.opencl.find(") {"),
                       "\n#ifdef MUSTER_PRIVATE\n, local int *y_own, uint y_count, uint y_room\n#endif\n");
    return code;
  }();
  return kernel;
}

}  // namespace muster::cdm::test
