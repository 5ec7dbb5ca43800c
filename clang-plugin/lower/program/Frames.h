// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stands around the code of an iteration: how work-items find their iterations, by the schedule, and how
// work-groups put together what theirs gave.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lower/program/Program.h"
#include "lower/program/Reductions.h"
#include "passes/LateUpdates.h"
#include "plan/Schedule.h"
#include "print/Print.h"

namespace muster::plugin::lower {

inline std::string numbered(const char* name, std::size_t number) { return name + std::to_string(number); }

// Work-items behind the last iteration, which meet the others of their group at barriers, do what that one does.
inline constexpr const char* ownIteration =
    "  const long muster_own = muster_lo_0 + (long)get_global_id(0);\n"
    "  const long muster_k_0 = muster_own < muster_hi_0 ? muster_own : muster_hi_0 - 1;\n";

inline constexpr const char* lateStride = "muster_stride";

class Frames {
 public:
  // `prologue`: definitions in front of the first iteration. `ends`: an iteration may end the program.
  Frames(Program& program, const Schedule& schedule, const std::vector<Reduction>& reductions,
         const ir::Statements& prologue, bool ends)
      : program_(program),
        facts_(program.facts),
        schedule_(schedule),
        reductions_(reductions),
        prologue_(print::text(prologue, 1)),
        ends_(ends) {}

  // Of the kernel's braces, what is behind its temporaries.
  std::string frame(const std::string& iteration) const;
  // The kernel's text with and without MUSTER_PRIVATE, which adds arguments. `head` ends with the last of the others.
  // `loops`: the iterations of a work-item that collects.
  std::string withPrivate(const std::string& head, const std::string& temporaries, const std::string& iteration,
                          const std::string& loops) const;
  std::string stridedLoops(const std::string& iteration) const;
  // Of one dimension.
  std::string lateLoops(const std::string& iteration, const passes::LateIterations& late) const;

 private:
  std::string workItem(unsigned dim, const char* function) const {
    return std::string("(long)") + function + "(" + std::to_string(schedule_.axisOf(dim)) + ")";
  }
  std::string guardedFrame(const std::string& iteration) const;
  std::string pointsFrame(const std::string& iteration) const;
  std::string stridedFrame(const std::string& iteration) const;
  std::string privateFrame(const std::string& loops) const;

  Program& program_;
  const LoopFacts& facts_;
  const Schedule& schedule_;
  const std::vector<Reduction>& reductions_;
  const std::string prologue_;
  const bool ends_;
};

// Arrays of the schedule's whose updates the text collects, by their index.
std::vector<std::pair<unsigned, Privatized>> privatizedIn(const Program& program, const Schedule& schedule);

}  // namespace muster::plugin::lower
