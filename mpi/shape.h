// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the arguments of a call of MPI are, as one letter for each. A buffer is described by the first group of a count
// and a type behind it; several buffers may share a group.
//
//   buffers  s sent   r received into   b both, or received into in parts   S sent by the root
//            R received into by the root
//            x sent by the root, received into by the others
//   counts   n elements   h bytes (a group by itself)   H the same, MPI_Aint   e none: one element (with the type)
//            P elements for each process   I, O elements for each neighbour, in and out
//            v an element count of each process   j, k of each neighbour, in and out
//            y elements of each process's part of what is sent together   z the same, an array of counts
//   places   d of each count, in elements   B in bytes (int)   A in bytes (MPI_Aint)
//   types    t one   T one for each count
//   others   c communicator   C one in which all have to begin the call before one can end it: nothing to combine apart
//            0 root   w window   g rank of the window   f file
//            p peer of the buffer before, which MPI_PROC_NULL leaves alone   u status, which says how many bytes came
//            Q request, whose status says so   q request, of which all comes   . anything else
//
// A + in front: counts are MPI_Count and places MPI_Aint, as in functions whose names end in _c.
#pragma once

#include <string_view>
#include <vector>

#include "abi.h"

namespace muster::mpi {

// Which arguments say how much of a buffer a call uses; -1: none.
struct Group {
  char count = 0, place = 0, type = 0;  // their letters
  int countAt = -1, placeAt = -1, typeAt = -1;
  // One count and one type of one buffer: they may be exchanged for others that say the same.
  bool own = false;
};

struct CallShape {
  explicit CallShape(std::string_view letters);

  struct Buffer {
    char letter = 0;
    int at = 0;
    Group group;
    int peer = -1;
  };
  std::vector<Buffer> buffers;
  int communicator = -1, root = -1, status = -1, request = -1;
  int window = -1, file = -1;
  int target = -1;       // rank of the window
  bool wide = false;     // counts and places are
  bool waitsForAll = false;
  Counts counts = Counts::nothing;
};

// What one call does with one of its buffers.
struct BufferUse {
  const CallShape::Buffer* buffer = nullptr;
  bool sends = false, receives = false;
};

// Of this process, in this call: buffers that it does not use, and MPI_IN_PLACE, are left out.
[[nodiscard]] std::vector<BufferUse> usesOf(const CallShape& shape, const Word* arguments, const Abi& abi);

// No process of the program ends this call before all have begun it.
[[nodiscard]] bool joinsAll(const CallShape& shape, const Word* arguments, const Abi& abi);

struct Blocks {
  std::vector<Block> blocks;  // from the buffer's address on, in the order in which data is sent or comes
  bool exact = true;          // false: data that comes may leave out some of their bytes
  Word element = 0;           // as in Layout, of all blocks
  std::size_t elementBytes = 0;
  [[nodiscard]] std::size_t bytes() const;  // of all blocks
};
[[nodiscard]] Blocks blocksOf(const CallShape& shape, const BufferUse& use, const Word* arguments, const Abi& abi);

}  // namespace muster::mpi
