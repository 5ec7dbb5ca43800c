// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Made in LLVM's representation, not as text: so that sources without anything of ours need no second parse.
#include "FunctionTable.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "muster/abi.h"
#include "source/RefusalTexts.h"

namespace muster::plugin {
namespace {

// Names of clang's that are not to be changed begin so.
llvm::Function* functionIn(llvm::Module& module, const std::string& name) {
  llvm::Function* function = module.getFunction(name);
  return function ? function : module.getFunction("\1" + name);
}

class TableWriter {
 public:
  explicit TableWriter(llvm::Module& module)
      : module_(module),
        pointer_(llvm::PointerType::getUnqual(module.getContext())),
        number_(llvm::Type::getInt32Ty(module.getContext())),
        entry_(llvm::StructType::get(pointer_, pointer_, pointer_, pointer_, pointer_, pointer_, pointer_, pointer_,
                                     pointer_, number_, number_, number_, number_)) {}

  void write(const std::vector<UnitFunction>& functions) {
    std::vector<llvm::Constant*> entries;
    for (const UnitFunction& function : functions)
      if (llvm::Constant* entry = entryOf(function)) entries.push_back(entry);
    if (entries.empty()) return;
    llvm::Constant* table = array(entry_, entries);
    registerTable(table, entries.size(), /*atEnd=*/false);
    registerTable(table, 0, /*atEnd=*/true);
  }

 private:
  llvm::Constant* number(std::size_t value) const { return llvm::ConstantInt::get(number_, value); }
  llvm::Constant* none() const { return llvm::ConstantPointerNull::get(pointer_); }
  llvm::Constant* hidden(llvm::Constant* value) {
    auto* variable = new llvm::GlobalVariable(module_, value->getType(), /*isConstant=*/true,
                                              llvm::GlobalValue::PrivateLinkage, value, "muster.functions");
    return variable;
  }
  llvm::Constant* text(const std::string& value) {
    return value.empty() ? none() : hidden(llvm::ConstantDataArray::getString(module_.getContext(), value));
  }
  llvm::Constant* array(llvm::Type* type, const std::vector<llvm::Constant*>& values) {
    return values.empty() ? none()
                          : hidden(llvm::ConstantArray::get(llvm::ArrayType::get(type, values.size()), values));
  }

  // nullptr: the unit does not hold the function, or others may hold it, too.
  llvm::Constant* entryOf(const UnitFunction& function) {
    if (function.name.empty()) return entryOfUnit(function);
    llvm::Function* code = functionIn(module_, function.name);
    if (!code || code->isDeclaration() || code->hasComdat() ||
        !(code->hasExternalLinkage() || code->hasWeakAnyLinkage()))
      return nullptr;
    std::vector<llvm::Constant*> callees, names;
    for (const std::string& name : function.unseen) {
      llvm::Function* callee = functionIn(module_, name);
      if (!callee) continue;  // all calls were optimised away
      callees.push_back(callee);
      names.push_back(text(name));
    }
    std::vector<std::int64_t> reaches;
    for (const auto& [first, last] : function.reaches) reaches.insert(reaches.end(), {first, last});
    // Another unit's definition of this name may take its place. A call that leads here has this address.
    auto* own = llvm::GlobalAlias::create(code->getValueType(), code->getAddressSpace(),
                                          llvm::GlobalValue::PrivateLinkage, "muster." + function.name, code, &module_);
    const unsigned flags = (function.needsFp64 ? MUSTER_KERNEL_NEEDS_FP64 : 0) | function.floatRules |
                           (function.addsUp ? MUSTER_FUNCTION_ADDS_UP : 0) |
                           (function.updates ? MUSTER_FUNCTION_UPDATES : 0);
    return llvm::ConstantStruct::get(
        entry_, {text(function.name), own, text(function.whyTeam), text(function.whyHere), text(function.opencl),
                 text(function.openclReason), array(pointer_, callees), array(pointer_, names),
                 reaches.empty() ? none() : hidden(llvm::ConstantDataArray::get(module_.getContext(), reaches)),
                 number(callees.size()), number(function.reaches.size()), number(flags), number(0)});
  }

  llvm::Constant* entryOfUnit(const UnitFunction& unit) {
    std::vector<llvm::Constant*> values(9, none());
    values.resize(13, number(0));
    values[11] = number(unit.tellsThreads ? MUSTER_FUNCTION_TELLS_THREADS : 0);
    return llvm::ConstantStruct::get(entry_, values);
  }

  // In programs without Muster's runtime nothing happens.
  void registerTable(llvm::Constant* table, std::size_t count, bool atEnd) {
    llvm::LLVMContext& context = module_.getContext();
    auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer_, number_, number_}, false);
    auto* registers =
        llvm::cast<llvm::Function>(module_.getOrInsertFunction("muster_register_functions", type).getCallee());
    registers->setLinkage(llvm::GlobalValue::ExternalWeakLinkage);
    auto* caller = llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(context), false),
                                          llvm::GlobalValue::InternalLinkage,
                                          atEnd ? "muster.forget.functions" : "muster.register.functions", module_);
    caller->addFnAttr(llvm::Attribute::NoUnwind);
    auto* start = llvm::BasicBlock::Create(context, "", caller);
    auto* call = llvm::BasicBlock::Create(context, "", caller);
    auto* end = llvm::BasicBlock::Create(context, "", caller);
    llvm::IRBuilder<> builder(start);
    builder.CreateCondBr(builder.CreateIsNotNull(registers), call, end);
    builder.SetInsertPoint(call);
    builder.CreateCall(registers, {table, llvm::ConstantInt::get(number_, count),
                                   llvm::ConstantInt::get(number_, MUSTER_ABI_VERSION)});
    builder.CreateBr(end);
    builder.SetInsertPoint(end);
    builder.CreateRetVoid();
    if (atEnd)
      llvm::appendToGlobalDtors(module_, caller, 0);
    else
      llvm::appendToGlobalCtors(module_, caller, 0);
  }

  llvm::Module& module_;
  llvm::PointerType* pointer_;
  llvm::IntegerType* number_;
  llvm::StructType* entry_;
};

// Functions whose calls have other names than were found for them are not known.
struct NameCheck : llvm::PassInfoMixin<NameCheck> {
  UnitFunctions functions;
  explicit NameCheck(UnitFunctions functions) : functions(std::move(functions)) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    for (UnitFunction& function : *functions)
      for (const std::string& name : function.unseen)
        if (!functionIn(module, name)) function.whyTeam = function.whyHere = say::Calls(name);
    return llvm::PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

// Last, so that it keeps nothing that the program does not use.
struct TablePass : llvm::PassInfoMixin<TablePass> {
  UnitFunctions functions;
  explicit TablePass(UnitFunctions functions) : functions(std::move(functions)) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    TableWriter(module).write(*functions);
    return llvm::PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};

}  // namespace

unsigned floatRules(const clang::LangOptions& language, const clang::CodeGenOptions& code) {
  const llvm::DenormalMode denormals = code.FPDenormalMode;
  // Programs linked with -ffast-math flush them, too, which clang does not say where it compiles.
  const bool flushes = language.FastMath || (denormals.outputsAreZero() && denormals.inputsAreZero());
  return (flushes ? MUSTER_KERNEL_ANY_DENORMALS : 0) |
         (language.getDefaultFPContractMode() == clang::LangOptions::FPM_Fast ? MUSTER_KERNEL_ANY_FUSING : 0) |
         (language.NoHonorNaNs && language.NoHonorInfs ? MUSTER_KERNEL_ANY_NAN : 0) |
         (language.AllowFPReassoc && language.NoSignedZero ? MUSTER_KERNEL_ANY_ORDER : 0) |
         (language.AllowRecip && language.ApproxFunc ? MUSTER_KERNEL_ANY_DIGITS : 0);
}

void emitFunctionTable(clang::CodeGenOptions& options, UnitFunctions functions) {
  options.PassBuilderCallbacks.emplace_back([functions = std::move(functions)](llvm::PassBuilder& builder) {
    builder.registerPipelineStartEPCallback(
        [functions](llvm::ModulePassManager& passes, auto&&...) { passes.addPass(NameCheck(functions)); });
    builder.registerOptimizerLastEPCallback(
        [functions](llvm::ModulePassManager& passes, auto&&...) { passes.addPass(TablePass(functions)); });
  });
}

}  // namespace muster::plugin
