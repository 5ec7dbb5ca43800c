// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How emitted code says a thing in the language of the source, C or C++ (docs/decisions/0008-c-sources.md).
// What both languages say alike is not here.
#pragma once

#include <string>

#include "clang/Basic/LangOptions.h"

namespace muster::plugin {

class Dialect {
 public:
  explicit Dialect(const clang::LangOptions& options) : isC_(!options.CPlusPlus) {}

  bool isC() const { return isC_; }
  // The header that emitted code needs.
  const char* header() const { return isC_ ? "muster/muster.h" : "muster/core.hpp"; }

  std::string cast(const std::string& type, const std::string& value) const {
    return isC_ ? "(" + type + ")(" + value + ")" : "static_cast<" + type + ">(" + value + ")";
  }
  const char* null() const { return isC_ ? "(void *)0" : "nullptr"; }
  const char* staticAssert() const { return isC_ ? "_Static_assert" : "static_assert"; }
  const char* boolean() const { return isC_ ? "_Bool" : "bool"; }
  // In place of a type: that of the initialiser.
  const char* deduced() const { return isC_ ? "__auto_type" : "auto"; }
  const char* truth(bool value) const { return isC_ ? (value ? "1" : "0") : (value ? "true" : "false"); }
  // Introduces a constant of the user's that native code declares again.
  const char* constant() const { return isC_ ? "const" : "constexpr"; }

  // A function of a loop: a static member of the local struct `owner`, in C one of the file.
  std::string functionName(const std::string& owner, const std::string& function) const {
    return isC_ ? owner + "_" + function : "muster_" + function;
  }
  std::string functionReference(const std::string& owner, const std::string& function) const {
    return isC_ ? "&" + functionName(owner, function) : "&" + owner + "::" + functionName(owner, function);
  }

  // A variable that stands for the team of a region while it runs. Integers as text; `region`: "" or the name of a
  // muster_calls.
  std::string team(const std::string& threads, const std::string& condition, const std::string& region) const {
    const std::string arguments = "(" + threads + ", " + condition + ", " + (region.empty() ? "0" : "&" + region) + ")";
    if (!isC_) return "const ::muster::Team muster_team" + arguments + ";";
    return "int muster_team __attribute__((cleanup(muster_end_of_team), unused)) = (muster_team_begin" + arguments +
           ", 0);";
  }

  // The session, first in main. `arguments`: "" or "(argc, argv)".
  std::string session(const std::string& arguments) const {
    if (!isC_) return " ::muster::Session muster_session" + arguments + ";";
    return " int muster_session __attribute__((cleanup(muster_end_of_main), unused)) = " +
           (arguments.empty() ? "(muster_session_begin(0, 0), 0)" : "muster_begin_of_main" + arguments) + ";";
  }

 private:
  bool isC_;
};

}  // namespace muster::plugin
