// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/trial.h"

#include <utility>

namespace muster::cdm {

namespace {
// The first launches touch memory for the first time, and load the kernel.
constexpr unsigned long before = 4;
constexpr double worthChanging = 0.95;
// A form is out that takes so much longer than another one; after one sample, and after more.
constexpr double hopelessAtOnce = 3, hopeless = 1.5;
// Of a form that takes that long: its first one, and a sample.
constexpr double fewestRuns = 2;
}  // namespace

// The first form's time is taken once before, which says whether there will be a trial.
Trial::Launch Trial::next() {
  if (chosen_) return {*chosen_, false};
  ++launches_;
  if (began_) return {current_, true};
  if (launches_ <= before) return {0, false};
  if (firstSeconds_ == 0) return {0, true};
  if (!mayBegin()) return {0, false};
  began_ = true;
  return {current_, true};
}

bool Trial::mayBegin() const {
  const double others = static_cast<double>(forms_.size() - 1);
  const double cost = others * (pace_.buildSeconds + fewestRuns * pace_.timesSlower * firstSeconds_);
  return static_cast<double>(launches_) * firstSeconds_ * pace_.share >= cost;
}

void Trial::note(double secondsPerIteration, double seconds) {
  if (!began_) {
    firstSeconds_ = seconds;
    if (seconds < shortest) chosen_ = 0;
    return;
  }
  Form& form = forms_[current_];
  // A driver may put off a part of the build to a form's first launch.
  if (!std::exchange(form.hasRun, true)) return;
  if (form.timed == 0 || secondsPerIteration < form.best) form.best = secondsPerIteration;
  ++form.timed;
  for (const Form& other : forms_)
    if (other.timed > 0 && form.best > (form.timed == 1 ? hopelessAtOnce : hopeless) * other.best) form.isOut = true;
  advance();
}

void Trial::drop() {
  forms_[current_].isOut = true;
  advance();
}

// In turn, since the speed of a device changes with its heat and with what runs beside.
void Trial::advance() {
  for (std::size_t step = 1; step <= forms_.size(); ++step) {
    const std::size_t next = (current_ + step) % forms_.size();
    if (forms_[next].isOut || forms_[next].timed >= samples) continue;
    current_ = next;
    return;
  }
  choose();
}

void Trial::choose() {
  std::size_t fastest = 0;
  for (std::size_t i = 1; i < forms_.size(); ++i)
    if (!forms_[i].isOut && forms_[i].best < forms_[fastest].best) fastest = i;
  chosen_ = forms_[fastest].best < worthChanging * forms_[0].best ? fastest : 0;
}

double Trial::gain() const { return chosen_ && forms_[*chosen_].best > 0 ? forms_[0].best / forms_[*chosen_].best : 1; }

}  // namespace muster::cdm
