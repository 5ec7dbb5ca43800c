// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The waits that all transports share.
#include "muster/cdm/transport.h"

#include "muster/cdm/backoff.h"

namespace muster::cdm {

Result<bool> Transport::test(RequestPtr& request) {
  if (!request) return true;
  Result<bool> complete = request->test();
  if (complete && *complete) request.reset();
  return complete;
}

Status Transport::waitAny(std::span<RequestPtr* const> requests) {
  for (Backoff backoff;; backoff.pause()) {
    bool any = false;
    for (RequestPtr* request : requests) {
      const Result<bool> complete = test(*request);
      if (!complete) return complete.status();
      any |= *complete;
    }
    if (any) return {};
  }
}

Status Transport::wait(RequestPtr& request) { return waitAll({&request, 1}); }

Status Transport::waitAll(std::span<RequestPtr> requests) {
  for (Backoff backoff;;) {
    bool progressed = false, pending = false;
    for (RequestPtr& request : requests) {
      if (!request) continue;
      const Result<bool> complete = test(request);
      if (!complete) return complete.status();
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
