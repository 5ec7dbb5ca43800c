// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Identities of reductions.
#pragma once

#include "muster/cdm/device.h"

namespace muster::cdm {

// Stores the value that changes nothing when it is combined. Errc::unsupported for types that only native code
// knows, and for lastPrivate, which has none.
Status writeIdentity(const KernelCode::ResultParam& result, void* to);

}  // namespace muster::cdm
