// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints texts of kernels as a JSON object, by their names, for tools/kernel-texts. Without input: those of the library
// and of its tests. With --fuse standard input has a line for each kernel of the plugin's. What is printed is the text
// that each makes with itself, and with the one before it.
//
//   {"key": "a.cpp#0", "name": "muster_f_3", "text": "__kernel ...", "dimensions": 1, "arrays": 2, "scalars": ["int"],
//    "results": false, "blocks": true}                                                                 (without a line
//    break)
#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "core/fused_code.h"
#include "kernels.h"
#include "muster/cdm/benchmark_kernel.h"

namespace muster::cdm::test {
namespace {

using Json = nlohmann::json;

ScalarType typeNamed(const std::string& name) {
  for (int type = 1; type < static_cast<int>(ScalarType::other); ++type)
    if (name == openClName(static_cast<ScalarType>(type))) return static_cast<ScalarType>(type);
  return ScalarType::other;
}

KernelCode codeOf(const Json& kernel) {
  KernelCode code;
  code.name = kernel.at("name").get<std::string>();
  code.location = kernel.at("key").get<std::string>();
  code.opencl = kernel.at("text").get<std::string>();
  code.dimensions = kernel.at("dimensions").get<std::uint32_t>();
  code.arrays.resize(kernel.at("arrays").get<std::size_t>());
  for (const Json& type : kernel.at("scalars")) code.scalars.push_back({"", typeNamed(type.get<std::string>()), 8});
  if (kernel.at("results").get<bool>()) code.results.resize(1);
  code.schedule.n_blocks = kernel.at("blocks").get<bool>() ? 1 : 0;
  return code;
}

// An iteration of each, and a block of each.
void addFused(Json& texts, const KernelCode& first, const KernelCode& last) {
  if (!mayBeFused(first) || !mayBeFused(last) || !first.results.empty()) return;
  const std::uint8_t forms = std::min(first.schedule.n_blocks, last.schedule.n_blocks);
  for (std::uint8_t form = 0; form <= forms; ++form) {
    const FusedPart parts[] = {{&first, form}, {&last, form}};
    if (!goTogether(parts[0], parts[1])) return;
    if (const auto fused = fusedCode(parts))
      texts[first.location + "+" + last.location + (form == 0 ? "" : " in blocks")] = fused->opencl;
  }
}

Json fused(std::istream& input) {
  Json texts = Json::object();
  KernelCode before;
  for (std::string line; std::getline(input, line);) {
    const KernelCode code = codeOf(Json::parse(line));
    addFused(texts, code, code);
    addFused(texts, before, code);
    before = code;
  }
  return texts;
}

Json own() {
  Json texts = Json::object();
  for (const KernelCode* code : allKernels())
    if (!code->opencl.empty() && code != &brokenText()) texts[code->name] = code->opencl;
  texts[benchmarkKernel().name] = benchmarkKernel().opencl;
  return texts;
}

}  // namespace
}  // namespace muster::cdm::test

int main(int count, char** arguments) {
  using namespace muster::cdm::test;
  const bool fuses = count > 1 && std::string(arguments[1]) == "--fuse";
  std::cout << (fuses ? fused(std::cin) : own()).dump() << "\n";
}
