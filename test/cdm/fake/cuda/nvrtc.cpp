// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVRTC, which takes OpenCL's texts: POCL builds them, without the prelude that makes CUDA of them. It gets the very
// options that the OpenCL backend gives it, so that tests of both find each other's kernels in its cache. It tells of
// parameters without being asked to.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>

#include "entries.h"
#include "image.h"

namespace muster::cdm::cuda {

struct Program {
  std::string text, log;
  std::vector<std::string> headers;  // their names
  std::string binary, assembly;      // what was made
};

}  // namespace muster::cdm::cuda

namespace fake {

namespace {

// Of NVRTC 13.0.
constexpr int architectures[] = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};
constexpr std::size_t mostLocal = 48 << 10;

bool isNumber(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Options of one compilation.
class Options {
 public:
  // False, with a log, if NVRTC would not take one of them.
  bool read(const std::vector<std::string_view>& options, Program& program) {
    image_.text = program.text;
    image_.options = "-w -cl-std=CL1.2";
    for (const std::string_view option : options) {
      const std::size_t equals = option.find('=');
      const bool hasValue = equals != std::string_view::npos;
      if (take(option, option.substr(0, equals), hasValue ? option.substr(equals + 1) : "", program)) continue;
      program.log = "nvrtc: error: unrecognized option " + std::string(option) + " found";
      return false;
    }
    return true;
  }
  [[nodiscard]] const Image& image() const { return image_; }
  // Of a header that there is none of.
  [[nodiscard]] const std::string& missing() const { return missing_; }

 private:
  bool take(std::string_view option, std::string_view name, std::string_view value, const Program& program) {
    if (name == "-DMUSTER_CAPABILITY" || name == "-DMUSTER_PRELUDE") return true;  // of no use to POCL
    if (option.starts_with("-D")) return add(option);
    if (option == "--device-as-default-execution-space" || option == "--disable-warnings") return true;
    if (name == "--std") return value == "c++20" || value == "c++17";
    if (name == "--pre-include") return include(value, program);
    if (name == "--gpu-architecture") return aim(value);
    if (name == "--maxrregcount") return isNumber(value);
    const bool isOn = value == "true";
    if (!isOn && value != "false") return false;
    if (name == "--fmad") return !isOn || add("-cl-mad-enable");
    if (name == "--ftz") return !isOn || add("-cl-denorms-are-zero");
    if (name == "--prec-div") return !isOn || add("-cl-fp32-correctly-rounded-divide-sqrt");
    return name == "--prec-sqrt";  // OpenCL has one option for both
  }
  bool add(std::string_view option) {
    image_.options += " " + std::string(option);
    return true;
  }
  bool include(std::string_view header, const Program& program) {
    if (std::ranges::count(program.headers, header) == 0) missing_ = header;
    return true;
  }
  bool aim(std::string_view target) {
    image_.isBinary = target.starts_with("sm_");
    const std::string_view number = target.substr(std::min(target.size(), target.find('_') + 1));
    if (!isNumber(number) || (!image_.isBinary && !target.starts_with("compute_"))) return false;
    image_.capability = static_cast<unsigned>(std::stoul(std::string(number)));
    return std::ranges::count(architectures, static_cast<int>(image_.capability)) > 0;
  }

  Image image_;
  std::string missing_;
};

// What no card has room for, where the code is for a card already.
std::string tooLarge(const pocl::Kernels& kernels) {
  for (const auto& kernel : kernels)
    if (kernel->ownLocal() > mostLocal) {
      char text[256];
      std::snprintf(text, sizeof text,
                    "ptxas error   : Entry function '%s' uses too much shared data (%#zx bytes, %#zx max)",
                    kernel->name().c_str(), kernel->ownLocal(), mostLocal);
      return text;
    }
  return "";
}

NvrtcError compile(Program& program, const std::vector<std::string_view>& list) {
  Options options;
  if (!options.read(list, program)) return nvrtcInvalidOption;
  if (!options.missing().empty()) {
    program.log = "Command-line error: cannot open source file \"" + options.missing() + "\"";
    return nvrtcCompilation;
  }
  const auto kernels = pocl::build(program.text, options.image().options, program.log);
  if (!kernels) return nvrtcCompilation;
  if (options.image().isBinary)
    if (program.log = tooLarge(*kernels); !program.log.empty()) return nvrtcCompilation;
  program.assembly = options.image().bytes();
  program.binary = options.image().isBinary ? program.assembly : "";
  return nvrtcSuccess;
}

NvrtcError give(const std::string& from, char* to) {
  std::memcpy(to, from.c_str(), from.size());
  return nvrtcSuccess;
}

}  // namespace

}  // namespace fake

using namespace fake;

#pragma GCC visibility push(default)
extern "C" {

NvrtcError nvrtcVersion(int* major, int* minor) {
  const auto version = static_cast<int>(asked("nvrtc=", 13000));
  *major = version / 1000;
  *minor = version % 1000 / 10;
  return nvrtcSuccess;
}

NvrtcError nvrtcGetNumSupportedArchs(int* count) {
  *count = static_cast<int>(std::size(architectures));
  return nvrtcSuccess;
}
NvrtcError nvrtcGetSupportedArchs(int* list) {
  std::ranges::copy(architectures, list);
  return nvrtcSuccess;
}

NvrtcError nvrtcCreateProgram(Program** program, const char* text, const char*, int count, const char* const*,
                              const char* const* names) {
  if (asked("no-compiler")) return nvrtcOutOfMemory;
  *program = new Program{text, "", {names, names + count}, "", ""};
  return nvrtcSuccess;
}
NvrtcError nvrtcDestroyProgram(Program** program) {
  delete std::exchange(*program, nullptr);
  return nvrtcSuccess;
}

NvrtcError nvrtcCompileProgram(Program* program, int count, const char* const* options) {
  const std::lock_guard lock(oneAtATime());
  return compile(*program, {options, options + count});
}

NvrtcError nvrtcGetProgramLogSize(Program* program, std::size_t* bytes) {
  *bytes = program->log.size() + 1;
  return nvrtcSuccess;
}
NvrtcError nvrtcGetProgramLog(Program* program, char* log) {
  std::memcpy(log, program->log.c_str(), program->log.size() + 1);
  return nvrtcSuccess;
}

NvrtcError nvrtcGetCUBINSize(Program* program, std::size_t* bytes) {
  *bytes = program->binary.size();
  return nvrtcSuccess;
}
NvrtcError nvrtcGetCUBIN(Program* program, char* to) { return give(program->binary, to); }
NvrtcError nvrtcGetPTXSize(Program* program, std::size_t* bytes) {
  *bytes = program->assembly.size();
  return nvrtcSuccess;
}
NvrtcError nvrtcGetPTX(Program* program, char* to) { return give(program->assembly, to); }

}  // extern "C"
#pragma GCC visibility pop
