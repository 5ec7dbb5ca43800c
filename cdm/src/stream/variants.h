// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel's text is built for: one of its forms, rows a work-item, values of scalars; and which of these suit a
// launch. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "muster/cdm/device.h"
#include "stream/launch_shape.h"

namespace muster::cdm {

// Parts of the text: an iteration or several beside each other, or what its macros MUSTER_PRIVATE, _TILES, _GROUPS,
// _BLOCKS, _STEPS are for (muster_schedule).
enum class Form : std::uint8_t { plain, collecting, parts, tiled, grouped, blocks, steps };

struct Variant {
  std::size_t points = 1;
  Form form = Form::plain;
  std::vector<std::int64_t> constants = {};  // values of the schedule's constants that the text is built for
  std::uint8_t number = 0;                   // the value of MUSTER_BLOCKS, MUSTER_TILES, MUSTER_ROWS or MUSTER_GROUPS
  auto operator<=>(const Variant&) const = default;

  // Updates go to local memory first.
  [[nodiscard]] bool isCollecting() const { return form == Form::collecting || form == Form::parts; }
  // Groups share the loops of several iterations: MUSTER_GROUPED_ROWS.
  [[nodiscard]] bool hasRows() const { return form == Form::grouped && number == 2; }
  // nullptr: it runs no blocks.
  [[nodiscard]] const muster_blocks* blocksOf(const KernelCode& code) const {
    return form == Form::blocks ? &code.schedule.blocks[number - 1] : nullptr;
  }
  // Of a work-item at most, in forms that would have more than enough; 0: as many as the compiler likes.
  [[nodiscard]] unsigned registers(const KernelCode& code) const;
  // Options of the compiler that the text asks for.
  [[nodiscard]] std::string options(const KernelCode& code) const;
  // For people: "blocks of 1 x 4 iterations".
  [[nodiscard]] std::string description(const KernelCode& code) const;
  // The text relies on the size of the group.
  [[nodiscard]] bool needsGroup(const KernelCode& code) const {
    const muster_blocks* blocks = blocksOf(code);
    return form == Form::tiled || form == Form::steps || (blocks != nullptr && blocks->shared != 0);
  }
  // The work-group that the form is made for, as far as the device has room for it.
  [[nodiscard]] Axes group(const KernelCode& code, const GroupLimits& limits) const;
};

// That a work-group gives new values, in the form of several steps.
[[nodiscard]] std::size_t columnsOfSteps(const KernelCode& code);

class Variants {
 public:
  Variants(const DeviceInfo& info, KernelForms forms) : info_(info), forms_(forms) {}

  // What the schedule is made for, as far as it fits a launch of so many iterations. Without a launch, whose scalars
  // and arrays are not known yet: what most launches need. `rowLength`: elements for each iteration of the schedule's
  // row_array.
  [[nodiscard]] Variant scheduled(const KernelCode& code, double iterations, const KernelLaunch* launch,
                                  double rowLength) const;
  // What may run in place of that with the same results, and itself. First what is to run as long as nothing is known
  // of their times.
  [[nodiscard]] std::vector<Variant> candidates(const KernelCode& code, const Variant& scheduled,
                                                double iterations) const;
  // The form in which a launch of several steps is one kernel. None: the steps are better one after the other.
  [[nodiscard]] std::optional<Variant> stepsFor(const KernelLaunch& launch) const;
  // That, and what may run in its place: the plain form stands for one step after the other.
  [[nodiscard]] std::vector<Variant> candidatesOfSteps(const KernelCode& code, const Variant& steps) const;
  // Of each element of arrays of so many bytes, whose updates are collected in local memory that has so much room; as a
  // logarithm. And how many work-groups then run at a time on a compute unit.
  [[nodiscard]] static std::uint8_t copiesOf(const KernelCode& code, std::size_t bytes, std::size_t room);
  [[nodiscard]] static std::size_t collectingGroups(std::uint8_t copies);
  // The groups of a launch whose variant has rows, of so many work-items at most.
  [[nodiscard]] static GroupShape rowsFor(const KernelLaunch& launch, std::size_t most);
  [[nodiscard]] KernelForms forms() const { return forms_; }
  // The device gains by what schedules ask for, as far as is known.
  [[nodiscard]] bool trustsSchedules() const;
  // So many iterations leave no part of the device idle.
  [[nodiscard]] bool fillsDevice(double iterations) const;

 private:
  [[nodiscard]] std::size_t pointsFor(const KernelCode& code, double iterations) const;
  // Whether groups that share what they read in a loop gain by it.
  [[nodiscard]] bool mayShare(const KernelCode& code, const muster_blocks& blocks, double iterations,
                              const KernelLaunch* launch) const;
  [[nodiscard]] std::uint8_t blocksFor(const KernelCode& code, double iterations, const KernelLaunch* launch) const;

  const DeviceInfo& info_;
  KernelForms forms_;
};

}  // namespace muster::cdm
