// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/text/Registration.h"

#include "muster/abi.h"

namespace muster::plugin {

std::string registrationOfUnit(const Dialect& dialect) {
  const std::string text =
      R"(__attribute__((visibility("default"))) void muster_register_unit(const void *, const void *, unsigned)
  __asm__("muster_register_kernels");
__attribute__((constructor)) static void muster_register_this_unit(void) {
  muster_register_unit(0, 0, )" +
      std::to_string(MUSTER_ABI_VERSION) + ");\n}\n";
  return "\n#pragma clang diagnostic push\n#pragma clang diagnostic ignored \"-Weverything\"\n" +
         (dialect.isC() ? text : "extern \"C\" {\n" + text + "}\n") + "#pragma clang diagnostic pop\n";
}

}  // namespace muster::plugin
