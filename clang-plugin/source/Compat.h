// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Clang 19 and 22 say differently. The sources use these names; no other file asks for the version.
#pragma once

#include <memory>

#include "clang/AST/ASTContext.h"
#include "clang/AST/OpenMPClause.h"
#include "clang/AST/TypeLoc.h"
#include "clang/Basic/DiagnosticIDs.h"
#include "clang/Basic/Version.h"
#include "clang/Frontend/CompilerInstance.h"

namespace muster::plugin::compat {

// The items of a clause.
template <class Clause>
auto items(const Clause* clause) {
#if CLANG_VERSION_MAJOR >= 20
  return clause->varlist();
#else
  return clause->varlists();
#endif
}

// The value of a thread_limit clause; nullptr: it is another one.
inline const clang::Expr* threadLimit(const clang::OMPClause* clause) {
  const auto* limit = llvm::dyn_cast<clang::OMPThreadLimitClause>(clause);
  if (!limit) return nullptr;
#if CLANG_VERSION_MAJOR >= 20
  return limit->getThreadLimit().front();
#else
  return limit->getThreadLimit();
#endif
}

inline clang::QualType recordType(const clang::ASTContext& context, const clang::RecordDecl* record) {
#if CLANG_VERSION_MAJOR >= 22
  return context.getCanonicalTagType(record);
#else
  return context.getRecordType(record);
#endif
}

// The type of a difference of pointers, under a name that programs can use: 22 calls it __ptrdiff_t.
inline clang::QualType pointerDifference(const clang::ASTContext& context) {
  return context.getPointerDiffType().getCanonicalType();
}

inline const clang::TypedefNameDecl* typedefOf(clang::TypedefTypeLoc loc) {
#if CLANG_VERSION_MAJOR >= 22
  return loc.getDecl();
#else
  return loc.getTypedefNameDecl();
#endif
}

// Of a diagnostic of clang's own: whether it is a warning, and none that is an error unless switched off.
inline bool isPlainWarning(const clang::DiagnosticsEngine& engine, unsigned id) {
#if CLANG_VERSION_MAJOR >= 20
  const clang::DiagnosticIDs& ids = *engine.getDiagnosticIDs();
  return ids.isWarningOrExtension(id) && !ids.isDefaultMappingAsError(id);
#else
  (void)engine;
  return clang::DiagnosticIDs::isBuiltinWarningOrExtension(id) && !clang::DiagnosticIDs::isDefaultMappingAsError(id);
#endif
}

// "loop-vectorize" in [-Rpass=loop-vectorize].
inline std::string flagValue(const clang::Diagnostic& info) {
#if CLANG_VERSION_MAJOR >= 22
  return info.getFlagValue().str();
#else
  return info.getDiags()->getFlagValue().str();
#endif
}

// An instance that runs inside of another one's compile. It takes that one's readers and writers of modules, too: those
// of clang's driver know modules in object files (-gmodules).
inline std::unique_ptr<clang::CompilerInstance> makeInstance(clang::CompilerInstance& outer,
                                                             std::shared_ptr<clang::CompilerInvocation> invocation,
                                                             clang::DiagnosticConsumer& client) {
#if CLANG_VERSION_MAJOR >= 22
  auto instance = std::make_unique<clang::CompilerInstance>(std::move(invocation), outer.getPCHContainerOperations());
  instance->setVirtualFileSystem(outer.getFileManager().getVirtualFileSystemPtr());
#else
  auto instance = std::make_unique<clang::CompilerInstance>(outer.getPCHContainerOperations());
  instance->setInvocation(std::move(invocation));
#endif
  instance->createDiagnostics(&client, /*ShouldOwnClient=*/false);
  instance->setFileManager(&outer.getFileManager());
  return instance;
}

}  // namespace muster::plugin::compat
