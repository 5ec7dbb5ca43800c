// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parser of MUSTER_DEVICES.
#include "discovery/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <numeric>
#include <string_view>

#include "muster/cdm/text.h"

namespace muster::cdm {

namespace {

constexpr const char* grammar =
    "write words with commas between them (cpu, gpu, cuda, cuda:N, opencl, opencl:N, pocl, all), the same for all "
    "ranks "
    "as in \"cpu,opencl:0\" or per rank as in \"0=cpu;1=gpu;*=cpu,gpu\"";

struct Name {
  std::string_view text;
  DeviceWord::Kind kind;
};
constexpr std::array<Name, 6> names = {{{"cpu", DeviceWord::Kind::cpu},
                                        {"gpu", DeviceWord::Kind::gpu},
                                        {"cuda", DeviceWord::Kind::cuda},
                                        {"opencl", DeviceWord::Kind::opencl},
                                        {"pocl", DeviceWord::Kind::pocl},
                                        {"all", DeviceWord::Kind::all}}};

Status malformed(const std::string& what) {
  return {Errc::invalidArgument, fmt::format("MUSTER_DEVICES: {}; {}", what, grammar)};
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> splitAt(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at != std::string_view::npos;) {
    const std::size_t end = text.find(separator, at);
    parts.push_back(trim(text.substr(at, end == std::string_view::npos ? end : end - at)));
    at = end == std::string_view::npos ? end : end + 1;
  }
  return parts;
}

std::size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitute = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row.back();
}

std::string_view nearestName(std::string_view word) {
  return std::min_element(
             names.begin(), names.end(),
             [&](const Name& a, const Name& b) { return editDistance(word, a.text) < editDistance(word, b.text); })
      ->text;
}

Result<DeviceWord> parseWord(std::string_view text) {
  if (text.empty()) return malformed("an empty word");
  std::string word(text);
  std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const Name& name : names) {
    if (word == name.text) return DeviceWord{name.kind, std::nullopt, std::string(text)};
    const bool hasNumbers = name.kind == DeviceWord::Kind::cuda || name.kind == DeviceWord::Kind::opencl;
    if (!hasNumbers || !word.starts_with(fmt::format("{}:", name.text))) continue;
    std::size_t index = 0;
    if (parseNumber(trim(std::string_view(word).substr(name.text.size() + 1)), index))
      return DeviceWord{name.kind, index, std::string(text)};
    return malformed(fmt::format("\"{}\" needs a device number as muster-info prints it, as in {}:0", text, name.text));
  }
  return malformed(fmt::format("unknown word \"{}\", did you mean \"{}\"?", text,
                               nearestName(std::string_view(word).substr(0, word.find(':')))));
}

Result<std::vector<DeviceWord>> parseWords(std::string_view text) {
  std::vector<DeviceWord> words;
  for (std::string_view part : splitAt(text, ',')) {
    Result<DeviceWord> word = parseWord(part);
    if (!word) return word.status();
    words.push_back(std::move(*word));
  }
  return words;
}

Status parseEntry(std::string_view text, Selection& selection) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos)
    return malformed(fmt::format("\"{}\" names no rank, but other entries do", text));
  const std::string_view who = trim(text.substr(0, equals));
  Result<std::vector<DeviceWord>> words = parseWords(text.substr(equals + 1));
  if (!words) return words.status();
  int rank = 0;
  const bool star = who == "*";
  if (!star && (!parseNumber(who, rank) || rank < 0))
    return malformed(fmt::format("\"{}\" is neither a rank nor \"*\"", who));
  if (star ? selection.others.has_value() : selection.ranks.contains(rank))
    return malformed(fmt::format("two entries for {}", star ? "\"*\"" : "rank " + std::to_string(rank)));
  if (star)
    selection.others = std::move(*words);
  else
    selection.ranks[rank] = std::move(*words);
  return {};
}

}  // namespace

Result<Selection> parseSelection(const std::string& text) {
  Selection selection;
  if (trim(text).empty()) return selection;
  if (text.find_first_of("=;") == std::string::npos) {
    Result<std::vector<DeviceWord>> words = parseWords(text);
    if (!words) return words.status();
    selection.others = std::move(*words);
    return selection;
  }
  for (std::string_view entry : splitAt(text, ';')) MUSTER_TRY(parseEntry(entry, selection));
  return selection;
}

}  // namespace muster::cdm
