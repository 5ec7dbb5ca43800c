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

#include "passes/LaneMasks.h"
#include "passes/Lanes.h"

namespace muster::plugin::passes {

using Lane = std::vector<unsigned>;  // a number for each axis

// All lanes along the axes of a mask, the first axis fastest.
std::vector<Lane> lanesAlong(const std::vector<LaneAxis>& axes, LaneMasks::Mask mask);

// An element whose neighbour is that of the next lane along the axis.
struct AdjacentElement {
  unsigned axis = 0;
  Element element;
};

// Elements next to each other that all lanes along an axis read together.
struct LaneRead {
  unsigned axis = 0;
  Lane outer;  // these lanes: their numbers along the other axes
  std::string array;
  std::vector<ir::Expression> terms;
  std::int64_t block = 0;  // it begins so many times the lanes behind the first lane's
  std::string name;        // of the vector
  ir::Expression first;    // its first element, as a lane names it
  unsigned firstLane = 0;  // that lane's number along the axis
};

class WideAccesses {
 public:
  WideAccesses(const LaneContext& context, const LaneMasks& masks) : context_(context), masks_(masks) {}

  // The first stores along each axis say where blocks begin, or else the first reads.
  void noteStarts(const ir::Statements& iteration);

  // None: it is no element, or lanes along the first axis have others than neighbours.
  std::optional<AdjacentElement> adjacent(const ir::Expression& value) const;
  // The element that a statement stores into as the last thing that it does.
  const ir::Expression* storedBy(const ir::Statement& statement) const;
  // Whether the first lane's is aligned, as far as it is known here.
  bool mayBeStored(const AdjacentElement& stored);

  // What lanes along the axes of the mask read together. `newName` gives names of vectors.
  std::vector<LaneRead> readsOf(const ir::Statement& statement, LaneMasks::Mask mask,
                                const std::function<std::string()>& newName);
  // Neighbours of what is wide come one by one; nothing else does.
  bool areBeside(const ir::Statement& statement, const std::vector<LaneRead>& reads) const;
  // What a lane takes from one of the vectors. None: it does not have it from there.
  std::optional<ir::Expression> partFor(const ir::Expression& value, const Lane& lane,
                                        const std::vector<LaneRead>& reads) const;

  const std::map<unsigned, std::int64_t>& phases() const { return phases_; }
  const Alignment& alignment() const { return alignment_; }
  std::int64_t width(unsigned axis) const { return context_.axes[axis].lanes; }

 private:
  using Elements = std::vector<std::pair<Element, ir::Expression>>;  // along one axis, and how lanes name them

  void noteStores(const ir::Statements& statements);
  std::int64_t phaseOf(const Element& element, unsigned axis) const;
  bool canBeAligned(const Element& element, unsigned axis);
  bool isReadWhole(const Element& element, unsigned axis, std::int64_t block, const Elements& elements) const;
  void addReads(const Elements& elements, unsigned axis, const Lane& outer, std::vector<LaneRead>& reads,
                const std::function<std::string()>& newName);

  const LaneContext& context_;
  const LaneMasks& masks_;
  std::map<unsigned, std::int64_t> phases_;
  Alignment alignment_;
};

}  // namespace muster::plugin::passes
