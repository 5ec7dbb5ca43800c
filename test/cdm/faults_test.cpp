// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Injected faults: their grammar, and that precisely the call that was named fails.
#include "muster/cdm/faults.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "backends/opencl/inventory.h"
#include "conformance.h"
#include "muster/cdm/transport.h"
#include "muster/cdm/transports.h"

namespace muster::cdm::test {

namespace {

TEST(Faults, AreNamedByCallNumberAndRank) {
  EXPECT_EQ(*parseFault("clFinish:3"), (Fault{"clFinish", 3, -1}));
  EXPECT_EQ(*parseFault("opencl:1@0"), (Fault{"opencl", 1, 0}));
  EXPECT_EQ(*parseFault("transport:12@7"), (Fault{"transport", 12, 7}));
}

TEST(Faults, BadNamesAreRefusedWithAReason) {
  const std::pair<const char*, const char*> cases[] = {
      {"clFinish", "no colon"},        {"clFinish:", "N is not"},
      {"clFinish:0", "N is not"},      {"clFinish:x", "N is not"},
      {"clFinish:3@", "rank"},         {"clFinish:3@-1", "rank"},
      {"clFinnish:3", "no such call"}, {"clReleaseEvent:1", "no such call"}};
  for (const auto& [text, why] : cases) expectError(parseFault(text).status(), Errc::invalidArgument, why);
}

TEST(Faults, CountEachNameByItself) {
  Faults faults({{"opencl", 3, -1}, {"clFlush", 2, -1}}, 0);
  EXPECT_FALSE(faults.fails("opencl", "clFlush"));
  EXPECT_TRUE(faults.fails("opencl", "clFlush"));   // clFlush number 2
  EXPECT_TRUE(faults.fails("opencl", "clFinish"));  // any call number 3
  EXPECT_FALSE(faults.fails("opencl", "clFlush"));
  EXPECT_FALSE(faults.fails("transport", "send"));
}

TEST(Faults, HoldForTheirRankOnly) {
  EXPECT_TRUE(Faults({{"send", 1, 1}}, 0).empty());
  EXPECT_FALSE(Faults({{"send", 1, 1}}, 1).empty());
  EXPECT_FALSE(Faults({{"send", 1, -1}}, 1).empty());
}

TEST(Faults, TransportWithoutOneIsLeftAsItIs) {
  auto transport = makeLocalTransport();
  Transport* const before = transport.get();
  EXPECT_EQ(withFaults(std::move(transport), {{"send", 1, 5}, {"clFinish", 1, -1}}).get() == before, false);
  transport = makeLocalTransport();
  Transport* const other = transport.get();
  EXPECT_EQ(withFaults(std::move(transport), {{"send", 1, 5}}).get(), other);
}

TEST(Faults, TransportFailsAtTheCallThatWasNamed) {
  const auto transport = withFaults(makeLocalTransport(), {{"barrier", 2, -1}});
  EXPECT_TRUE(transport->barrier().ok());
  expectError(transport->barrier(), Errc::io, "barrier failed (MUSTER_INJECT)");
  EXPECT_TRUE(transport->barrier().ok());
  EXPECT_TRUE(transport->allGather({}).ok());
}

TEST(Faults, OpenClCallFailsOnce) {
  const auto faults =
      std::make_shared<Faults>(std::vector<Fault>{{"clEnqueueReadBuffer", 2, -1}, {"clCreateBuffer", 3, -1}}, 0);
  const OpenClInventory inventory(FAKE_OPENCL_LIBRARY, faults);
  auto device = inventory.open(0, {});
  ASSERT_TRUE(device.ok());
  const Result<BufferId> buffer = (*device)->allocate(4);
  ASSERT_TRUE(buffer.ok());
  int value = 0;
  EXPECT_TRUE((*device)->read(*buffer, 0, &value, 4).ok());  // its slot is the second buffer
  EXPECT_TRUE((*device)->finish().ok());
  expectError((*device)->read(*buffer, 0, &value, 4).status(), Errc::deviceLost, "read of 4 bytes");
  EXPECT_TRUE((*device)->read(*buffer, 0, &value, 4).ok());
  EXPECT_TRUE((*device)->finish().ok());
  expectError((*device)->allocate(4).status(), Errc::outOfMemory, "CL_MEM_OBJECT_ALLOCATION_FAILURE");
  EXPECT_TRUE((*device)->allocate(4).ok());
}

TEST(Faults, ListedCallsCanBeNamed) {
  const std::vector<std::string> calls = faultyCalls();
  for (const std::string& call : calls) EXPECT_TRUE(parseFault(call + ":1").ok()) << call;
  for (const char* call : {"opencl", "transport", "clBuildProgram", "send"})
    EXPECT_NE(std::find(calls.begin(), calls.end(), call), calls.end()) << call;
}

}  // namespace

}  // namespace muster::cdm::test
