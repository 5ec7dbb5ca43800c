// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of OpenCL texts on this host's CPU, by POCL: what the fake CUDA runs.
#pragma once

#include <CL/cl.h>

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace fake::pocl {

// Whether there is such a device.
bool isHere();

// Host memory as kernels see it: its first byte at the same address.
class Memory {
 public:
  Memory(void* start, std::size_t bytes);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  [[nodiscard]] cl_mem get() const { return memory_; }

 private:
  cl_mem memory_;
};

struct Parameter {
  enum class Kind { value, global, local };
  Kind kind = Kind::value;
  std::size_t bytes = 0;  // of a value
};
// `value` nullptr: so many bytes of each group's memory.
struct Argument {
  std::size_t bytes = 0;
  const void* value = nullptr;
};
using Axes = std::array<std::size_t, 3>;

class Kernel {
 public:
  // Of this text, built with these options.
  Kernel(cl_kernel kernel, const std::string& text, const std::string& options);
  ~Kernel();
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  [[nodiscard]] std::string name() const;
  [[nodiscard]] const std::vector<Parameter>& parameters() const { return parameters_; }
  // Work-items that its text asks for, 0 if it does not.
  [[nodiscard]] const Axes& builtFor() const { return builtFor_; }
  // Bytes of each group's memory besides its arguments'.
  [[nodiscard]] std::size_t ownLocal() const { return ownLocal_; }
  // To its end.
  [[nodiscard]] bool run(const std::vector<Argument>& arguments, const Axes& group, const Axes& groups) const;

 private:
  cl_kernel kernel_;
  std::vector<Parameter> parameters_;
  Axes builtFor_ = {0, 0, 0};
  std::size_t ownLocal_ = 0;
};
// They stay until the process ends.
using Kernels = std::vector<std::shared_ptr<const Kernel>>;

// The kernels of a text; nullptr, and why in `log`, if it does not build. The same text is built once in a process.
std::shared_ptr<const Kernels> build(const std::string& text, const std::string& options, std::string& log);

}  // namespace fake::pocl
