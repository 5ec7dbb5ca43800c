// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host's OpenCL devices. No OpenCL type crosses this header. Listing creates no context: that costs a GPU
// hundreds of megabytes and is done for the devices that are taken.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "muster/cdm/device.h"
#include "muster/cdm/faults.h"
#include "stream/options.h"

namespace muster::cdm {

// The functions that a fault can name.
[[nodiscard]] std::vector<std::string> openClCalls();

class OpenClInventory {
 public:
  struct Entry {
    DeviceInfo info;
    bool pocl = false;
  };

  explicit OpenClInventory(const std::string& library, std::shared_ptr<Faults> faults = nullptr);
  // Where no device would be taken: loading drivers takes time and starts threads. `why`: "not looked for: ...".
  static OpenClInventory skipped(std::string why);
  ~OpenClInventory();
  OpenClInventory(OpenClInventory&&) noexcept;

  // In the order of platforms and of devices within: the numbers N of "opencl:N".
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  // Why there is none at all, "" if there are some.
  [[nodiscard]] const std::string& problem() const { return problem_; }
  // Platforms that did not list their devices.
  [[nodiscard]] const std::vector<LeftOut>& failures() const { return failures_; }

  Result<std::unique_ptr<ComputeDevice>> open(std::size_t index, const StreamOptions& options) const;

 private:
  struct Handles;
  OpenClInventory();
  std::unique_ptr<Handles> handles_;
  std::vector<Entry> entries_;
  std::vector<LeftOut> failures_;
  std::string problem_;
};

}  // namespace muster::cdm
