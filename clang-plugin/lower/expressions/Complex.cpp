// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Complex numbers (_Complex, which std::complex holds) as structs of two parts. The formulas are those of the host's
// compiler and of its __muldc3 and __divdc3 (C11, annex G), so that results are equal bit for bit.
#include "analysis/code/Functions.h"
#include "lower/expressions/Expressions.h"
#include "lower/types/Constants.h"
#include "source/RefusalTexts.h"

namespace muster::plugin::lower {

namespace {

void replaceAll(std::string& text, llvm::StringRef from, llvm::StringRef to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to.str());
}

const char* const multiply = R"(static $C $NAME($C x, $C y) {
  $T a = x.re, b = x.im, c = y.re, d = y.im;
  const $T ac = a * c, bd = b * d, ad = a * d, bc = b * c;
  $C result = {ac - bd, ad + bc};
  if (isnan(result.re) && isnan(result.im)) {
    int again = 0;
    if (isinf(a) || isinf(b)) {
      a = copysign(($T)(isinf(a) ? 1 : 0), a), b = copysign(($T)(isinf(b) ? 1 : 0), b);
      if (isnan(c)) c = copysign(($T)0, c);
      if (isnan(d)) d = copysign(($T)0, d);
      again = 1;
    }
    if (isinf(c) || isinf(d)) {
      c = copysign(($T)(isinf(c) ? 1 : 0), c), d = copysign(($T)(isinf(d) ? 1 : 0), d);
      if (isnan(a)) a = copysign(($T)0, a);
      if (isnan(b)) b = copysign(($T)0, b);
      again = 1;
    }
    if (!again && (isinf(ac) || isinf(bd) || isinf(ad) || isinf(bc))) {
      if (isnan(a)) a = copysign(($T)0, a);
      if (isnan(b)) b = copysign(($T)0, b);
      if (isnan(c)) c = copysign(($T)0, c);
      if (isnan(d)) d = copysign(($T)0, d);
      again = 1;
    }
    if (again) result.re = ($T)INFINITY * (a * c - b * d), result.im = ($T)INFINITY * (a * d + b * c);
  }
  return result;
}

)";

// What both precisions do with quotients that are not numbers.
const char* const divideEnd = R"(  if (isnan(result.re) && isnan(result.im)) {
    if (c == 0 && d == 0 && (!isnan(a) || !isnan(b))) {
      result.re = copysign(($T)INFINITY, c) * a, result.im = copysign(($T)INFINITY, c) * b;
    } else if ((isinf(a) || isinf(b)) && isfinite(c) && isfinite(d)) {
      a = copysign(($T)(isinf(a) ? 1 : 0), a), b = copysign(($T)(isinf(b) ? 1 : 0), b);
      result.re = ($T)INFINITY * (a * c + b * d), result.im = ($T)INFINITY * (b * c - a * d);
    } else if ((isinf(c) || isinf(d)) && isfinite(a) && isfinite(b)) {
      c = copysign(($T)(isinf(c) ? 1 : 0), c), d = copysign(($T)(isinf(d) ? 1 : 0), d);
      result.re = 0 * (a * c + b * d), result.im = 0 * (b * c - a * d);
    }
  }
  return result;
}

)";

// In double precision.
const char* const divideFloat = R"(static $C $NAME($C x, $C y) {
  $T a = x.re, b = x.im, c = y.re, d = y.im;
  const double scale = (double)c * c + (double)d * d;
  $C result = {($T)(((double)a * c + (double)b * d) / scale), ($T)(((double)b * c - (double)a * d) / scale)};
)";

// Smith's algorithm with the scalings of Baudin and Smith.
const char* const divideDouble = R"(static $C $NAME($C x, $C y) {
  $T a = x.re, b = x.im, c = y.re, d = y.im;
  const int below = fabs(c) < fabs(d);
  const $T large = below ? fabs(d) : fabs(c);
  if (large >= DBL_MAX / 2) a /= 2, b /= 2, c /= 2, d /= 2;
  if (fabs(below ? d : c) < DBL_EPSILON) {
    a /= DBL_EPSILON, b /= DBL_EPSILON, c /= DBL_EPSILON, d /= DBL_EPSILON;
  } else {
    const $T most = DBL_MAX / 2 * DBL_EPSILON, here = fabs(below ? d : c);
    if ((fabs(a) < DBL_MIN && fabs(b) < most && here < most) || (fabs(b) < DBL_MIN && fabs(a) < most && here < most))
      a /= DBL_EPSILON, b /= DBL_EPSILON, c /= DBL_EPSILON, d /= DBL_EPSILON;
  }
  $C result;
  if (below) {
    const $T ratio = c / d, scale = c * ratio + d;
    const int normal = fabs(ratio) > DBL_MIN;
    result.re = ((normal ? a * ratio : c * (a / d)) + b) / scale;
    result.im = ((normal ? b * ratio : c * (b / d)) - a) / scale;
  } else {
    const $T ratio = d / c, scale = d * ratio + c;
    const int normal = fabs(ratio) > DBL_MIN;
    result.re = (a + (normal ? b * ratio : d * (b / c))) / scale;
    result.im = (b - (normal ? a * ratio : d * (a / c))) / scale;
  }
)";

// `kinds`: which of the operands is complex ("cc", "cr", "rc").
std::string definitionOf(clang::BinaryOperatorKind opcode, const std::string& kinds, Scalar part) {
  const std::string head = std::string("static $C $NAME(") + (kinds[0] == 'c' ? "$C" : "$T") + " x, " +
                           (kinds[1] == 'c' ? "$C" : "$T") + " y) {\n";
  const auto returns = [&](const char* real, const char* imaginary) {
    return head + "  const $C result = {" + real + ", " + imaginary + "};\n  return result;\n}\n\n";
  };
  switch (opcode) {
    case clang::BO_Add:
      if (kinds == "cc") return returns("x.re + y.re", "x.im + y.im");
      return kinds == "cr" ? returns("x.re + y", "x.im") : returns("x + y.re", "y.im");
    case clang::BO_Sub:
      if (kinds == "cc") return returns("x.re - y.re", "x.im - y.im");
      return kinds == "cr" ? returns("x.re - y", "x.im") : returns("x - y.re", "-y.im");
    case clang::BO_Mul:
      if (kinds == "cc") return multiply;
      return kinds == "cr" ? returns("x.re * y", "x.im * y") : returns("x * y.re", "x * y.im");
    default:
      if (kinds == "cr") return returns("x.re / y", "x.im / y");
      return std::string(part == Scalar::F64 ? divideDouble : divideFloat) + divideEnd;
  }
}

const char* nameOf(clang::BinaryOperatorKind opcode) {
  switch (opcode) {
    case clang::BO_Add:
      return "add";
    case clang::BO_Sub:
      return "sub";
    case clang::BO_Mul:
      return "mul";
    case clang::BO_Div:
      return "div";
    default:
      return "";
  }
}

}  // namespace

Expressions::ComplexType Expressions::complexType(clang::QualType type, const clang::Expr* at) {
  const auto* complex = type->getAs<clang::ComplexType>();
  const clang::QualType part = complex ? complex->getElementType() : type;
  const Scalar scalar = scalarOf(program_.context, part);
  if (!isFloating(scalar) || scalar == Scalar::F16) {
    refuse(at, say::ComplexOfType(part.getAsString()));
    return {};
  }
  return {scalar, typeName(program_.context.getComplexType(part.getUnqualifiedType()), Space::Private, at)};
}

// The function that does `opcode` to values of the operands' types.
std::string Expressions::complexHelper(const clang::BinaryOperator* op, clang::BinaryOperatorKind opcode) {
  const bool left = isComplex(op->getLHS()), right = isComplex(op->getRHS());
  const ComplexType type = complexType(left ? op->getLHS()->getType() : op->getRHS()->getType(), op);
  std::string kinds = std::string(left ? "c" : "r") + (right ? "c" : "r");
  if (type.part == Scalar::None) return "";
  if (opcode == clang::BO_Div && kinds == "rc") kinds = "cc";
  const std::string name = std::string("muster_complex_") + nameOf(opcode) + "_" + kinds + "_" + scalarName(type.part);
  if (opcode == clang::BO_Div && kinds == "cc") program_.types.noteFp64();
  std::string text = definitionOf(opcode, kinds, type.part);
  replaceAll(text, "$NAME", name);
  replaceAll(text, "$C", type.name);
  replaceAll(text, "$T", scalarName(type.part));
  program_.helper(name, text);
  return name;
}

Expression Expressions::complexBinary(const clang::BinaryOperator* op) {
  const clang::Expr *left = op->getLHS(), *right = op->getRHS();
  const auto part = [&](const clang::Expr* operand, const Expression& value, bool real) {
    if (isComplex(operand)) return ir::member(value, real ? "re" : "im");
    return real ? value : ir::literal("0");
  };
  if (op->isEqualityOp()) {
    if (writesVariables(left) || writesVariables(right) || llvm::isa<clang::CallExpr>(left->IgnoreParenImpCasts()) ||
        llvm::isa<clang::CallExpr>(right->IgnoreParenImpCasts()))
      return refuse(op, say::ComparesComplexResults);
    const bool equal = op->getOpcode() == clang::BO_EQ;
    const Expression x = Visit(left), y = Visit(right);
    const auto compared = [&](bool real) {
      return ir::binary(equal ? "==" : "!=", part(left, x, real), part(right, y, real));
    };
    return ir::binary(equal ? "&&" : "||", compared(true), compared(false));
  }
  if (!op->isMultiplicativeOp() && !op->isAdditiveOp()) return refuse(op, say::ComplexOperator(op->getOpcodeStr()));
  if (dependOnOrder(left, right)) return refuse(op, say::OperandOrder);
  Expression first = Visit(left);
  const Expression second = Visit(right);
  if (op->getOpcode() == clang::BO_Div && !isComplex(left))
    first = ir::braces({first, ir::literal("0")}, complexType(right->getType(), op).name);
  return ir::call(complexHelper(op, op->getOpcode()), {first, second});
}

Expression Expressions::complexCondition(const clang::Expr* expr, const Expression& value) {
  const ComplexType type = complexType(expr->getType(), expr);
  if (type.part == Scalar::None) return value;
  const std::string name = std::string("muster_complex_nonzero_") + scalarName(type.part);
  program_.helper(name, "static int " + name + "(" + type.name + " x) { return x.re != 0 || x.im != 0; }\n\n");
  return ir::call(name, {value});
}

Expression Expressions::complexConverted(const Expression& value, clang::QualType from, clang::QualType to,
                                         const clang::Expr* at) {
  const ComplexType source = complexType(from, at), target = complexType(to, at);
  if (source.part == target.part || source.part == Scalar::None || target.part == Scalar::None) return value;
  const std::string part = scalarName(target.part);
  const std::string name = "muster_complex_to_" + part;
  program_.helper(name, "static " + target.name + " " + name + "(" + source.name + " x) {\n  const " + target.name +
                            " result = {(" + part + ")x.re, (" + part + ")x.im};\n  return result;\n}\n\n");
  return ir::call(name, {value});
}

Expression Expressions::complexCompound(const clang::CompoundAssignOperator* op) {
  const clang::Expr* target = op->getLHS();
  checkAssignable(target, op);
  const auto opcode = clang::BinaryOperator::getOpForCompoundAssignment(op->getOpcode());
  if (!isComplex(target) || *nameOf(opcode) == 0) return refuse(op, say::ComplexOperator(op->getOpcodeStr()));
  if (mayWrite(target) || dependOnOrder(target, op->getRHS()))
    return refuse(op, say::ChangesBothSides(op->getOpcodeStr()));
  if (!program_.context.hasSameUnqualifiedType(op->getComputationLHSType(), target->getType()))
    return refuse(op, say::ComplexOfTwoPrecisions);
  const Expression place = lvalue(target);
  const std::string helper = complexHelper(op, opcode);
  return ir::assign(place, ir::call(helper, {place, Visit(op->getRHS())}));
}

Expression Expressions::complexUnary(const clang::UnaryOperator* op) {
  const clang::Expr* sub = op->getSubExpr();
  const bool isReal = op->getOpcode() == clang::UO_Real;
  if (isReal || op->getOpcode() == clang::UO_Imag) {
    if (isComplex(sub)) return ir::member(sub->isGLValue() ? lvalue(sub) : Visit(sub), isReal ? "re" : "im");
    return isReal ? Visit(sub) : zero(op);
  }
  if (op->getOpcode() == clang::UO_Plus) return Visit(sub);
  if (op->getOpcode() == clang::UO_Deref) return ir::target(Visit(sub));
  const bool negates = op->getOpcode() == clang::UO_Minus;
  if (!negates && op->getOpcode() != clang::UO_Not)
    return refuse(op, say::ComplexOperator(clang::UnaryOperator::getOpcodeStr(op->getOpcode())));
  return complexWithOppositeParts(negates ? "neg" : "conj", sub, op);
}

// The negative or the conjugate of a complex number.
Expression Expressions::complexWithOppositeParts(const std::string& what, const clang::Expr* value,
                                                 const clang::Expr* at) {
  const ComplexType type = complexType(value->getType(), at);
  const std::string name = "muster_complex_" + what + "_" + scalarName(type.part);
  program_.helper(name, "static " + type.name + " " + name + "(" + type.name + " x) {\n  const " + type.name +
                            " result = {" + (what == "neg" ? "-x.re" : "x.re") + ", -x.im};\n  return result;\n}\n\n");
  return ir::call(name, {Visit(value)});
}

std::optional<Expression> Expressions::complexCast(const clang::CastExpr* cast) {
  const clang::Expr* sub = cast->getSubExpr();
  switch (cast->getCastKind()) {
    case clang::CK_FloatingRealToComplex:
      return ir::braces({Visit(sub), ir::literal("0")}, complexType(cast->getType(), cast).name);
    case clang::CK_FloatingComplexToReal:
      return ir::member(Visit(sub), "re");
    case clang::CK_FloatingComplexCast:
      return complexConverted(Visit(sub), sub->getType(), cast->getType(), cast);
    default:
      return std::nullopt;
  }
}

// Functions of the compiler and of <complex.h>.
std::optional<Expression> Expressions::complexCall(const CallShape& shape, const clang::CallExpr* call) {
  if (!isLibraryFunction(shape.callee) || shape.arguments.size() != 1 || !isComplex(shape.arguments[0]))
    return std::nullopt;
  llvm::StringRef name = shape.callee->getIdentifier() ? shape.callee->getName() : "";
  name.consume_front("__builtin_");
  name.consume_back("f");
  const bool isKnown = llvm::is_contained({"cabs", "carg", "cexp", "creal", "cimag", "conj"}, name);
  if (!isKnown) return std::nullopt;
  const ComplexType type = complexType(shape.arguments[0]->getType(), call);
  if (name == "creal" || name == "cimag") return ir::member(Visit(shape.arguments[0]), name == "creal" ? "re" : "im");
  if (name == "conj") return complexWithOppositeParts("conj", shape.arguments[0], call);
  const std::string helper = "muster_" + name.str() + "_" + scalarName(type.part);
  if (name == "cexp") {
    program_.helper(helper, "static " + type.name + " " + helper + "(" + type.name + " x) {\n  const " +
                                scalarName(type.part) + " size = exp(x.re);\n" + "  " + type.name +
                                " result = {size, x.im};\n"
                                "  if (x.im == 0) return result;\n"
                                "  if (isinf(x.re) && !isfinite(x.im)) {\n"
                                "    result.im = x.re < 0 ? 0 : x.im - x.im;\n"
                                "    return result;\n  }\n"
                                "  result.re = size * cos(x.im), result.im = size * sin(x.im);\n"
                                "  return result;\n}\n\n");
    return ir::call(helper, {Visit(shape.arguments[0])});
  }
  program_.helper(helper, std::string("static ") + scalarName(type.part) + " " + helper + "(" + type.name +
                              " x) {\n  return " + (name == "cabs" ? "hypot(x.re, x.im)" : "atan2(x.im, x.re)") +
                              ";\n}\n\n");
  return ir::call(helper, {Visit(shape.arguments[0])});
}

}  // namespace muster::plugin::lower
