// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "muster/cdm/text.h"

#include <gtest/gtest.h>

namespace muster::cdm {
namespace {

TEST(Text, ByteCountsReadWell) {
  EXPECT_EQ(formatByteCount(0), "0 B");
  EXPECT_EQ(formatByteCount(1023), "1023 B");
  EXPECT_EQ(formatByteCount(1536), "1.5 KiB");
  EXPECT_EQ(formatByteCount((std::uint64_t{1} << 20) - 1), "1.0 MiB");
  EXPECT_EQ(formatByteCount(std::uint64_t{3} << 30), "3.0 GiB");
  EXPECT_EQ(formatByteCount(~std::uint64_t{0}), "16.0 EiB");
}

}  // namespace
}  // namespace muster::cdm
