// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "balance/core_sharing.h"

#include <algorithm>

namespace muster::rt {

CoreSharing::CoreSharing(const std::vector<Device>& devices, const std::vector<Host>& hosts) {
  for (const Device& device : devices) {
    Use& use = uses_.emplace_back();
    const auto host =
        std::find_if(hosts.begin(), hosts.end(), [&](const Host& one) { return one.name == device.host; });
    if (host == hosts.end() || host->cores == 0) continue;
    use.host = static_cast<std::size_t>(host - hosts.begin());
    use.part = static_cast<double>(device.threads) / host->cores;
  }
}

// Threads take turns: what all want together, in cores, over what there are.
double CoreSharing::slowdown(std::size_t device, const std::vector<bool>& works) const {
  if (device >= uses_.size() || uses_[device].part == 0) return 1;
  double wanted = uses_[device].part;
  for (std::size_t d = 0; d < uses_.size() && d < works.size(); ++d) {
    if (d != device && works[d] && uses_[d].host == uses_[device].host) wanted += uses_[d].part;
  }
  return std::max(1.0, wanted);
}

}  // namespace muster::rt
