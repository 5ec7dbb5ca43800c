// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/GroupLoops.h"

#include <set>

#include "ir/Changes.h"
#include "llvm/ADT/STLExtras.h"
#include "muster/chunk.h"
#include "passes/CountedLoops.h"
#include "passes/GroupEffects.h"
#include "passes/InnerLoops.h"
#include "passes/KeptElements.h"
#include "passes/LoopSums.h"

namespace muster::plugin::passes {

using namespace ir;

namespace {

// A loop that all work-items of a group repeat may run so often.
constexpr double kMostRepeated = 32;
// The parts of a sum are added up by so many work-items, and what these have by each one.
constexpr const char* kHeads = "16";

bool any(const Statements& statements, llvm::function_ref<bool(const Statement&)> is) {
  return llvm::any_of(statements, [&](const Statement& statement) {
    return is(statement) || any(statement.first, is) || any(statement.body, is) || any(statement.otherwise, is);
  });
}

bool isShareable(const Statement& statement) { return statement.groupLoop != 0; }

const Statement& barrierOfGroup() {
  static const Statement barrier = evaluate(call("barrier", {name("CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE")}));
  return barrier;
}

bool isBarrier(const Statement& statement) {
  return statement.kind == StatementKind::Evaluate && statement.value == barrierOfGroup().value;
}

void noteDefinitions(const Statements& statements, std::set<std::string>& names) {
  for (const Statement& statement : statements) {
    if (statement.kind == StatementKind::Define) names.insert(statement.name);
    for (const Statements* inside : {&statement.first, &statement.body, &statement.otherwise})
      noteDefinitions(*inside, names);
  }
}

unsigned countOf(const Statements& statements, const std::string& variable) {
  unsigned count = 0;
  forEach(statements, [&](const Expression& part) { count += part.is(ExpressionKind::Name, variable); });
  return count;
}

// And variables that the loop changes and something else names.
std::set<std::string> carriedBy(const Statement& loop, const Statements& iteration, const GroupEffects& effects,
                                std::set<std::string> carried) {
  std::set<std::string> inside;
  noteDefinitions(loop.body, inside);
  forEach(loop.body, [&](const Expression& part) {
    const std::string own = effects.changedOwn(part);
    if (own.empty() || inside.count(own)) return;
    if (names(loop.value, own) || countOf(iteration, own) != countOf({loop}, own)) carried.insert(own);
  });
  return carried;
}

std::optional<std::vector<LoopSum>> carriedSums(const Statement& loop, const Statements& iteration,
                                                const GroupEffects& effects, const GroupContext& context) {
  return sumsOf(loop, carriedBy(loop, iteration, effects, context.carried.at(loop.groupLoop - 1)),
                [&](const std::string& variable) { return effects.numberTypeOf(variable); });
}

// Loops that add up are shared where they are no part of something else.
void keepSums(Statements& statements, const Statements& iteration, const GroupEffects& effects,
              const GroupContext& context, bool isInside) {
  for (Statement& statement : statements) {
    if (statement.groupLoop != 0) {
      const auto sums = carriedSums(statement, iteration, effects, context);
      if (!sums || (isInside && !sums->empty())) statement.groupLoop = 0;
    }
    for (Statements* inside : {&statement.body, &statement.otherwise})
      keepSums(*inside, iteration, effects, context, true);
  }
}

class Grouper {
 public:
  Grouper(const Statements& iteration, const GroupContext& context, std::string& whyNot)
      : iteration_(iteration),
        context_(context),
        effects_(iteration, context),
        kept_(keptElements(iteration, context)),
        whyNot_(whyNot) {}

  std::optional<GroupedIteration> run() {
    if (!any(iteration_, isShareable)) return std::nullopt;
    if (effects_.givesObject(iteration_)) whyNot_ = "functions get objects of the iteration";
    GroupedIteration group;
    Statements& out = group.code = together(iteration_);
    if (!whyNot_.empty()) return std::nullopt;
    if (!out.empty() && isBarrier(out.back())) out.pop_back();
    group.shared = shared_;
    group.slots.assign(slots_.begin(), slots_.end());
    group.kept = kept_.variables;
    group.hasBarriers = any(out, isBarrier);
    return group;
  }

 private:
  // Why the iteration stays one work-item's: the first reason.
  void because(const char* why) {
    if (whyNot_.empty()) whyNot_ = why;
  }

  // Statements that all work-items of a group go through.
  Statements together(llvm::ArrayRef<Statement> statements) {
    Statements out, stores;
    const auto flush = [&] {
      if (stores.empty()) return;
      beginStores(out);
      out.push_back(choice(binary("==", name(groupLane), literal("0")), std::move(stores)));
      out.push_back(barrierOfGroup());
      stores.clear();
    };
    for (std::size_t i = 0; i < statements.size(); ++i) {
      const Statement& statement = statements[i];
      const bool isShared = any({statement}, isShareable), hasStores = effects_.stores(Statements{statement});
      if (hasStores && !isShared && isOfOne(statement)) {
        stores.push_back(statement);
        continue;
      }
      flush();
      if (endsHere(statement)) {
        // Barriers behind a work-item's end are none of OpenCL's.
        checkCourse(statement);
        addChoice(statement.value, {}, together(statements.drop_front(i + 1)), out);
        return out;
      }
      if (statement.groupLoop != 0) {
        share(statement, out);
      } else if (isShared || hasStores) {
        open(statement, isShared, out);
      } else {
        checkRepeated(statement);
        mayRead_ |= any({statement}, [&](const Statement& part) { return varies(part); });
        out.push_back(statement);
      }
    }
    flush();
    return out;
  }

  // What work-items have read of memory that is stored to now, all of them have read.
  void beginStores(Statements& out) {
    if (mayRead_) out.push_back(barrierOfGroup());
    mayRead_ = false;
  }

  // `if (...) continue;` of the loop that the kernel is made from.
  bool endsHere(const Statement& statement) const {
    const bool isEnd = statement.kind == StatementKind::If && statement.otherwise.empty() &&
                       statement.body.size() == 1 && statement.body.front().kind == StatementKind::Return;
    return isEnd && depth_ == 0;
  }

  void checkCourse(const Statement& statement) {
    if (varies(statement)) because("what the loop writes decides its course");
  }

  // Nothing of it is needed behind it but what it stores.
  bool isOfOne(const Statement& statement) const {
    std::set<std::string> inside;
    noteDefinitions({statement}, inside);
    bool isAlone = statement.kind != StatementKind::Define && isShort(statement) && !leaves(statement);
    forEach(Statements{statement}, [&](const Expression& part) {
      const std::string own = effects_.changedOwn(part);
      isAlone &= own.empty() || inside.count(own) != 0;
    });
    return isAlone;
  }

  static bool leaves(const Statement& statement) {
    return LaneMasks::jumpsOut(statement) || any({statement}, [](const Statement& part) {
             return part.kind == StatementKind::Return || part.kind == StatementKind::Next ||
                    part.kind == StatementKind::Label || part.text.rfind("goto", 0) == 0;
           });
  }

  static bool isShort(const Statement& statement) {
    if (!any({statement}, isLoop)) return true;
    const InnerLoops loops = countInnerLoops({statement}, [](const std::string&) { return -1; });
    return loops.whyNot.empty() && loops.counts.empty() && loops.fixed <= kMostRepeated;
  }

  // A statement whose parts the group goes through one after the other.
  void open(const Statement& statement, bool isShared, Statements& out) {
    const bool isOpen =
        isLoop(statement) || statement.kind == StatementKind::If || statement.kind == StatementKind::Block;
    if (!isOpen) because("a store gives a value");
    if (!isShared && !isShort(statement)) because("another loop in it runs often");
    checkCourse(statement);
    // Its next iteration may store what this one has read.
    mayRead_ |= isLoop(statement) && any(statement.body, [&](const Statement& part) { return varies(part); });
    bool mayHaveRead = mayRead_;
    Statement copy = statement;
    ++depth_;
    copy.body = together(statement.body);
    std::swap(mayRead_, mayHaveRead);
    copy.otherwise = together(statement.otherwise);
    --depth_;
    mayRead_ |= mayHaveRead;
    if (statement.kind == StatementKind::If) return addChoice(copy.value, copy.body, copy.otherwise, out);
    out.push_back(std::move(copy));
  }

  // Barriers in a condition that is the same for all of a group are OpenCL's, but POCL 3.1 goes wrong there. So code
  // that has some is cut at them, and each part has the condition.
  void addChoice(const Expression& condition, const Statements& body, const Statements& otherwise, Statements& out) {
    const Expression negated = prefix("!", parentheses(condition));
    if (!any(body, isBarrier) && !any(otherwise, isBarrier)) {
      Statement plain = body.empty() ? choice(negated, otherwise) : choice(condition, body);
      if (!body.empty()) plain.otherwise = otherwise;
      out.push_back(std::move(plain));
      return;
    }
    const Expression chosen = name("muster_chosen" + std::to_string(choices_++));
    Statement block{StatementKind::Block};
    block.body = {define("const int " + chosen.text(), prefix("!", parentheses(negated)), chosen.text())};
    if (!body.empty()) block.body.push_back(cut(chosen, body));
    if (!otherwise.empty()) block.body.push_back(cut(prefix("!", chosen), otherwise));
    out.push_back(std::move(block));
  }

  // What it defines is known in all parts.
  Statement cut(const Expression& condition, const Statements& code) {
    Statement block{StatementKind::Block};
    Statements part;
    const auto flush = [&] {
      if (!part.empty()) block.body.push_back(choice(condition, std::move(part)));
      part.clear();
    };
    for (const Statement& statement : code) {
      if (isBarrier(statement)) {
        flush();
        block.body.push_back(statement);
      } else if (any({statement}, isBarrier)) {
        flush();
        if (statement.kind != StatementKind::Block) because("a loop with stores or a pivot stands in a condition");
        block.body.push_back(cut(condition, statement.body));
      } else if (statement.kind == StatementKind::Define) {
        const std::string type = typeOf(statement);
        const llvm::StringRef text = statement.text;
        const bool isPointer = text.contains('*') && !text.contains("*const");
        if (!LaneMasks::isScalar(type) && !isPointer) because("it defines objects in a condition");
        // NVIDIA's compiler (driver 580) goes wrong where such a variable has no value if the condition does not hold:
        // `if (c) d = e; ... if (c && d)` was true for another c (decision 35).
        block.body.push_back(
            define(isPointer ? statement.text : type + " " + statement.name, literal("0"), statement.name));
        if (statement.value) part.push_back(evaluate(assign(name(statement.name), statement.value)));
      } else {
        part.push_back(statement);
      }
    }
    flush();
    return block;
  }

  bool varies(const Statement& statement) const {
    return effects_.varies(statement.value) || effects_.varies(statement.next) ||
           llvm::any_of(statement.first, [&](const Statement& first) { return varies(first); });
  }

  // Each work-item of the group runs it.
  void checkRepeated(const Statement& statement) {
    if (!isShort(statement)) because("another loop in it runs often");
    if (leaves(statement) || any({statement}, [](const Statement& part) { return part.kind == StatementKind::Switch; }))
      because("it jumps");
    if (statement.kind == StatementKind::Define && llvm::StringRef(statement.text).contains('['))
      because("it has arrays of its own");
    forEach(Statements{statement}, [&](const Expression& part) {
      if (part.is(ExpressionKind::Prefix, "&") && !effects_.changedOwn(part).empty())
        because("it takes addresses of its variables");
    });
  }

  // A loop that is shared: what it counts, of this type, and how many of them.
  struct Counter {
    const Statement& loop;
    LoopHead head;
    std::string type, number;
  };

  std::optional<Counter> counterOf(const Statement& loop) const {
    const std::optional<LoopHead> head = anyHeadOf(loop);
    if (!head) return std::nullopt;
    const std::string type = head->isOutside ? effects_.wholeTypeOf(head->variable) : typeOf(loop.first.front());
    const bool isLong = type == "long" || type == "ulong";
    if (!isLong && type != "int" && type != "uint") return std::nullopt;
    return Counter{loop, *head, type, isLong ? "ulong" : "uint"};
  }

  void share(const Statement& loop, Statements& out) {
    const std::optional<Counter> counter = counterOf(loop);
    const auto leavesIt = [](const Statement& part) {
      return part.kind == StatementKind::Label || part.kind == StatementKind::Return;
    };
    if (!counter || any(loop.body, leavesIt)) return because("a loop counts otherwise");
    const LoopHead& head = counter->head;
    shared_.insert(loop.groupLoop);
    checkCourse(evaluate(head.first)), checkCourse(evaluate(head.end));
    const auto sums = carriedSums(loop, iteration_, effects_, context_);
    const Expression& pivot = context_.pivots.at(loop.groupLoop - 1);
    if (!sums || (pivot && !sums->empty())) return because("iterations of a loop share variables");
    const std::string &type = counter->type, &number = counter->number;
    const Expression begin = name("muster_begin"), count = name("muster_count");
    Expression length = binary("-", cast(number, parentheses(head.end)), cast(number, begin));
    if (head.isInclusive) length = binary("+", std::move(length), literal("1"));
    const auto known = kept_.loops.find(loop.groupLoop);
    const KeptLoop* kept = known == kept_.loops.end() ? nullptr : &known->second;
    Statement shared{StatementKind::Block};
    shared.body = {define("const " + type + " muster_begin", kept ? kept->first : head.first, "muster_begin"),
                   define("const " + number + " muster_count",
                          conditional(binary(head.isInclusive ? "<=" : "<", begin, head.end), length, literal("0")),
                          "muster_count")};
    beginSums(*sums, shared.body);
    if (pivot)
      addParts(*counter, pivot, shared.body);
    else if (kept)
      addKept(*counter, *kept, shared.body);
    else
      addLanes(*counter, literal("0"), count, shared.body);
    addSums(*sums, shared.body);
    // What an own variable holds behind the loop.
    if (head.isOutside)
      shared.body.push_back(evaluate(assign(name(head.variable), binary("+", begin, cast(type, count)))));
    if (effects_.stores(Statements{loop})) beginStores(out);
    out.push_back(std::move(shared));
    if (sums->empty()) out.push_back(barrierOfGroup());
  }

  static Expression wholeOf(const LoopSum& sum) { return name("muster_whole_" + sum.variable); }

  static void beginSums(const std::vector<LoopSum>& sums, Statements& out) {
    for (const LoopSum& sum : sums) {
      const std::string whole = wholeOf(sum).text();
      out.push_back(define("const " + sum.type + " " + whole, name(sum.variable), whole));
      if (const Expression start = startOf(sum)) out.push_back(evaluate(assign(name(sum.variable), start)));
    }
  }

  // Some work-items add up the parts of all, and all what these have: in one order, so that all have the same.
  void addSums(const std::vector<LoopSum>& sums, Statements& out) {
    if (sums.empty()) return;
    const Expression lane = name(groupLane), part = name("muster_e"), size = name(groupMost), most = literal(kHeads),
                     heads = parentheses(conditional(binary("<", size, most), size, most));
    Statements first, parts, ends, wholes;
    for (std::size_t number = 0; number < sums.size(); ++number) {
      const LoopSum& sum = sums[number];
      const std::string which = sum.type + std::to_string(number);
      const Expression own = name(sum.variable), slots = name("muster_slots_" + which),
                       some = name("muster_heads_" + which);
      slots_.insert("__local " + sum.type + " " + slots.text() + "[" + groupMost + "], " + some.text() + "[" + kHeads +
                    "]");
      const Expression other = subscript(slots, binary("+", lane, binary("*", part, heads)));
      first.push_back(evaluate(assign(subscript(slots, lane), own)));
      parts.push_back(evaluate(assign(own, combined(sum, own, other))));
      ends.push_back(evaluate(assign(subscript(some, lane), own)));
      wholes.push_back(evaluate(assign(own, combined(sum, own, subscript(some, part)))));
    }
    const auto loop = [&](const char* begin, Expression end, Statements body) {
      Statement each{StatementKind::For, unrolled, binary("<", part, std::move(end)), prefix("++", part)};
      each.first = {define("uint muster_e", literal(begin), "muster_e")};
      each.body = std::move(body);
      return each;
    };
    out.insert(out.end(), first.begin(), first.end());
    out.push_back(barrierOfGroup());
    Statements some = {loop("1", binary("/", size, heads), std::move(parts))};
    some.insert(some.end(), ends.begin(), ends.end());
    out.push_back(choice(binary("<", lane, heads), std::move(some)));
    out.push_back(barrierOfGroup());
    for (const LoopSum& sum : sums) out.push_back(evaluate(assign(name(sum.variable), wholeOf(sum))));
    out.push_back(loop("0", heads, std::move(wholes)));
  }

  // The iterations in front of the pivot, that one, and those behind it.
  static void addParts(const Counter& counter, const Expression& pivot, Statements& out) {
    const Expression part = name("muster_part"), at = name("muster_pivot"), count = name("muster_count"),
                     ahead = name("muster_ahead"), begin = cast("long", name("muster_begin"));
    const Expression distance = parentheses(binary("-", at, begin));
    const Expression isInside = binary("&&", binary(">=", at, begin), binary("<", cast("ulong", distance), count));
    const auto number = [&](const char* variable, Expression value) {
      return define("const " + counter.number + " " + variable, std::move(value), variable);
    };
    out.push_back(define("const long muster_pivot", pivot, "muster_pivot"));
    out.push_back(number("muster_ahead", conditional(isInside, cast(counter.number, distance), count)));
    const Expression behind = conditional(binary("<", ahead, count), binary("+", ahead, literal("1")), count);
    const auto isPart = [&](const char* which) { return binary("==", part, literal(which)); };
    Statement parts{StatementKind::For, "", binary("<", part, literal("3")), prefix("++", part)};
    parts.first = {define("int muster_part", literal("0"), "muster_part")};
    parts.body = {
        number("muster_from", conditional(isPart("0"), literal("0"), conditional(isPart("1"), ahead, behind))),
        number("muster_to", conditional(isPart("0"), ahead, conditional(isPart("1"), behind, count)))};
    addLanes(counter, name("muster_from"), name("muster_to"), parts.body);
    parts.body.push_back(barrierOfGroup());
    out.push_back(std::move(parts));
  }

  // The first steps of a work-item, for whose elements it has variables, and the others.
  static void addKept(const Counter& counter, const KeptLoop& kept, Statements& out) {
    const Expression offset = name(stepOffset), lanes = name(groupSize), count = name("muster_count");
    const Expression most = literal(std::to_string(MUSTER_KEPT_STEPS));
    const auto addSteps = [&](const Statements& body) {
      if (body.empty()) return;
      const std::string& text = counter.loop.first.front().text;
      Statements step = {
          define(text, binary("+", name("muster_begin"), cast(counter.type, offset)), counter.head.variable)};
      step.insert(step.end(), body.begin(), body.end());
      const Expression place = binary("+", name(groupLane), binary("*", name(keptStep), lanes));
      Statement steps{StatementKind::For, unrolled, binary("<", name(keptStep), most), prefix("++", name(keptStep))};
      steps.first = {define(std::string("uint ") + keptStep, literal("0"), keptStep)};
      steps.body = {define(std::string("const uint ") + stepOffset, place, stepOffset),
                    choice(binary(">=", offset, count), {jump("break")})};
      steps.body.insert(steps.body.end(), step.begin(), step.end());
      out.push_back(std::move(steps));
    };
    addSteps(kept.loads);
    addSteps(kept.body);
    const Expression all = cast(counter.number, parentheses(binary("*", most, lanes)));
    out.push_back(define("const " + counter.number + " muster_from", call("min", {count, all}), "muster_from"));
    addLanes(counter, name("muster_from"), count, out);
  }

  // A work-item has each iteration that is so many behind its last one as there are lanes. Their number is counted
  // down, so that nothing overflows.
  static void addLanes(const Counter& counter, const Expression& from, const Expression& to, Statements& out) {
    const Expression lane = name(groupLane), size = name(groupSize), element = name("muster_e"),
                     left = name("muster_left"), one = literal("1");
    const bool isFromStart = from.kind() == ExpressionKind::Literal;
    const Expression span = isFromStart ? to : parentheses(binary("-", to, from));
    const Expression mine = binary("+", binary("/", parentheses(binary("-", binary("-", span, lane), one)), size), one);
    Statement lanes{StatementKind::For, "", binary("!=", left, literal("0")),
                    comma({prefix("--", left), assign(element, size, "+=")})};
    lanes.first = {define(counter.number + " muster_left", conditional(binary(">", span, lane), mine, literal("0")),
                          "muster_left")};
    const Expression value = binary("+", name("muster_begin"), cast(counter.type, element));
    const std::string& variable = counter.head.variable;
    lanes.body = {counter.head.isOutside ? evaluate(assign(name(variable), value))
                                         : define(counter.loop.first.front().text, value, variable)};
    lanes.body.insert(lanes.body.end(), counter.loop.body.begin(), counter.loop.body.end());
    out.push_back(define(counter.number + " muster_e", isFromStart ? lane : binary("+", from, lane), "muster_e"));
    out.push_back(std::move(lanes));
  }

  const Statements& iteration_;
  const GroupContext& context_;
  const GroupEffects effects_;
  const KeptElements kept_;
  std::string& whyNot_;
  bool mayRead_ = false;  // behind the last barrier, what work-items store to
  unsigned depth_ = 0;    // of statements around
  std::set<std::string> slots_;
  std::set<unsigned> shared_;
  unsigned choices_ = 0;
};

}  // namespace

std::optional<GroupedIteration> groupIteration(const Statements& iteration, const GroupContext& context,
                                               std::string& whyNot) {
  Statements marked = iteration;
  keepSums(marked, iteration, GroupEffects(iteration, context), context, false);
  return Grouper(marked, context, whyNot).run();
}

}  // namespace muster::plugin::passes
