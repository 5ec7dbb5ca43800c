// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Resolving a launch's arguments.
#include "launch/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "host/arrays/managed_memory.h"
#include "host/memory/host_memory.h"
#include "launch/launch_forms.h"
#include "muster/cap/access.h"
#include "native/float_mode.h"
#include "registry/registry.h"
#include "session/program/session.h"

namespace muster::rt {
namespace {

// Whether elements of the array are known to be touched through a pointer `offset` bytes behind its beginning.
bool touches(const muster_launch& launch, unsigned parameter, const HostArray& array, std::ptrdiff_t offset,
             std::int64_t elemSize) {
  const auto [space, accesses] = accessesOf(launch, parameter);
  const auto count = static_cast<std::int64_t>(array.bytes()) / elemSize;
  return std::any_of(accesses.begin(), accesses.end(), [&](const cap::Access& access) {
    return !access.unbounded &&
           !cap::regionOf(access, space, 0, space.dims[0].count, offset / elemSize, count, 1).elements.empty();
  });
}

bool onlyItsValueCounts(const muster_launch& launch, unsigned parameter) {
  const muster_kernel& kernel = *launch.kernel;
  return std::none_of(kernel.accesses, kernel.accesses + kernel.n_accesses,
                      [&](const auto& access) { return access.array == parameter; });
}

// A pointer that is meant for the array behind the one it lies in, as `u - 1` for counting from 1: nothing that the
// loop touches through it is in this array. Only possible from an array's last page.
bool missesItsArray(const muster_launch& launch, unsigned parameter, const HostArray& array, std::ptrdiff_t offset,
                    std::uint32_t elemSize) {
  const auto bytes = static_cast<std::ptrdiff_t>(array.bytes());
  if (offset == 0 || offset + static_cast<std::ptrdiff_t>(hostMemory().pageSize()) < bytes) return false;
  return !onlyItsValueCounts(launch, parameter) && !touches(launch, parameter, array, offset, elemSize);
}

// The pointers that the loop compares with one another.
struct Group {
  bool ordered = false;
  std::vector<unsigned> members = {};  // array parameters; a null pointer is null everywhere
  HostArray* array = nullptr;          // into which all of them point, or to its end
};
using Groups = std::vector<Group>;  // by number; empty for most kernels

const ArrayRecord* recordOf(const HostArray* array) {
  return array != nullptr ? static_cast<const ArrayRecord*>(array->owner) : nullptr;
}

// Into the array, or to its end. There another one may begin, if both are static: then a pointer through which the loop
// touches elements has to touch some of this array.
bool reaches(const HostArray& array, const muster_launch& launch, unsigned parameter) {
  const auto* at = static_cast<const std::byte*>(launch.arrays[parameter]);
  const std::byte* const end = array.user() + array.bytes();
  if (at != end) return at >= array.user() && at < end;
  const ArrayRecord* record = recordOf(&array);
  const HostArray* behind = hostMemory().find(at);
  return onlyItsValueCounts(launch, parameter) || behind == nullptr || behind == &array ||
         (record != nullptr && touches(launch, parameter, array, at - array.user(), record->elemSize));
}

HostArray* commonArray(const muster_launch& launch, const std::vector<unsigned>& members) {
  for (const unsigned member : members) {
    HostArray* array = hostMemory().find(launch.arrays[member]);
    const auto inside = [&](unsigned other) { return reaches(*array, launch, other); };
    if (array != nullptr && std::all_of(members.begin(), members.end(), inside)) return array;
  }
  return nullptr;
}

Groups groupsOf(const muster_launch& launch) {
  const muster_kernel& kernel = *launch.kernel;
  Groups groups;
  for (unsigned i = 0; i < kernel.n_arrays; ++i) {
    const std::uint32_t flags = kernel.arrays[i].flags;
    const unsigned number = MUSTER_ARRAY_GROUP_OF(flags);
    if (number == 0) continue;
    if (groups.size() <= number) groups.resize(number + 1);
    groups[number].ordered = (flags & MUSTER_ARRAY_ORDERED) != 0;
    if (launch.arrays[i] != nullptr) groups[number].members.push_back(i);
  }
  for (Group& group : groups) group.array = commonArray(launch, group.members);
  return groups;
}

// The array that a parameter's pointer leads into, and what is known of it; nullptr: none that is managed.
std::pair<HostArray*, const ArrayRecord*> arrayOf(const muster_launch& launch, unsigned index, const Groups& groups,
                                                  Arguments& arguments) {
  const muster_array_param& parameter = launch.kernel->arrays[index];
  void* pointer = launch.arrays[index];
  if (const unsigned number = MUSTER_ARRAY_GROUP_OF(parameter.flags); number != 0) {
    const Group& group = groups[number];
    if (group.array != nullptr) return {group.array, recordOf(group.array)};
    if (group.ordered)
      arguments.reason = fmt::format("it compares {} with a pointer that leads to something else", parameter.name);
    else
      arguments.nativeReason = fmt::format("it compares {} with a pointer into another array", parameter.name);
  }
  HostArray* array = hostMemory().find(pointer);
  const ArrayRecord* record = recordOf(array);
  if (record == nullptr ||
      missesItsArray(launch, index, *array, static_cast<std::byte*>(pointer) - array->user(), record->elemSize))
    return {};
  return {array, record};
}

// An array without elements of the program's, whose place arguments take that are null or not used: what conditions
// keep the loop from.
const ArrayRecord* arrayOfNothing(const muster_kernel& kernel, std::uint32_t elemSize) {
  struct Nothing {
    muster_array_site site{};
    void* memory = nullptr;
  };
  static std::mutex mutex;
  static auto& known = *new std::map<std::uint32_t, Nothing>;  // arrays outlive static objects
  const std::lock_guard lock(mutex);
  Nothing& nothing = known[elemSize];
  if (nothing.memory == nullptr) {
    nothing.site.loc = kernel.loc;
    nothing.site.name = "null pointers";
    nothing.site.type_name = "null pointer";
    nothing.site.elem_size = elemSize;
    nothing.site.elem_type = MUSTER_TYPE_OTHER;
    nothing.site.array_class = MUSTER_REPLICATED;
    nothing.site.reason = "an argument of a loop is null";
    nothing.memory = allocateManaged(nothing.site, elemSize, 1, true);
  }
  return nothing.memory != nullptr ? recordOf(hostMemory().find(nothing.memory)) : nullptr;
}

// False: it is not null, or the loop runs on the host anyway.
bool addNull(Arguments& arguments, const muster_launch& launch, unsigned index) {
  if (launch.arrays[index] != nullptr || (launch.flags & MUSTER_LAUNCH_HOST) != 0) return false;
  const ArrayRecord* nothing = arrayOfNothing(*launch.kernel, launch.kernel->arrays[index].elem_size);
  if (nothing == nullptr) return false;
  arguments.command.arrays.push_back({.id = nothing->id, .absent = true});
  arguments.hostPointers.push_back(nullptr);
  return true;
}

// What stands for the array is not null, because the program's pointer is not. False: the launch uses the array.
bool addUnused(Arguments& arguments, const muster_launch& launch, unsigned index) {
  if ((launch.flags & MUSTER_LAUNCH_HOST) != 0 || hostMemory().find(launch.arrays[index]) != nullptr) return false;
  const ArrayRecord* nothing =
      leavesAlone(launch, index) ? arrayOfNothing(*launch.kernel, launch.kernel->arrays[index].elem_size) : nullptr;
  if (nothing == nullptr) return false;
  arguments.command.arrays.push_back({.id = nothing->id});
  arguments.hostPointers.push_back(launch.arrays[index]);
  return true;
}

void addArray(Arguments& arguments, const muster_launch& launch, unsigned index, const Groups& groups) {
  const muster_array_param& parameter = launch.kernel->arrays[index];
  void* pointer = launch.arrays[index];
  protocol::Launch::Array& argument = arguments.command.arrays.emplace_back();
  const auto [array, record] = arrayOf(launch, index, groups, arguments);
  if (record == nullptr) {
    arguments.hostPointers.push_back(pointer);
    arguments.reason = fmt::format("its argument {} does not point into a managed array", parameter.name);
    return;
  }
  const std::ptrdiff_t offset = static_cast<std::byte*>(pointer) - array->user();
  // The forms of a launch that asks for the host may be wrong (a guard failed): page protection sees what it touches.
  arguments.hostPointers.push_back((launch.flags & MUSTER_LAUNCH_HOST) != 0 ? static_cast<std::byte*>(pointer)
                                                                            : array->alias() + offset);
  argument.id = record->id;
  argument.offset = offset / static_cast<std::ptrdiff_t>(record->elemSize);
  if (record->elemSize != parameter.elem_size || offset % static_cast<std::ptrdiff_t>(record->elemSize) != 0) {
    argument.opaque = true;
    arguments.reason = fmt::format("it uses the elements of array {} as another type", parameter.name);
  }
}

// The elements that a parameter leads to at most, of its array, which is there; nothing: any of them, or more than
// accesses say, as where a kernel adds up in place.
std::optional<cap::Interval> elementsOf(const muster_launch& launch, unsigned parameter, std::int64_t offset) {
  const auto [space, accesses] = accessesOf(launch, parameter);
  if (accesses.empty()) return std::nullopt;
  const HostArray& array = *hostMemory().find(launch.arrays[parameter]);
  const auto count = static_cast<std::int64_t>(array.bytes()) / launch.kernel->arrays[parameter].elem_size;
  cap::Interval elements;
  for (const cap::Access& access : accesses) {
    if (access.unbounded || access.mode == cap::AccessMode::update) return std::nullopt;
    elements = elements.hull(cap::regionOf(access, space, 0, space.dims[0].count, offset, count, 1).elements.hull());
  }
  return elements;
}

bool touchApart(const muster_launch& launch, const protocol::Launch& command, unsigned a, unsigned b) {
  const auto ofA = elementsOf(launch, a, command.arrays[a].offset),
             ofB = elementsOf(launch, b, command.arrays[b].offset);
  return ofA && ofB && ofA->intersect(*ofB).empty();
}

bool mayOverlap(const muster_launch& launch, const protocol::Launch& command) {
  const muster_kernel& kernel = *launch.kernel;
  const auto isThere = [&](unsigned i) { return hostMemory().find(launch.arrays[i]) != nullptr; };
  for (unsigned a = 0; a < kernel.n_arrays; ++a) {
    for (unsigned b = 0; b < a; ++b) {
      const bool written = ((kernel.arrays[a].mode | kernel.arrays[b].mode) & MUSTER_WRITE) != 0;
      if (written && command.arrays[a].id == command.arrays[b].id && isThere(a) && isThere(b) &&
          !touchApart(launch, command, a, b))
        return true;
    }
  }
  return false;
}

}  // namespace

Arguments resolveArguments(const muster_launch& launch, protocol::Launch spare) {
  const muster_kernel& kernel = *launch.kernel;
  Arguments arguments;
  arguments.command = std::move(spare);
  protocol::Launch& command = arguments.command;
  command.kernel = kernel.id, command.other = 0;
  command.dims.clear();
  command.dims.reserve(kernel.n_dims);
  command.scalars.resize(kernel.n_scalars);
  command.arrays.clear();
  command.arrays.reserve(kernel.n_arrays);
  command.weights.clear();
  command.part = {};
  command.steps = 1;
  arguments.hostPointers.reserve(kernel.n_arrays);
  for (unsigned i = 0; i < kernel.n_dims; ++i)
    command.dims.push_back({launch.dims[i].first, launch.dims[i].step, launch.dims[i].count});
  const std::size_t variables = std::size_t{kernel.n_dims} + kernel.n_inner;
  const std::size_t forms = kernel.n_inner * MUSTER_INNER_VALUES(variables) + kernel.n_accesses * (variables + 1);
  command.forms.assign(launch.forms, launch.forms + forms);
  for (unsigned i = 0; i < kernel.n_scalars; ++i) {
    const auto* value = static_cast<const std::byte*>(launch.scalars[i]);
    command.scalars[i].assign(value, value + kernel.scalars[i].size);
  }
  const Groups groups = groupsOf(launch);
  for (unsigned i = 0; i < kernel.n_arrays; ++i)
    if (!addNull(arguments, launch, i) && !addUnused(arguments, launch, i)) addArray(arguments, launch, i, groups);
  if ((launch.flags & MUSTER_LAUNCH_HOST) != 0)
    arguments.reason =
        "an index may leave the range that it was analysed for, rows may overlap, addresses are stored, or text is "
        "read";
  command.hostOnly = !arguments.reason.empty();
  command.floatMode = FloatMode::current().bits();
  if ((kernel.flags & MUSTER_KERNEL_NEEDS_DISTINCT) != 0 && mayOverlap(launch, command))
    arguments.nativeReason = "two of its arguments may share elements of one array";
  else if (arguments.nativeReason.empty() && (kernel.flags & MUSTER_KERNEL_FLOATS) != 0)
    arguments.nativeReason =
        FloatMode::of(command.floatMode).whyNotOnDevices((kernel.flags & MUSTER_KERNEL_ANY_DENORMALS) != 0);
  command.nativeOnly = !arguments.nativeReason.empty();
  // Pointers that lead to something else are what the program has; so all of them have to be.
  if (command.hostOnly && !groups.empty())
    std::copy(launch.arrays, launch.arrays + kernel.n_arrays, arguments.hostPointers.begin());
  return arguments;
}

}  // namespace muster::rt
