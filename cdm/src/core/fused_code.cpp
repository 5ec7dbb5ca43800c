// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/fused_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>

namespace muster::cdm {
namespace {

constexpr std::string_view kernelWord = "__kernel", guestIteration = "MUSTER_GUEST_ITERATION";

// For a text whose kernel is to be a function. An attribute of kernels is none of functions. To CUDA C++ these words
// are macros (backends/cuda/prelude.cpp).
constexpr std::string_view asFunction =
    "#undef __kernel\n"
    "#undef reqd_work_group_size\n"
    "#undef work_group_size_hint\n"
    "#define __kernel static\n"
    "#define reqd_work_group_size(x, y, z)\n"
    "#define work_group_size_hint(x, y, z)\n";
// That runs the iteration at the lower bounds it is given.
constexpr std::string_view asGuest =
    "#define get_global_id(axis) 0\n"
    "#define get_group_id(axis) 0\n"
    "#define get_local_id(axis) 0\n";
constexpr std::string_view asKernel =
    "#undef __kernel\n"
    "#undef reqd_work_group_size\n"
    "#undef work_group_size_hint\n"
    "#ifdef MUSTER_CUDA\n"
    "#define __kernel MUSTER_KERNEL\n"
    "#define reqd_work_group_size MUSTER_FIXED_SIZE\n"
    "#define work_group_size_hint(x, y, z)\n"
    "#endif\n"
    "#undef get_global_id\n"
    "#undef get_group_id\n"
    "#undef get_local_id\n"
    "#undef MUSTER_SIZE\n"
    "#undef MUSTER_UPDATE\n"
    "#undef MUSTER_NEXT\n"
    "#undef MUSTER_GUEST_ARRAYS\n"
    "#undef MUSTER_GUEST_SCALARS\n";

// Converts to any pointer, as only the texts know the arrays' types.
constexpr std::string_view anyPointer =
    "#ifndef MUSTER_CUDA\n#define MUSTER_POINTER(place) ((__global void *)(place))\n#endif\n";

// As much as each device takes (CL_DEVICE_MAX_PARAMETER_SIZE of OpenCL 1.2).
constexpr std::size_t mostArgumentBytes = 1024;

std::size_t argumentBytes(const KernelCode& code) {
  std::size_t bytes = 16 * code.arrays.size() + 32 * std::size_t{code.dimensions} + 8 * code.results.size();
  for (const auto& scalar : code.scalars) bytes += std::max<std::size_t>(scalar.size, 8);
  return bytes;
}

// What stands in front of the kernel: types, tables, functions.
std::string_view definitionsOf(const KernelCode& code) {
  return std::string_view(code.opencl).substr(0, code.opencl.find(kernelWord));
}

// More than helpers that are there once, however many texts bring them.
bool definesSomething(std::string_view text) {
  constexpr std::string_view thereOnce = "_is_there";
  int depth = 0;  // of conditions within a helper
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.starts_with("#if")) {
      if (depth > 0 || line.ends_with(thereOnce)) ++depth;
    } else if (line.starts_with("#endif")) {
      if (depth > 0) --depth;
    } else if (depth == 0 && !line.empty() && line.front() != '#') {
      return true;
    }
  }
  return false;
}

using Parts = std::span<const FusedPart>;

// Names of definitions may be the same, for the same or for other things.
bool haveOneDefiner(Parts parts) {
  const KernelCode* defines = nullptr;
  for (const FusedPart& part : parts) {
    if (part.code == defines || !definesSomething(definitionsOf(*part.code))) continue;
    if (defines != nullptr) return false;
    defines = part.code;
  }
  return true;
}

// The first part that is the same: each is a function once.
std::size_t firstOf(Parts parts, std::size_t number) {
  return static_cast<std::size_t>(std::ranges::find(parts, parts[number]) - parts.begin());
}

// Kernels of two files may have the same name.
std::string functionOf(Parts parts, std::size_t number) {
  return fmt::format("muster_part_{}", firstOf(parts, number));
}

std::string functionsText(Parts parts, bool areGuests) {
  std::string text(anyPointer);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (firstOf(parts, p) != p) continue;
    const KernelCode& code = *parts[p].code;
    if (parts[p].form != 0)
      text +=
          fmt::format("#ifdef MUSTER_BLOCKS\n#undef MUSTER_BLOCKS\n#define MUSTER_BLOCKS {}\n#endif\n", parts[p].form);
    text += fmt::format("#define {} {}\n{}{}{}{}#undef {}\n", code.name, functionOf(parts, p), asFunction,
                        areGuests ? asGuest : "", code.opencl, asKernel, code.name);
  }
  return text;
}

// Arguments of some kernels, by names of their own, and the calls: of one iteration of each, or of what the work-item
// runs of all.
struct Calls {
  std::string arrays, scalars, calls;
};

Calls callsOf(Parts parts, bool areGuests) {
  Calls all;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const KernelCode& code = *parts[p].code;
    all.calls += functionOf(parts, p) + "(";
    for (std::size_t i = 0; i < code.arrays.size(); ++i) {
      all.arrays += fmt::format("__global uchar *muster_a{0}_{1}, long muster_o{0}_{1}, ", p, i);
      all.calls += fmt::format("MUSTER_POINTER(muster_a{0}_{1}), muster_o{0}_{1}, ", p, i);
    }
    for (std::size_t i = 0; i < code.scalars.size(); ++i) {
      all.scalars += fmt::format("{} muster_s{}_{}, ", openClName(code.scalars[i].type), p, i);
      all.calls += fmt::format("muster_s{}_{}, ", p, i);
    }
    for (std::size_t d = 0; d < code.dimensions; ++d) {
      const std::string range =
          areGuests ? fmt::format("muster_k_{0}, muster_k_{0} + 1", d) : fmt::format("muster_lo_{0}, muster_hi_{0}", d);
      all.calls += fmt::format("{1}muster_first_{0}, muster_step_{0}, {2}", d, d == 0 ? "" : ", ", range);
    }
    all.calls += "); ";
  }
  return all;
}

std::string kernelText(Parts parts, const std::string& name) {
  const Calls all = callsOf(parts, false);
  std::string dims;
  for (std::size_t d = 0; d < parts.front().code->dimensions; ++d)
    dims += fmt::format("{1}long muster_first_{0}, long muster_step_{0}, long muster_lo_{0}, long muster_hi_{0}", d,
                        d == 0 ? "" : ", ");
  return functionsText(parts, false) +
         "__kernel __attribute__((reqd_work_group_size(MUSTER_WG0, MUSTER_WG1, MUSTER_WG2)))\nvoid " + name + "(" +
         all.arrays + all.scalars + dims + ") {\n  " + all.calls + "\n}\n";
}

// The host's text has places for the others.
std::string hostText(Parts guests, const KernelCode& host) {
  const Calls all = callsOf(guests, true);
  return functionsText(guests, true) +
         fmt::format("#define {} {}\n#define MUSTER_GUEST_ARRAYS {}\n#define MUSTER_GUEST_SCALARS {}\n{}",
                     guestIteration, all.calls, all.arrays, all.scalars, host.opencl);
}

std::uint64_t mixed(std::uint64_t sum, std::uint64_t id) { return (sum ^ id) * std::uint64_t{0x100000001b3}; }

}  // namespace

const char* openClName(ScalarType type) {
  static constexpr std::array names = {"uchar", "char", "uchar", "short", "ushort", "int",
                                       "uint",  "long", "ulong", "float", "double"};
  return type == ScalarType::other ? nullptr : names.at(static_cast<std::size_t>(type));
}

bool mayBeFused(const KernelCode& code) {
  const Schedule& schedule = code.schedule;
  const FloatRules& floats = code.floats;
  const bool isPlain = schedule.privatized == 0 && schedule.tiled == 0 && schedule.grouped == 0 &&
                       schedule.n_constants == 0 && code.turns.empty();
  const bool keepsBits = !floats.anyFusing && !floats.anyOrder && !floats.anyDigits;
  const auto has = [&](std::string_view word) { return code.opencl.find(word) != std::string::npos; };
  return isPlain && keepsBits && has(kernelWord) && (code.results.empty() || has(guestIteration)) &&
         std::ranges::all_of(code.scalars, [](const auto& scalar) { return openClName(scalar.type) != nullptr; });
}

std::vector<std::size_t> argumentOrder(std::size_t codes, bool hasResults) {
  std::vector<std::size_t> order(codes);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (hasResults) std::ranges::rotate(order, order.end() - 1);
  return order;
}

// Along axis 0 they begin where the phase says, along others with the first iteration. Groups of their own, and forms
// for one value, are of what iterations share.
bool hasOwnBlocks(const muster_blocks& blocks) {
  return blocks.wide == 1 && blocks.shared == 0 && blocks.value == 0 && blocks.group[0] == 0;
}

bool goTogether(const FusedPart& one, const FusedPart& other) {
  const KernelCode &first = *one.code, &second = *other.code;
  if (first.dimensions != second.dimensions || first.floats != second.floats ||
      !std::ranges::equal(first.schedule.order, second.schedule.order) || (one.form == 0) != (other.form == 0))
    return false;
  if (one.form == 0) return true;
  const muster_blocks &mine = *one.blocks(), &its = *other.blocks();
  return std::ranges::equal(mine.lanes, its.lanes) && mine.phase == its.phase;
}

std::unique_ptr<KernelCode> fusedCode(std::span<const FusedPart> parts) {
  const KernelCode &first = *parts.front().code, &last = *parts.back().code;
  if (!haveOneDefiner(parts)) return nullptr;
  const bool hasResults = !last.results.empty();
  auto fused = std::make_unique<KernelCode>();
  fused->id = 0xcbf29ce484222325;
  fused->name = hasResults ? last.name : "muster_fused";
  fused->isFused = true;
  fused->dimensions = first.dimensions;
  std::ranges::copy(first.schedule.order, fused->schedule.order);
  fused->floats = first.floats;
  fused->results = last.results;
  for (const auto& [code, form] : parts) {
    fused->id = mixed(mixed(fused->id, code->id), form);
    fused->location += (fused->location.empty() ? "" : ", ") + code->location;
    fused->needsFp64 |= code->needsFp64;
  }
  for (const std::size_t number : argumentOrder(parts.size(), hasResults)) {
    const KernelCode& code = *parts[number].code;
    fused->arrays.insert(fused->arrays.end(), code.arrays.begin(), code.arrays.end());
    fused->scalars.insert(fused->scalars.end(), code.scalars.begin(), code.scalars.end());
  }
  if (argumentBytes(*fused) > mostArgumentBytes) return nullptr;
  // What a form asks of a launch was seen to hold for each of them.
  if (const muster_blocks* blocks = parts.front().blocks()) {
    muster_blocks& own = fused->schedule.blocks[0];
    own = *blocks;
    own.n_multiples = 0, own.aligned = 0, own.distinct = 0;
    fused->schedule.n_blocks = 1;
  }
  fused->opencl = hasResults ? hostText(parts.first(parts.size() - 1), last) : kernelText(parts, fused->name);
  return fused;
}

}  // namespace muster::cdm
