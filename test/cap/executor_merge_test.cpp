// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merging of what several chunks wrote: launches on one to three ranks, on CPUs, OpenCL devices and both, against plain
// loops.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include "../cdm/test_directory.h"
#include "executor_job.h"

namespace muster::cap::testing {
namespace {

constexpr std::uint32_t kTarget = 1, kIndex = 2, kSource = 3;

struct Cell {
  char tag;
  float x, y;
  bool operator==(const Cell&) const = default;
};
static_assert(sizeof(Cell) == 12);

template <class T>
struct Type;
#define MUSTER_TYPE(T, SCALAR, CL)                                     \
  template <>                                                          \
  struct Type<T> {                                                     \
    static constexpr cdm::ScalarType scalar = cdm::ScalarType::SCALAR; \
    static constexpr const char* cl = CL;                              \
  };
MUSTER_TYPE(bool, boolean, "uchar")
MUSTER_TYPE(std::int8_t, i8, "char")
MUSTER_TYPE(std::uint8_t, u8, "uchar")
MUSTER_TYPE(std::int16_t, i16, "short")
MUSTER_TYPE(std::uint16_t, u16, "ushort")
MUSTER_TYPE(std::int32_t, i32, "int")
MUSTER_TYPE(std::uint32_t, u32, "uint")
MUSTER_TYPE(std::int64_t, i64, "long")
MUSTER_TYPE(std::uint64_t, u64, "ulong")
MUSTER_TYPE(float, f32, "float")
MUSTER_TYPE(double, f64, "double")
MUSTER_TYPE(Cell, other, "struct { char tag; float x, y; }")
#undef MUSTER_TYPE

template <class T>
using Stored = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;

template <class T>
T apply(UpdateOp op, T a, T b) {
  switch (op) {
    case UpdateOp::add:
      return static_cast<T>(a + b);
    case UpdateOp::mul:
      return static_cast<T>(a * b);
    case UpdateOp::logAnd:
      return static_cast<T>(a && b);
    case UpdateOp::logOr:
      return static_cast<T>(a || b);
    case UpdateOp::min:
      return b < a ? b : a;
    case UpdateOp::max:
      return a < b ? b : a;
    default:
      break;
  }
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(op == UpdateOp::bitAnd ? a & b : op == UpdateOp::bitOr ? a | b : a ^ b);
  return a;
}

// Kernels over (target, index, source); loop variable i. One work-item does a whole chunk, so that nothing within it
// is at the same time.
template <class T>
cdm::KernelCode makeKernel(std::uint64_t id, const std::string& body, muster_native_fn native) {
  cdm::KernelCode code;
  code.id = id;
  code.name = fmt::format("merge_test_{}", id);
  code.location = "loop.cpp:20";
  code.native = native;
  code.needsFp64 = std::is_same_v<T, double>;
  code.arrays = {{"target", sizeof(T), true, Type<T>::scalar},
                 {"index", 4, false, cdm::ScalarType::i32},
                 {"source", sizeof(T), false, Type<T>::scalar}};
  code.opencl = fmt::format(
      "{}typedef {} T;\n#pragma OPENCL FP_CONTRACT OFF\n"
      "__kernel __attribute__((reqd_work_group_size(MUSTER_WG0, MUSTER_WG1, MUSTER_WG2))) void {}("
      "__global T *a_buf, long a_origin, __global const int *index_buf, long index_origin, __global const T *x_buf, "
      "long x_origin, long muster_first_0, long muster_step_0, long muster_lo_0, long muster_hi_0) {{\n"
      "  __global T *a = a_buf + a_origin; __global const int *index = index_buf + index_origin;\n"
      "  __global const T *x = x_buf + x_origin;\n"
      "  if (get_global_id(0) != 0) return;\n"
      "  for (long k = muster_lo_0; k < muster_hi_0; ++k) {{ long i = muster_first_0 + k; {} }}\n}}\n",
      code.needsFp64 ? "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" : "", Type<T>::cl, code.name, body);
  return code;
}

template <class T, class Body>
void forEach(const muster_chunk* chunk, Body body) {
  auto* a = static_cast<T*>(chunk->arrays[0]);
  const auto* index = static_cast<const int*>(chunk->arrays[1]);
  const auto* x = static_cast<const T*>(chunk->arrays[2]);
  for (std::int64_t k = chunk->lo; k < chunk->hi; ++k) body(a, index, x, chunk->dims[0].first + k);
}

std::uint64_t nextId() {
  static std::uint64_t id = 0x7000;
  return ++id;
}

// a[index[i]] = x[i]
template <class T>
const cdm::KernelCode& scatter() {
  static const cdm::KernelCode code = makeKernel<T>(nextId(), "a[index[i]] = x[i];", [](const muster_chunk* chunk) {
    forEach<T>(chunk, [](T* a, const int* index, const T* x, std::int64_t i) { a[index[i]] = x[i]; });
  });
  return code;
}

// Neighbours change places: even i write a[i + 1], odd i a[i - 1].
template <class T>
const cdm::KernelCode& swapNeighbours() {
  static const cdm::KernelCode code =
      makeKernel<T>(nextId(), "a[i % 2 == 0 ? i + 1 : i - 1] = x[i];", [](const muster_chunk* chunk) {
        forEach<T>(chunk, [](T* a, const int*, const T* x, std::int64_t i) { a[i % 2 == 0 ? i + 1 : i - 1] = x[i]; });
      });
  return code;
}

// a[index[i]] = a[index[i]] OP x[i]
template <class T, UpdateOp Op>
const cdm::KernelCode& update() {
  constexpr const char* operators[] = {"+", "*", "&", "|", "^", "&&", "||", "<", ">"};
  const std::string name = operators[static_cast<int>(Op)];
  static const cdm::KernelCode code = makeKernel<T>(
      nextId(),
      Op == UpdateOp::min || Op == UpdateOp::max
          ? fmt::format("if (x[i] {} a[index[i]]) a[index[i]] = x[i];", name)
          : fmt::format("a[index[i]] = {}(a[index[i]] {} x[i]);", std::is_same_v<T, bool> ? "0 != " : "", name),
      [](const muster_chunk* chunk) {
        forEach<T>(chunk, [](T* a, const int* index, const T* x, std::int64_t i) {
          a[index[i]] = testing::apply<T>(Op, a[index[i]], x[i]);
        });
      });
  return code;
}

Access access(std::uint16_t array, AccessMode mode, std::int64_t constant = 0) {
  Access made;
  made.array = array;
  made.mode = mode;
  made.line = 21;
  made.index = {{1}, constant};
  return made;
}

LaunchSpec specOf(const cdm::KernelCode& code, std::int64_t iterations, std::int64_t elements, std::uint32_t elemSize) {
  LaunchSpec spec;
  spec.kernel = code.id;
  spec.space.dims = {{0, 1, iterations}};
  spec.arrays = {{kTarget, 0, elements, elemSize}, {kIndex, 0, iterations, 4}, {kSource, 0, iterations, elemSize}};
  spec.accesses = {access(1, AccessMode::read), access(2, AccessMode::read)};
  return spec;
}

LaunchSpec unbounded(LaunchSpec spec, AccessMode mode, UpdateOp op = UpdateOp::add) {
  Access write = access(0, mode);
  write.unbounded = true;
  write.op = op;
  spec.accesses.push_back(write);
  return spec;
}

template <class T>
T valueOf(std::mt19937& random) {
  if constexpr (std::is_same_v<T, Cell>) {
    Cell cell;
    std::memset(static_cast<void*>(&cell), 0, sizeof cell);
    cell.tag = static_cast<char>(random() % 5);
    cell.x = static_cast<float>(random() % 3);
    cell.y = static_cast<float>(random() % 1000);
    return cell;
  } else if constexpr (std::is_same_v<T, bool>) {
    return random() % 2 == 0;
  } else {
    return static_cast<T>(static_cast<int>(random() % 7) - 2);
  }
}

// The three arrays, and what the target must hold.
template <class T>
struct Data {
  std::vector<Stored<T>> target, source, expected;
  std::vector<int> index;

  Data(std::size_t iterations, std::size_t elements, unsigned seed)
      : target(elements), source(iterations), index(iterations) {
    std::mt19937 random(seed);
    for (auto& value : target) value = static_cast<Stored<T>>(valueOf<T>(random));
    for (auto& value : source) value = static_cast<Stored<T>>(valueOf<T>(random));
    for (int& at : index) at = static_cast<int>(random() % elements);
    expected = target;
  }
  Status addTo(ExecutorJob::Rank& rank) {
    MUSTER_TRY(rank.executor().connect());
    MUSTER_TRY(rank.add(kTarget, sizeof(T), static_cast<std::int64_t>(target.size()), target.data()));
    MUSTER_TRY(rank.add(kIndex, 4, static_cast<std::int64_t>(index.size()), index.data()));
    return rank.add(kSource, sizeof(T), static_cast<std::int64_t>(source.size()), source.data());
  }
  // Different iterations write different elements.
  void permute(unsigned seed) {
    std::iota(index.begin(), index.end(), 0);
    std::shuffle(index.begin(), index.end(), std::mt19937(seed));
  }
};

// How much of the target its merges moved.
class MergedBytes final : public TraceSink {
 public:
  [[nodiscard]] Detail detail() const override { return Detail::chunks; }
  void record(const TraceEvent& event) override {
    if (event.kind != TraceEvent::Kind::merge) return;
    const std::lock_guard lock(mutex_);
    bytes_ += event.amount, ++merges_;
  }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] int merges() const { return merges_; }

 private:
  std::mutex mutex_;
  std::uint64_t bytes_ = 0;
  int merges_ = 0;
};

class ExecutorMerge : public ::testing::TestWithParam<JobSetup> {
 protected:
  [[nodiscard]] static bool isCuda() { return GetParam().devices.starts_with("cuda"); }
  void runJob(const ExecutorJob::Script& script, const ExecutorOptions& options = {}) {
    ExecutorJob job(GetParam(), options);
    job.run(script);
    EXPECT_TRUE(job.errors.empty()) << "rank " << job.errors.front().first << ": " << job.errors.front().second;
    warnings.clear();  // about builds that fail, others may be there
    for (const auto& warning : job.warnings) {
      if (warning.second.find("MUSTER_CHECK") != std::string::npos) warnings.push_back(warning);
    }
  }
  template <class T>
  void checkScatter(std::size_t count) {
    Data<T> data(count, count, 3);
    const LaunchSpec spec =
        unbounded(specOf(scatter<T>(), static_cast<std::int64_t>(count), static_cast<std::int64_t>(count), sizeof(T)),
                  AccessMode::write);
    data.permute(7);
    for (std::size_t i = 0; i < count; ++i) data.expected[static_cast<std::size_t>(data.index[i])] = data.source[i];
    runJob([&](ExecutorJob::Rank& rank) -> Status {
      MUSTER_TRY(data.addTo(rank));
      MUSTER_TRY(rank.launch(spec, scatter<T>()));
      if (rank.lastPlan->chunks.size() > 1) {
        EXPECT_EQ(rank.lastPlan->merges.size(), 1u);
      }
      MUSTER_TRY(rank.fetch(kTarget));
      return rank.executor().finishDevices();
    });
    EXPECT_TRUE(std::memcmp(data.target.data(), data.expected.data(), count * sizeof(T)) == 0) << "size " << sizeof(T);
  }
  std::vector<std::pair<int, std::string>> warnings;

 private:
  // Messages come only after the receiver was told of them.
  const cdm::test::ScopedVariable fake_{"FAKE_CUDA", "devices=3 opens-own late-signals shuffle=3"};
};

TEST_P(ExecutorMerge, PermutedWritesOfEveryElementSize) {
  for (const std::size_t count : {std::size_t{64}, std::size_t{1001}, std::size_t{70001}}) {
    checkScatter<float>(count);
    checkScatter<Cell>(count);
  }
  checkScatter<bool>(3001);
  checkScatter<std::int8_t>(3001);
  checkScatter<std::int16_t>(3001);
  checkScatter<double>(3001);
}

TEST_P(ExecutorMerge, WritesThatOverlapAtBoundaries) {
  constexpr std::int64_t count = 5002;
  Data<std::int16_t> data(count, count, 5);
  LaunchSpec spec = specOf(swapNeighbours<std::int16_t>(), count, count, 2);
  for (const std::int64_t reach : {-1, 1}) {
    Access write = access(0, AccessMode::write, reach);
    write.conditional = true;
    spec.accesses.push_back(write);
  }
  for (std::size_t i = 0; i < count; ++i) data.expected[i % 2 == 0 ? i + 1 : i - 1] = data.source[i];
  runJob([&](ExecutorJob::Rank& rank) -> Status {
    MUSTER_TRY(data.addTo(rank));
    MUSTER_TRY(rank.launch(spec, swapNeighbours<std::int16_t>()));
    MUSTER_TRY(rank.fetch(kTarget));
    return rank.executor().finishDevices();
  });
  EXPECT_EQ(data.target, data.expected);
  EXPECT_TRUE(warnings.empty());
}

// Launches follow one another: merges read what merges wrote, everywhere.
TEST_P(ExecutorMerge, LaunchesInARow) {
  constexpr std::size_t count = 3000;
  Data<int> data(count, count, 9);
  const LaunchSpec spec = unbounded(specOf(scatter<int>(), count, count, 4), AccessMode::write);
  const LaunchSpec sum = unbounded(specOf(update<int, UpdateOp::add>(), count, count, 4), AccessMode::update);
  data.permute(11);
  for (int round = 0; round < 6; ++round) {
    for (std::size_t i = 0; i < count; ++i) data.expected[static_cast<std::size_t>(data.index[i])] = data.source[i];
    for (int again = 0; again < 2; ++again) {
      for (std::size_t i = 0; i < count; ++i) data.expected[static_cast<std::size_t>(data.index[i])] += data.source[i];
    }
  }
  runJob([&](ExecutorJob::Rank& rank) -> Status {
    MUSTER_TRY(data.addTo(rank));
    for (int round = 0; round < 6; ++round) {
      MUSTER_TRY(rank.launch(spec, scatter<int>()));
      for (int again = 0; again < 2; ++again) MUSTER_TRY(rank.launch(sum, update<int, UpdateOp::add>()));
      if (round == 3) MUSTER_TRY(rank.fetch(kTarget, true));
    }
    MUSTER_TRY(rank.fetch(kTarget));
    return rank.executor().finishDevices();
  });
  EXPECT_EQ(data.target, data.expected);
}

// All copies are the same bytes, whoever is asked.
TEST_P(ExecutorMerge, EveryMemoryHoldsTheSameBytes) {
  constexpr std::size_t count = 2000;
  Data<double> data(count, 300, 13);
  for (auto& value : data.source) value = value / 3 + 0.1;  // sums depend on the order
  const LaunchSpec sum = unbounded(specOf(update<double, UpdateOp::add>(), count, 300, 8), AccessMode::update);
  const std::vector<double> before = data.target;
  std::vector<std::vector<double>> seen;
  for (std::size_t which = 0; which < ExecutorJob(GetParam()).deviceCount(); ++which) {
    data.target = before;
    runJob([&](ExecutorJob::Rank& rank) -> Status {
      MUSTER_TRY(data.addTo(rank));
      MUSTER_TRY(rank.launch(sum, update<double, UpdateOp::add>()));
      const MemoryId from = rank.lastPlan->chunks[which].memory;
      Plan plan;
      plan.onHost = true;
      if (from != hostMemory) plan.copies = {{kTarget, 8, {0, 300}, from, hostMemory}};
      MUSTER_TRY(rank.executor().transfer(plan, 1000));
      return rank.executor().finishDevices();
    });
    seen.push_back(data.target);
    EXPECT_EQ(seen.front(), seen.back()) << "device " << which;
  }
  for (std::size_t i = 0; i < count; ++i) data.expected[static_cast<std::size_t>(data.index[i])] += data.source[i];
  for (std::size_t i = 0; i < 300; ++i) EXPECT_NEAR(seen.front()[i], data.expected[i], 1e-10);
}

// Devices that reach each other's memory exchange elements as they are, cut where a memory is small; others only what
// changed.
TEST_P(ExecutorMerge, OnlyWhereItHasToDoesTheHostComeBetween) {
  constexpr std::int64_t count = 40000;  // between one and two shares where the memory is small
  const auto devices = static_cast<std::int64_t>(ExecutorJob(GetParam()).deviceCount());
  if (devices == 1) return;  // nothing is merged
  Data<int> data(static_cast<std::size_t>(4 * devices), count, 23);
  for (std::size_t i = 0; i < data.index.size(); ++i) data.index[i] = static_cast<int>(i * 1000);
  std::fill(data.source.begin(), data.source.end(), 77);
  for (const int at : data.index) data.expected[static_cast<std::size_t>(at)] = 77;
  const LaunchSpec spec = unbounded(specOf(scatter<int>(), 4 * devices, count, 4), AccessMode::write);
  MergedBytes merged;
  ExecutorOptions options;
  options.trace = &merged;
  runJob(
      [&](ExecutorJob::Rank& rank) -> Status {
        MUSTER_TRY(data.addTo(rank));
        MUSTER_TRY(rank.launch(spec, scatter<int>()));
        MUSTER_TRY(rank.fetch(kTarget));
        return rank.executor().finishDevices();
      },
      options);
  EXPECT_EQ(data.target, data.expected);
  if (isCuda()) {
    EXPECT_EQ(merged.bytes(), static_cast<std::uint64_t>(devices * count * 4));
    EXPECT_EQ(merged.merges(), (GetParam().capacity > 0 ? 2 : 1) * devices);
  } else {
    EXPECT_EQ(merged.bytes(), data.index.size() * 4);
    EXPECT_EQ(merged.merges(), devices);
  }
}

template <class T, UpdateOp Op>
void checkUpdate(const JobSetup& setup) {
  constexpr std::size_t count = 700, elements = 90;
  Data<T> data(count, elements, 17);
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    // The logical operations make 0 and 1; what is there already must be that too.
    if (Op == UpdateOp::logAnd || Op == UpdateOp::logOr)
      for (auto& value : data.target) value = value != 0;
  } else if constexpr (std::is_floating_point_v<T>) {
    if (Op == UpdateOp::logAnd || Op == UpdateOp::logOr)
      for (auto& value : data.target) value = value != 0;
  }
  if (Op == UpdateOp::mul) {
    for (auto& value : data.source) value = static_cast<Stored<T>>(value > 0 ? 1 : value);
    for (std::size_t i = 0; i < count; ++i) data.source[i] = static_cast<Stored<T>>(i % 31 == 0 ? 2 : 1);
    if (std::is_same_v<T, bool>)
      for (std::size_t i = 0; i < count; ++i) data.source[i] = i % 3 != 0;
  }
  data.expected = data.target;
  for (std::size_t i = 0; i < count; ++i) {
    auto& element = data.expected[static_cast<std::size_t>(data.index[i])];
    element = static_cast<Stored<T>>(apply<T>(Op, static_cast<T>(element), static_cast<T>(data.source[i])));
  }
  const LaunchSpec spec =
      unbounded(specOf(update<T, Op>(), static_cast<std::int64_t>(count), elements, sizeof(T)), AccessMode::update, Op);
  ExecutorJob job(setup);
  job.run([&](ExecutorJob::Rank& rank) -> Status {
    MUSTER_TRY(data.addTo(rank));
    MUSTER_TRY(rank.launch(spec, update<T, Op>()));
    MUSTER_TRY(rank.fetch(kTarget));
    return rank.executor().finishDevices();
  });
  ASSERT_TRUE(job.errors.empty()) << job.errors.front().second;
  ASSERT_EQ(data.target, data.expected) << Type<T>::cl << ", operation " << static_cast<int>(Op);
}

// Builds of kernels take long: devices that need them do all operations on one type, and all types with one operation.
template <class T>
void checkUpdates(const JobSetup& setup) {
  const bool all = std::is_same_v<T, std::int32_t> || std::string_view(setup.devices) == "cpu";
  checkUpdate<T, UpdateOp::add>(setup);
  if (!all) return;
  checkUpdate<T, UpdateOp::mul>(setup);
  checkUpdate<T, UpdateOp::logAnd>(setup);
  checkUpdate<T, UpdateOp::logOr>(setup);
  checkUpdate<T, UpdateOp::min>(setup);
  checkUpdate<T, UpdateOp::max>(setup);
  if constexpr (std::is_integral_v<T>) {
    checkUpdate<T, UpdateOp::bitAnd>(setup);
    checkUpdate<T, UpdateOp::bitOr>(setup);
    checkUpdate<T, UpdateOp::bitXor>(setup);
  }
}

TEST_P(ExecutorMerge, UpdatesOfSmallTypes) {
  checkUpdates<bool>(GetParam());
  checkUpdates<std::int8_t>(GetParam());
  checkUpdates<std::uint8_t>(GetParam());
  checkUpdates<std::int16_t>(GetParam());
  checkUpdates<std::uint16_t>(GetParam());
}

TEST_P(ExecutorMerge, UpdatesOfLargeTypes) {
  checkUpdates<std::int32_t>(GetParam());
  checkUpdates<std::uint32_t>(GetParam());
  checkUpdates<std::int64_t>(GetParam());
  checkUpdates<std::uint64_t>(GetParam());
  checkUpdates<float>(GetParam());
  checkUpdates<double>(GetParam());
}

// Iterations i write element i % 7: all but the last value of each are lost, and each such pair of devices is told of.
struct RacyLaunch {
  Data<int> data{210, 50, 21};
  LaunchSpec spec = unbounded(specOf(scatter<int>(), 210, 50, 4), AccessMode::write);
  RacyLaunch() {
    std::iota(data.source.begin(), data.source.end(), 1000);
    for (std::size_t i = 0; i < data.index.size(); ++i) data.index[i] = static_cast<int>(3 + i % 7);
    for (std::size_t i = 0; i < data.index.size(); ++i)
      data.expected[static_cast<std::size_t>(data.index[i])] = data.source[i];
  }
};

TEST_P(ExecutorMerge, RacesAreCountedAndTheLastValueCounts) {
  RacyLaunch racy;
  runJob([&](ExecutorJob::Rank& rank) -> Status {
    MUSTER_TRY(racy.data.addTo(rank));
    MUSTER_TRY(rank.launch(racy.spec, scatter<int>()));
    MUSTER_TRY(rank.fetch(kTarget));
    rank.executor().warnOfRaces();
    rank.executor().warnOfRaces();
    return rank.executor().finishDevices();
  });
  EXPECT_EQ(racy.data.target, racy.data.expected);
  const std::size_t devices = ExecutorJob(GetParam()).deviceCount();
  if (devices == 1) {
    EXPECT_TRUE(warnings.empty());
    return;
  }
  ASSERT_FALSE(warnings.empty());
  EXPECT_LE(warnings.size(), static_cast<std::size_t>(GetParam().ranks));
  for (const char* part : {"loop.cpp:20", "array 1 (test.cpp:1)", "MUSTER_CHECK=races", "different values"})
    EXPECT_NE(warnings.front().second.find(part), std::string::npos)
        << part << " is not in " << warnings.front().second;
}

TEST_P(ExecutorMerge, ARaceIsAnErrorWhereThatIsAskedFor) {
  if (GetParam().ranks > 1 || ExecutorJob(GetParam()).deviceCount() < 2) return;  // others would wait for ever
  RacyLaunch racy;
  ExecutorOptions options;
  options.failOnRaces = true;
  ExecutorJob job(GetParam(), options);
  job.run([&](ExecutorJob::Rank& rank) -> Status {
    MUSTER_TRY(racy.data.addTo(rank));
    return rank.launch(racy.spec, scatter<int>());
  });
  ASSERT_EQ(job.errors.size(), 1u);
  for (const char* part : {"loop.cpp:21", "loop.cpp:20", "element 3 ", "array 1 (test.cpp:1)", "device 0", "device 1"})
    EXPECT_NE(job.errors.front().second.find(part), std::string::npos)
        << part << " is not in " << job.errors.front().second;
}

TEST_P(ExecutorMerge, EqualValuesAndAtomicWritesAreNoRaces) {
  for (const bool atomic : {false, true}) {
    RacyLaunch racy;
    if (!atomic) std::fill(racy.data.source.begin(), racy.data.source.end(), 77);
    racy.spec.accesses.back().atomic = atomic;
    ExecutorOptions options;
    options.failOnRaces = true;
    runJob(
        [&](ExecutorJob::Rank& rank) -> Status {
          MUSTER_TRY(racy.data.addTo(rank));
          MUSTER_TRY(rank.launch(racy.spec, scatter<int>()));
          MUSTER_TRY(rank.fetch(kTarget));
          rank.executor().warnOfRaces();
          return rank.executor().finishDevices();
        },
        options);
    EXPECT_TRUE(warnings.empty());
  }
}

// Windows and twins fit, another device's elements do not: no crash, and nobody waits.
TEST(ExecutorMergeFaults, NoRoomForWhatOthersWrote) {
  constexpr std::size_t count = 262144;
  for (const int memory : {3600000, 5200000}) {
    const std::string words = "devices=2 opens-own memory=" + std::to_string(memory);
    const cdm::test::ScopedVariable fake("FAKE_CUDA", words.c_str());
    Data<int> data(count, count, 29);
    data.permute(31);
    for (std::size_t i = 0; i < count; ++i) data.expected[static_cast<std::size_t>(data.index[i])] = data.source[i];
    const LaunchSpec spec = unbounded(specOf(scatter<int>(), count, count, 4), AccessMode::write);
    ExecutorJob job({.ranks = 1, .devices = "cuda", .weights = {}});
    job.run([&](ExecutorJob::Rank& rank) -> Status {
      MUSTER_TRY(data.addTo(rank));
      MUSTER_TRY(rank.launch(spec, scatter<int>()));
      return rank.fetch(kTarget);
    });
    if (memory > 5000000) {
      EXPECT_TRUE(job.errors.empty()) << job.errors.front().second;
      EXPECT_EQ(data.target, data.expected);
    } else {
      ASSERT_EQ(job.errors.size(), 1u);
      for (const char* part : {"no memory for merging what several devices wrote", "Fake Card", "rank 0"})
        EXPECT_NE(job.errors.front().second.find(part), std::string::npos)
            << part << " is not in " << job.errors.front().second;
    }
  }
}

const std::vector<double> uneven = {1, 3, 0.5, 2};
constexpr cdm::LoanLimits rooms{2048, 4096, 8192, 4};
constexpr std::uint64_t small = std::uint64_t{64} << 20;  // for nine devices, shares of 29127 floats

INSTANTIATE_TEST_SUITE_P(Jobs, ExecutorMerge,
                         ::testing::Values(JobSetup{1, "cpu", {}}, JobSetup{2, "cpu", {}}, JobSetup{3, "cpu", uneven},
                                           JobSetup{1, "opencl", {}}, JobSetup{2, "opencl", uneven},
                                           JobSetup{3, "opencl", {}}, JobSetup{1, "cpu,opencl", uneven},
                                           JobSetup{2, "cpu,opencl", {}}, JobSetup{3, "cpu,opencl", uneven},
                                           JobSetup{2, "cpu,opencl", {}, true}, JobSetup{1, "cuda", uneven},
                                           JobSetup{2, "cuda", {}, false, rooms},
                                           JobSetup{3, "cuda", uneven, false, rooms, small}),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace muster::cap::testing
