// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "print/Print.h"

namespace muster::plugin::print {

using namespace ir;

namespace {

Prec tighter(Prec prec) { return static_cast<Prec>(static_cast<int>(prec) + 1); }

// Where readers (and compilers, with a warning) expect parentheses although C needs none: a & b | c, a + b << c.
bool isMixed(Prec outer, Prec inner) {
  if (outer == Prec::LogicalOr) return inner == Prec::LogicalAnd;
  const bool isBitwise = outer >= Prec::BitOr && outer <= Prec::BitAnd;
  return (isBitwise || outer == Prec::Shift) && inner < Prec::Unary && inner != outer;
}

std::string operand(const Expression& expression, Prec outer, Prec least) {
  return text(expression, isMixed(outer, expression.prec()) ? Prec::Unary : least);
}

std::string list(llvm::ArrayRef<Expression> parts, Prec first = Prec::Assignment) {
  std::string out;
  for (const Expression& part : parts)
    out += (out.empty() ? "" : ", ") + text(part, out.empty() ? first : Prec::Assignment);
  return out;
}

std::string prefixed(const std::string& op, const Expression& value) {
  const std::string inner = text(value, Prec::Unary);
  // "--x" would be another operator.
  const bool isSign = op == "-" || op == "+" || op == "~";
  return isSign && inner.front() == op.front() ? op + "(" + inner + ")" : op + inner;
}

class Printer {
 public:
  explicit Printer(unsigned depth) : depth_(depth) {}

  void print(const Statements& statements) {
    for (std::size_t i = 0; i < statements.size(); ++i) {
      // C's labels stand before statements only, which a definition is not.
      const bool needsOne = i + 1 == statements.size() || statements[i + 1].kind == StatementKind::Define;
      if (statements[i].kind == StatementKind::Label)
        out_ += std::string(2 * (depth_ - 1), ' ') + statements[i].text + (needsOne ? ":;" : ":") + "\n";
      else
        print(statements[i]);
    }
  }
  std::string take() { return std::move(out_); }

 private:
  void line(const std::string& text) { out_ += std::string(2 * depth_, ' ') + text + "\n"; }

  void inside(const std::string& head, const Statements& body, const std::string& end = "}") {
    line(head.empty() ? "{" : head + " {");
    nested(body);
    line(end);
  }
  void nested(const Statements& body) {
    ++depth_;
    print(body);
    --depth_;
  }

  static std::string simple(const Statement& statement) {
    if (statement.kind != StatementKind::Define) return text(statement.value);
    return statement.text + (statement.value ? " = " + text(statement.value, Prec::Assignment) : "");
  }

  void choice(const Statement& statement) {
    line("if (" + text(statement.value) + ") {");
    nested(statement.body);
    const Statement* last = &statement;
    for (; last->isChained; last = &last->otherwise.front()) {
      line("} else if (" + text(last->otherwise.front().value) + ") {");
      nested(last->otherwise.front().body);
    }
    if (!last->otherwise.empty()) {
      line("} else {");
      nested(last->otherwise);
    }
    line("}");
  }

  void print(const Statement& statement) {
    switch (statement.kind) {
      case StatementKind::Empty:
        return line(";");
      case StatementKind::Evaluate:
      case StatementKind::Define:
        return line(simple(statement) + ";");
      case StatementKind::If:
        return choice(statement);
      case StatementKind::For:
        if (!statement.text.empty()) line(statement.text);
        return inside("for (" + (statement.first.empty() ? "" : simple(statement.first.front())) + ";" +
                          (statement.value ? " " + text(statement.value) : "") + ";" +
                          (statement.next ? " " + text(statement.next) : "") + ")",
                      statement.body);
      case StatementKind::While:
        return inside("while (" + text(statement.value) + ")", statement.body);
      case StatementKind::DoWhile:
        return inside("do", statement.body, "} while (" + text(statement.value) + ");");
      case StatementKind::Switch:
        return inside("switch (" + text(statement.value) + ")", statement.body);
      case StatementKind::Block:
        return inside("", statement.body);
      case StatementKind::Label:
        return;  // above, where what follows it is known
      case StatementKind::Next:
        return line("continue;");
      case StatementKind::Jump:
        return line(statement.text + ";");
      case StatementKind::Return:
        return line("return" + (statement.value ? " " + text(statement.value) : "") + ";");
    }
  }

  unsigned depth_;
  std::string out_;
};

}  // namespace

std::string text(const Expression& expression, Prec least) {
  const std::string plain = text(expression);
  return expression.prec() < least ? "(" + plain + ")" : plain;
}

std::string text(const Expression& expression) {
  const std::string& word = expression.text();
  const Prec prec = expression.prec();
  const auto part = [&](unsigned number, Prec least) { return text(expression.part(number), least); };
  switch (expression.kind()) {
    case ExpressionKind::Name:
    case ExpressionKind::Literal:
      return word;
    case ExpressionKind::Prefix:
      return prefixed(word, expression.part(0));
    case ExpressionKind::Postfix:
      return part(0, Prec::Postfix) + word;
    case ExpressionKind::Binary:
      return operand(expression.part(0), prec, prec) + " " + word + " " +
             operand(expression.part(1), prec, tighter(prec));
    case ExpressionKind::Assign:
      return part(0, Prec::Unary) + " " + word + " " + part(1, Prec::Assignment);
    case ExpressionKind::Conditional:
      return part(0, Prec::LogicalOr) + " ? " + part(1, Prec::Assignment) + " : " + part(2, Prec::Conditional);
    case ExpressionKind::Comma:
      return list(expression.parts(), Prec::Comma);
    case ExpressionKind::Cast:
      return "(" + word + ")" + part(0, Prec::Unary);
    case ExpressionKind::Call:
      return word + "(" + list(expression.parts()) + ")";
    case ExpressionKind::Subscript:
      return part(0, Prec::Postfix) + "[" + part(1, Prec::Comma) + "]";
    case ExpressionKind::Member:
      return part(0, Prec::Postfix) + word;
    case ExpressionKind::Braces:
      return (word.empty() ? "" : maker(word)) + "{" + list(expression.parts()) + "}";
    case ExpressionKind::Designated:
      return word + " = " + part(0, Prec::Assignment);
    case ExpressionKind::Parentheses:
      return "(" + part(0, Prec::Comma) + ")";
  }
}

std::string text(const Statements& statements, unsigned depth) {
  Printer printer(depth);
  printer.print(statements);
  return printer.take();
}

}  // namespace muster::plugin::print
