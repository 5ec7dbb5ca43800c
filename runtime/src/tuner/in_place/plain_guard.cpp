// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/in_place/plain_guard.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace muster::rt {
namespace {

constexpr double kShareOfRun = 0.05;  // that lost trials may cost
// A program that will run for as long again as its loops have may gain that much: where most of the time goes to
// launches that are so long that they are likely to fill a device, the first trial may cost a part of it.
constexpr double kLongLaunch = 0.0005;
// A device that has fewer work-items than this has fewer than a tenth of its lanes at work, each much slower than a
// CPU. Where most of the time goes to such launches, no kernels are built.
constexpr double kLeastIterations = 1024;
constexpr double kMost = 0.5;
constexpr double kShareOfRepeated = 0.25;
constexpr double kMostOfEarlier =
    0.5;                             // of the loops' time: what runs without a trial may add, so that none becomes long
constexpr double kLongerRun = 1.1;   // times as many launches as the last run: not like it
constexpr double kNextTrial = 2;     // times the run so far, after a lost one
constexpr double kNextLook = 0.002;  // of the run so far, for what takes longer than a launch may
// The program did something else once: not a part of what the loop is worth, beyond so many times what it was before,
// or, where that is not known, the mean of all loops.
constexpr double kPause = 4, kFirstPause = 50, kLeastPause = 0.0001;
constexpr std::uint64_t kLongestWay = 2048;  // what comes more rarely is no part of what the program does all the time
constexpr double kFirstDrain = 0.002;        // by worth; then at twice as much each time
constexpr std::uint64_t kShortPeriod = 16, kSettling = 4;  // launches: arrays that are swapped move twice
constexpr double kSteady = 0.001;                          // seconds, at least
constexpr double kWindow = 0.2;                            // seconds, at least
constexpr std::uint64_t kWindowPeriods = 4;
constexpr double kSlower = 1.1;         // a window
constexpr int kSlowWindows = 2;         // in a row
constexpr double kUnknown = 0.5;        // of the time: the program runs other loops now
constexpr double kGainOverCost = 1.25;  // by earlier runs, to go everywhere without a trial
constexpr double kWorthBuilding = 2;    // times the way: what a whole run takes in place
constexpr double kVaries = 1.5;         // times the least of its times: what a loop usually takes at most
// Where going there was too early, the next run goes later, but no later than in this part of it.
constexpr double kLatest = 0.5;
constexpr double kPartOfGain = 0.5;  // of what loops gain, or take, on average: of a loop in front of which to go
constexpr std::string_view kOtherLoops = "the program runs other loops now, of which rank 0's CPU comes first";
constexpr std::string_view kNoBudget = "rank 0's CPU alone is faster: the trial has lost what it may";

}  // namespace

void PlainGuard::learn(const RunHistory& history) {
  for (const LoopHistory& known : history.loops) {
    Loop& loop = loops_[known.loop];
    if (known.inPlace >= 0) loop.inPlace = {1, known.inPlace};
    if (known.everywhere >= 0) loop.everywhere = {1, known.everywhere};
    loop.first = known.first;
    loop.least = known.least;
    loop.hasHistory = true;
    loop.isBuilt = known.isBuilt;
    loop.expected = known.launches;
    loop.iterations = known.iterations;
    expectedLaunches_ += known.launches;
  }
  hasHistory_ = !history.loops.empty();
  untried_ = history.untried;
  learnedOther_ = history.other;
  lostAt_ = history.lostAt;
  tooEarly_ = history.tooEarly;
  lostTrials_ = history.lostAt > 0 ? 1 : 0;
}

RunHistory PlainGuard::history() const {
  RunHistory history;
  for (const auto& [id, loop] : loops_) {
    if (loop.launches == 0 || (loop.first < 0 && !loop.inPlace.known())) continue;
    const auto valueOf = [](const Mean& mean) { return mean.known() ? mean.value() : -1; };
    history.loops.push_back({id, valueOf(loop.inPlace), valueOf(loop.everywhere), static_cast<double>(loop.launches),
                             loop.first, loop.least, loop.isBuilt, loop.iterations});
  }
  history.untried = tried_ ? 0 : untried_ + at_ - owed_;
  // What came after the program had left is not in it.
  history.other = tried_ ? std::max(other_, learnedOther_) : other_;
  history.tooEarly = tooEarly_;
  history.lostAt = lostTrials_ > 0 && place_ == Place::inPlace ? lostAt_ : 0;
  return history;
}

void PlainGuard::follow(Loop& loop) {
  ++launched_;
  ++loop.launches;
  const std::uint64_t way = launched_ - loop.lastLaunch;
  if (!loop.ran) {
    surprised_ = launched_;
  } else if (way > longestWay_ && way <= kLongestWay) {
    longestWay_ = way;
    surprised_ = launched_;
  }
  loop.lastLaunch = launched_;
}

// A pause does not count. Seconds that do.
double PlainGuard::count(Mean& mean, double took) const {
  const double usual = repeats_ > 0 ? repeated_ / static_cast<double>(repeats_) : took;
  const double most = mean.known() ? kPause * mean.value() : kFirstPause * usual;
  const double counted = std::min(took, std::max(most, kLeastPause));
  ++mean.times;
  mean.seconds += counted;
  return counted;
}

// What has passed is the last launch's.
void PlainGuard::credit(double now, double waited) {
  const double took = now - at_, tookInRuntime = waited - waited_;
  at_ = now;
  waited_ = waited;
  if (building_ > 0) {
    spent_ += building_ * took;
    owed_ += building_ * took / (isPromising() ? kShareOfRepeated : kShareOfRun);
  }
  if (last_ == nullptr) {
    trial_.seconds += took;  // going there
    // Where that took longer than was thought, it is lost anyhow; what the launches show is worth as much as before.
    budget_ = std::max(budget_, trial_.seconds + mayLose_);
    return;
  }
  if (place_ != Place::inPlace) {
    // Arrays that move for a first launch, and its code, are no part of what is to be expected.
    const bool isFirst = !std::exchange(last_->ranEverywhere, true);
    for (Account* account : {&trial_, &steady_, &window_}) {
      if (isFirst && account != &trial_) continue;
      ++account->launches;
      (last_->known() ? account->seconds : account->unknown) += took;
      if (last_->known()) account->worth += last_->worth();
    }
    // Whoever goes behind the launch with which most was lost loses none of that.
    if (mayFallBehind_ > 0 && trial_.lost() > mayFallBehind_) {
      mayFallBehind_ = trial_.lost();
      tooEarly_ = static_cast<double>(launched_);
    }
    ++queued_[last_];
    if (!isFirst) spread(std::min(took - count(last_->everywhere, took), tookInRuntime));
  } else if (last_->ran) {
    Mean beside = last_->inPlace;  // what builds kernels is no part of what the loop is worth
    const double counted = count(building_ > 0 && beside.known() ? beside : last_->inPlace, took);
    repeated_ += counted;
    if (last_->iterations >= kLeastIterations) {
      inWide_ += counted;
      if (counted >= kLongLaunch) inLong_ += counted;
    }
    ++repeats_;
    last_->least = last_->least < 0 ? took : std::min(last_->least, took);
    if (took > kPause * last_->least) other_ += took - last_->least;
  } else {
    last_->first = took;
    other_ += took;
  }
  last_->ran = true;
}

// What launches took that were queued, and were waited for later.
void PlainGuard::spread(double seconds) {
  if (seconds <= 0) return;
  const auto weightOf = [](const auto& launches) {
    return launches.first->known() ? static_cast<double>(launches.second) * launches.first->worth() : 0;
  };
  double all = 0;
  for (const auto& launches : queued_) all += weightOf(launches);
  for (const auto& launches : queued_)
    if (all > 0 && launches.first->everywhere.known())
      launches.first->everywhere.seconds += seconds * weightOf(launches) / all;
  queued_.clear();
}

PlainGuard::Advice PlainGuard::beforeLaunch(std::uint64_t loop, double iterations, double now, double waited,
                                            const std::function<TrialCost()>& trialCost) {
  credit(now, waited);
  last_ = &loops_[loop];
  last_->iterations = iterations;
  follow(*last_);
  switch (place_) {
    case Place::inPlace: {
      const Advice gains = whetherItGains(trialCost);
      return gains != Advice::stay ? gains : whetherToTry(trialCost);
    }
    case Place::trial:
      if (trial_.lost() > budget_) return giveUp(kNoBudget);
      if (trial_.unknown > budget_ + trial_.seconds) return advise(Advice::goBack, kOtherLoops);
      return trial_.worth >= nextDrain_ ? Advice::drain : Advice::stay;
    case Place::everywhere:
      break;
  }
  return watch(trialCost);
}

// None: this run is not like the last one, or that is not known.
std::optional<PlainGuard::Expected> PlainGuard::expected() const {
  if (static_cast<double>(launched_) > kLongerRun * expectedLaunches_) return {};
  Expected all;
  for (const auto& [id, loop] : loops_) {
    if (loop.least < 0) continue;
    const double seconds = loop.expected * loop.usual();
    all.seconds += seconds;
    if (loop.iterations >= kLeastIterations) all.inWide += seconds;
    all.left += loop.left() * loop.usual();
    all.loops += static_cast<int>(loop.left() > 0);
  }
  return all;
}

// Of the run so far, and of runs without a trial, what a trial may lose. most: what those runs may add.
double PlainGuard::share(double most) const {
  const double ofEarlier = std::min(kShareOfRun * untried_, most);
  return std::max(0.0, kShareOfRun * at_ + ofEarlier - spent_);
}

// No trial was lost, and most of the time goes to launches that are likely to fill a device.
bool PlainGuard::isPromising() const { return repeats_ > 0 && lostTrials_ == 0 && inLong_ >= kMost * repeated_; }

// What a program's first trial may lose because it is likely to win.
double PlainGuard::promise(double most) const {
  if (!isPromising()) return 0;
  return std::max(0.0, kShareOfRepeated * repeated_ + std::min(kShareOfRepeated * untried_, most) - spent_);
}

double PlainGuard::Loop::gain() const {
  if (least < 0 || !everywhere.known()) return 0;
  return left() * (usual() - everywhere.value());
}

// Times vary; a mean may hold code of the program's own.
double PlainGuard::Loop::usual() const { return inPlace.known() ? std::min(inPlace.value(), kVaries * least) : least; }

// Asked for rarely: all loops are looked at. What else the program does may be slower everywhere, since arrays are
// fetched for it: it is as good as a cost, until the loops begin that gain.
PlainGuard::Advice PlainGuard::whetherItGains(const std::function<TrialCost()>& trialCost) {
  const bool looks = std::exchange(looksAgain_, false) || std::has_single_bit(last_->launches);
  if (!hasHistory_ || tried_ || !looks || building_ > 0) return Advice::stay;
  if (static_cast<double>(launched_) <= std::min(tooEarly_, kLatest * expectedLaunches_)) return Advice::stay;
  double gain = 0;
  int gaining = 0;
  for (const auto& [id, loop] : loops_) {
    gain += loop.gain();
    gaining += loop.gain() > 0;
  }
  if (gain <= 0) return Advice::stay;
  const TrialCost parts = trialCost();
  const double cost = parts.moving + parts.share * parts.building;
  allowance_ = cost + kShareOfRepeated * gain;
  const bool hasBegun = last_->gain() >= kPartOfGain * gain / gaining;
  const double risk = hasBegun ? 0 : std::max(0.0, learnedOther_ - other_);
  if (gain <= kGainOverCost * (cost + risk)) return Advice::stay;
  mayFallBehind_ = allowance_;
  return advise(parts.building > 0 ? Advice::build : Advice::useAll, "all devices were faster in earlier runs");
}

void PlainGuard::builds(double share) {
  building_ = share;
  looksAgain_ = share == 0;
  nextLook_ = 0;
}

PlainGuard::Advice PlainGuard::whetherToTry(const std::function<TrialCost()>& trialCost) {
  // A run that is known builds from its beginning.
  const bool isKnown = repeats_ > 0 && isPeriodic();
  if (at_ < nextLook_ || (!isKnown && !hasHistory_)) return Advice::stay;
  if (lostTrials_ > 0 && at_ < kNextTrial * lostAt_) return Advice::stay;
  const TrialCost cost = trialCost();
  const auto known = expected();
  const double ofEarlier = kMostOfEarlier * std::max(repeated_, known ? known->left : 0);
  mayLose_ = std::max(share(ofEarlier), promise(ofEarlier));
  budget_ = cost.moving + mayLose_;
  const double next = cost.building > 0 ? cost.share * std::min(cost.building, cost.part) : cost.moving;
  // What it may lose grows with the run, and no faster than this.
  const double growth = untried_ > 0 ? 1 + kShareOfRepeated : kShareOfRepeated;
  nextLook_ = at_ + std::max(building_ > 0 || !isKnown ? 0 : (next - mayLose_) / growth, kNextLook * at_);
  if (cost.building > 0) return next > mayLose_ && building_ == 0 ? Advice::stay : whetherToBuild(cost, known);
  if (next > mayLose_ || !isKnown) return Advice::stay;
  // A run that is nearly over leaves it to the next one. One that sets up yet has not begun with what takes long.
  if (known) {
    const bool hasBegun =
        known->loops == 0 || last_->left() * last_->usual() >= kPartOfGain * known->left / known->loops;
    if (known->left < cost.moving || !hasBegun) return Advice::stay;
  }
  return advise(Advice::tryAll, "it is known what rank 0's CPU takes");
}

// It goes on as long as there is something left of what may be lost.
PlainGuard::Advice PlainGuard::whetherToBuild(const TrialCost& cost, const std::optional<Expected>& known) {
  if (building_ > 0)
    return mayLose_ > 0 ? Advice::stay : advise(Advice::stopBuilding, "it has taken what a trial may lose");
  if (known ? known->inWide < kMost * known->seconds : inWide_ < kMost * repeated_) return Advice::stay;
  if (known && (known->seconds < kWorthBuilding * cost.moving || known->left < cost.part)) return Advice::stay;
  return advise(Advice::build, "all devices may be faster");
}

// At the end of a program its own code may have come in between.
PlainGuard::Advice PlainGuard::afterDrain(double now, double waited) {
  const double forLaunches = std::min(now - at_, waited - waited_);
  at_ = now;
  waited_ = waited;
  for (Account* account : {&trial_, &steady_}) account->seconds += forLaunches;
  spread(forLaunches);
  return place_ == Place::everywhere ? confirm() : judge();
}

PlainGuard::Advice PlainGuard::judge() {
  nextDrain_ = std::max(2 * trial_.worth, kFirstDrain);
  if (trial_.lost() > budget_) return giveUp(kNoBudget);
  if (trial_.launches < longestWay_ + (longestWay_ < kShortPeriod ? kSettling : 0)) return Advice::stay;
  if (trial_.lost() < 0) return advise(Advice::keepAll, "the trial has won, what it cost included");
  nextDrain_ = trial_.worth;
  if (!std::exchange(isSteady_, true)) steady_ = {};
  if (steady_.launches < longestWay_ || steady_.seconds < kSteady) return Advice::stay;
  return steady_.lost() < 0 ? advise(Advice::keepAll, "all devices are faster than rank 0's CPU alone")
                            : giveUp("rank 0's CPU alone is faster");
}

// Where earlier runs were faster, and this one has not won the way yet.
PlainGuard::Advice PlainGuard::confirm() {
  nextDrain_ = std::max(2 * trial_.worth, kFirstDrain);
  if (trial_.lost() > allowance_) return giveUp("all devices are slower than in earlier runs");
  if (trial_.lost() < 0) allowance_ = 0;
  return Advice::stay;
}

// The accounts of long windows need no drain.
PlainGuard::Advice PlainGuard::watch(const std::function<TrialCost()>& trialCost) {
  if (allowance_ > 0 && trial_.worth >= nextDrain_) return Advice::drain;
  const double all = window_.seconds + window_.unknown;
  if (all < kWindow || window_.launches < kWindowPeriods * longestWay_) return Advice::stay;
  const Account window = std::exchange(window_, {});
  if (window.unknown > kUnknown * all) {
    // It began as an earlier run did, and was not the same.
    if (allowance_ > 0) return giveUp(kOtherLoops);
    const double cost = trialCost().moving;
    if (!isPeriodic() || cost > share(kMostOfEarlier * repeated_)) return Advice::stay;
    spent_ += cost;
    lostTrials_ = 0;
    return advise(Advice::goBack, kOtherLoops);
  }
  if (allowance_ > 0) return Advice::stay;
  slowWindows_ = window.seconds > kSlower * window.worth ? slowWindows_ + 1 : 0;
  return slowWindows_ < kSlowWindows ? Advice::stay
                                     : giveUp("the program has become slower than on rank 0's CPU alone");
}

PlainGuard::Advice PlainGuard::giveUp(std::string_view reason) {
  ++lostTrials_;
  spent_ += std::max(0.0, trial_.lost());
  lostAt_ = at_;
  return advise(Advice::goBack, reason);
}

void PlainGuard::foundNoDevices() {
  tried_ = true;
  ++lostTrials_;
  lostAt_ = at_;
}

void PlainGuard::moved(Place place, double now) {
  if (place_ == Place::inPlace) {
    for (auto& [id, loop] : loops_) loop.ranEverywhere = false;  // arrays move again
  } else {
    spread(now - at_);
  }
  place_ = place;
  tried_ |= place != Place::inPlace;
  at_ = now;
  last_ = nullptr;
  trial_ = steady_ = window_ = {};
  isSteady_ = false;
  slowWindows_ = 0;
  nextDrain_ = 0;
  if (place != Place::inPlace) return;
  mayFallBehind_ = 0;
  surprised_ = launched_;  // a period has to come again before the next trial
  repeated_ = inWide_ = inLong_ = 0;
  repeats_ = 0;
}

}  // namespace muster::rt
