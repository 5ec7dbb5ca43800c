// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements next to each other that the lanes of a block (passes/Lanes.h) read and write together. Each access has one
// axis along which it does so. Those of a transposition have different ones:
//
//   b[j * n + i] = a[i * n + j];     for (i : lanes) a_i = *(float2 *)&a[i * n + j0];
//                                    for (j : lanes) *(float2 *)&b[j * n + i0] = (a_i0[j], a_i1[j]);
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "passes/LaneMasks.h"
#include "passes/Lanes.h"

namespace muster::plugin::passes {

using Lane = std::vector<unsigned>;  // a number for each axis

// All lanes along the axes of a mask, the first axis fastest.
std::vector<Lane> lanesAlong(const std::vector<LaneAxis>& axes, LaneMasks::Mask mask);

// An element whose neighbour is that of the next lane along the axis, or one of every second, third or fourth element.
struct AdjacentElement {
  unsigned axis = 0;
  Element element;
};

// What elements have to have in common to lie in one vector.
struct ReadSource {
  unsigned axis = 0;
  std::string array;
  std::int64_t column = 1;  // lanes are so many elements apart
  std::vector<ir::Expression> terms;
  unsigned changes = 0;  // behind so many of the run to the array and its index, and in front of the next one

  bool operator==(const ReadSource&) const = default;
};

// Elements next to each other that all lanes along an axis read together.
struct LaneRead {
  ReadSource source;
  Lane outer;                 // these lanes: their numbers along the other axes
  std::int64_t block = 0;     // it begins so many times the lanes behind the first lane's
  std::string name = {};      // of the vector; "": it is not loaded yet
  unsigned loadedBehind = 0;  // so many of all stores of the run
};

class WideAccesses {
 public:
  using Mask = LaneMasks::Mask;

  WideAccesses(const LaneContext& context, const LaneMasks& masks) : context_(context), masks_(masks) {}

  // The first stores along each axis say where blocks begin, or else the first reads.
  void noteStarts(const ir::Statements& iteration);

  // None: it is no element, or lanes along the first axis have others than neighbours.
  std::optional<AdjacentElement> adjacent(const ir::Expression& value) const;
  // The element that a statement stores into as the last thing that it does.
  const ir::Expression* storedBy(const ir::Statement& statement) const;
  // Whether the first lane's is aligned, as far as it is known here.
  bool mayBeStored(const AdjacentElement& stored);

  // What the lanes read together in statements that run one after the other.
  std::vector<LaneRead> readsOf(llvm::ArrayRef<ir::Statement> run);
  // Its reads lie where its own changes to variables say.
  bool movesReads(const ir::Statement& statement) const;
  // The next statement comes behind this one.
  void goBehind(const ir::Statement& statement);
  // Of what the statement reads from these, the loads that are not there yet. `newName` gives names of vectors, and
  // `nameOf` says how a lane names an element.
  ir::Statements loadsFor(const ir::Statement& statement, std::vector<LaneRead>& reads,
                          const std::function<std::string()>& newName,
                          const std::function<ir::Expression(const ir::Expression&, const Lane&)>& nameOf);
  // Neighbours of what is wide come one by one; nothing else does.
  bool areBeside(const ir::Statement& statement, const std::vector<LaneRead>& reads) const;
  // What a lane takes from one of the vectors. None: it does not have it from there.
  std::optional<ir::Expression> partFor(const ir::Expression& value, const Lane& lane,
                                        const std::vector<LaneRead>& reads) const;

  const std::map<unsigned, std::int64_t>& phases() const { return phases_; }
  const Alignment& alignment() const { return alignment_; }
  // Whether something was read ahead of a store to another array.
  bool needsDistinct() const { return needsDistinct_; }
  std::int64_t width(unsigned axis) const { return context_.axes[axis].lanes; }

 private:
  struct RunRead {
    AdjacentElement found;
    Mask mask = 0;  // of the lanes that read it
    ReadSource source;
  };

  void noteStores(const ir::Statements& statements);
  std::int64_t phaseOf(const Element& element, unsigned axis) const;
  std::int64_t placeOf(const AdjacentElement& found, const Lane& lane) const;
  bool canBeAligned(const Element& element, unsigned axis);
  bool isReadWhole(const LaneRead& read, llvm::ArrayRef<RunRead> all) const;
  ReadSource sourceOf(const AdjacentElement& found) const;
  std::vector<std::pair<ir::Expression, AdjacentElement>> adjacentReads(const ir::Statement& statement) const;

  const LaneContext& context_;
  const LaneMasks& masks_;
  std::map<unsigned, std::int64_t> phases_;
  bool needsDistinct_ = false;
  unsigned allStores_ = 0;
  std::map<std::string, unsigned> changes_;                // so far in the run, of arrays and variables
  std::vector<std::pair<unsigned, ir::Statement>> loads_;  // of the run, and how many changes are in front of them
  Alignment alignment_;
};

}  // namespace muster::plugin::passes
