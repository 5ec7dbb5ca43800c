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

// For a text whose kernel is to be a function that runs the iteration at the lower bounds it is given. An attribute of
// kernels is none of functions.
constexpr std::string_view asFunction =
    "#define __kernel static\n"
    "#define reqd_work_group_size(x, y, z)\n"
    "#define work_group_size_hint(x, y, z)\n"
    "#define get_global_id(axis) 0\n"
    "#define get_group_id(axis) 0\n"
    "#define get_local_id(axis) 0\n";
constexpr std::string_view asKernel =
    "#undef __kernel\n"
    "#undef reqd_work_group_size\n"
    "#undef work_group_size_hint\n"
    "#undef get_global_id\n"
    "#undef get_group_id\n"
    "#undef get_local_id\n"
    "#undef MUSTER_SIZE\n"
    "#undef MUSTER_UPDATE\n"
    "#undef MUSTER_NEXT\n"
    "#undef MUSTER_GUEST_ARRAYS\n"
    "#undef MUSTER_GUEST_SCALARS\n";

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

// Names of definitions may be the same, for the same or for other things.
bool goTogether(std::span<const KernelCode* const> codes) {
  const KernelCode* defines = nullptr;
  for (const KernelCode* code : codes) {
    if (code == defines || !definesSomething(definitionsOf(*code))) continue;
    if (defines != nullptr) return false;
    defines = code;
  }
  return true;
}

std::string axisOf(const KernelCode& code, std::size_t dimension) {
  for (std::size_t axis = 0; axis < code.dimensions; ++axis)
    if (code.schedule.dimension(code.dimensions, axis) == dimension) return std::to_string(axis);
  return "0";
}

// Kernels of two files may have the same name.
std::string functionOf(std::span<const KernelCode* const> codes, std::size_t number) {
  const auto first = std::ranges::find(codes, codes[number]);
  return fmt::format("muster_part_{}", first - codes.begin());
}

// Each is a function once.
std::string functionsText(std::span<const KernelCode* const> codes) {
  std::string text;
  for (std::size_t c = 0; c < codes.size(); ++c) {
    if (std::ranges::find(codes, codes[c]) - codes.begin() != static_cast<std::ptrdiff_t>(c)) continue;
    text += fmt::format("#define {} {}\n{}{}{}#undef {}\n", codes[c]->name, functionOf(codes, c), asFunction,
                        codes[c]->opencl, asKernel, codes[c]->name);
  }
  return text;
}

// Arguments of some kernels, by names of their own, and the calls that run one iteration of each.
struct Parts {
  std::string arrays, scalars, calls;
};

Parts partsOf(std::span<const KernelCode* const> codes) {
  Parts parts;
  for (std::size_t c = 0; c < codes.size(); ++c) {
    const KernelCode& code = *codes[c];
    parts.calls += functionOf(codes, c) + "(";
    for (std::size_t i = 0; i < code.arrays.size(); ++i) {
      parts.arrays += fmt::format("__global uchar *muster_a{0}_{1}, long muster_o{0}_{1}, ", c, i);
      parts.calls += fmt::format("(__global void *)muster_a{0}_{1}, muster_o{0}_{1}, ", c, i);
    }
    for (std::size_t i = 0; i < code.scalars.size(); ++i) {
      parts.scalars += fmt::format("{} muster_s{}_{}, ", openClName(code.scalars[i].type), c, i);
      parts.calls += fmt::format("muster_s{}_{}, ", c, i);
    }
    for (std::size_t d = 0; d < code.dimensions; ++d)
      parts.calls +=
          fmt::format("{1}muster_first_{0}, muster_step_{0}, muster_k_{0}, muster_k_{0} + 1", d, d == 0 ? "" : ", ");
    parts.calls += "); ";
  }
  return parts;
}

std::string kernelText(std::span<const KernelCode* const> codes, const std::string& name) {
  const KernelCode& first = *codes.front();
  const Parts parts = partsOf(codes);
  std::string dims, points, outside;
  for (std::size_t d = 0; d < first.dimensions; ++d) {
    dims += fmt::format("{1}long muster_first_{0}, long muster_step_{0}, long muster_lo_{0}, long muster_hi_{0}", d,
                        d == 0 ? "" : ", ");
    points +=
        fmt::format("  const long muster_k_{0} = muster_lo_{0} + (long)get_global_id({1});\n", d, axisOf(first, d));
    outside += fmt::format("{1}muster_k_{0} >= muster_hi_{0}", d, d == 0 ? "" : " || ");
  }
  return "__kernel void " + name + "(" + parts.arrays + parts.scalars + dims + ") {\n" + points + "  if (" + outside +
         ") return;\n  " + parts.calls + "\n}\n";
}

// The host's text has places for the others.
std::string hostText(std::span<const KernelCode* const> guests, const KernelCode& host) {
  const Parts parts = partsOf(guests);
  return fmt::format("#define {} {}\n#define MUSTER_GUEST_ARRAYS {}\n#define MUSTER_GUEST_SCALARS {}\n{}",
                     guestIteration, parts.calls, parts.arrays, parts.scalars, host.opencl);
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

std::unique_ptr<KernelCode> fusedCode(std::span<const KernelCode* const> codes) {
  const KernelCode &first = *codes.front(), &last = *codes.back();
  if (!goTogether(codes)) return nullptr;
  const bool hasResults = !last.results.empty();
  auto fused = std::make_unique<KernelCode>();
  fused->id = 0xcbf29ce484222325;
  fused->name = hasResults ? last.name : "muster_fused";
  fused->dimensions = first.dimensions;
  std::ranges::copy(first.schedule.order, fused->schedule.order);
  fused->floats = first.floats;
  fused->results = last.results;
  for (const KernelCode* code : codes) {
    if (code->dimensions != first.dimensions || code->floats != first.floats ||
        !std::ranges::equal(code->schedule.order, first.schedule.order))
      return nullptr;
    fused->id = mixed(fused->id, code->id);
    fused->location += (fused->location.empty() ? "" : ", ") + code->location;
    fused->needsFp64 |= code->needsFp64;
  }
  for (const std::size_t number : argumentOrder(codes.size(), hasResults)) {
    const KernelCode& code = *codes[number];
    fused->arrays.insert(fused->arrays.end(), code.arrays.begin(), code.arrays.end());
    fused->scalars.insert(fused->scalars.end(), code.scalars.begin(), code.scalars.end());
  }
  if (argumentBytes(*fused) > mostArgumentBytes) return nullptr;
  const auto others = codes.first(codes.size() - (hasResults ? 1 : 0));
  fused->opencl = functionsText(others) + (hasResults ? hostText(others, last) : kernelText(codes, fused->name));
  return fused;
}

}  // namespace muster::cdm
