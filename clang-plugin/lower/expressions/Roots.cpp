// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inverse roots. NVIDIA's compiler divides by a root in two long sequences, each with a branch for rare numbers. One
// shorter sequence gives the same bits for all floats on devices of compute capability 9.0: that was tried for each of
// them (PARTS=roots scripts/gpu-check.sh).
#include "lower/expressions/Expressions.h"
#include "lower/expressions/Maths.h"

namespace muster::plugin::lower {

namespace {

const char* const inverseRootHelper = R"(#if defined(__NV_CL_C_VERSION) && MUSTER_CAPABILITY == 90
static float muster_inverse_root(float value) {
  float estimate, inverse;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(estimate) : "f"(value));
  const float first = value * estimate, half_of_it = 0.5f * estimate;
  const float root = fma(fma(-first, first, value), half_of_it, first);
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(root));
  if (as_uint(value) - 0x10000000u > 0x60000000u) return 1.0f / sqrt(value);
  return fma(inverse, fma(-root, inverse, 1.0f), inverse);
}
#else
static float muster_inverse_root(float value) { return 1.0f / sqrt(value); }
#endif

)";

}  // namespace

// Of a division of one by the root of a float, where each of these has to round as the host's.
std::optional<Expression> Expressions::inverseRoot(const clang::BinaryOperator* op) {
  const clang::LangOptions& language = program_.context.getLangOpts();
  if (op->getOpcode() != clang::BO_Div || language.AllowRecip || language.ApproxFunc) return std::nullopt;
  const auto* call = llvm::dyn_cast<clang::CallExpr>(op->getRHS()->IgnoreParens());
  const MathsEntry* function = call && call->getDirectCallee() ? findMaths(call->getDirectCallee()) : nullptr;
  llvm::APFloat dividend(0.0F);
  if (!function || llvm::StringRef(function->device) != "sqrt" || scalarOfType(op) != Scalar::F32 ||
      scalarOfType(call) != Scalar::F32 || !op->getLHS()->EvaluateAsFloat(dividend, program_.context) ||
      !dividend.isExactlyValue(1))
    return std::nullopt;
  Expression root = Visit(call);
  if (!root) return root;
  if (!root.is(ir::ExpressionKind::Call, "sqrt")) return std::nullopt;
  program_.helper("muster_inverse_root", inverseRootHelper);
  return ir::call("muster_inverse_root", {root.part(0)});
}

}  // namespace muster::plugin::lower
