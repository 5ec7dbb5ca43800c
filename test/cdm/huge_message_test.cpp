// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages and device transfers of more than INT_MAX bytes, over a few pages of memory.
#include <gtest/gtest.h>

#include <climits>
#include <thread>

#include "aliased_bytes.h"
#include "muster/cdm/host.h"
#include "muster/cdm/transports.h"
#include "transport_cases.h"

namespace muster::cdm::test {
namespace {

constexpr std::size_t size = std::size_t{INT_MAX} + 12345;

TEST(HugeMessage, ArrivesOverLoopback) {
  const auto transports = makeLoopbackTransports(2);
  const AliasedBytes from(size), to(size);
  const Bytes bytes = pattern(AliasedBytes::period, 4);
  std::copy(bytes.begin(), bytes.end(), from.data());
  std::thread receiver([&] {
    RequestPtr request = mustReceive(*transports[1], 0, 1, to.all());
    mustWait(*transports[1], {&request, 1});
  });
  RequestPtr request = mustSend(*transports[0], 1, 1, from.all());
  mustWait(*transports[0], {&request, 1});
  receiver.join();
  EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), to.once().begin()));
}

TEST(HugeTransfer, GoesThroughTheCpuDevice) {
  const auto memory = makeHostMemory();
  const AliasedBytes from(size), to(size);
  const Bytes bytes = pattern(AliasedBytes::period, 5);
  std::copy(bytes.begin(), bytes.end(), from.data());
  const auto source = memory->wrap(from.data(), size), target = memory->wrap(to.data(), size);
  ASSERT_TRUE(source.ok() && target.ok());
  ASSERT_TRUE(memory->copy(*source, 0, *target, 0, size).ok());
  ASSERT_TRUE(memory->finish().ok());
  EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), to.once().begin()));
  EXPECT_FALSE(memory->copy(*source, 1, *target, 0, size).ok()) << "one byte too many";
}

}  // namespace
}  // namespace muster::cdm::test
