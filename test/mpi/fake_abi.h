// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An MPI of three processes, of which this is one: a number for each type, and no library.
#pragma once

#include "abi.h"

namespace muster::mpi::test {

inline constexpr Word kInPlace = -1, kWorld = 77;
inline constexpr Word kDouble = 8, kByte = 1;  // types: their size
inline constexpr Word kColumn = 100;           // 3 doubles, every fifth one; 40 bytes from one to the next of them
inline constexpr Word kHoles = 101;            // 16 bytes, of which nobody knows which are meant

class FakeAbi final : public Abi {
 public:
  int self = 0;
  Neighbours near = {1, 2};

  void abort(int) const override {}
  bool isInPlace(Word buffer) const override { return buffer == kInPlace; }
  bool isNobody(Word rank) const override { return static_cast<int>(rank) == -2; }
  Layout layoutOf(Word type) const override {
    if (type == kColumn) return {{{0, 8}, {40, 8}, {80, 8}}, 8, true, kDouble, 8};
    if (type == kHoles) return {{{0, 16}}, 16, false};
    return {{{0, static_cast<std::size_t>(type)}}, type, true, type, static_cast<std::size_t>(type)};
  }
  Word typeAt(Word types, int i) const override { return reinterpret_cast<const Word*>(types)[i]; }
  Word handle(Word argument) const override { return argument; }
  bool test(Word) const override { return true; }
  Word takeRequest(Word requests) const override { return requestAt(requests, 0); }
  bool takesDeviceMemory() const override { return false; }
  std::shared_ptr<const muster_processes> world() const override { return nullptr; }
  bool isWorld(Word communicator) const override { return communicator == kWorld; }
  int processes(Word) const override { return 3; }
  int members(Word) const override { return 3; }
  int rank(Word) const override { return self; }
  Role role(Word, Word root) const override {
    if (root == -3) return Role::rootOfOthers;
    if (root < 0) return Role::none;
    return root == self ? Role::root : Role::other;
  }
  Neighbours neighbours(Word) const override { return near; }
  bool reachesFar(Word) const override { return false; }
  std::optional<std::size_t> completed(Word, Counts) const override { return {}; }
  Word requestAt(Word requests, int i) const override { return reinterpret_cast<const Word*>(requests)[i]; }
  Word windowAt(Word window) const override { return *reinterpret_cast<const Word*>(window); }
  std::size_t wait(Word, Counts) const override { return 0; }
  bool hasThreads() const override { return false; }
  Outcome outcome(Word, const void*, int) const override { return Outcome::complete; }
  bool isIgnored(Word statuses) const override { return statuses == 0; }
  std::size_t statusBytes() const override { return 8; }
  std::size_t received(const void* statuses, int i, Counts) const override {
    return static_cast<const std::size_t*>(statuses)[i];
  }
};

}  // namespace muster::mpi::test
