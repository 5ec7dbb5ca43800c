// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Letters of calls: which buffers a process uses, and which bytes of them.
#include "shape.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fake_abi.h"

namespace muster::mpi::test {
namespace {

Word wordOf(const void* address) { return reinterpret_cast<Word>(address); }

// "send 0+24" for each buffer, in the order of the arguments.
std::string described(const char* letters, std::vector<Word> arguments, const FakeAbi& abi = {}) {
  const CallShape shape(letters);
  std::string text;
  for (const BufferUse& use : usesOf(shape, arguments.data(), abi)) {
    const Blocks found = blocksOf(shape, use, arguments.data(), abi);
    text += std::string(text.empty() ? "" : "; ") + (use.sends ? "send" : "") + (use.receives ? "receive" : "");
    for (const Block& block : found.blocks)
      text += " " + std::to_string(block.first) + "+" + std::to_string(block.bytes);
    if (!found.exact) text += " at most";
  }
  return text;
}

constexpr Word kBuffer = 0x1000, kOther = 0x2000;

TEST(Shape, AMessageIsSoManyElements) {
  EXPECT_EQ(described("snt..c", {kBuffer, 3, kDouble, 0, 0, 0}), "send 0+24");
  EXPECT_EQ(described("rnt..cu", {kBuffer, 2, kColumn, 0, 0, 0, 0}), "receive 0+8 40+8 80+8 8+8 48+8 88+8");
  EXPECT_EQ(described("rnt..cu", {kBuffer, 0, kDouble, 0, 0, 0, 0}), "receive");
  EXPECT_EQ(described("rnt..cu", {kBuffer, 1, kHoles, 0, 0, 0, 0}), "receive 0+16 at most");
}

TEST(Shape, OnlyTheLowerHalfOfAnIntCounts) {
  EXPECT_EQ(described("snt..c", {kBuffer, (Word{0x7777} << 32) | 3, kDouble, 0, 0, 0}), "send 0+24");
}

TEST(Shape, CountsAndPlacesMayBeWide) {
  EXPECT_EQ(described("+snt..c", {kBuffer, Word{1} << 32, kByte, 0, 0, 0}), "send 0+4294967296");
  EXPECT_EQ(described(".sH.rnt", {0, kBuffer, Word{1} << 32, 0, kOther, (Word{7} << 32) | 2, kByte}),
            "send 0+4294967296; receive 0+2");
  const Word counts[] = {1, 0, Word{1} << 33}, places[] = {Word{1} << 32, 7, 8};
  EXPECT_EQ(described("+svdtrntc", {kBuffer, wordOf(counts), wordOf(places), kByte, kOther, 1, kByte, 0}),
            "send 4294967296+1 8+8589934592; receive 0+1");
  EXPECT_EQ(described("+srzt.c", {-1, kOther, wordOf(counts), kByte, 0, 0}), "sendreceive 0+8589934593");
}

TEST(Shape, NobodyNeitherSendsNorReceives) {
  EXPECT_EQ(described("sntp.rntp.cu", {kBuffer, 3, kDouble, -2, 0, kOther, 5, kByte, 1, 0, 0, 0}), "receive 0+5");
  EXPECT_EQ(described("sntp.rntp.cu", {kBuffer, 3, kDouble, 1, 0, kOther, 5, kByte, -2, 0, 0, 0}), "send 0+24");
}

TEST(Shape, EachBufferHasItsOwnCountAndType) {
  EXPECT_EQ(described("snt..rnt..cu", {kBuffer, 3, kDouble, 0, 0, kOther, 5, kByte, 0, 0, 0, 0}),
            "send 0+24; receive 0+5");
  EXPECT_EQ(described("sRnt.0c", {kBuffer, kOther, 2, kDouble, 0, 0, 0}), "send 0+16; receive 0+16");
}

TEST(Shape, TheRootDoesOneThingAndTheOthersAnother) {
  FakeAbi other;
  other.self = 1;
  EXPECT_EQ(described("xnt0c", {kBuffer, 1, kDouble, 0, 0}), "send 0+8");
  EXPECT_EQ(described("xnt0c", {kBuffer, 1, kDouble, 0, 0}, other), "receive 0+8");
  EXPECT_EQ(described("sntRPt0c", {kBuffer, 1, kDouble, kOther, 2, kDouble, 0, 0}), "send 0+8; receive 0+48");
  EXPECT_EQ(described("sntRPt0c", {kBuffer, 1, kDouble, kOther, 2, kDouble, 0, 0}, other), "send 0+8");
  EXPECT_EQ(described("SPtrnt0c", {kBuffer, 1, kDouble, kOther, 2, kDouble, 0, 0}, other), "receive 0+16");
  EXPECT_EQ(described("xnt0c", {kBuffer, 1, kDouble, -2, 0}), "") << "MPI_PROC_NULL of an intercommunicator";
  EXPECT_EQ(described("sntRPt0c", {kBuffer, 1, kDouble, kOther, 2, kDouble, -3, 0}), "receive 0+48") << "MPI_ROOT";
  EXPECT_EQ(described("SPtrnt0c", {kBuffer, 1, kDouble, kOther, 2, kDouble, -3, 0}), "send 0+24") << "MPI_ROOT";
}

TEST(Shape, InPlaceMakesTheReceiveBufferOneThatIsSent) {
  EXPECT_EQ(described("srnt.c", {kInPlace, kOther, 2, kDouble, 0, 0}), "sendreceive 0+16");
  EXPECT_EQ(described("SPtrnt0c", {kBuffer, 1, kDouble, kInPlace, 2, kDouble, 0, 0}), "send 0+24");
}

TEST(Shape, CountsAndPlacesOfEachProcess) {
  const int counts[] = {1, 0, 2}, places[] = {4, 7, 0};
  EXPECT_EQ(described("sntRvdt0c", {kBuffer, 1, kDouble, kOther, wordOf(counts), wordOf(places), kDouble, 0, 0}),
            "send 0+8; receive 32+8 0+16");
  const Word types[] = {kDouble, kByte, kByte};
  EXPECT_EQ(described("svBTrvBTc", {kBuffer, wordOf(counts), wordOf(places), wordOf(types), kInPlace, 0, 0, 0, 0}),
            "send 4+8 0+2");
}

TEST(Shape, NeighboursAreCountedInAndOut) {
  EXPECT_EQ(described("sOtrItc", {kBuffer, 3, kDouble, kOther, 3, kDouble, 0}), "send 0+48; receive 0+24");
  const int counts[] = {1, 2};
  const std::ptrdiff_t places[] = {1 << 20, 8};
  const Word types[] = {kDouble, kDouble};
  EXPECT_EQ(described("skATrjATc", {kBuffer, wordOf(counts), wordOf(places), wordOf(types), kOther, wordOf(counts),
                                    wordOf(places), wordOf(types), 0}),
            "send 1048576+8 8+16; receive 1048576+8");
}

TEST(Shape, PartsOfWhatIsReducedTogether) {
  FakeAbi second;
  second.self = 1;
  const int counts[] = {1, 4, 2};
  EXPECT_EQ(described("srzt.c", {kBuffer, kOther, wordOf(counts), kDouble, 0, 0}, second), "send 0+56; receive 0+32");
  EXPECT_EQ(described("srzt.c", {kInPlace, kOther, wordOf(counts), kDouble, 0, 0}, second), "sendreceive 0+56");
  EXPECT_EQ(described("sryt.c", {kBuffer, kOther, 2, kDouble, 0, 0}, second), "send 0+48; receive 0+16");
}

TEST(Shape, BytesAndSingleElements) {
  EXPECT_EQ(described("sntbh.c", {kBuffer, 1, kDouble, kOther, 64, 0, 0}), "send 0+8; sendreceive 0+64");
  EXPECT_EQ(described("sreg..w", {kBuffer, kOther, kDouble, 0, 0, 0, 0}), "send 0+8; receive 0+8");
}

TEST(Shape, KnowsCallsThatNobodyEndsBeforeAllHaveBegun) {
  const auto joins = [](const char* letters, std::vector<Word> arguments) {
    return joinsAll(CallShape(letters), arguments.data(), FakeAbi());
  };
  EXPECT_TRUE(joins("C", {kWorld}));
  EXPECT_FALSE(joins("C", {kWorld + 1})) << "of some processes only";
  EXPECT_TRUE(joins("srnt.C", {kBuffer, kOther, 1, kDouble, 0, kWorld}));
  EXPECT_FALSE(joins("srnt.C", {kBuffer, kOther, Word{7} << 32, kDouble, 0, kWorld})) << "nothing to wait for";
  EXPECT_TRUE(joins("+srnt.C", {kBuffer, kOther, Word{7} << 32, kDouble, 0, kWorld}));
  EXPECT_FALSE(joins("srnt.c", {kBuffer, kOther, 1, kDouble, 0, kWorld})) << "a scan: the first one waits for nobody";
}

TEST(Shape, SaysWhereRequestsAndStatusesAre) {
  const CallShape receive("rnt..cQ"), send("snt..cq"), put("sntg...w"), end("f..");
  EXPECT_EQ(receive.request, 6);
  EXPECT_EQ(receive.counts, Counts::bytesOrCancelled);
  EXPECT_EQ(send.request, 6);
  EXPECT_EQ(send.counts, Counts::nothing);
  EXPECT_EQ(CallShape("frntQ").counts, Counts::bytes);
  EXPECT_EQ(put.target, 3);
  EXPECT_EQ(put.window, 7);
  EXPECT_EQ(end.file, 0);
}

}  // namespace
}  // namespace muster::mpi::test
