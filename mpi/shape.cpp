// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shape.h"

#include <algorithm>

#include "blocks.h"

namespace muster::mpi {
namespace {

constexpr std::string_view kBuffers = "srbSRx", kCounts = "nhHePIOvjkyz", kPlaces = "dBA", kTypes = "tT";

bool isOneOf(std::string_view letters, char letter) { return letters.find(letter) != std::string_view::npos; }

Word at(Word array, std::size_t i, bool wide) {
  return wide ? reinterpret_cast<const Word*>(array)[i] : Word{reinterpret_cast<const int*>(array)[i]};
}

class Counter {
 public:
  Counter(const CallShape& shape, const Group& group, const Word* arguments, const Abi& abi, bool sends)
      : shape_(shape), group_(group), arguments_(arguments), abi_(abi), sends_(sends) {}

  Blocks blocks() {
    switch (group_.count) {
      case 'h':
        found_.blocks = {{0, static_cast<std::size_t>(number())}};
        return std::move(found_);
      case 'H':
        found_.blocks = {{0, static_cast<std::size_t>(word(group_.countAt))}};
        return std::move(found_);
      case 'e':
        add(0, 0, 1);
        break;
      case 'P':
        add(0, 0, number() * processes());
        break;
      case 'I':
        add(0, 0, number() * abi_.neighbours(communicator()).in);
        break;
      case 'O':
        add(0, 0, number() * abi_.neighbours(communicator()).out);
        break;
      case 'y':
        add(0, 0, number() * (sends_ ? members() : 1));
        break;
      case 'z':
        add(0, 0, sends_ ? sum() : countOf(abi_.rank(communicator())));
        break;
      case 'v':
        each(processes());
        break;
      case 'j':
        each(abi_.neighbours(communicator()).in);
        break;
      case 'k':
        each(abi_.neighbours(communicator()).out);
        break;
      default:
        add(0, 0, number());
    }
    return std::move(found_);
  }

 private:
  [[nodiscard]] Word word(int at) const { return arguments_[at]; }
  [[nodiscard]] std::ptrdiff_t number() const {
    const Word count = word(group_.countAt);
    return shape_.wide ? count : static_cast<int>(count);
  }
  [[nodiscard]] std::ptrdiff_t countOf(int part) const {
    return at(word(group_.countAt), static_cast<std::size_t>(part), shape_.wide);
  }
  [[nodiscard]] Word communicator() const { return word(shape_.communicator); }
  [[nodiscard]] int processes() const { return abi_.processes(communicator()); }
  [[nodiscard]] int members() const { return abi_.members(communicator()); }
  [[nodiscard]] std::ptrdiff_t sum() const {
    std::ptrdiff_t all = 0;
    for (int i = 0; i < members(); ++i) all += countOf(i);
    return all;
  }

  void each(int parts) {
    const bool wide = shape_.wide || group_.place == 'A';
    for (int i = 0; i < parts; ++i) add(i, at(word(group_.placeAt), static_cast<std::size_t>(i), wide), countOf(i));
  }
  void add(int part, std::ptrdiff_t place, std::ptrdiff_t count) {
    if (count == 0) return;  // then the type need not be one
    if (layout_.extent == 0 || group_.type == 'T')
      layout_ = abi_.layoutOf(group_.type == 'T' ? abi_.typeAt(word(group_.typeAt), part) : word(group_.typeAt));
    found_.exact = found_.exact && layout_.exact;
    if (found_.blocks.empty()) found_.element = layout_.element, found_.elementBytes = layout_.elementBytes;
    if (found_.element != layout_.element) found_.elementBytes = 0;
    append(found_.blocks, layout_, group_.place == 'd' ? place * layout_.extent : place, count);
  }

  const CallShape& shape_;
  const Group& group_;
  const Word* const arguments_;
  const Abi& abi_;
  const bool sends_;
  Layout layout_;
  Blocks found_;
};

}  // namespace

std::size_t Blocks::bytes() const {
  std::size_t sum = 0;
  for (const Block& block : blocks) sum += block.bytes;
  return sum;
}

CallShape::CallShape(std::string_view letters) {
  wide = letters.starts_with('+');
  if (wide) letters.remove_prefix(1);
  std::size_t described = 0;  // buffers that have their group
  Group group;
  for (int at = 0; at < static_cast<int>(letters.size()); ++at) {
    const char letter = letters[static_cast<std::size_t>(at)];
    if (isOneOf(kBuffers, letter)) buffers.push_back({letter, at, {}, -1});
    if (isOneOf(kCounts, letter)) group.count = letter, group.countAt = at;
    if (isOneOf(kPlaces, letter)) group.place = letter, group.placeAt = at;
    if (isOneOf(kTypes, letter)) group.type = letter, group.typeAt = at;
    if (letter == 'e') group.type = 't', group.typeAt = at;
    if (letter == 'c' || letter == 'C') communicator = at;
    if (letter == 'C') waitsForAll = true;
    if (letter == 'p') buffers.back().peer = at;
    if (letter == '0') root = at;
    if (letter == 'u') status = at;
    if (letter == 'q' || letter == 'Q') request = at;
    if (letter == 'w') window = at;
    if (letter == 'f') file = at;
    if (letter == 'g') target = at;
    if (letter == 'u' || letter == 'Q') counts = file >= 0 ? Counts::bytes : Counts::bytesOrCancelled;
    if (group.count == 'h' || group.count == 'H' || (group.count != 0 && group.type != 0)) {
      group.own = described + 1 == buffers.size() && group.count == 'n' && group.type == 't';
      for (; described < buffers.size(); ++described) buffers[described].group = group;
      group = {};
    }
  }
}

std::vector<BufferUse> usesOf(const CallShape& shape, const Word* arguments, const Abi& abi) {
  std::vector<BufferUse> uses;
  Role role = Role::other;
  if (shape.root >= 0) role = abi.role(arguments[shape.communicator], arguments[shape.root]);
  bool inPlace = false;
  for (const CallShape::Buffer& buffer : shape.buffers) {
    if (role == Role::none) return {};
    const bool isRoot = role == Role::root || role == Role::rootOfOthers;
    const bool forRoot = isOneOf("SRx", buffer.letter);
    if (role == Role::rootOfOthers && !forRoot) continue;
    if (buffer.peer >= 0 && abi.isNobody(arguments[buffer.peer])) continue;
    BufferUse use{&buffer, false, false};
    use.sends = isOneOf("sb", buffer.letter) || (isRoot && isOneOf("Sx", buffer.letter));
    use.receives = isOneOf("rb", buffer.letter) || (isRoot ? buffer.letter == 'R' : buffer.letter == 'x');
    if ((use.sends || use.receives) && abi.isInPlace(arguments[buffer.at])) {
      inPlace = true;
      continue;
    }
    if (inPlace && use.receives) use.sends = true;  // what it holds is what this process gives
    if (use.sends || use.receives) uses.push_back(use);
  }
  return uses;
}

bool joinsAll(const CallShape& shape, const Word* arguments, const Abi& abi) {
  const auto isSome = [&](const CallShape::Buffer& buffer) {
    const Word count = arguments[buffer.group.countAt];
    return (shape.wide ? count : static_cast<int>(count)) != 0;
  };
  return shape.waitsForAll && abi.isWorld(arguments[shape.communicator]) && std::ranges::all_of(shape.buffers, isSome);
}

Blocks blocksOf(const CallShape& shape, const BufferUse& use, const Word* arguments, const Abi& abi) {
  return Counter(shape, use.buffer->group, arguments, abi, use.sends).blocks();
}

}  // namespace muster::mpi
