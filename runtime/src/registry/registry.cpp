// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registration of kernels and their conversion from the ABI's descriptors.
#include "registry/registry.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <utility>

#include "registry/functions.h"
#include "registry/pairs.h"

namespace muster::rt {
namespace {

// The ABI's enumerations are converted by value.
static_assert(MUSTER_TYPE_BOOL == static_cast<int>(cdm::ScalarType::boolean));
static_assert(MUSTER_TYPE_I64 == static_cast<int>(cdm::ScalarType::i64));
static_assert(MUSTER_TYPE_OTHER == static_cast<int>(cdm::ScalarType::other));
static_assert(MUSTER_REDUCE_ADD == static_cast<int>(cdm::ResultKind::add));
static_assert(MUSTER_REDUCE_LOR == static_cast<int>(cdm::ResultKind::logOr));
static_assert(MUSTER_REDUCE_MAX == static_cast<int>(cap::UpdateOp::max));
static_assert(MUSTER_REDUCE_LOR == static_cast<int>(cap::UpdateOp::logOr));
static_assert(MUSTER_REDUCE_OTHER == static_cast<int>(cdm::ResultKind::other));
static_assert(MUSTER_PROGRAM_END == static_cast<int>(cdm::ResultKind::programEnd));
static_assert(MUSTER_LASTPRIVATE == static_cast<int>(cdm::ResultKind::lastPrivate));

bool sameText(const char* a, const char* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return std::strcmp(a, b) == 0;
}

bool sameKernel(const muster_kernel& a, const muster_kernel& b) {
  return sameText(a.name, b.name) && sameText(a.opencl, b.opencl) && a.n_arrays == b.n_arrays &&
         a.n_scalars == b.n_scalars && a.n_results == b.n_results && a.n_dims == b.n_dims && a.n_inner == b.n_inner &&
         a.n_accesses == b.n_accesses && a.flags == b.flags;
}

cdm::KernelCode convertCode(const muster_kernel& kernel) {
  cdm::KernelCode code;
  code.id = kernel.id;
  code.name = kernel.name;
  code.location = location(kernel.loc);
  code.native = kernel.native;
  code.opencl = kernel.opencl != nullptr ? kernel.opencl : "";
  code.dimensions = kernel.n_dims;
  if (kernel.schedule != nullptr) code.schedule = cdm::Schedule(*kernel.schedule);
  const auto leavesOpen = [&](std::uint32_t flag) { return (kernel.flags & flag) != 0; };
  code.floats = {leavesOpen(MUSTER_KERNEL_ANY_DENORMALS), leavesOpen(MUSTER_KERNEL_ANY_FUSING),
                 leavesOpen(MUSTER_KERNEL_ANY_NAN), leavesOpen(MUSTER_KERNEL_ANY_ORDER),
                 leavesOpen(MUSTER_KERNEL_ANY_DIGITS)};
  code.needsFp64 = (kernel.flags & MUSTER_KERNEL_NEEDS_FP64) != 0;
  for (unsigned i = 0; i < kernel.n_arrays; ++i) {
    const muster_array_param& array = kernel.arrays[i];
    code.arrays.push_back({array.name, array.elem_size, (array.mode & (MUSTER_WRITE | MUSTER_UPDATE)) != 0,
                           static_cast<cdm::ScalarType>(array.type)});
  }
  for (unsigned i = 0; i < kernel.n_scalars; ++i) {
    const muster_scalar_param& scalar = kernel.scalars[i];
    code.scalars.push_back({scalar.name, static_cast<cdm::ScalarType>(scalar.type), scalar.size});
  }
  for (unsigned i = 0; i < kernel.n_results; ++i) {
    const muster_result_param& result = kernel.results[i];
    code.results.push_back({result.name, static_cast<cdm::ScalarType>(result.type), result.size,
                            static_cast<cdm::ResultKind>(result.kind), result.combine});
  }
  return code;
}

std::vector<cap::Access> convertAccesses(const muster_kernel& kernel) {
  std::vector<cap::Access> accesses;
  for (unsigned i = 0; i < kernel.n_accesses; ++i) {
    const muster_access& from = kernel.accesses[i];
    cap::Access access;
    access.array = from.array;
    access.mode = from.mode == MUSTER_UPDATE  ? cap::AccessMode::update
                  : from.mode == MUSTER_WRITE ? cap::AccessMode::write
                                              : cap::AccessMode::read;
    if (from.mode == MUSTER_UPDATE) access.op = static_cast<cap::UpdateOp>(MUSTER_ACCESS_OP_OF(from.flags));
    access.atomic = (from.flags & MUSTER_ACCESS_ATOMIC) != 0;
    access.ordered = (from.flags & MUSTER_ACCESS_ORDERED) != 0;
    access.partial = (from.flags & MUSTER_ACCESS_PARTIAL) != 0;
    access.unbounded = (from.flags & MUSTER_ACCESS_UNBOUNDED) != 0;
    access.conditional = (from.flags & MUSTER_ACCESS_CONDITIONAL) != 0;
    access.line = from.line;
    accesses.push_back(std::move(access));
  }
  return accesses;
}

// What the plugin must never emit; found here, it cannot corrupt memory later.
Status check(const muster_kernel& kernel) {
  const auto bad = [&](const char* what) {
    return Status(Errc::protocol, fmt::format("{}: the descriptor of kernel {} {}; was the object file built by this "
                                              "version's plugin?",
                                              location(kernel.loc), kernel.name, what));
  };
  if (kernel.abi_version != MUSTER_ABI_VERSION) return bad("has another ABI version");
  if (kernel.native == nullptr) return bad("has no native code");
  if (kernel.n_dims < 1 || kernel.n_dims > 3) return bad("has not 1 to 3 dimensions");
  if (kernel.schedule != nullptr && kernel.schedule->steps.most != 0) {
    const muster_steps& steps = kernel.schedule->steps;
    const bool hasArrays = steps.from < kernel.n_arrays && steps.to < kernel.n_arrays && steps.from != steps.to;
    const bool hasScalars =
        steps.equal[0] == steps.equal[1] || (steps.equal[0] < kernel.n_scalars && steps.equal[1] < kernel.n_scalars);
    if (!hasArrays || !hasScalars || steps.most % 2 == 0) return bad("has steps of arguments that it does not have");
  }
  for (unsigned i = 0; i < kernel.n_accesses; ++i) {
    const muster_access& access = kernel.accesses[i];
    if (access.array >= kernel.n_arrays) return bad("names an array parameter that it does not have");
    if (access.mode == MUSTER_UPDATE && MUSTER_ACCESS_OP_OF(access.flags) > MUSTER_REDUCE_MAX)
      return bad("has an update with an unknown operation");
  }
  for (unsigned i = 0; i < kernel.n_results; ++i) {
    if (kernel.results[i].combine == nullptr) return bad("has a result without a way to combine it");
  }
  return {};
}

// All units are there when a loop is launched.
void addTexts(KernelEntry& entry) {
  if (std::exchange(entry.hasTexts, true) || entry.code.opencl.empty()) return;
  FunctionTexts texts = functionTable().texts(*entry.descriptor->calls, entry.descriptor->flags);
  entry.code.opencl = texts.obstacle.empty() ? texts.text + entry.code.opencl : "";
  entry.code.needsFp64 |= texts.needsFp64;
  entry.nativeReason = std::move(texts.obstacle);
}

}  // namespace

Registry::Registry() = default;
Registry::~Registry() = default;

std::uint64_t pairId(std::uint64_t first, std::uint64_t second) {
  return (first ^ (second << 7 | second >> 57)) * std::uint64_t{0x9e3779b97f4a7c15};
}

std::string location(const muster_loc& loc) {
  return fmt::format("{}:{}", loc.file != nullptr ? loc.file : "<unknown>", loc.line);
}

void Registry::add(const muster_kernel* const* begin, const muster_kernel* const* end, std::uint32_t abiVersion) {
  const std::lock_guard lock(mutex_);
  hasUnits_ = true;
  if (abiVersion != MUSTER_ABI_VERSION) {
    if (status_.ok())
      status_ = {Errc::unsupported, fmt::format("a part of this program was compiled for Muster's ABI {}, the runtime "
                                                "library has ABI {}: compile all of it with the same Muster",
                                                abiVersion, MUSTER_ABI_VERSION)};
    return;
  }
  for (auto kernel = begin; kernel != end; ++kernel) {
    if (*kernel == nullptr) continue;  // padding of the section
    if (const Status status = addOne(**kernel); !status.ok() && status_.ok()) status_ = status;
  }
}

Status Registry::addOne(const muster_kernel& kernel) {
  MUSTER_TRY(check(kernel));
  auto& entry = entries_[kernel.id];
  if (entry == nullptr) {
    entry = std::make_unique<KernelEntry>(KernelEntry{&kernel, convertCode(kernel), convertAccesses(kernel)});
    return {};
  }
  if (sameKernel(*entry->descriptor, kernel)) return {};
  return {Errc::protocol,
          fmt::format("the loops at {} and {} have the same kernel id {:#x} but different code: compile all files of "
                      "the program from one state of its sources",
                      location(entry->descriptor->loc), location(kernel.loc), kernel.id)};
}

Status Registry::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

bool Registry::hasUnits() const {
  std::lock_guard lock(mutex_);
  return hasUnits_;
}

std::size_t Registry::size() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

const KernelEntry* Registry::find(std::uint64_t id) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end()) return nullptr;
  if (found->second->descriptor->calls != nullptr) addTexts(*found->second);
  return found->second.get();
}

const KernelEntry* Registry::findPair(std::uint64_t first, std::uint64_t second) const {
  const std::lock_guard lock(mutex_);
  const auto one = entries_.find(first), other = entries_.find(second);
  if (one == entries_.end() || other == entries_.end()) return nullptr;
  const auto [pair, isNew] = pairs_.try_emplace(pairId(first, second));
  if (isNew) pair->second = KernelPair::make(*one->second, *other->second);
  return pair->second == nullptr ? nullptr : &pair->second->entry();
}

Registry& registry() {
  static Registry& instance = *new Registry;  // constructors and destructors of any object file may use it
  return instance;
}

}  // namespace muster::rt
