// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Spelling of C++ types in OpenCL C: declarators with address spaces, and records as structs.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "clang/AST/Decl.h"
#include "clang/AST/DeclCXX.h"
#include "lower/types/Names.h"
#include "lower/types/Scalars.h"

namespace muster::plugin::lower {

class Refusals;

// What a pointer points into. Any: nothing known yet (a null pointer). Mixed: more than one, which OpenCL C 1.2
// cannot express.
enum class Space { Any, Private, Global, Constant, Mixed };
// A part of a text of which several may be put together.
std::string definedOnce(const std::string& name, const std::string& text);
Space join(Space left, Space right);
const char* spacePrefix(Space space);  // "__global "

class Types {
 public:
  // `amongOthers`: structs have names by which other texts know those of the same definition.
  Types(const clang::ASTContext& context, Refusals& refusals, Names& names, bool amongOthers)
      : context_(context), refusals_(refusals), names_(names), amongOthers_(amongOthers) {}

  // `declarator` with the type around it; an empty declarator gives the type's name. References become pointers.
  // `space` is what a pointer or reference points into.
  std::string declare(clang::QualType type, std::string declarator, Space space, clang::SourceLocation loc);
  std::string name(clang::QualType type, Space space, clang::SourceLocation loc) {
    return declare(type, "", space, loc);
  }
  std::string field(const clang::FieldDecl* field);
  // Base classes that take space are members, in front of all others.
  std::string base(const clang::CXXRecordDecl* base);
  static std::vector<const clang::CXXRecordDecl*> basesWithData(const clang::RecordDecl* record);
  // Whether a record's text has fields that the user's does not have.
  bool isPadded(const clang::RecordDecl* record) const { return padded_.count(record->getDefinition()) != 0; }
  // Has the device's compiler check the size of an array's elements.
  void checkSize(clang::QualType element, clang::SourceLocation loc);

  void noteFp64() { usesFp64_ = true; }
  void noteHalf();
  bool usesFp64() const { return usesFp64_; }
  const std::string& definitions() const { return definitions_; }

 private:
  std::optional<std::uint64_t> lengthOf(clang::QualType type) const;
  std::string baseName(clang::QualType type, clang::SourceLocation loc);
  std::string define(llvm::StringRef wanted, const std::string& definition);
  std::string complex(const clang::ComplexType* type, clang::SourceLocation loc);
  std::string record(const clang::RecordDecl* record, clang::SourceLocation loc);
  bool isPrintable(const clang::RecordDecl* record, clang::SourceLocation loc);
  std::string fieldsOf(const clang::RecordDecl* record, clang::SourceLocation loc, std::string& attribute);

  const clang::ASTContext& context_;
  Refusals& refusals_;
  Names& names_;
  const bool amongOthers_;
  std::map<const clang::RecordDecl*, std::string> records_;
  std::map<const clang::CXXRecordDecl*, std::string> bases_;
  std::map<std::string, std::string> complex_;  // by the type of a part
  std::set<const clang::RecordDecl*> padded_;
  std::set<const clang::RecordDecl*> checked_;
  std::string definitions_;
  bool usesFp64_ = false, usesHalf_ = false;
};

}  // namespace muster::plugin::lower
