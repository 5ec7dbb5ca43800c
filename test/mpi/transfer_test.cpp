// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What becomes of a buffer, by how its array lies. The runtime is a fake that keeps two arrays and notes what it is
// told.
#include "transfer.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>

#include "fake_abi.h"
#include "muster/abi.h"
#include "operation.h"

namespace {

struct FakeArray {
  int kind = MUSTER_BUFFER_PLAIN;
  std::array<char, 96> user{}, alias{};
};
std::array<FakeArray, 2> arrays;
std::string told;
int pins = 0;
bool checks = false, aliasIsFree = false, lends = false;
std::array<char, 96> lent{};  // of a device

void note(const char* what, const muster_part* parts, std::size_t count) {
  told += what;
  for (std::size_t i = 0; i < count; ++i)
    told += " " + std::to_string(parts[i].first) + "+" + std::to_string(parts[i].bytes);
  told += ";";
}

}  // namespace

extern "C" {

void muster_buffer_find(const void* address, muster_buffer* buffer) {
  *buffer = {};
  for (FakeArray& array : arrays) {
    const char* const at = static_cast<const char*>(address);
    if (at < array.user.data() || at >= array.user.data() + array.user.size()) continue;
    *buffer = {array.kind, 8, array.user.data(), array.user.size(), array.alias.data()};
  }
}
void muster_buffer_fetch(const muster_buffer* /*buffer*/, const muster_part* parts, size_t count) {
  note("fetch", parts, count);
}
void muster_buffer_settle(const muster_buffer* /*buffer*/, const muster_part* parts, size_t count) {
  note("settle", parts, count);
}
void muster_buffer_own(const muster_buffer* /*buffer*/, const muster_part* parts, size_t count) {
  note("own", parts, count);
}
int muster_flights_are_checked(void) { return checks ? 1 : 0; }
uint64_t muster_flight_begin(const muster_buffer* /*buffer*/, const muster_part* parts, size_t count, const char* call,
                             int how) {
  if (!(how == MUSTER_FLIGHT_FILLS_ALIAS ? aliasIsFree : checks)) return 0;
  const char* const does[] = {" reads", " fills a copy", " fills the alias"};
  note((call + std::string(does[how])).c_str(), parts, count);
  return 7;
}
void muster_flight_end(uint64_t flight) { told += "ended " + std::to_string(flight) + ";"; }
void* muster_device_lend(const muster_buffer* /*buffer*/, const muster_part* parts, size_t count, int filled) {
  if (!lends) return nullptr;
  note(filled != 0 ? "lend filled" : "lend", parts, count);
  return lent.data();
}
void muster_device_take(void* memory, const muster_buffer* /*buffer*/, const muster_part* parts, size_t count) {
  EXPECT_EQ(memory, lent.data());
  note("take", parts, count);
}
void muster_device_give_back(void* memory) {
  EXPECT_EQ(memory, lent.data());
  told += "give back;";
}
void muster_pin_arrays(void) { ++pins; }
void muster_unpin_arrays(void) { --pins; }
void muster_hold_array(const void* /*address*/, const char* /*why*/) { told += "hold;"; }
void muster_release_array(const void* /*address*/) { told += "release;"; }
void muster_host_access(const void* /*pointer*/, size_t bytes, int mode) {
  told += (mode & MUSTER_WRITE) != 0 ? "write " : "read ";
  told += std::to_string(bytes) + ";";
}

}  // extern "C"

namespace muster::mpi::test {
namespace {

constexpr BufferUse kSend{nullptr, true, false}, kReceive{nullptr, false, true};

constexpr Circumstances kCall{Lasts::call, false, false, true}, kLater{Lasts::later, false, false, true},
    kStarts{Lasts::starts, false, false, true};

class Transfers : public testing::Test {
 protected:
  void SetUp() override {
    told.clear();
    pins = 0;
    checks = aliasIsFree = lends = false;
    lentFrom = SIZE_MAX;
    for (FakeArray& array : arrays) array = {};
  }
  void TearDown() override { EXPECT_EQ(pins, 0) << "pins are taken off again"; }

  static char* user(int bytes) { return arrays[0].user.data() + bytes; }
  static char* alias(int bytes) { return arrays[0].alias.data() + bytes; }
  static Transfer transfer(int at, BufferUse use, Circumstances now, std::vector<Block> blocks, bool exact = true) {
    return {user(at), use, now, [=] { return Blocks{blocks, exact}; }};
  }
};

TEST_F(Transfers, PlainMemoryIsLeftAlone) {
  Transfer sent = transfer(8, kSend, kLater, {{0, 16}});
  EXPECT_TRUE(sent.isNothing());
  EXPECT_EQ(sent.address(), user(8));
  EXPECT_EQ(told, "");
}

TEST_F(Transfers, DevicesLendMemoryForMessages) {
  arrays[0].kind = MUSTER_BUFFER_MIRRORED;
  lends = true;
  Circumstances message = kLater;
  message.isMessage = message.comesWhole = message.ownType = true;
  {
    Transfer alias = transfer(8, kSend, message, {{0, 16}});
    EXPECT_EQ(alias.address(), Transfers::alias(8)) << "nobody asked for more";
  }
  told.clear();
  lentFrom = 16;
  {
    Transfer sent = transfer(8, kSend, message, {{8, 16}});
    EXPECT_EQ(sent.address(), lent.data() - 8) << "the block is where MPI looks for it";
    EXPECT_TRUE(sent.goesOn());
    EXPECT_EQ(pins, 1) << "the program stays where it is";
    sent.end(0);
    EXPECT_EQ(pins, 0);
    EXPECT_EQ(told, "lend filled 16+16;give back;");
  }
  told.clear();
  {
    Transfer received(user(0), kReceive, message,
                      [] { return Blocks{{{0, 8}, {40, 8}, {80, 8}}, true, kDouble, sizeof(double)}; });
    EXPECT_EQ(received.address(), lent.data());
    ASSERT_TRUE(received.elements().has_value()) << "without the gaps";
    EXPECT_EQ(received.elements()->count, 3);
    received.end(16);
    EXPECT_EQ(told, "lend 0+8 40+8 80+8;take 0+8 40+8;") << "two of three came";
  }
  told.clear();
  {
    Transfer failed = transfer(8, kReceive, message, {{0, 16}});
    failed.end(0);
    Transfer dropped = transfer(8, kReceive, message, {{0, 16}});
  }
  EXPECT_EQ(told, "lend 8+16;give back;lend 8+16;give back;");
}

TEST_F(Transfers, DevicesLendNoneForOthers) {
  arrays[0].kind = MUSTER_BUFFER_MIRRORED;
  lends = true;
  lentFrom = 16;
  Circumstances message = kLater;
  message.isMessage = message.comesWhole = true;
  const auto lendsFor = [&](BufferUse use, const Circumstances& now, const std::vector<Block>& blocks,
                            bool exact = true) {
    told.clear();
    (void)transfer(8, use, now, blocks, exact);
    return told.find("lend") != std::string::npos;
  };
  ASSERT_TRUE(lendsFor(kSend, message, {{0, 16}}));
  EXPECT_FALSE(lendsFor(kSend, message, {{0, 8}})) << "host memory is faster";
  EXPECT_FALSE(lendsFor(kSend, message, {{4, 16}})) << "not whole elements";
  EXPECT_FALSE(lendsFor(kSend, message, {{0, 8}, {16, 8}})) << "gaps, and the type stays";
  EXPECT_FALSE(lendsFor(kReceive, message, {{0, 16}}, false)) << "gaps that nobody knows";
  Circumstances collective = message;
  collective.isMessage = false;
  EXPECT_FALSE(lendsFor(kSend, collective, {{0, 16}}));
  Circumstances persistent = message;
  persistent.lasts = Lasts::starts;
  EXPECT_FALSE(lendsFor(kSend, persistent, {{0, 16}})) << "one address for all starts";
  Circumstances shorter = message;
  shorter.comesWhole = false;
  EXPECT_FALSE(lendsFor(kReceive, shorter, {{0, 16}})) << "it may end inside of an element";
  EXPECT_TRUE(lendsFor(kSend, shorter, {{0, 16}}));
}

TEST_F(Transfers, ACallPinsWhatMayMove) {
  arrays[0].kind = MUSTER_BUFFER_PRIVATE;
  Transfer sent = transfer(8, kReceive, kCall, {{0, 16}});
  EXPECT_EQ(sent.address(), user(8));
  EXPECT_EQ(pins, 1);
  sent.end(16);
  EXPECT_EQ(told, "");
}

TEST_F(Transfers, ASendOfAMirroredArrayIsFetchedAndGoesFromTheAlias) {
  arrays[0].kind = MUSTER_BUFFER_MIRRORED;
  Transfer sent = transfer(8, kSend, kLater, {{0, 8}, {24, 8}});
  EXPECT_EQ(sent.address(), alias(8));
  EXPECT_FALSE(sent.goesOn());
  EXPECT_EQ(told, "fetch 8+8 32+8;");
}

TEST_F(Transfers, AReceiveThatReturnsGoesToTheAliasAndOwnsWhatCame) {
  arrays[0].kind = MUSTER_BUFFER_MIRRORED;
  Transfer received = transfer(0, kReceive, kCall, {{0, 16}, {32, 16}});
  EXPECT_EQ(received.address(), alias(0));
  received.end(24);
  EXPECT_EQ(told, "settle 0+16 32+16;own 0+16 32+8;");
}

TEST_F(Transfers, WhatSurelyComesIsTheHostsOwnBefore) {
  arrays[0].kind = MUSTER_BUFFER_MIRRORED;
  const Circumstances collective{Lasts::call, false, true, false};
  Transfer received = transfer(0, kReceive, collective, {{0, 16}});
  EXPECT_EQ(received.address(), alias(0));
  EXPECT_EQ(told, "settle 0+16;own 0+16;") << "no other thread's page fault fetches over it";
  received.end(16);
}

TEST_F(Transfers, AMessageIsStagedWhereOtherThreadsRun) {
  arrays[0].kind = MUSTER_BUFFER_MIRRORED;
  Transfer received = transfer(0, kReceive, {Lasts::call, false, false, false}, {{0, 16}});
  EXPECT_NE(received.address(), alias(0));
  received.end(8);
  EXPECT_EQ(told, "settle 0+8;own 0+8;");
}

TEST_F(Transfers, AMessageMayEndInsideOfAnElement) {
  arrays[0].kind = MUSTER_BUFFER_MIRRORED;
  Transfer received = transfer(0, kReceive, kCall, {{0, 16}});
  received.end(12);
  EXPECT_EQ(told, "settle 0+16;fetch 8+4;own 0+12;");
}

TEST_F(Transfers, WhatIsNotFilledIsFetchedBefore) {
  arrays[0].kind = MUSTER_BUFFER_MIRRORED;
  transfer(4, kReceive, kCall, {{0, 8}}).end(8);
  EXPECT_EQ(told, "fetch 4+8;settle 4+8;own 4+8;") << "parts of elements";
  told.clear();
  transfer(0, kReceive, kCall, {{0, 16}}, false).end(16);
  EXPECT_EQ(told, "fetch 0+16;settle 0+16;own 0+16;") << "bytes that the type leaves out";
}

TEST_F(Transfers, AReceiveThatGoesOnIsStaged) {
  arrays[0].kind = MUSTER_BUFFER_MIRRORED;
  Transfer received = transfer(8, kReceive, kLater, {{0, 8}, {24, 8}});
  EXPECT_TRUE(received.goesOn());
  char* const given = static_cast<char*>(received.address());
  std::memset(given, 'a', 8);
  std::memset(given + 24, 'b', 8);
  EXPECT_EQ(told, "");
  received.end(12);
  EXPECT_EQ(told, "fetch 8+8 32+4;settle 8+8 32+4;own 8+8 32+4;") << "but for the last part of an element";
  EXPECT_EQ(std::string(alias(8), 8), "aaaaaaaa");
  EXPECT_EQ(std::string(alias(32), 4), "bbbb");
  EXPECT_EQ(*alias(36), 0) << "what did not come is left";
  EXPECT_EQ(*alias(16), 0) << "what lies between is left";
}

// A column comes as elements one behind the other, so that its copy is as small as it is.
TEST_F(Transfers, WhatIsStagedHasNoGapsWhereCountAndTypeMayBeExchanged) {
  arrays[0].kind = MUSTER_BUFFER_MIRRORED;
  const auto blocks = [] { return Blocks{{{0, 8}, {24, 8}, {40, 8}}, true, kDouble, 8}; };
  Circumstances now = kLater;
  EXPECT_FALSE(Transfer(user(0), kReceive, now, blocks).elements());
  now.ownType = true;
  told.clear();
  Transfer received(user(0), kReceive, now, blocks);
  ASSERT_TRUE(received.elements());
  EXPECT_EQ(received.elements()->count, 3);
  EXPECT_EQ(received.elements()->type, kDouble);
  std::memcpy(received.address(), "aaaaaaaabbbbbbbbcccccccc", 24);
  received.end(16);
  EXPECT_EQ(told, "settle 0+8 24+8;own 0+8 24+8;");
  EXPECT_EQ(std::string(alias(24), 8), "bbbbbbbb");
  EXPECT_EQ(*alias(8), 0);
  EXPECT_EQ(*alias(40), 0) << "the last one did not come";
  // What is sent, too. Types of several kinds, and blocks without a gap, stay as they are.
  arrays[0].kind = MUSTER_BUFFER_PRIVATE;
  std::memcpy(user(24), "xxxxxxxx", 8);
  Transfer sent(user(0), kSend, now, blocks);
  EXPECT_EQ(std::string(static_cast<char*>(sent.address()) + 8, 8), "xxxxxxxx");
  EXPECT_FALSE(Transfer(user(0), kReceive, now, [] { return Blocks{{{0, 8}, {24, 8}}, true}; }).elements());
  EXPECT_FALSE(Transfer(user(0), kReceive, now, [] { return Blocks{{{0, 24}}, true, kDouble, 8}; }).elements());
}

TEST_F(Transfers, TheCallGetsThatCountAndType) {
  arrays[1].kind = MUSTER_BUFFER_MIRRORED;
  static std::array<char, 256> large;
  const auto give = [](const char* letters, std::array<Word, 8> arguments) {
    const CallShape shape(letters);
    const Operation operation(shape, arguments.data(), Lasts::later, FakeAbi(), "MPI_Irecv");
    return std::pair(arguments[1], arguments[2]);
  };
  const Word at = reinterpret_cast<Word>(user(0)), other = reinterpret_cast<Word>(large.data());
  EXPECT_EQ(give("rntp.cQ", {at, 1, kColumn}), std::pair(Word{1}, kColumn)) << "plain memory";
  arrays[0].kind = MUSTER_BUFFER_MIRRORED;
  EXPECT_EQ(give("rntp.cQ", {at, 1, kColumn}), std::pair(Word{3}, kDouble));
  EXPECT_EQ(give("bntcq", {at, 1, kColumn}), std::pair(Word{1}, kColumn)) << "a collective call";
  EXPECT_EQ(give("srnt.cq", {other, at, 1, kColumn}).second, Word{1}) << "two buffers share them";
}

TEST_F(Transfers, AnArrayMayMoveUnderWhatIsStaged) {
  arrays[0].kind = MUSTER_BUFFER_PRIVATE;
  std::memset(user(0), 's', 16);
  Transfer sent = transfer(0, kSend, kLater, {{0, 16}});
  Transfer received = transfer(16, kReceive, kLater, {{0, 8}});
  EXPECT_NE(sent.address(), user(0));
  EXPECT_EQ(std::string(static_cast<char*>(sent.address()), 16), std::string(16, 's'));
  std::memset(received.address(), 'r', 8);
  arrays[0].kind = MUSTER_BUFFER_MIRRORED;
  received.end(8);
  sent.end(0);
  EXPECT_EQ(told, "settle 16+8;own 16+8;");
  EXPECT_EQ(std::string(alias(16), 8), "rrrrrrrr");
}

TEST_F(Transfers, ARequestThatRepeatsIsReadAtEachStart) {
  arrays[0].kind = MUSTER_BUFFER_PRIVATE;
  Transfer sent = transfer(0, kSend, kStarts, {{0, 8}});
  for (const char value : {'1', '2'}) {
    std::memset(user(0), value, 8);
    sent.start();
    EXPECT_EQ(std::string(static_cast<char*>(sent.address()), 8), std::string(8, value));
    sent.end(0);
  }
}

TEST_F(Transfers, WhatGoesOnIsInFlightWhereSomebodyChecks) {
  checks = true;
  arrays[0].kind = MUSTER_BUFFER_MIRRORED;
  Circumstances now = kLater;
  now.call = "MPI_Isend";
  {
    Transfer sent = transfer(8, kSend, now, {{0, 8}, {24, 8}});
    EXPECT_TRUE(sent.goesOn()) << "though there is nothing to do at its end";
    EXPECT_EQ(told, "fetch 8+8 32+8;MPI_Isend reads 8+8 32+8;");
    sent.end(16);
    EXPECT_EQ(told, "fetch 8+8 32+8;MPI_Isend reads 8+8 32+8;ended 7;");
  }
  told.clear();
  now.call = "MPI_Irecv";
  {
    const Transfer failed = transfer(0, kReceive, now, {{0, 8}});
  }
  EXPECT_EQ(told, "MPI_Irecv fills a copy 0+8;ended 7;");
  told.clear();
  transfer(0, kReceive, kCall, {{0, 8}}).end(8);
  EXPECT_EQ(told, "settle 0+8;own 0+8;") << "no loop runs meanwhile";
  now = kStarts;
  now.call = "MPI_Recv_init";
  Transfer repeats = transfer(0, kReceive, now, {{0, 8}});
  for (int i = 0; i < 2; ++i) {
    told.clear();
    repeats.start();
    EXPECT_EQ(told, "MPI_Recv_init fills a copy 0+8;");
    repeats.end(0);
  }
}

TEST_F(Transfers, AReceiveThatGoesOnFillsTheAliasWhereTheRuntimeSeesToIt) {
  aliasIsFree = true;
  arrays[0].kind = MUSTER_BUFFER_MIRRORED;
  Circumstances now = kLater;
  now.call = "MPI_Irecv";
  {
    Transfer received = transfer(8, kReceive, now, {{0, 8}, {24, 8}});
    EXPECT_EQ(received.address(), alias(8));
    EXPECT_TRUE(received.goesOn());
    EXPECT_EQ(told, "MPI_Irecv fills the alias 8+8 32+8;");
    received.end(12);
    EXPECT_EQ(told, "MPI_Irecv fills the alias 8+8 32+8;own 8+8 32+4;ended 7;")
        << "what did not come stays the devices'";
  }
  told.clear();
  Transfer both = transfer(8, {nullptr, true, true}, now, {{0, 8}});
  EXPECT_EQ(told, "fetch 8+8;MPI_Irecv fills the alias 8+8;") << "what it holds is sent";
  both.end(8);
  told.clear();
  now.ownType = true;
  Transfer column(user(0), kReceive, now, [] { return Blocks{{{0, 8}, {24, 8}}, true, kDouble, 8}; });
  EXPECT_TRUE(column.elements()) << "a copy without gaps is faster";
  EXPECT_EQ(told, "");
  column.end(16);
  told.clear();
  now = kStarts;
  EXPECT_NE(transfer(8, kReceive, now, {{0, 8}}).address(), alias(8)) << "one address for all starts";
  arrays[0].kind = MUSTER_BUFFER_PRIVATE;
  EXPECT_NE(transfer(8, kReceive, kLater, {{0, 8}}).address(), user(8)) << "the array may move";
  EXPECT_EQ(told, "");
}

TEST_F(Transfers, SeveralArraysAtOnceAreVisible) {
  arrays[0].kind = arrays[1].kind = MUSTER_BUFFER_MIRRORED;
  const std::ptrdiff_t other = arrays[1].user.data() - user(0);
  {
    Transfer both = transfer(0, kReceive, kCall, {{0, 8}, {other, 16}});
    EXPECT_EQ(both.address(), user(0));
    EXPECT_EQ(pins, 1);
    both.end(24);
  }
  EXPECT_EQ(told, "write 8;write 16;");
  told.clear();
  transfer(0, kReceive, kLater, {{0, 8}, {other, 16}}).end(24);
  EXPECT_EQ(told, "hold;hold;release;release;");
}

TEST_F(Transfers, OperationsAreFoundByTheirRequestAndByTheirTarget) {
  OpenOperations open;
  const auto put = [](Word target) {
    static const CallShape shape("sntg...w");
    Word arguments[] = {reinterpret_cast<Word>(user(0)), 1, kDouble, target, 0, 0, 0, 0};
    return std::make_shared<Operation>(shape, arguments, Lasts::later, FakeAbi(), "MPI_Irecv");
  };
  EXPECT_FALSE(open.any());
  open.add(1, put(4));
  open.add(1, put(5));
  open.add(2, put(4));
  const Word target = 5;
  EXPECT_EQ(open.take(1, &target).size(), 1u);
  EXPECT_EQ(open.take(1).size(), 1u);
  EXPECT_NE(open.find(2), nullptr);
  EXPECT_NE(open.takeOne(2), nullptr);
  EXPECT_EQ(open.takeOne(2), nullptr);
  EXPECT_FALSE(open.any());
}

}  // namespace
}  // namespace muster::mpi::test
