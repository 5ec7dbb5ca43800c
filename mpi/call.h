// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function of MPI that is defined again under its name. All have one form, fourteen machine words in and one out,
// whatever the function's parameters are: words that it does not have are handed on and ignored. The next definition of
// the name does the work: a tool that counts calls, or MPI.
#pragma once

#include <atomic>

#include "operation.h"

namespace muster::mpi {

using Function = Word(Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word);

inline constexpr Word success = 0;  // MPI_SUCCESS, by the standard

class Call;
using Perform = Word(Call& call, Word* arguments);

class Call {
 public:
  constexpr Call(const char* name, Perform* perform, const char* letters, Lasts lasts = Lasts::call)
      : name_(name), letters_(letters), lasts_(lasts), perform_(perform) {}

  // What the program calls: a function that says nothing of buffers, or where no memory matters, is passed on at once.
  Word operator()(Word* arguments);
  Word next(const Word* arguments);

  [[nodiscard]] const char* name() const { return name_; }
  [[nodiscard]] Lasts lasts() const { return lasts_; }
  [[nodiscard]] const CallShape& shape();

 private:
  const char* const name_;
  const char* const letters_;
  const Lasts lasts_;
  Perform* const perform_;
  std::atomic<Function*> next_{nullptr};
  std::atomic<const CallShape*> shape_{nullptr};
};

// How to read the arguments of the MPI that the program has loaded.
[[nodiscard]] const Abi& abi();

}  // namespace muster::mpi

// The names with PMPI_ are defined, too: tools call these, and MPI's interfaces to Fortran (those of MPICH call MPI_).
#define MPI_FUNCTION(function, ...)          \
  MPI_ENTRY(MPI_##function, __VA_ARGS__);    \
  MPI_ENTRY(PMPI_##function, __VA_ARGS__)

#define MPI_ENTRY(symbol, ...)                                                                                        \
  namespace {                                                                                                         \
  constinit muster::mpi::Call call_##symbol{#symbol, __VA_ARGS__};                                                    \
  }                                                                                                                   \
  extern "C" __attribute__((visibility("default"))) muster::mpi::Function muster_##symbol __asm__(#symbol);           \
  muster::mpi::Word muster_##symbol(                                                                                  \
      muster::mpi::Word a, muster::mpi::Word b, muster::mpi::Word c, muster::mpi::Word d, muster::mpi::Word e,        \
      muster::mpi::Word f, muster::mpi::Word g, muster::mpi::Word h, muster::mpi::Word i, muster::mpi::Word j,        \
      muster::mpi::Word k, muster::mpi::Word l, muster::mpi::Word m, muster::mpi::Word n) {                           \
    muster::mpi::Word words[] = {a, b, c, d, e, f, g, h, i, j, k, l, m, n};                                           \
    return call_##symbol(words);                                                                                      \
  }                                                                                                                   \
  static_assert(true)
