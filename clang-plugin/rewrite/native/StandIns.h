// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stand-ins of objects in native code (docs/decisions/0007): in each iteration, storage of an object's size in which
// the members that the loop uses have the values of the launch. No constructor runs, and nothing else of the object is
// there.
#pragma once

#include <string>
#include <vector>

#include "analysis/objects/Objects.h"
#include "rewrite/text/LoopText.h"

namespace muster::plugin {

// The class that a variable's declaration names, or "".
std::string writtenClass(const clang::ASTContext& context, const clang::VarDecl* var);

class StandIns {
 public:
  StandIns(const Spelling& spelling, const LoopFacts& facts, std::string owner);

  // Types of the objects, as members of the loop's struct, in C in its function.
  void writeTypes(CodeText& code) const;
  // Objects that are too large for the stack, before the loop.
  void writeLargeObjects(CodeText& code) const;
  // The objects, under the user's names, at the start of an iteration.
  void writeObjects(CodeText& code) const;
  // A part of the user's text, in which `this` has another name.
  std::string textOf(clang::CharSourceRange range) const;
  std::string textOf(const clang::Expr* expr) const;

 private:
  // An object in memory: what a variable is, or a pointer on the way to a member points to.
  struct Block {
    ObjectPath path;
    std::string name, type;
    const ObjectOverlay* overlay = nullptr;  // the memory of an array takes its place
    // A variable, not what a pointer points to.
    bool isRoot() const { return path.steps.empty(); }
    // What a variable of the launch site, or `this`, points to.
    bool isTarget() const { return path.steps.size() == 1 && path.steps.front().kind == ObjectPath::StepKind::Pointer; }
  };
  void addBlock(const ObjectPath& path);
  bool isInText(unsigned array) const;
  bool isLarge(const Block& block) const;
  void write(CodeText& code) const;
  std::string pointerTo(const Block& block) const;
  std::string memoryAt(const ObjectOverlay& overlay) const;
  std::string nameOf(const ObjectOverlay& overlay) const;
  void writeOverlays(CodeText& code) const;
  const Block& blockOf(const ObjectPath& path) const;
  std::string typeOf(const Block& block) const;
  std::string typeInC(const Block& block) const;
  void writeWhole(CodeText& code) const;
  void writeValues(CodeText& code) const;
  void writeLinks(CodeText& code) const;
  void writeNames(CodeText& code) const;
  // Stores the variable `value`, a member of the type, at the path's end, or `behind` bytes behind it.
  void set(CodeText& code, const ObjectPath& path, const std::string& value, clang::QualType type,
           std::int64_t behind = 0) const;

  const Spelling& spelling_;
  const LoopFacts& facts_;
  const std::string owner_;    // of the native code
  std::vector<Block> blocks_;  // holders before what they point to
  bool isShared_ = false;      // by all iterations: some are too large for the stack
};

}  // namespace muster::plugin
