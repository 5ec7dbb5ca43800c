// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every transport must do. Each case runs on all ranks of a job at the same time, whatever carries the bytes.
#pragma once

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "muster/cdm/transport.h"

namespace muster::cdm::test {

// Bytes that tell sender, receiver and message apart.
inline Bytes pattern(std::size_t size, std::uint64_t seed) {
  Bytes bytes(size);
  std::uint64_t state = seed * 0x9E3779B97F4A7C15u + 1;
  for (std::byte& byte : bytes) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    byte = static_cast<std::byte>(state >> 56);
  }
  return bytes;
}

inline std::uint64_t seedOf(int from, int to, std::uint64_t tag) {
  return (static_cast<std::uint64_t>(from) * 1009 + static_cast<std::uint64_t>(to)) * 1000003 + tag;
}

inline RequestPtr mustSend(Transport& t, int to, std::uint64_t tag, std::span<const std::byte> data) {
  Result<RequestPtr> request = t.send(to, tag, data);
  EXPECT_TRUE(request.ok()) << request.status().message();
  return request.ok() ? std::move(*request) : nullptr;
}

inline RequestPtr mustReceive(Transport& t, int from, std::uint64_t tag, std::span<std::byte> data) {
  Result<RequestPtr> request = t.receive(from, tag, data);
  EXPECT_TRUE(request.ok()) << request.status().message();
  return request.ok() ? std::move(*request) : nullptr;
}

inline void mustWait(Transport& t, std::span<RequestPtr> requests) {
  const Status status = t.waitAll(requests);
  EXPECT_TRUE(status.ok()) << status.message();
  for (const RequestPtr& request : requests) EXPECT_EQ(request, nullptr);
}

inline double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Every rank to every other one: the sizes around each protocol's limits, all under way together.
inline void sizesArrive(Transport& t) {
  const std::size_t sizes[] = {0, 1, 7, 3999, 4000, 4001, 4096, 65536, 1000003, std::size_t{9} << 20};
  std::vector<Bytes> out, in;
  std::vector<RequestPtr> requests;
  std::uint64_t tag = 100;
  for (const std::size_t size : sizes) {
    ++tag;
    for (int peer = 0; peer < t.size(); ++peer) {
      if (peer == t.rank()) continue;
      in.emplace_back(size);
      requests.push_back(mustReceive(t, peer, tag, in.back()));
      out.push_back(pattern(size, seedOf(t.rank(), peer, tag)));
      requests.push_back(mustSend(t, peer, tag, out.back()));
    }
  }
  mustWait(t, requests);
  std::size_t next = 0;
  tag = 100;
  for (const std::size_t size : sizes) {
    ++tag;
    for (int peer = 0; peer < t.size(); ++peer) {
      if (peer == t.rank()) continue;
      EXPECT_EQ(in[next++], pattern(size, seedOf(peer, t.rank(), tag))) << size << " bytes from rank " << peer;
    }
  }
}

// Messages with one tag come in the order in which they were sent.
inline void sameTagKeepsOrder(Transport& t) {
  const int next = (t.rank() + 1) % t.size(), previous = (t.rank() + t.size() - 1) % t.size();
  if (next == t.rank()) return;
  std::vector<Bytes> out, in(50, Bytes(64));
  std::vector<RequestPtr> requests;
  for (std::uint64_t i = 0; i < in.size(); ++i) out.push_back(pattern(64, seedOf(t.rank(), next, i)));
  for (const Bytes& message : out) requests.push_back(mustSend(t, next, 5, message));
  for (Bytes& message : in) requests.push_back(mustReceive(t, previous, 5, message));
  mustWait(t, requests);
  for (std::uint64_t i = 0; i < in.size(); ++i) EXPECT_EQ(in[i], pattern(64, seedOf(previous, t.rank(), i))) << i;
}

// Hundreds of messages per pair, posted in different random orders by sender and receiver.
inline void anyOrderOfTags(Transport& t) {
  constexpr std::uint64_t count = 300;
  const auto sizeOf = [](std::uint64_t i) { return static_cast<std::size_t>((i * 7919) % 9000); };
  const auto tagOf = [](std::uint64_t i) { return (i / 20 + 77) * 65536 + i % 20; };
  struct Post {
    int peer;
    std::uint64_t index;
    bool receives;
  };
  std::vector<Post> posts;
  for (int peer = 0; peer < t.size(); ++peer) {
    for (std::uint64_t i = 0; i < count && peer != t.rank(); ++i)
      posts.insert(posts.end(), {{peer, i, true}, {peer, i, false}});
  }
  std::shuffle(posts.begin(), posts.end(), std::mt19937(static_cast<unsigned>(t.rank())));
  std::vector<Bytes> buffers(posts.size());
  std::vector<RequestPtr> requests;
  for (std::size_t p = 0; p < posts.size(); ++p) {
    const auto& [peer, i, receives] = posts[p];
    buffers[p] = receives ? Bytes(sizeOf(i)) : pattern(sizeOf(i), seedOf(t.rank(), peer, tagOf(i)));
    requests.push_back(receives ? mustReceive(t, peer, tagOf(i), buffers[p]) : mustSend(t, peer, tagOf(i), buffers[p]));
  }
  mustWait(t, requests);
  for (std::size_t p = 0; p < posts.size(); ++p) {
    const auto& [peer, i, receives] = posts[p];
    if (receives) EXPECT_EQ(buffers[p], pattern(sizeOf(i), seedOf(peer, t.rank(), tagOf(i)))) << "message " << i;
  }
}

inline void differentSizesAreAnError(Transport& t) {
  if (t.size() < 2 || t.rank() > 1) return;
  if (t.rank() == 0) {
    const Bytes data = pattern(100, 3);
    RequestPtr requests[2] = {mustSend(t, 1, 1, data), mustSend(t, 1, 2, data)};
    mustWait(t, requests);
    return;
  }
  Bytes shorter(99), longer(101);
  RequestPtr first = mustReceive(t, 0, 1, shorter), second = mustReceive(t, 0, 2, longer);
  for (RequestPtr* request : {&first, &second}) {
    const Status status = t.wait(*request);
    EXPECT_EQ(status.code(), Errc::protocol);
    EXPECT_NE(status.message().find("rank 0"), std::string::npos) << status.message();
  }
}

inline void wrongCallsAreRefused(Transport& t) {
  Bytes data(8);
  EXPECT_EQ(t.send(t.size(), 1, data).status().code(), Errc::invalidArgument);
  EXPECT_EQ(t.receive(-1, 1, data).status().code(), Errc::invalidArgument);
  if (t.rank() > 0) EXPECT_EQ(t.postCommand(data).code(), Errc::invalidArgument);
  if (t.rank() > 0) return;
  EXPECT_EQ(t.nextCommand().status().code(), Errc::invalidArgument);
  EXPECT_EQ(t.postCommand(Bytes(maxCommandBytes + 1)).code(), Errc::invalidArgument);
}

// Commands of all sizes in order, with data between them that refers to them; rank 0 is far ahead.
inline void commandsWithData(Transport& t) {
  const std::size_t sizes[] = {0, 1, 100, 3991, 3992, 3993, 4096, 20000, maxCommandBytes, 12};
  constexpr int rounds = 5;
  if (t.rank() == 0) {
    std::vector<Bytes> out;
    std::vector<RequestPtr> requests;
    std::uint64_t number = 0;
    for (int round = 0; round < rounds; ++round) {
      for (const std::size_t size : sizes) {
        ++number;
        Bytes command = pattern(size, number);
        EXPECT_TRUE(t.postCommand(command).ok());
        std::fill(command.begin(), command.end(), std::byte{0xEE});  // it is ours again
        for (int to = 1; to < t.size(); ++to) {
          out.push_back(pattern(500, seedOf(0, to, number)));
          requests.push_back(mustSend(t, to, number * 65536, out.back()));
        }
      }
    }
    mustWait(t, requests);
    return;
  }
  std::uint64_t number = 0;
  for (int round = 0; round < rounds; ++round) {
    for (const std::size_t size : sizes) {
      ++number;
      const Result<Bytes> command = t.nextCommand();
      ASSERT_TRUE(command.ok()) << command.status().message();
      ASSERT_TRUE(*command == pattern(size, number)) << "command " << number << " of " << command->size() << " bytes";
      Bytes data(500);
      RequestPtr request = mustReceive(t, 0, number * 65536, data);
      mustWait(t, {&request, 1});
      EXPECT_EQ(data, pattern(500, seedOf(0, t.rank(), number)));
    }
  }
}

inline void allGatherOfDifferentLengths(Transport& t) {
  for (int round = 0; round < 20; ++round) {
    const auto lengthOf = [&](int rank) { return static_cast<std::size_t>((rank + round) % 3 * 5000); };
    const Result<std::vector<Bytes>> all = t.allGather(pattern(lengthOf(t.rank()), seedOf(t.rank(), 0, round)));
    ASSERT_TRUE(all.ok()) << all.status().message();
    ASSERT_EQ(all->size(), static_cast<std::size_t>(t.size()));
    for (int rank = 0; rank < t.size(); ++rank) {
      EXPECT_EQ((*all)[rank], pattern(lengthOf(rank), seedOf(rank, 0, round))) << "rank " << rank;
    }
  }
}

// Two threads of each rank exchange messages at the same time.
inline void threadsShareOneTransport(Transport& t) {
  const int next = (t.rank() + 1) % t.size(), previous = (t.rank() + t.size() - 1) % t.size();
  if (next == t.rank()) return;
  const auto exchange = [&](std::uint64_t thread) {
    for (std::uint64_t i = 0; i < 100; ++i) {
      const std::uint64_t tag = i * 65536 + thread;
      const Bytes out = pattern(3000, seedOf(t.rank(), next, tag));
      Bytes in(3000);
      RequestPtr requests[2] = {mustReceive(t, previous, tag, in), mustSend(t, next, tag, out)};
      mustWait(t, requests);
      EXPECT_EQ(in, pattern(3000, seedOf(previous, t.rank(), tag)));
    }
  };
  std::thread other(exchange, 1);
  exchange(0);
  other.join();
}

// A rank that computes does not hold up what it has posted: long commands and large messages arrive all the same. It
// computes until files of the others say so, however long these take on a busy machine.
inline void messagesTravelWhileTheSenderComputes(Transport& t) {
  namespace fs = std::filesystem;
  constexpr double mostSeconds = 60;
  const std::size_t size = std::size_t{4} << 20;
  const auto fileOf = [](pid_t sender, int rank) {
    return fs::temp_directory_path() / ("muster-arrived-" + std::to_string(sender) + "-" + std::to_string(rank));
  };
  if (t.rank() == 0) {
    Bytes self(sizeof(pid_t));
    const pid_t pid = getpid();
    std::memcpy(self.data(), &pid, sizeof pid);
    std::vector<RequestPtr> requests;
    const Bytes command = pattern(size, 1), data = pattern(size, 2);
    for (int to = 1; to < t.size(); ++to) requests.push_back(mustSend(t, to, 2, self));
    mustWait(t, requests);
    requests.clear();
    EXPECT_TRUE(t.postCommand(command).ok());
    for (int to = 1; to < t.size(); ++to) requests.push_back(mustSend(t, to, 1, data));
    const auto start = std::chrono::steady_clock::now();
    for (int to = 1; to < t.size(); ++to) {
      while (!fs::exists(fileOf(pid, to)) && secondsSince(start) < mostSeconds)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      EXPECT_TRUE(fs::remove(fileOf(pid, to))) << "rank " << to << " has waited for the sender";
    }
    mustWait(t, requests);
  } else {
    Bytes sender(sizeof(pid_t));
    RequestPtr request = mustReceive(t, 0, 2, sender);
    mustWait(t, {&request, 1});
    const Result<Bytes> command = t.nextCommand();
    ASSERT_TRUE(command.ok()) << command.status().message();
    Bytes data(size);
    request = mustReceive(t, 0, 1, data);
    mustWait(t, {&request, 1});
    pid_t pid = 0;
    std::memcpy(&pid, sender.data(), sizeof pid);
    std::ofstream(fileOf(pid, t.rank())) << '\n';
    EXPECT_TRUE(*command == pattern(size, 1) && data == pattern(size, 2));
  }
  EXPECT_TRUE(t.barrier().ok());
}

// Prints what a message, a command and a barrier cost.
inline void latencies(Transport& t) {
  constexpr int rounds = 500;
  if (t.size() < 2) return;
  EXPECT_TRUE(t.barrier().ok());
  auto start = std::chrono::steady_clock::now();
  for (std::uint64_t i = 0; i < rounds && t.rank() < 2; ++i) {
    Bytes data(8);
    const auto turn = [&](bool sends) {
      RequestPtr request = sends ? mustSend(t, 1 - t.rank(), i, data) : mustReceive(t, 1 - t.rank(), i, data);
      mustWait(t, {&request, 1});
    };
    turn(t.rank() == 0);
    turn(t.rank() != 0);
  }
  if (t.rank() == 0) std::printf("  8 bytes, one way: %.1f us\n", secondsSince(start) / rounds / 2 * 1e6);
  EXPECT_TRUE(t.barrier().ok());
  start = std::chrono::steady_clock::now();
  for (int i = 0; i < rounds; ++i) {
    if (t.rank() == 0) EXPECT_TRUE(t.postCommand(Bytes(200)).ok());
    if (t.rank() > 0) EXPECT_TRUE(t.nextCommand().ok());
  }
  if (t.rank() == 0) std::printf("  200-byte command, on rank 0: %.1f us\n", secondsSince(start) / rounds * 1e6);
  EXPECT_TRUE(t.barrier().ok());
  start = std::chrono::steady_clock::now();
  for (int i = 0; i < rounds; ++i) EXPECT_TRUE(t.barrier().ok());
  if (t.rank() == 0) std::printf("  barrier: %.1f us\n", secondsSince(start) / rounds * 1e6);
}

struct TransportCase {
  const char* name;
  void (*run)(Transport&);
};

inline constexpr TransportCase transportCases[] = {
    {"sizesArrive", sizesArrive},
    {"sameTagKeepsOrder", sameTagKeepsOrder},
    {"anyOrderOfTags", anyOrderOfTags},
    {"differentSizesAreAnError", differentSizesAreAnError},
    {"wrongCallsAreRefused", wrongCallsAreRefused},
    {"commandsWithData", commandsWithData},
    {"allGatherOfDifferentLengths", allGatherOfDifferentLengths},
    {"threadsShareOneTransport", threadsShareOneTransport},
    {"messagesTravelWhileTheSenderComputes", messagesTravelWhileTheSenderComputes},
    {"latencies", latencies},
};

}  // namespace muster::cdm::test
