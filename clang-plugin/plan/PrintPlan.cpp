// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plan/Plan.h"

#include "source/SourceText.h"

namespace muster::plugin {

using namespace clang;

static const char* storageName(StorageKind kind) {
  switch (kind) {
    case StorageKind::New:
      return "new";
    case StorageKind::Malloc:
      return "malloc";
    case StorageKind::Calloc:
      return "calloc";
    case StorageKind::AlignedAlloc:
      return "aligned_alloc";
    case StorageKind::PosixMemalign:
      return "posix_memalign";
    case StorageKind::Scope:
      return "call";
    case StorageKind::Vector:
      return "vector";
    case StorageKind::RowVectors:
      return "vector of vectors";
    case StorageKind::LocalArray:
      return "local array";
    case StorageKind::StaticArray:
      return "static array";
    case StorageKind::Embedded:
      return "member array";
  }
  return "";
}

static void printKernelPlan(const KernelPlan& kernel, const SourceManager& sources, llvm::raw_ostream& out) {
  const LoopFacts& facts = *kernel.facts;
  out << "kernel " << kernel.name << " for loop " << lineOf(sources, facts.directive->getBeginLoc()) << "\n";
  out << "  dims";
  for (const DimFact& dim : facts.dims) out << " " << dim.var->getName();
  out << "\n";
  if (!facts.arrays.empty()) {
    out << "  arrays";
    for (const ArrayFact& array : facts.arrays)
      out << " " << array.var->getName() << ":" << (array.read ? "r" : "") << (array.written ? "w" : "")
          << (array.updated ? "u" : "");
    out << "\n";
  }
  if (!facts.sections.empty()) {
    out << "  reduces";
    for (const SectionFact& section : facts.sections) out << " " << section.var->getName();
    out << "\n";
  }
  if (!facts.scalars.empty()) {
    out << "  scalars";
    for (const ScalarFact& scalar : facts.scalars)
      out << " " << scalar.var->getName() << (scalar.vectorSize ? "_size" : "");
    out << "\n";
  }
  if (!facts.results.empty()) {
    out << "  results";
    for (const ResultFact& result : facts.results) out << " " << result.var->getName();
    out << "\n";
  }
  for (const RecordFact& record : facts.records) {
    out << "  record";
    for (const VarDecl* var : record.vars) out << " " << var->getName();
    out << "\n";
  }
  if (kernel.opencl.empty())
    out << "  native only: " << kernel.openclReason << "\n";
  else
    out << "  native and OpenCL" << (kernel.needsFp64 ? ", needs fp64" : "") << "\n";
}

void printPlan(const TranslationUnitPlan& plan, const SourceManager& sources, llvm::raw_ostream& out) {
  for (const ArrayPlan& array : plan.arrays)
    out << (array.part == ArrayPart::Table ? "table "
            : array.part == ArrayPart::Row ? "row "
                                           : "array ")
        << array.name << ": " << (array.replicated ? "replicated" : "partitioned") << ", " << storageName(array.storage)
        << " of " << array.element.getAsString() << ": " << array.reason << "\n";
  for (const KernelPlan& kernel : plan.kernels) printKernelPlan(kernel, sources, out);
  for (const RegionFact& region : plan.regions)
    out << "region " << lineOf(sources, region.directive->getBeginLoc()) << " is run by one thread"
        << (region.unseen.empty() ? "" : " if functions of other units are harmless") << "\n";
  for (const NestedLoop& nested : plan.nested)
    out << "loop " << lineOf(sources, nested.directive->getBeginLoc()) << " becomes a parallel region of its own\n";
  for (const StepBackPlan& step : plan.stepBacks) {
    out << "step back for loop " << lineOf(sources, step.directive->getBeginLoc()) << ": " << step.why.what << "\n";
    if (step.arrays.empty()) continue;
    out << "  host access";
    for (const VarDecl* var : step.arrays) out << " " << var->getName();
    out << "\n";
  }
}

}  // namespace muster::plugin
