// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The waits that all transports share.
#include "muster/cdm/transport.h"

#include "transport/backoff.h"

namespace muster::cdm {

Status Transport::wait(RequestPtr& request) { return waitAll({&request, 1}); }

Status Transport::waitAll(std::span<RequestPtr> requests) {
  for (Backoff backoff;;) {
    bool progressed = false, pending = false;
    for (RequestPtr& request : requests) {
      if (!request) continue;
      Result<bool> complete = request->test();
      if (!complete) return complete.status();
      if (*complete) request.reset();
      (*complete ? progressed : pending) = true;
    }
    if (!pending) return {};
    if (progressed) {
      backoff = Backoff();
    } else {
      backoff.pause();
    }
  }
}

}  // namespace muster::cdm
