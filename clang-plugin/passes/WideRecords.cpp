// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/WideRecords.h"

#include <set>
#include <vector>

#include "ir/Changes.h"
#include "llvm/ADT/STLExtras.h"
#include "passes/RecordPlaces.h"

namespace muster::plugin::passes {

using namespace ir;

namespace {

using Words = std::set<unsigned>;
using Numbers = std::set<std::string>;  // members, by their names

// What accesses do to a record.
struct Touched {
  Numbers read, changed, certain;
  std::set<Words> together;  // of one access to several numbers
  Words blocked;             // a pointer leads there, or an index that is no number
  bool isKnown = true;       // all that is touched is a member of the layout
};

bool isWithin(const Words& some, const Words& words) {
  return llvm::all_of(some, [&](unsigned word) { return words.count(word) != 0; });
}

// A record's members and the words that they lie in.
class Layout {
 public:
  explicit Layout(const RecordLayout& layout) : layout_(layout) {}

  unsigned wordBytes() const { return layout_.bytes % 16 == 0 ? 16 : 8; }
  unsigned count() const { return layout_.bytes / wordBytes(); }
  std::string wordType() const { return wordBytes() == 16 ? "uint4" : "uint2"; }

  // The numbers that a member is made of.
  Numbers numbersOf(const std::string& member) const {
    Numbers numbers;
    for (const auto& [name, place] : layout_.members) {
      llvm::StringRef rest = name;
      if (rest.consume_front(member) && (rest.empty() || rest.front() == '.' || rest.front() == '['))
        numbers.insert(name);
    }
    return numbers;
  }
  Words wordsOf(const std::string& member) const {
    Words words;
    for (const std::string& number : numbersOf(member)) {
      const auto [begin, size] = layout_.members.at(number);
      words.insert(begin / wordBytes()), words.insert((begin + size - 1) / wordBytes());
    }
    return words;
  }
  Numbers numbersIn(unsigned word) const {
    Numbers numbers;
    for (const auto& [name, place] : layout_.members)
      if (wordsOf(name).count(word) != 0) numbers.insert(name);
    return numbers;
  }
  // No byte is none of a member.
  bool isFull(unsigned word) const {
    unsigned bytes = 0;
    for (const std::string& number : numbersIn(word)) bytes += layout_.members.at(number).second;
    return bytes == wordBytes();
  }

  // A value by itself: no array, which is a pointer where it stands alone, and no part of one that is not known.
  bool isValue(const RecordPlace& place) const {
    const Numbers numbers = numbersOf(place.member);
    return !place.isUnknown && !numbers.empty() &&
           (place.member.empty() || numbers.begin()->substr(place.member.size(), 1) != "[");
  }
  void note(const RecordAccess& access, Touched& touched) const {
    const std::string& member = access.place.member;
    const Numbers numbers = numbersOf(member);
    const bool isOne = isValue(access.place);
    touched.isKnown &= !numbers.empty();
    if (access.mode == RecordMode::Address || !isOne) {
      const Words reached = wordsOf(member.substr(0, member.find('[')));
      touched.blocked.insert(reached.begin(), reached.end());
    }
    if (numbers.size() > 1) touched.together.insert(wordsOf(member));
    for (const std::string& number : numbers) {
      if (access.mode != RecordMode::Store) touched.read.insert(number);
      if (access.mode != RecordMode::Read) touched.changed.insert(number);
      if (access.isCertain && isOne) touched.certain.insert(number);
    }
  }
  // Wide accesses are of use: several numbers lie in the word, or one access touches it and others.
  bool isShared(unsigned word, const Touched& touched) const {
    const Numbers numbers = numbersIn(word);
    return llvm::count_if(numbers, [&](const std::string& number) { return touched.certain.count(number) != 0; }) > 1 ||
           llvm::any_of(touched.together, [&](const Words& words) { return words.count(word) != 0; });
  }

  // A union with these words of the record.
  Statements loaded(const RecordPlace& place, const std::string& record, const Words& words, bool isConst) const {
    Statements loads = {define(
        "union { " + layout_.type + " record; " + wordType() + " words[" + std::to_string(count()) + "]; } " + record,
        {}, record)};
    for (unsigned word : words) loads.push_back(evaluate(assign(wordIn(record, word), wordOf(place, word, isConst))));
    return loads;
  }
  static Expression wordIn(const std::string& record, unsigned word) {
    return subscript(member(name(record), "words"), literal(std::to_string(word)));
  }
  Expression wordOf(const RecordPlace& place, unsigned word, bool isConst) const {
    const std::string pointer = std::string("__global ") + (isConst ? "const " : "") + wordType() + " *";
    return subscript(cast(pointer, addressOf(subscript(name(place.array), place.index))),
                     literal(std::to_string(word)));
  }

 private:
  const RecordLayout& layout_;
};

class Records {
 public:
  Records(const Statements& iteration, const RecordContext& context)
      : context_(context),
        code_(iteration),
        places_(
            iteration, context.memory, [&](const std::string& name) { return context.arrays.count(name) != 0; },
            context.isOnlyRead) {}

  std::optional<Statements> make() {
    for (const auto& [array, layout] : context_.arrays)
      if (!context_.isOnlyRead(array)) makeOwn(array, Layout(layout));
    readTogether(code_);
    return made_ == 0 ? std::nullopt : std::optional(std::move(code_));
  }

 private:
  // The statements with values of the place's record that lie in these words as the union has them.
  Statements renamed(const Statements& statements, const RecordPlace& wanted, const std::string& record,
                     const Words& words) const {
    const Layout layout(context_.arrays.at(wanted.array));
    const auto isIt = [&](const RecordPlace& place) {
      return place.isOf(wanted) && layout.isValue(place) && isWithin(layout.wordsOf(place.member), words);
    };
    return places_.renamed(statements, isIt, member(name(record), "record"));
  }

  std::string newName() { return "muster_record" + std::to_string(made_++); }

  // ---- arrays that are written ----

  // All accesses to the array are to one record. Another iteration that touched a word of which this one touches all
  // members in any case would race with it: so the word is this one's.
  void makeOwn(const std::string& array, const Layout& layout) {
    if (hasJump(code_)) return;
    std::optional<RecordPlace> own;
    bool isOne = true;
    Touched touched;
    places_.visit(
        code_, true,
        [&](const RecordAccess& access) {
          if (access.place.array != array) return;
          if (!own) own = access.place;
          isOne &= own->isOf(access.place);
          layout.note(access, touched);
        },
        [&](const std::string& name) {
          const auto place = places_.pointedTo(ir::name(name));
          isOne &= name != array && !(place && place->array == array);
        });
    if (!own || !isOne || !touched.isKnown || !places_.isFixed(own->index, code_)) return;
    const auto isAny = [&](unsigned word, const Numbers& numbers) {
      return llvm::any_of(layout.numbersIn(word), [&](const std::string& each) { return numbers.count(each) != 0; });
    };
    Words words, loaded, stored;
    for (unsigned word = 0; word < layout.count(); ++word) {
      const bool areAll = llvm::all_of(layout.numbersIn(word),
                                       [&](const std::string& number) { return touched.certain.count(number) != 0; });
      if (areAll && touched.blocked.count(word) == 0 && layout.isShared(word, touched) &&
          (isAny(word, touched.read) || layout.isFull(word)))
        words.insert(word);
    }
    // An access is to words of one kind.
    for (bool isClosed = false; !isClosed;) {
      isClosed = true;
      for (const Words& together : touched.together) {
        if (isWithin(together, words)) continue;
        for (unsigned word : together) isClosed &= words.erase(word) == 0;
      }
    }
    for (unsigned word : words) {
      if (isAny(word, touched.read)) loaded.insert(word);
      if (isAny(word, touched.changed)) stored.insert(word);
    }
    if (!words.empty()) surround(*own, layout, words, loaded, stored);
  }

  bool touches(const Statement& statement, const RecordPlace& wanted) const {
    bool any = false;
    const auto touch = [&](const RecordAccess& access) { any |= access.place.isOf(wanted); };
    places_.visit(statement, false, touch, [](const std::string&) {});
    return any;
  }

  // From the first statement that touches the record to the last one.
  void surround(const RecordPlace& own, const Layout& layout, const Words& words, const Words& loaded,
                const Words& stored) {
    const std::string record = newName();
    std::size_t first = 0, end = code_.size();
    while (!touches(code_[first], own)) ++first;
    while (!touches(code_[end - 1], own)) --end;
    const Statements touching(code_.begin() + first, code_.begin() + end);
    Statements code(code_.begin(), code_.begin() + first);
    for (Statement& load : layout.loaded(own, record, loaded, stored.empty())) code.push_back(std::move(load));
    for (Statement& statement : renamed(touching, own, record, words)) code.push_back(std::move(statement));
    for (unsigned word : stored)
      code.push_back(evaluate(assign(layout.wordOf(own, word, false), Layout::wordIn(record, word))));
    code.insert(code.end(), code_.begin() + end, code_.end());
    code_ = std::move(code);
  }

  // ---- arrays that are only read ----

  void readTogether(Statements& statements) {
    std::vector<RecordPlace> tried;
    for (std::size_t first = 0; first < statements.size(); ++first) {
      if (hasJump({statements[first]}) && statements[first].kind != StatementKind::If) break;
      std::vector<RecordPlace> begun;
      const auto touch = [&](const RecordAccess& access) {
        const auto isIt = [&](const RecordPlace& place) { return place.isOf(access.place); };
        if (access.isCertain && context_.isOnlyRead(access.place.array) && llvm::none_of(tried, isIt))
          begun.push_back(access.place), tried.push_back(access.place);
      };
      places_.visit(statements[first], true, touch, [](const std::string&) {});
      for (const RecordPlace& place : begun) first += readFrom(statements, first, place);
      if (hasJump({statements[first]})) break;
    }
    for (Statement& statement : statements) {
      readTogether(statement.body), readTogether(statement.otherwise);
      statement.isChained &= statement.otherwise.size() == 1;
    }
  }

  // From this statement on; how many more stand in front of it then.
  std::size_t readFrom(Statements& statements, std::size_t first, const RecordPlace& wanted) {
    const Layout layout(context_.arrays.at(wanted.array));
    Touched touched;  // for certain
    const auto touch = [&](const RecordAccess& access) {
      if (access.isCertain && access.place.isOf(wanted) && access.mode != RecordMode::Address &&
          layout.isValue(access.place))
        layout.note(access, touched);
    };
    std::size_t end = first;
    for (bool isCertain = true; end < statements.size() && statements[end].kind != StatementKind::Label &&
                                places_.isFixed(wanted.index, {statements[end]});
         ++end) {
      isCertain &= !hasJump({statements[end]});
      places_.visit(statements[end], isCertain, touch, [](const std::string&) {});
    }
    Words words;
    for (unsigned word = 0; word < layout.count(); ++word)
      if (layout.isShared(word, touched)) words.insert(word);
    if (words.empty()) return 0;
    const std::string record = newName();
    const Statements loads = layout.loaded(wanted, record, words, true);
    const Statements rest =
        renamed(Statements(statements.begin() + first, statements.begin() + end), wanted, record, words);
    std::copy(rest.begin(), rest.end(), statements.begin() + first);
    statements.insert(statements.begin() + first, loads.begin(), loads.end());
    return loads.size();
  }

  const RecordContext& context_;
  Statements code_;
  const RecordPlaces places_;
  unsigned made_ = 0;
};

}  // namespace

std::optional<Statements> withWideRecords(const Statements& iteration, const RecordContext& context) {
  return Records(iteration, context).make();
}

}  // namespace muster::plugin::passes
