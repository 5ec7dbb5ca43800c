// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What calls of MPI mean to one MPI implementation. Handles and constants differ between implementations (Open MPI has
// pointers, MPICH numbers), so what asks for their meaning is compiled once for each (abi_module.cpp). Everything else
// handles arguments as machine words.
//
// Thread-safety: as that of the MPI library.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "muster/buffers.h"

namespace muster::mpi {

// An argument of a call, whatever its type is. Of an int only the lower half counts.
using Word = long;

struct Block {
  std::ptrdiff_t first = 0;  // bytes from the address that the call is given
  std::size_t bytes = 0;
};

// Where one element of a datatype lies, in the order of its type map; elements are `extent` bytes apart.
struct Layout {
  std::vector<Block> blocks;
  std::ptrdiff_t extent = 0;
  bool exact = true;  // false: the blocks also hold bytes that the type leaves out
  // The type of MPI's own that all of it is made of, and its size; 0 bytes: there are several, none is known, or its
  // elements have gaps.
  Word element = 0;
  std::size_t elementBytes = 0;
};

struct Neighbours {
  int in = 0, out = 0;
};

// What a process does in a collective call with a root. Among two groups the root's group has no other part in it, and
// the root itself neither gives to its group nor takes from it.
enum class Role { root, rootOfOthers, other, none };

// What a status says: nothing that matters; how many bytes came, of a file; the same of a message, which may also have
// been cancelled. Open MPI does not say of files whether they were.
enum class Counts { nothing, bytes, bytesOrCancelled };

// Of one request, where a call for several failed.
enum class Outcome { complete, failed, pending };

class Abi {
 public:
  virtual ~Abi() = default;

  virtual void abort(int code) const = 0;  // MPI_Abort of all processes
  [[nodiscard]] virtual bool isInPlace(Word buffer) const = 0;
  [[nodiscard]] virtual bool isNobody(Word rank) const = 0;  // MPI_PROC_NULL
  [[nodiscard]] virtual Layout layoutOf(Word type) const = 0;
  [[nodiscard]] virtual Word typeAt(Word types, int i) const = 0;

  // The program said that it has several threads (MPI_Init_thread).
  [[nodiscard]] virtual bool hasThreads() const = 0;
  // Of an argument that is a request or a window: as requestAt and windowAt give it.
  [[nodiscard]] virtual Word handle(Word argument) const = 0;

  // Addresses of devices' memory may be given as those of buffers.
  [[nodiscard]] virtual bool takesDeviceMemory() const = 0;
  // Of MPI_COMM_WORLD, in messages of their own, until it goes.
  [[nodiscard]] virtual std::shared_ptr<const muster_processes> world() const = 0;
  [[nodiscard]] virtual bool isWorld(Word communicator) const = 0;  // MPI_COMM_WORLD
  // The processes that a collective call exchanges data with: of an intercommunicator, those of the other group.
  [[nodiscard]] virtual int processes(Word communicator) const = 0;
  [[nodiscard]] virtual int members(Word communicator) const = 0;  // of this process's own group
  [[nodiscard]] virtual int rank(Word communicator) const = 0;
  [[nodiscard]] virtual Role role(Word communicator, Word root) const = 0;
  [[nodiscard]] virtual Neighbours neighbours(Word communicator) const = 0;

  // An element reaches so far that it may hold several variables of the program, wherever they lie.
  [[nodiscard]] virtual bool reachesFar(Word type) const = 0;

  // Bytes that came, of which a request says that it is complete; nothing: it is not.
  [[nodiscard]] virtual std::optional<std::size_t> completed(Word request, Counts counts) const = 0;
  [[nodiscard]] virtual Word requestAt(Word requests, int i) const = 0;
  [[nodiscard]] virtual Word windowAt(Word window) const = 0;
  // MPI_Wait for this request, for callers that would not hear of its end. Bytes that came.
  virtual std::size_t wait(Word requests, Counts counts) const = 0;

  // MPI_Test for this request. It is gone where that is true.
  virtual bool test(Word request) const = 0;
  // As requestAt, and the argument becomes MPI_REQUEST_NULL.
  virtual Word takeRequest(Word requests) const = 0;

  // Of arguments that may be MPI_STATUS_IGNORE or MPI_STATUSES_IGNORE.
  [[nodiscard]] virtual bool isIgnored(Word statuses) const = 0;
  [[nodiscard]] virtual std::size_t statusBytes() const = 0;
  // Of one of the statuses of a call that failed.
  [[nodiscard]] virtual Outcome outcome(Word result, const void* statuses, int i) const = 0;
  [[nodiscard]] virtual std::size_t received(const void* statuses, int i, Counts counts) const = 0;
};

inline constexpr int abiVersion = 3;
using AbiEntry = const Abi*(int version);  // nullptr: of another version
inline constexpr const char* abiEntry = "musterMpiAbi";

}  // namespace muster::mpi
