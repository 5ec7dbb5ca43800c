// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transport: how ranks exchange bytes. Three implementations: local (one rank, nothing to do), loopback
// (n ranks as threads of one process, for tests), mpi (Open MPI; in its own module, loaded only under a
// launcher). Data goes directly between the ranks concerned; commands go from rank 0 down a tree.
//
// Thread-safety: all calls may come from any thread; the implementation serialises.
// Waiting: spins briefly, then sleeps in growing steps, because ranks may be more than cores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "muster/cdm/status.h"

namespace muster::cdm {

using Bytes = std::vector<std::byte>;

// Bits of a tag that surely tell two messages apart (MPI: its tag bound is checked at start).
inline constexpr int tagWindowBits = 22;
// A command's largest size.
inline constexpr std::size_t maxCommandBytes = std::size_t{16} << 20;

// A message under way. Empty requests are complete. Dropping one that is not complete is for error paths only: its
// buffer may still be in use, so the job must end.
class Request {
 public:
  virtual ~Request() = default;
  virtual Result<bool> test() = 0;  // true once complete; the buffer may then be reused
};
using RequestPtr = std::unique_ptr<Request>;

// A message in memory that sender and receiver share. Whoever drops it gives its room back.
struct LentRoom;
struct Loan {
  std::span<std::byte> bytes;      // none in a bare room
  std::span<std::byte> segment;    // the room that it lies in, for devices to pin: it comes again; empty: pin nothing
  std::size_t room = 0;            // what it takes of LoanLimits::allBytes
  std::uint32_t number = 0;        // of a bare room, counted from 0
  std::shared_ptr<LentRoom> held;  // nullptr: there is no room now
};
struct LoanLimits {
  std::size_t smallest = 0, largest = 0;  // messages, in bytes; largest 0: none
  // The rooms on the way from one rank to the other. A receiver that waits for messages keeps half of them at most:
  // a sender without a room and a receiver that keeps all would wait for each other.
  std::size_t allBytes = 0;
  std::uint32_t bareRooms = 0;  // that have no bytes
  [[nodiscard]] bool allow(std::size_t bytes) const { return largest > 0 && smallest <= bytes && bytes <= largest; }
};

// Whether the transport is given addresses of devices' memory (Transport::takesDeviceMemory) for messages between ranks
// that lend each other no rooms: never; where it takes them and is measured to be faster; or always, which is an error
// where it does not take them.
enum class DirectMessages : std::uint8_t { never, measured, always };

class Transport {
 public:
  virtual ~Transport() = default;

  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  [[nodiscard]] virtual std::string hostName() const = 0;
  [[nodiscard]] virtual const char* name() const = 0;  // "local", "loopback", "mpi"

  // Name and version of the library underneath, "" if there is none.
  [[nodiscard]] virtual std::string libraryVersion() const { return {}; }

  // Data. `tag` pairs a send with its receive between two ranks; a pair must agree on the size (Errc::protocol
  // otherwise). Messages of any size are allowed (split inside); one of zero bytes is a message too. Tags may be
  // reused once both sides are complete. Messages between two ranks may be posted in different orders on both sides, if
  // those that can be under way together differ in the low tagWindowBits bits of their tags: MPI's own are narrow. A
  // sequence number times 65536 plus an index keeps this for 64 sequence numbers.
  virtual Result<RequestPtr> send(int to, std::uint64_t tag, std::span<const std::byte> data) = 0;
  virtual Result<RequestPtr> receive(int from, std::uint64_t tag, std::span<std::byte> data) = 0;
  // Whether data may also lie in memory of ComputeDevice::messageMemory, for all that the library underneath says.
  [[nodiscard]] virtual bool takesDeviceMemory() const { return false; }

  // Loans: data between ranks that share memory, which nobody copies. The sender takes a room, fills it and lends it;
  // the receiver borrows it, and uses the bytes where they are. Both ends know the limits, and so which messages are
  // loans: those pair with one another, by tags and sizes as above, and never with a send or receive. A loan of 0 bytes
  // is a bare room: the right to use what both know under its number, as memory of a device.
  [[nodiscard]] virtual LoanLimits loanLimits(int peer) const;
  // A loan that nobody holds: no room is free. awaitRoom's request is complete once it is worth asking again.
  virtual Result<Loan> takeRoom(int to, std::size_t bytes);
  virtual Result<RequestPtr> awaitRoom(int to, std::size_t bytes);
  virtual Result<RequestPtr> lend(int to, std::uint64_t tag, Loan loan);
  // Sets `loan` when it completes.
  virtual Result<RequestPtr> borrow(int from, std::uint64_t tag, std::size_t bytes, Loan* loan);

  // Commands: rank 0 posts, every other rank gets each command once, in order. A command is at most 16 MiB.
  virtual Status postCommand(std::span<const std::byte> command) = 0;
  // Waits for the next command (ranks > 0). Forwards it down the tree before it returns.
  virtual Result<Bytes> nextCommand() = 0;
  // Whether it is here already (ranks > 0).
  virtual Result<bool> hasCommand() = 0;
  // Everybody waits for this rank's command at once when the slowest rank has done the last one: until it comes, this
  // rank looks for it often, however long that takes.
  virtual void expectCommandSoon() {}

  // Collective at start and in tools: everybody's bytes, in rank order, on every rank; at most 1 GiB in all.
  virtual Result<std::vector<Bytes>> allGather(std::span<const std::byte> mine) = 0;
  virtual Status barrier() = 0;

  // Ends the whole job at once, on all ranks, with this exit code (not 0). Prints nothing.
  [[noreturn]] virtual void abort(int code) = 0;
  // Orderly end; collective. No call may follow.
  virtual Status shutdown() = 0;

  // True once a request is complete, and drops it then; nullptr is complete.
  static Result<bool> test(RequestPtr& request);
  // Waits until one of these is complete, and drops those that are by then; nullptr is complete.
  static Status waitAny(std::span<RequestPtr* const> requests);
  // Waits for one request and drops it; nullptr is complete.
  Status wait(RequestPtr& request);
  // The same for many. The first error ends the wait; requests that are not complete then stay.
  Status waitAll(std::span<RequestPtr> requests);
};

// A transport whose ranks share no memory.
inline LoanLimits Transport::loanLimits(int) const { return {}; }
inline Result<Loan> Transport::takeRoom(int, std::size_t) { return {Errc::unsupported, "no rank shares memory"}; }
inline Result<RequestPtr> Transport::awaitRoom(int, std::size_t) {
  return {Errc::unsupported, "no rank shares memory"};
}
inline Result<RequestPtr> Transport::lend(int, std::uint64_t, Loan) {  // NOLINT(performance-unnecessary-value-param)
  return {Errc::unsupported, "no rank shares memory"};
}
inline Result<RequestPtr> Transport::borrow(int, std::uint64_t, std::size_t, Loan*) {
  return {Errc::unsupported, "no rank shares memory"};
}

}  // namespace muster::cdm
