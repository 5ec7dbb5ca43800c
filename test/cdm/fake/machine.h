// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the fake OpenCL runs its commands on. By itself each command runs when it is enqueued. With
// FAKE_OPENCL=shuffle=N commands run late, in a random order (seed N) among those that OpenCL allows: each queue in
// order, after the events that a command waits for, once the queue was flushed. With the word kernels-stall no kernel
// ever runs.
#pragma once

#include <CL/cl.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace fake {

// Whether FAKE_OPENCL holds a word.
bool asked(const char* word);

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

// What a cl_event points to.
struct EventHandle {
  CommandPtr command;
};

Queue* createQueue();
void flush(Queue& queue);
// Runs everything before the queue goes.
void destroyQueue(Queue* queue);

struct Enqueue {
  cl_command_queue queue;
  bool blocking = false, kernel = false;
  std::span<const cl_event> waits;
  cl_event* event = nullptr;
};
cl_int enqueue(const Enqueue& how, std::function<void()> run);

// Runs commands until this one is done; false if it never will be.
bool runUntil(const CommandPtr& command);
bool runQueue(Queue& queue);
// A few commands, as time goes by.
void runSome();

}  // namespace fake
