// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scheduler of the fake OpenCL and of the fake CUDA.
#include "machine.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>

namespace fake {

namespace {

std::vector<Queue*> queues;
std::mt19937 random;
std::string seededFrom;

// What follows a word, nullptr if it is not there.
const char* behind(const char* word) {
  const char* text = std::getenv(variable);
  const char* at = text ? std::strstr(text, word) : nullptr;
  return at ? at + std::strlen(word) : nullptr;
}

bool lazy() { return asked("shuffle=") || asked("kernels-stall"); }

// A new seed starts a new sequence.
void seed() {
  const char* at = behind("shuffle=");
  if (!at || seededFrom == at) return;
  seededFrom = at;
  random.seed(static_cast<unsigned>(asked("shuffle=", 0)));
}

// Another origin than the host's, with the word clock-drifts a thousandth too fast, with later=MS so much later.
std::uint64_t deviceClock() {
  const auto ns = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
  static const std::uint64_t start = ns;
  return 123456789000 + (ns - start) * (asked("clock-drifts") ? 1001 : 1000) / 1000 + asked("later=", 0) * 1000000;
}

bool canRun(const Command& command) {
  if (!command.flushed || (command.kernel && asked("kernels-stall"))) return false;
  return std::all_of(command.waits.begin(), command.waits.end(), [](const CommandPtr& wait) { return wait->done; });
}

// One command of a random queue; false if none can run.
bool step() {
  std::vector<Queue*> ready;
  for (Queue* queue : queues)
    if (!queue->pending.empty() && canRun(*queue->pending.front())) ready.push_back(queue);
  if (ready.empty()) return false;
  Queue& queue = *ready[random() % ready.size()];
  const CommandPtr command = queue.pending.front();
  queue.pending.pop_front();
  command->beganNs = deviceClock();
  command->run();
  command->endedNs = deviceClock();
  command->done = true;
  return true;
}

}  // namespace

bool asked(const char* word) { return behind(word) != nullptr; }

std::uint64_t asked(const char* word, std::uint64_t otherwise) {
  const char* at = behind(word);
  return at ? std::strtoull(at, nullptr, 10) : otherwise;
}

Queue* createQueue() {
  seed();
  return queues.emplace_back(new Queue);
}

void flush(Queue& queue) {
  for (const CommandPtr& command : queue.pending) command->flushed = true;
}

void destroyQueue(Queue* queue) {
  (void)runQueue(*queue);
  std::erase(queues, queue);
  delete queue;
}

bool enqueue(const Enqueue& how, std::function<void()> run, CommandPtr* added) {
  auto command = std::make_shared<Command>();
  command->run = std::move(run);
  command->kernel = how.kernel;
  command->waits = how.waits;
  how.queue.pending.push_back(command);
  if (added) *added = command;
  if (!how.blocking && lazy()) return true;
  flush(how.queue);
  return runUntil(command);
}

bool runUntil(const CommandPtr& command) {
  while (!command->done)
    if (!step()) return false;
  return true;
}

bool runQueue(Queue& queue) {
  flush(queue);
  while (!queue.pending.empty())
    if (!step()) return false;
  return true;
}

void runSome() {
  for (unsigned count = random() % 3; count > 0 && step(); --count) {
  }
}

}  // namespace fake
