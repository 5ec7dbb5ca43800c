// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conformance suite: what every ComputeDevice must do, one test per call and per error. It is the
// specification of a backend.
//
// To run it on another backend, add a file with
//
//   INSTANTIATE_TEST_SUITE_P(Cuda, Conformance, testing::Values(DeviceFactory{"cuda", makeIt, true}),
//                            factoryName);
//
// where makeIt returns the device and whatever must outlive it. Nothing may be started before main: the
// factory runs in SetUp.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "kernels.h"
#include "muster/cdm/device.h"

namespace muster::cdm::test {

struct DeviceUnderTest {
  std::shared_ptr<void> support;  // destroyed after the device
  std::unique_ptr<ComputeDevice> device;
  std::string skip;  // why the test cannot run here ("" if it can): only for hardware that is not there
};

struct DeviceFactory {
  std::string name;
  std::function<DeviceUnderTest()> make;
  bool runsOpenClText = false;  // kernels run from their text, not natively
};

inline void PrintTo(const DeviceFactory& factory, std::ostream* out) { *out << factory.name; }
inline std::string factoryName(const testing::TestParamInfo<DeviceFactory>& info) { return info.param.name; }

class Conformance : public testing::TestWithParam<DeviceFactory> {
 public:
  void SetUp() override {
    under_ = GetParam().make();
    if (!under_.skip.empty()) GTEST_SKIP() << under_.skip;
    ASSERT_NE(under_.device, nullptr);
  }

  ComputeDevice& device() { return *under_.device; }

  // A buffer that holds these values.
  template <class T>
  BufferId bufferOf(const std::vector<T>& values) {
    const BufferId buffer = allocate(values.size() * sizeof(T));
    write(buffer, values);
    return buffer;
  }

  BufferId allocate(std::size_t bytes) {
    Result<BufferId> buffer = device().allocate(bytes);
    EXPECT_TRUE(buffer.ok()) << buffer.status().message();
    return buffer ? *buffer : 0;
  }

  template <class T>
  void write(BufferId buffer, const std::vector<T>& values, std::size_t offset = 0) {
    expectOk(device().write(buffer, offset, values.data(), values.size() * sizeof(T)).status());
    expectOk(device().finish());  // `values` may be gone soon
  }

  template <class T>
  std::vector<T> contents(BufferId buffer, std::size_t count, std::size_t offset = 0) {
    std::vector<T> values(count);
    expectOk(device().read(buffer, offset, values.data(), count * sizeof(T)).status());
    expectOk(device().finish());
    return values;
  }

  static void expectOk(const Status& status) { EXPECT_TRUE(status.ok()) << status.message(); }

  // A one-dimensional launch over [0, count) or a part of it.
  Result<Event> launch1(const KernelCode& code, muster_dim dim, std::int64_t lo, std::int64_t hi,
                        std::vector<ArrayArg> arrays, std::vector<const void*> scalars = {},
                        std::vector<void*> results = {}) {
    return launchN(code, {dim}, lo, hi, std::move(arrays), std::move(scalars), std::move(results));
  }

  Result<Event> launchN(const KernelCode& code, std::vector<muster_dim> dims, std::int64_t lo, std::int64_t hi,
                        std::vector<ArrayArg> arrays, std::vector<const void*> scalars = {},
                        std::vector<void*> results = {}, std::uint32_t steps = 1) {
    KernelLaunch launch;
    launch.steps = steps;
    launch.code = &code;
    launch.dims = dims;
    launch.lo = lo;
    launch.hi = hi;
    launch.arrays = arrays;
    launch.scalars = scalars;
    launch.results = results;
    return device().launch(launch);
  }

  void expectRuns(const Result<Event>& event) {
    ASSERT_TRUE(event.ok()) << event.status().message();
    expectOk(device().wait(*event));
  }

 private:
  DeviceUnderTest under_;
};

inline void expectError(const Status& status, Errc code, const std::string& inMessage) {
  EXPECT_EQ(status.code(), code) << status.message();
  EXPECT_NE(status.message().find(inMessage), std::string::npos)
      << "\"" << inMessage << "\" is not in: " << status.message();
}

// std::vector<bool> has no data(): tests keep bools as bytes that hold 0 or 1.
template <class T>
using Stored = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;

}  // namespace muster::cdm::test
