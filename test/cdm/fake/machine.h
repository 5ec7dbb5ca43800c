// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the fake OpenCL and the fake CUDA run their commands on. By itself each command runs when it is enqueued. With
// the word shuffle=N commands run late, in a random order (seed N) among those that both APIs allow: each queue in
// order, after the commands that a command waits for, once the queue was flushed. With the word kernels-stall no kernel
// ever runs.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace fake {

// The environment variable whose words choose what goes wrong. Each library has its own.
extern const char* const variable;

// Whether it holds a word.
bool asked(const char* word);
// The number behind a word such as "devices=".
std::uint64_t asked(const char* word, std::uint64_t otherwise);

struct Command {
  std::function<void()> run;
  std::vector<std::shared_ptr<Command>> waits;
  bool kernel = false, flushed = false, done = false;
  std::uint64_t beganNs = 0, endedNs = 0;  // on a clock of the device's own
};
using CommandPtr = std::shared_ptr<Command>;

struct Queue {
  std::deque<CommandPtr> pending;
};

Queue* createQueue();
void flush(Queue& queue);
// Runs everything before the queue goes.
void destroyQueue(Queue* queue);

struct Enqueue {
  Queue& queue;
  bool blocking = false, kernel = false;
  std::vector<CommandPtr> waits;
};
// False if it was to run at once and cannot.
bool enqueue(const Enqueue& how, std::function<void()> run, CommandPtr* added = nullptr);

// Runs commands until this one is done; false if it never will be.
bool runUntil(const CommandPtr& command);
bool runQueue(Queue& queue);
// A few commands, as time goes by.
void runSome();

}  // namespace fake
