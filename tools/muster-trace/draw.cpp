// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each row of the trace is a strip; what is narrower than a pixel is drawn together with its neighbours.
#include "draw.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "muster/cdm/text.h"
#include "summary.h"

namespace muster::trace {
namespace {

constexpr int kLeft = 250, kChart = 1200, kRight = 20, kTop = 62, kBottom = 24;
constexpr int kStrip = 14, kRankHead = 20;
constexpr double kLetter = 5.6;           // pixels at the size of names in the chart
constexpr std::size_t kMostBoxes = 4000;  // about a megabyte with their titles
constexpr std::size_t kMostStrips = 4;    // of one track
constexpr std::size_t kLabel = 40;        // letters

struct Style {
  const char* letter;
  const char* colour;
  const char* legend;
};
constexpr std::size_t kStyles = 11;
constexpr std::array<Style, kStyles> styles = {{{"k", "#43a047", "kernel"},
                                                {"t", "#1e88e5", "transfer"},
                                                {"m", "#8e63ce", "message"},
                                                {"w", "#e53935", "waiting"},
                                                {"p", "#fb8c00", "planning"},
                                                {"g", "#6d4c41", "merging changes"},
                                                {"l", "#cfd8dc", "launch"},
                                                {"c", "#b0bec5", "other command"},
                                                {"x", "#80cbc4", "call of MPI"},
                                                {"o", "#9e9e9e", "thread on its core"},
                                                {"d", "#212121", "thread on its device"}}};

std::size_t styleOf(Kind kind) {
  switch (kind) {
    case Kind::kernel:
      return 0;
    case Kind::transfer:
      return 1;
    case Kind::send:
    case Kind::receive:
      return 2;
    case Kind::wait:
      return 3;
    case Kind::plan:
      return 4;
    case Kind::merge:
      return 5;
    case Kind::launch:
      return 6;
    case Kind::call:
      return 8;
    case Kind::core:
      return 9;
    case Kind::device:
      return 10;
    case Kind::command:
      break;
  }
  return 7;
}

// Launches, other commands and calls lie below what happens in them.
bool isGround(std::size_t style) { return style >= 6 && style <= 8; }

// It is drawn where the thread is, whether it waits there or not.
bool isOfThread(std::size_t style) { return style == styleOf(Kind::core) || style == styleOf(Kind::device); }

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else if (c == '&')
      safe += "&amp;";
    else if (c == '"')
      safe += "&quot;";
    else
      safe += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return safe;
}

// Events of one kind that are drawn as one.
struct Box {
  std::size_t strip = 0, style = 0;
  Interval time;
  std::int64_t busy = 0;
  std::uint64_t count = 0, bytes = 0;
  const Event* first = nullptr;
  bool oneLoop = true;
};

struct Strip {
  std::uint32_t rank = 0;
  std::string label;
  int y = 0;
};

class Drawing {
 public:
  explicit Drawing(const Trace& trace) : trace_(trace) {
    const double length = static_cast<double>(trace.time.end - trace.time.begin);
    scale_ = kChart / std::max(length, 1.0);
    layOut();
    for (double most = 2;; most *= 2) {
      boxes_ = boxesOf(std::max(1.0, most / 16), most);
      if (boxes_.size() <= kMostBoxes || most > 16 * kChart) break;
    }
  }

  std::string text() {
    begin();
    axis();
    labels();
    for (const bool ground : {true, false}) {
      for (const Box& box : boxes_) {
        if (isGround(box.style) == ground) draw(box);
      }
    }
    out_ += names_ + "</svg>\n";
    return std::move(out_);
  }

 private:
  void layOut() {
    stripOfRow_.resize(trace_.rows.size());
    std::map<std::pair<std::uint32_t, std::string>, std::vector<std::size_t>> tracks;
    int y = kTop;
    for (std::size_t i = 0; i < trace_.rows.size(); ++i) {
      const Row& row = trace_.rows[i];
      if (i == 0 || trace_.rows[i - 1].rank != row.rank) {
        heads_.emplace_back(row.rank, y);
        y += kRankHead;
      }
      auto& strips = tracks[{row.rank, row.track}];
      if (strips.size() < kMostStrips) {
        strips.push_back(strips_.size());
        strips_.push_back({row.rank, strips.size() == 1 ? row.track : "", y});
        y += kStrip;
      }
      stripOfRow_[i] = strips.back();
    }
    height_ = y + kBottom;
    named_.resize(strips_.size());
  }

  [[nodiscard]] double pixels(std::int64_t nanoseconds) const { return static_cast<double>(nanoseconds) * scale_; }
  [[nodiscard]] double x(std::int64_t time) const { return kLeft + pixels(time - trace_.time.begin); }

  // Events narrower than `least` pixels are put together as long as they are no wider than `most`.
  [[nodiscard]] std::vector<Box> boxesOf(double least, double most) const {
    std::vector<Box> boxes;
    std::vector<std::array<std::size_t, kStyles>> open(strips_.size());
    for (auto& of : open) of.fill(SIZE_MAX);
    for (const Event& event : trace_.events) {
      const std::size_t strip = stripOfRow_[event.row], style = styleOf(event.kind);
      std::size_t& last = open[strip][style];
      // A thread is in one place at a time.
      if (isOfThread(style))
        open[strip][style == styleOf(Kind::core) ? styleOf(Kind::device) : styleOf(Kind::core)] = SIZE_MAX;
      const bool narrow = pixels(event.time.end - event.time.begin) < least;
      if (last != SIZE_MAX && narrow && pixels(event.time.begin - boxes[last].time.end) < least &&
          pixels(event.time.end - boxes[last].time.begin) < most) {
        add(boxes[last], event);
        continue;
      }
      last = narrow ? boxes.size() : SIZE_MAX;
      boxes.push_back({strip, style, event.time, event.time.end - event.time.begin, 1, event.bytes, &event, true});
    }
    return boxes;
  }

  static void add(Box& box, const Event& event) {
    box.time.end = std::max(box.time.end, event.time.end);
    box.busy += event.time.end - event.time.begin;
    box.bytes += event.bytes;
    box.oneLoop = box.oneLoop && event.loop == box.first->loop;
    ++box.count;
  }

  void begin() {
    const int width = kLeft + kChart + kRight;
    out_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
        "viewBox=\"0 0 {0} {1}\" font-family=\"DejaVu Sans, Arial, sans-serif\" font-size=\"11\">\n<style>",
        width, height_);
    for (const Style& style : styles) out_ += fmt::format(".{}{{fill:{}}}", style.letter, style.colour);
    out_ += ".n{font-size:9px;pointer-events:none}</style>\n";
    out_ += fmt::format("<rect width=\"{}\" height=\"{}\" fill=\"#fff\"/>\n", width, height_);
    int at = kLeft;
    for (const Style& style : styles) {
      out_ += fmt::format(
          "<rect x=\"{}\" y=\"12\" width=\"12\" height=\"12\" class=\"{}\"/><text x=\"{}\" y=\"22\">{}</text>\n", at,
          style.letter, at + 17, style.legend);
      at += 40 + static_cast<int>(7 * std::string_view(style.legend).size());
    }
  }

  // Ticks at 1, 2 or 5 times a power of ten, about ten of them.
  void axis() {
    const double length = static_cast<double>(trace_.time.end - trace_.time.begin);
    const double raw = std::max(length / 10, 1.0);
    const double power = std::pow(10, std::floor(std::log10(raw)));
    const double step = raw / power <= 2 ? 2 * power : raw / power <= 5 ? 5 * power : 10 * power;
    const auto [name, unit] = step >= 1e8   ? std::pair("s", 1e9)
                              : step >= 1e5 ? std::pair("ms", 1e6)
                                            : std::pair("us", 1e3);
    const int digits = std::clamp(static_cast<int>(std::ceil(-std::log10(step / unit) - 1e-9)), 0, 3);
    const auto first = std::ceil(static_cast<double>(trace_.time.begin) / step);
    for (double n = first; n * step <= static_cast<double>(trace_.time.end); ++n) {
      const double at = x(static_cast<std::int64_t>(n * step));
      out_ += fmt::format(
          "<path d=\"M{0:.1f} {1}V{2}\" stroke=\"#dde3e6\"/><text x=\"{0:.1f}\" y=\"{3}\" "
          "text-anchor=\"middle\">{4:.{5}f} {6}</text>\n",
          at, kTop - 8, height_ - kBottom + 4, kTop - 13, n * step / unit, digits, name);
    }
  }

  void labels() {
    for (const auto& [rank, y] : heads_) {
      out_ += fmt::format("<text x=\"8\" y=\"{}\" font-weight=\"bold\">rank {} on {}</text>\n", y + 14,
                          trace_.ranks[rank].number, escaped(trace_.ranks[rank].host));
      out_ += fmt::format("<path d=\"M0 {0}H{1}\" stroke=\"#b0bec5\"/>\n", y + 2, kLeft + kChart + kRight);
    }
    for (const Strip& strip : strips_) {
      if (strip.label.empty()) continue;
      out_ += fmt::format("<text x=\"16\" y=\"{}\" font-size=\"10\">{}<title>{}</title></text>\n", strip.y + 11,
                          escaped(shortened(strip.label)), escaped(strip.label));
    }
  }

  // Keeps "[0]" and "kernels", which tell strips apart.
  static std::string shortened(const std::string& label) {
    const auto colon = label.rfind(": ");
    if (label.size() <= kLabel || colon == std::string::npos) return label.substr(0, kLabel);
    const std::string what = label.substr(colon);
    return label.substr(0, kLabel - 3 - what.size()) + "..." + what;
  }

  [[nodiscard]] std::string title(const Box& box) const {
    const Event& event = *box.first;
    std::string text = trace_.text(event.name);
    if (event.loop != none && box.oneLoop && text.find(trace_.text(event.loop)) == std::string::npos)
      text += ", " + tail(trace_.text(event.loop), 60);
    if (box.count > 1) {
      const char* what = styles[box.style].legend;
      text = fmt::format("{} x {}, {} in {}", box.count, box.oneLoop && event.loop != none ? text : what,
                         duration(box.busy), duration(box.time.end - box.time.begin));
    } else {
      text += ", " + duration(box.busy);
    }
    return box.bytes > 0 ? text + ", " + cdm::formatByteCount(box.bytes) : text;
  }

  void draw(const Box& box) {
    const bool ground = isGround(box.style);
    const int y = strips_[box.strip].y + (ground ? 0 : 2), height = ground ? kStrip - 1 : kStrip - 4;
    const double left = x(box.time.begin), width = std::max(pixels(box.time.end - box.time.begin), 0.5);
    const double part =
        static_cast<double>(box.busy) / static_cast<double>(std::max<std::int64_t>(box.time.end - box.time.begin, 1));
    const std::string opacity =
        part < 0.95 && !isOfThread(box.style) ? fmt::format(" opacity=\"{:.2f}\"", std::max(part, 0.3)) : "";
    out_ += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\" class=\"{}\"{}><title>{}</title></rect>\n", left, y,
        width, height, styles[box.style].letter, opacity, escaped(title(box)));
    name(box, left, width);
  }

  // What has room for it says its name: kernels their loop.
  void name(const Box& box, double left, double width) {
    const Event& event = *box.first;
    if (box.style == styleOf(Kind::command) || isOfThread(box.style)) return;
    const bool loop = event.loop != none && box.oneLoop;
    if (box.count > 1 && !loop) return;
    std::string text = loop ? trace_.text(event.loop) : trace_.text(event.name);
    if (loop && text.rfind('/') != std::string::npos) text = text.substr(text.rfind('/') + 1);
    const double needs = static_cast<double>(text.size()) * kLetter + 4;
    const bool ground = isGround(box.style);
    const double at = ground ? freePlace(box, left, needs) : left;
    double& taken = named_[box.strip];
    if (at + needs > left + width || (!ground && at < taken)) return;
    if (!ground) taken = at + needs;
    names_ += fmt::format("<text x=\"{:.1f}\" y=\"{}\" class=\"n\"{}>{}</text>\n", at + 2, strips_[box.strip].y + 10,
                          ground ? "" : " fill=\"#fff\"", escaped(text));
  }

  // The first place for the name of a launch where nothing else is drawn.
  [[nodiscard]] double freePlace(const Box& box, double left, double needs) const {
    for (const Box& other : boxes_) {
      if (other.strip != box.strip || isGround(other.style)) continue;
      const double begin = x(other.time.begin), end = x(other.time.end);
      if (begin < left + needs && end > left) left = end;
    }
    return left;
  }

  const Trace& trace_;
  double scale_ = 1;
  int height_ = 0;
  std::vector<Strip> strips_;
  std::vector<std::pair<std::uint32_t, int>> heads_;  // of ranks: where
  std::vector<std::size_t> stripOfRow_;
  std::vector<Box> boxes_;
  std::vector<double> named_;  // by strip: where the last name ends
  std::string out_, names_;
};

}  // namespace

std::string toSvg(const Trace& trace) { return Drawing(trace).text(); }

}  // namespace muster::trace
