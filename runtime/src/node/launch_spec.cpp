// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a launch command to what the planner takes. Commands come from another process: all counts are checked.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "node/node.h"

namespace muster::rt {
namespace {

Status mismatch(const muster_kernel& kernel, const char* what) {
  return {Errc::protocol, fmt::format("launch of kernel {} ({}) has the wrong number or size of {}", kernel.name,
                                      location(kernel.loc), what)};
}

// Reads the forms of a launch one after the other (layout: muster_launch in abi.h).
class FormReader {
 public:
  FormReader(const std::vector<std::int64_t>& values, std::size_t variables)
      : at_(values.data()), variables_(variables) {}
  cap::AffineForm next() {
    cap::AffineForm form;
    form.coefficients.assign(at_, at_ + variables_);
    form.constant = at_[variables_];
    at_ += variables_ + 1;
    return form;
  }
  std::int64_t nextDivisor() { return *at_++; }

 private:
  const std::int64_t* at_;
  std::size_t variables_;
};

Status checkShape(const protocol::Launch& command, const muster_kernel& kernel) {
  const std::size_t variables = std::size_t{kernel.n_dims} + kernel.n_inner;
  if (command.dims.size() != kernel.n_dims) return mismatch(kernel, "dimensions");
  const std::size_t values = kernel.n_inner * MUSTER_INNER_VALUES(variables) + kernel.n_accesses * (variables + 1);
  if (command.forms.size() != values) return mismatch(kernel, "affine forms");
  if (command.arrays.size() != kernel.n_arrays) return mismatch(kernel, "arrays");
  const bool hasSteps = kernel.schedule != nullptr && kernel.schedule->steps.most > 1;
  if (command.steps != 1 ? command.steps % 2 == 0 || !hasSteps : command.other != 0) return mismatch(kernel, "steps");
  if (command.scalars.size() != kernel.n_scalars) return mismatch(kernel, "scalars");
  for (unsigned i = 0; i < kernel.n_scalars; ++i) {
    if (command.scalars[i].size() != kernel.scalars[i].size) return mismatch(kernel, "scalars");
  }
  for (const auto& dim : command.dims) {
    if (dim.step == 0 || dim.count < 0) return mismatch(kernel, "iterations");
  }
  const protocol::Launch::Part& part = command.part;
  const bool isIn = 0 <= part.lo && part.lo < part.hi && part.hi <= command.dims.front().count && part.grain >= 0;
  if (part.isOne() && (!isIn || command.hostOnly)) return mismatch(kernel, "iterations in its part");
  return {};
}

}  // namespace

// specIndex: for each array parameter its place in the spec's arrays, -1 if it is not managed.
Status Node::addArrays(const PlannedLaunch& launch, cap::LaunchSpec& spec, std::vector<int>& specIndex) const {
  const muster_kernel& kernel = *launch.kernel->descriptor;
  for (unsigned i = 0; i < kernel.n_arrays; ++i) {
    const auto& argument = launch.command.arrays[i];
    if (argument.id == protocol::Launch::kNotManaged) {
      spec.hostOnly = true;
      specIndex.push_back(-1);
      continue;
    }
    const cap::ArrayInfo* info = array(argument.id);
    if (info == nullptr) return mismatch(kernel, "arrays");
    if (argument.opaque) {
      spec.hostOnly = true;
    } else if (info->elemSize != kernel.arrays[i].elem_size) {
      return mismatch(kernel, "array elements");
    }
    specIndex.push_back(static_cast<int>(spec.arrays.size()));
    spec.arrays.push_back(
        {argument.id, argument.opaque ? 0 : argument.offset, info->count, info->elemSize, argument.absent});
  }
  return {};
}

Status Node::findKernel(PlannedLaunch& launch) const {
  const protocol::Launch& command = launch.command;
  launch.kernel =
      command.other == 0 ? registry_.find(command.kernel) : registry_.findPair(command.kernel, command.other);
  if (launch.kernel != nullptr) return {};
  return {Errc::protocol, fmt::format("rank {} does not know kernel {:#x}: is the loop in a library that only rank 0 "
                                      "has loaded?",
                                      transport_.rank(), launch.command.kernel)};
}

// Whether the arrays are still those that the spec was made for.
bool Node::fits(const cap::LaunchSpec& spec) const {
  return std::all_of(spec.arrays.begin(), spec.arrays.end(), [this](const cap::ArrayUse& use) {
    const cap::ArrayInfo* info = array(use.array);
    return info != nullptr && info->count == use.count && info->elemSize == use.elemSize;
  });
}

// True: it is one that was kept.
Result<bool> Node::findSpec(PlannedLaunch& launch, bool noDevice) const {
  const protocol::Launch& command = launch.command;
  MUSTER_TRY(checkShape(command, *launch.kernel->descriptor));
  launch.dims = {};
  launch.scalars = {};
  for (const auto& dim : command.dims) launch.dims.push_back({dim.first, dim.step, dim.count});
  for (const auto& scalar : command.scalars) launch.scalars.push_back(scalar.data());
  launch.spec = command.part.isOne() ? nullptr : specs_.find(command, command.hostOnly || noDevice);
  if (launch.spec != nullptr && fits(launch.spec->spec)) return true;
  Result<cap::LaunchSpec> spec = buildSpec(launch, noDevice);
  if (!spec.ok()) return spec.status();
  launch.spec = cap::keepSpec(std::move(*spec));
  return false;
}

// Every second step reads what the others write. In both arrays there is room for all that a step reads or writes, also
// around the chunk. The array that the first step reads is not written.
void Node::addSteps(const PlannedLaunch& launch, const std::vector<int>& specIndex, cap::LaunchSpec& spec) const {
  const muster_steps& steps = launch.kernel->code.schedule.steps;
  const auto from = static_cast<std::uint16_t>(specIndex[steps.from]),
             to = static_cast<std::uint16_t>(specIndex[steps.to]);
  spec.margin = std::int64_t{launch.command.steps - 1} * steps.reach;
  for (std::size_t i = 0, count = spec.accesses.size(); i < count; ++i) {
    cap::Access access = spec.accesses[i];
    if (access.array != from && access.array != to) continue;
    if (access.array == from) spec.accesses[i].mode = cap::AccessMode::read;
    const bool isRead = spec.accesses[i].mode == cap::AccessMode::read;
    access.mode = cap::AccessMode::read;
    for (const std::uint16_t array : {from, to}) {
      if (isRead && array == access.array) continue;
      spec.accesses.push_back(access);
      spec.accesses.back().array = array;
    }
  }
}

Result<cap::LaunchSpec> Node::buildSpec(const PlannedLaunch& launch, bool noDevice) const {
  const muster_kernel& kernel = *launch.kernel->descriptor;
  cap::LaunchSpec spec;
  spec.kernel = kernel.id;
  spec.hostOnly = launch.command.hostOnly || noDevice;
  if (const protocol::Launch::Part& part = launch.command.part; part.isOne())
    spec.part = cap::Part{part.device, {part.lo, part.hi}, part.grain};
  for (const auto& dim : launch.command.dims) spec.space.dims.push_back({dim.first, dim.step, dim.count});

  FormReader forms(launch.command.forms, std::size_t{kernel.n_dims} + kernel.n_inner);
  for (unsigned i = 0; i < kernel.n_inner; ++i) {
    cap::AffineForm smallest = forms.next();
    cap::AffineForm largest = forms.next();
    spec.space.inner.push_back({std::move(smallest), std::move(largest), forms.nextDivisor()});
  }
  std::vector<int> specIndex;
  MUSTER_TRY(addArrays(launch, spec, specIndex));
  for (const cap::Access& known : launch.kernel->accesses) {
    cap::AffineForm index = forms.next();
    if (specIndex[known.array] < 0 || launch.command.arrays[known.array].absent) continue;
    if (index.constant == MUSTER_NO_ACCESS) continue;
    cap::Access access = known;
    access.unbounded = access.unbounded || launch.command.arrays[known.array].opaque;
    access.index = std::move(index);
    access.array = static_cast<std::uint16_t>(specIndex[known.array]);
    spec.accesses.push_back(std::move(access));
  }
  if (launch.command.steps > 1) addSteps(launch, specIndex, spec);
  return spec;
}

}  // namespace muster::rt
