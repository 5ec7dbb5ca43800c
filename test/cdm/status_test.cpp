// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Status, Result, panic, and identities of reductions.
#include "muster/cdm/status.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>

#include "kernels/identity.h"

namespace muster {

TEST(Status, DefaultIsSuccess) {
  EXPECT_TRUE(Status().ok());
  EXPECT_EQ(Status::success().code(), Errc::ok);
}

TEST(Status, PlaceStandsInFrontOfTheMessage) {
  const Status status = Status(Errc::io, "disk full").at("rank 2").at("job");
  EXPECT_EQ(status.message(), "job: rank 2: disk full");
  EXPECT_EQ(status.code(), Errc::io);
  EXPECT_TRUE(Status().at("rank 2").ok());
}

TEST(Status, EveryCodeHasItsOwnName) {
  std::vector<std::string> names;
  for (int code = 0; code <= static_cast<int>(Errc::internal); ++code)
    names.push_back(toString(static_cast<Errc>(code)));
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

TEST(Result, HoldsAValueOrAStatus) {
  Result<std::unique_ptr<int>> good(std::make_unique<int>(3));
  ASSERT_TRUE(good.ok());
  EXPECT_EQ(**good, 3);
  EXPECT_TRUE(good.status().ok());
  const Result<int> bad(Errc::notFound, "no");
  EXPECT_FALSE(bad);
  EXPECT_EQ(bad.status().message(), "no");
}

TEST(Status, TryReturnsTheFirstError) {
  int calls = 0;
  const auto run = [&](Status first) -> Result<int> {
    MUSTER_TRY(first);
    ++calls;
    return 1;
  };
  EXPECT_EQ(run(Status(Errc::io, "x")).status().code(), Errc::io);
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(*run({}), 1);
}

TEST(Panic, ThrowsInTests) {
  panicThrows(true);
  EXPECT_THROW(panic("broken"), PanicError);
  panicThrows(false);
}

TEST(PanicDeathTest, AbortsOtherwise) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // earlier tests may have started threads
  EXPECT_DEATH(panic("broken"), "muster: internal error: broken");
}

namespace cdm {

namespace {

template <class T>
T identity(ResultKind kind, ScalarType type) {
  KernelCode::ResultParam result;
  result.kind = kind;
  result.type = type;
  T value{};
  EXPECT_TRUE(writeIdentity(result, &value).ok());
  return value;
}

}  // namespace

TEST(Identity, OfEachKind) {
  EXPECT_EQ(identity<int>(ResultKind::add, ScalarType::i32), 0);
  EXPECT_EQ(identity<int>(ResultKind::mul, ScalarType::i32), 1);
  EXPECT_EQ(identity<int>(ResultKind::bitAnd, ScalarType::i32), -1);
  EXPECT_EQ(identity<int>(ResultKind::bitOr, ScalarType::i32), 0);
  EXPECT_EQ(identity<int>(ResultKind::bitXor, ScalarType::i32), 0);
  EXPECT_EQ(identity<int>(ResultKind::logAnd, ScalarType::i32), 1);
  EXPECT_EQ(identity<int>(ResultKind::logOr, ScalarType::i32), 0);
  EXPECT_EQ(identity<int>(ResultKind::min, ScalarType::i32), std::numeric_limits<int>::max());
  EXPECT_EQ(identity<int>(ResultKind::max, ScalarType::i32), std::numeric_limits<int>::min());
}

TEST(Identity, OfEachType) {
  EXPECT_EQ(identity<std::uint8_t>(ResultKind::bitAnd, ScalarType::u8), 255);
  EXPECT_EQ(identity<std::uint8_t>(ResultKind::bitAnd, ScalarType::boolean), 1);
  EXPECT_EQ(identity<std::uint8_t>(ResultKind::max, ScalarType::boolean), 0);
  EXPECT_EQ(identity<std::int16_t>(ResultKind::max, ScalarType::i16), -32768);
  EXPECT_EQ(identity<std::uint64_t>(ResultKind::min, ScalarType::u64), ~std::uint64_t{0});
  EXPECT_EQ(identity<float>(ResultKind::min, ScalarType::f32), std::numeric_limits<float>::infinity());
  EXPECT_EQ(identity<double>(ResultKind::max, ScalarType::f64), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(identity<double>(ResultKind::mul, ScalarType::f64), 1.0);
}

TEST(Identity, OfOtherOperationsIsAllZero) {
  KernelCode::ResultParam result;
  result.kind = ResultKind::other;
  result.type = ScalarType::other;
  result.size = 3;
  char value[4] = {1, 1, 1, 1};
  EXPECT_TRUE(writeIdentity(result, value).ok());
  EXPECT_EQ(std::string(value, 4), std::string("\0\0\0\1", 4));
}

TEST(Identity, UnknownToDevices) {
  KernelCode::ResultParam result;
  result.kind = ResultKind::add;
  result.type = ScalarType::other;
  char value[32];
  EXPECT_EQ(writeIdentity(result, value).code(), Errc::unsupported);
  result.type = ScalarType::i32;
  result.kind = ResultKind::lastPrivate;
  EXPECT_EQ(writeIdentity(result, value).code(), Errc::unsupported);
}

TEST(ScalarTypes, Sizes) {
  EXPECT_EQ(sizeOf(ScalarType::boolean), 1u);
  EXPECT_EQ(sizeOf(ScalarType::u16), 2u);
  EXPECT_EQ(sizeOf(ScalarType::f32), 4u);
  EXPECT_EQ(sizeOf(ScalarType::u64), 8u);
  EXPECT_EQ(sizeOf(ScalarType::other), 0u);
}

}  // namespace cdm

}  // namespace muster
