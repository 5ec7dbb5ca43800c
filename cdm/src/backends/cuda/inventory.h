// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host's CUDA devices. No type of CUDA crosses this header. Listing creates no context.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "muster/cdm/device.h"
#include "muster/cdm/faults.h"
#include "stream/options.h"

namespace muster::cdm {

// The functions that a fault can name.
[[nodiscard]] std::vector<std::string> cudaCalls();

class CudaInventory {
 public:
  // Names as dlopen takes them.
  struct Libraries {
    std::string driver = "libcuda.so.1";
    // The newest first; empty: where CUDA is installed, of the driver's version or older.
    std::vector<std::string> nvrtc = {};
  };

  explicit CudaInventory(const Libraries& libraries, std::shared_ptr<Faults> faults = nullptr);
  // Where no device would be taken. `why`: "not looked for: ...".
  static CudaInventory skipped(std::string why);
  ~CudaInventory();
  CudaInventory(CudaInventory&&) noexcept;

  // In the driver's order: the numbers N of "cuda:N".
  [[nodiscard]] const std::vector<DeviceInfo>& entries() const { return entries_; }
  // Why there is none at all, "" if there are some.
  [[nodiscard]] const std::string& problem() const { return problem_; }
  // Cards that nothing compiles kernels for, where there are others.
  [[nodiscard]] const std::vector<LeftOut>& failures() const { return failures_; }
  // Cards are there, but nothing that compiles kernels for them.
  [[nodiscard]] bool lacksCompiler() const { return lacksCompiler_; }

  Result<std::unique_ptr<ComputeDevice>> open(std::size_t index, const StreamOptions& options) const;

 private:
  struct Handles;
  CudaInventory();
  Status list(const Libraries& libraries, const std::shared_ptr<Faults>& faults);

  std::unique_ptr<Handles> handles_;
  std::vector<DeviceInfo> entries_;
  std::vector<LeftOut> failures_;
  std::string problem_;
  bool lacksCompiler_ = false;
};

}  // namespace muster::cdm
