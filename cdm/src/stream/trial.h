// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of several forms of a kernel, whose results are the same bit for bit, runs fastest where no model tells: a few
// launches of each are timed. Pure: who launches asks before each one, and says how long a timed one took.
//
// Of all that the launches took so far, a trial takes a twentieth at most, or what its pace says: it begins once that
// pays for the builds of the other forms, and for runs of them that take five times as long as those of the first one.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace muster::cdm {

// What a form takes to build; which part of the time so far a trial may take, and how many times as long as the first
// form others may.
struct Pace {
  double buildSeconds = 0, share = 0.05, timesSlower = 5;
};

class Trial {
 public:
  struct Launch {
    std::size_t form = 0;  // that it runs
    bool isTimed = false;  // `note` must follow
  };

  // Of so many forms; the first one is what a model chose. `chosen`: what an earlier trial of the same kernel chose.
  Trial(std::size_t forms, const Pace& pace, std::optional<std::size_t> chosen = {})
      : forms_(forms), pace_(pace), chosen_(chosen) {}

  // Of the next launch.
  [[nodiscard]] Launch next();
  // The timed launch took so long for each of its iterations, and in all.
  void note(double secondsPerIteration, double seconds);
  // The form of the timed launch is none: it does not build, or does not run.
  void drop();

  // The form of all launches from now on, once it is known.
  [[nodiscard]] std::optional<std::size_t> chosen() const { return chosen_; }
  // By times, not for want of a trial.
  [[nodiscard]] bool isMeasured() const { return began_ && chosen_; }
  // How many times as fast it is as the first one.
  [[nodiscard]] double gain() const;

  // Launches of a form whose times count: fewer where it takes half as long again as the fastest.
  static constexpr unsigned samples = 4;
  // Launches that are over sooner are not worth a trial: their own time does not show beside that of a launch.
  static constexpr double shortest = 50e-6;

 private:
  struct Form {
    double best = 0;  // seconds for an iteration
    unsigned timed = 0;
    bool hasRun = false, isOut = false;
  };

  [[nodiscard]] bool mayBegin() const;
  void advance();
  void choose();

  std::vector<Form> forms_;
  Pace pace_;
  double firstSeconds_ = 0;  // of a launch of the first form
  unsigned long launches_ = 0;
  std::size_t current_ = 0;
  bool began_ = false;
  std::optional<std::size_t> chosen_;
};

}  // namespace muster::cdm
