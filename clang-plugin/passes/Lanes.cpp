// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Lanes.h"

#include <algorithm>

#include "ir/Changes.h"
#include "llvm/ADT/STLExtras.h"
#include "passes/CopyNames.h"
#include "passes/CountedLoops.h"
#include "passes/InnerLoops.h"
#include "passes/LaneMasks.h"
#include "passes/WideAccesses.h"

namespace muster::plugin::passes {

using namespace ir;

namespace {

using Mask = LaneMasks::Mask;

constexpr Mask kAlongFirst = 1;
constexpr double kMostRegisters = 64;  // of elements that lie far apart
constexpr double kMostUnrolled = 4;    // steps of a loop, where compilers see many lanes in each

class Jam {
 public:
  Jam(const Statements& iteration, const LaneContext& context)
      : context_(context),
        masks_(iteration, context.memory, bitsOf(context)),
        accesses_(context, masks_),
        isAdjacent_(context.apart.empty()),
        mayBeFar_(!isAdjacent_ && context.axes.size() == 1) {}

  // Why there are none: what was met first.
  const std::string& whyNot() const { return whyNot_; }

  std::optional<Lanes> make(const Statements& iteration) {
    if (masks_.givesOwn(iteration)) leave("a function gets an array or an object");
    lanes_.separator = separatorFor(iteration);
    accesses_.noteStarts(iteration);
    lanes_.code = expanded(iteration, false);
    if (!whyNot_.empty()) return std::nullopt;
    if (isAdjacent_) lanes_.phases = accesses_.phases();
    lanes_.alignment = accesses_.alignment();
    lanes_.needsDistinct = accesses_.needsDistinct();
    lanes_.isContraction = sharesRows_ && sharesColumns_;
    return std::move(lanes_);
  }

 private:
  void leave(const char* why) {
    if (whyNot_.empty()) whyNot_ = why;
  }

  static std::vector<std::pair<std::string, Mask>> bitsOf(const LaneContext& context) {
    std::vector<std::pair<std::string, Mask>> bits;
    for (std::size_t axis = 0; axis < context.axes.size(); ++axis)
      if (context.axes[axis].lanes > 1) bits.emplace_back(context.axes[axis].variable, Mask{1} << axis);
    return bits;
  }

  // ---- expansion ----

  Expression renamed(const Expression& value, const Lane& lane, const std::vector<LaneRead>& vectors) const {
    return rewritten(value, [&](const Expression& part) -> std::optional<Expression> {
      if (part.is(ExpressionKind::Prefix, "&")) return prefix("&", renamed(part.part(0), lane, {}));
      if (part.kind() == ExpressionKind::Subscript)
        if (const auto wide = accesses_.partFor(part, lane, vectors)) return wide;
      if (part.kind() != ExpressionKind::Name) return std::nullopt;
      return name(renamed(part.text(), lane));
    });
  }

  std::string renamed(const std::string& variable, const Lane& lane) const {
    return variable + suffix(masks_.of(variable), lane);
  }

  std::string suffix(Mask mask, const Lane& lane) const {
    std::string text;
    for (std::size_t axis = 0; axis < lane.size(); ++axis)
      if (mask >> axis & 1) text += lanes_.suffix(lane[axis]);
    return text;
  }

  Statement renamedDefinition(const Statement& statement, const Lane& lane) const {
    return passes::renamedDefinition(statement, renamed(statement.name, lane));
  }

  Statements renamed(const Statements& statements, const Lane& lane) const {
    return passes::renamed(
        statements, [&](const std::string& name) { return renamed(name, lane); },
        [&](const Expression& value) { return renamed(value, lane, {}); });
  }

  Statements expanded(const Statements& statements, bool isInLoop) {
    Statements code;
    llvm::ArrayRef<Statement> rest = statements;
    while (!rest.empty()) {
      const llvm::ArrayRef<Statement> run = rest.take_while(ir::isSimple);
      expandRun(run, isInLoop, code);
      rest = rest.drop_front(run.size());
      if (rest.empty()) break;
      expandOther(rest.front(), isInLoop, code);
      rest = rest.drop_front();
    }
    return code;
  }

  void expandRun(llvm::ArrayRef<Statement> run, bool isInLoop, Statements& code) {
    std::vector<LaneRead> reads = isAdjacent_ ? accesses_.readsOf(run) : std::vector<LaneRead>();
    for (const Statement& statement : run) {
      checkAccesses(statement.value, isInLoop, statement.kind == StatementKind::Define);
      if (hasOtherEffects(statement)) leave("a statement has several effects");
      if (accesses_.movesReads(statement)) leave("a statement changes where it reads");
      expandSimple(statement, reads, code);
      accesses_.goBehind(statement);
    }
  }

  void expandOther(const Statement& statement, bool isInLoop, Statements& code) {
    if (masks_.isTogether(statement)) {
      checkAccesses(statement.value, isInLoop), checkAccesses(statement.next, isInLoop);
      Statement copy = statement;
      if (const auto head = statement.kind == StatementKind::For ? anyHeadOf(statement) : std::nullopt) {
        const InnerLoops& count = counts_[head->variable] = countLoop(statement, context_.memory.constantOf);
        const bool isShort = count.whyNot.empty() && count.counts.empty() && count.fixed <= kMostUnrolled;
        if (!isAdjacent_ && isShort) copy.text = unrolled;
      }
      const bool isLoop = isInLoop || (statement.kind != StatementKind::If && statement.kind != StatementKind::Block);
      copy.body = expanded(statement.body, isLoop), copy.otherwise = expanded(statement.otherwise, isLoop);
      code.push_back(std::move(copy));
      return;
    }
    if (LaneMasks::jumpsOut(statement)) leave("lanes leave a loop at different times");
    if (hasAccessAlong(statement)) leave("accesses depend on a condition");
    for (const Lane& lane : lanesAlong(context_.axes, masks_.of(statement)))
      for (Statement& copy : renamed(Statements{statement}, lane)) code.push_back(std::move(copy));
  }

  bool hasAccessAlong(const Statement& statement) const {
    bool any = false;
    forEach(Statements{statement}, [&](const Expression& part) {
      any |= part.kind() == ExpressionKind::Name && masks_.isShared(part.text());
    });
    return any;
  }

  // Arrays are named as parts of elements alone, whose places are known along an axis.
  void checkAccesses(const Expression& value, bool isInLoop, bool isDefinition = false) {
    if (!value) return;
    if (value.kind() == ExpressionKind::Name && masks_.isShared(value.text())) leave("a pointer is more than indexed");
    if (value.kind() == ExpressionKind::Subscript && masks_.isShared(rootOf(value))) {
      const Mask mask = masks_.of(value);
      const bool isAlong = (mask & kAlongFirst) != 0;
      if (isAlong && !(mayBeFar_ && fitsRegisters(value)) && !accesses_.adjacent(value))
        leave("accesses of neighbours are not adjacent");
      if (isInLoop && isAlong && mask != masks_.all()) sharesRows_ = true;
      if (isInLoop && mask == 0 && mayBeFar_) sharesRows_ = sharesColumns_ = true;
      if (isInLoop && !isAlong && mask != 0) sharesColumns_ = true;
      Expression part = value;
      for (; part.kind() == ExpressionKind::Subscript; part = part.part(0)) checkAccesses(part.part(1), isInLoop);
      return;
    }
    const Expression* place = isDefinition ? rowPlace(value) : nullptr;
    if (place && place->part(0).kind() == ExpressionKind::Name && masks_.isShared(place->part(0).text()))
      return checkAccesses(place->part(1), isInLoop);
    if (value.is(ExpressionKind::Prefix, "&") && masks_.isShared(rootOf(value.part(0))))
      leave("an element's address is taken");
    for (const Expression& part : value.parts()) checkAccesses(part, isInLoop);
  }

  // Elements that loops around name again and again stay in registers, if they are few: their lanes may lie far apart.
  bool fitsRegisters(const Expression& element) const {
    double count = context_.axes.front().lanes;
    for (const auto& [variable, loop] : counts_)
      if (names(element, variable))
        count *= loop.whyNot.empty() && loop.counts.empty() ? loop.fixed : kMostRegisters + 1;
    return count <= kMostRegisters;
  }

  // On memory, but for a store that is the last thing that it does.
  bool hasOtherEffects(const Statement& statement) const {
    const Expression* stored = accesses_.storedBy(statement);
    bool any = false;
    forEach(statement.value, [&](const Expression& part) {
      const Expression* target = masks_.changedOutside(part);
      any |= target && target != stored;
    });
    return any;
  }

  // First all lanes read, then they compute, then they store.
  void expandSimple(const Statement& statement, std::vector<LaneRead>& reads, Statements& code) {
    const Mask mask = masks_.of(statement);
    const bool isWide = (mask & kAlongFirst) != 0 && isAdjacent_;
    if (isWide) readTogether(statement, reads, code);
    const Expression* stored = accesses_.storedBy(statement);
    const auto place = stored ? accesses_.adjacent(*stored) : std::nullopt;
    if (stored && !(place && (!isWide || accesses_.mayBeStored(*place)))) leave("stores cannot be aligned");
    const std::string type = place ? context_.memory.numbersOf(place->element.array).type : "";
    if (stored && type.empty()) leave("elements are no numbers");
    if (!whyNot_.empty()) return;
    Statements stores;
    std::map<Lane, Expression> values;
    const std::vector<LaneRead> none;
    for (const Lane& lane : lanesAlong(context_.axes, mask)) {
      Statement copy = statement.kind == StatementKind::Define ? renamedDefinition(statement, lane) : statement;
      if (stored) {
        const std::string value = "muster_s" + std::to_string(made_++);
        copy = define("const " + type + " " + value, valueOf(statement.value), value);
        values.emplace(lane, name(value));
        if (!isWide) stores.push_back(evaluate(assign(renamed(*stored, lane, {}), name(value))));
      }
      copy.value = countedFromFirst(statement, lane, copy.value);
      copy.value = withBytesForFunctions(renamed(copy.value, lane, isWide ? reads : none));
      code.push_back(std::move(copy));
    }
    if (stored && isWide) storeTogether(*stored, place->axis, type, values, stores);
    for (Statement& each : stores) code.push_back(std::move(each));
  }

  void readTogether(const Statement& statement, std::vector<LaneRead>& reads, Statements& code) {
    if (!accesses_.areBeside(statement, reads)) leave("reads have no aligned neighbours, or depend on a condition");
    const Statements loads = accesses_.loadsFor(
        statement, reads, [&] { return "muster_v" + std::to_string(made_++); },
        [&](const Expression& value, const Lane& lane) { return renamed(value, lane, {}); });
    code.insert(code.end(), loads.begin(), loads.end());
  }

  void storeTogether(const Expression& stored, unsigned axis, const std::string& type,
                     const std::map<Lane, Expression>& values, Statements& stores) const {
    for (const auto& [first, value] : values) {
      if (first[axis] != 0) continue;
      std::vector<Expression> parts;
      for (Lane lane = first; lane[axis] < accesses_.width(axis); ++lane[axis]) parts.push_back(values.at(lane));
      stores.push_back(wideStore(type, accesses_.width(axis), renamed(stored, first, {}), std::move(parts)));
    }
  }

  // Compilers see that neighbours share elements where each lane counts from the first one.
  Expression countedFromFirst(const Statement& statement, const Lane& lane, const Expression& value) const {
    for (std::size_t axis = 0; axis < lane.size(); ++axis)
      if (statement.kind == StatementKind::Define && statement.name == context_.axes[axis].counter && lane[axis] > 0) {
        const Expression lanes = literal(std::to_string(lane[axis]));
        return binary("+", name(statement.name + lanes_.suffix(0)),
                      axis > 0 || isAdjacent_ ? lanes : binary("*", lanes, name(context_.apart)));
      }
    return value;
  }

  static Expression valueOf(const Expression& assignment) {
    if (assignment.text() == "=") return assignment.part(1);
    const llvm::StringRef op = llvm::StringRef(assignment.text()).drop_back();
    return binary(op, assignment.part(0), parentheses(assignment.part(1)));
  }

  const LaneContext& context_;
  const LaneMasks masks_;
  WideAccesses accesses_;
  const bool isAdjacent_;
  // Lanes of one dimension that share what loops read lie as far apart as work-items of their own would.
  const bool mayBeFar_;
  std::map<std::string, InnerLoops> counts_;  // of loops around, and of earlier ones, by their variables
  unsigned made_ = 0;
  std::string whyNot_;
  bool sharesRows_ = false, sharesColumns_ = false;
  Lanes lanes_;
};

}  // namespace

std::optional<Lanes> makeLanes(const Statements& iteration, const LaneContext& context, std::string& whyNot) {
  whyNot = "the code has jumps, or definitions of helpers";
  if (!LaneMasks::mayStandIn(iteration)) return std::nullopt;
  Jam jam(iteration, context);
  std::optional<Lanes> lanes = jam.make(iteration);
  whyNot = jam.whyNot();
  return lanes;
}

}  // namespace muster::plugin::passes
