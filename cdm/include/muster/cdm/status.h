// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one error type of cdm and cap, and panic() for errors of ours. Thread-safe.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

namespace muster {

enum class Errc {
  ok,
  invalidArgument,
  outOfMemory,  // of a device or of the host
  deviceLost,   // the device does not answer any more
  buildFailed,  // a kernel's text was refused by the device's compiler
  notFound,
  unsupported,
  protocol,  // a malformed or unexpected message
  io,
  internal,
};

[[nodiscard]] const char* toString(Errc code);

// Success, or a code with a message for the user: what happened, where, what to do next.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Errc code, std::string message) : code_(code), message_(std::move(message)) {}
  static Status success() { return {}; }

  bool ok() const { return code_ == Errc::ok; }
  explicit operator bool() const { return ok(); }
  Errc code() const { return code_; }
  const std::string& message() const { return message_; }
  // The same error with the place where it was seen in front of the message.
  Status at(const std::string& where) const { return ok() ? *this : Status(code_, where + ": " + message_); }

 private:
  Errc code_ = Errc::ok;
  std::string message_;
};

// A value or a Status that is not ok.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}
  Result(Status status) : state_(std::move(status)) {}
  Result(Errc code, std::string message) : state_(Status(code, std::move(message))) {}

  bool ok() const { return std::holds_alternative<T>(state_); }
  explicit operator bool() const { return ok(); }
  T& value() { return std::get<T>(state_); }
  const T& value() const { return std::get<T>(state_); }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  Status status() const { return ok() ? Status() : std::get<Status>(state_); }

 private:
  std::variant<T, Status> state_;
};

// Thrown by panic() in tests only.
struct PanicError : std::logic_error {
  using std::logic_error::logic_error;
};
// A broken invariant of Muster's own: prints and aborts; throws PanicError after panicThrows(true) (tests).
[[noreturn]] void panic(const std::string& what);
void panicThrows(bool yes);

}  // namespace muster

// Return early from a function that returns Status or Result.
#define MUSTER_TRY(expr)                                   \
  do {                                                     \
    if (::muster::Status s_ = (expr); !s_.ok()) return s_; \
  } while (false)
