//===- VerifyImport.cpp - The contract after Import -----------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/IR/LgcOps.h"
#include "lgc/Import/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringSet.h"

namespace lgc {
#define GEN_PASS_DEF_VERIFYIMPORTPASS
#include "lgc/Import/Passes.h.inc"
} // namespace lgc

using namespace mlir;
using namespace lgc;

namespace {

/// Checks one of the two functions.
class FunctionCheck {
public:
  FunctionCheck(func::FuncOp function, SymbolTable &symbols, llvm::StringSet<> &used)
      : function(function), symbols(symbols), used(used) {}

  LogicalResult run() {
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      if (failed(checkArgument(i)))
        return failure();
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      if (failed(checkResult(i)))
        return failure();
    return checkBody();
  }

private:
  LogicalResult checkArgument(unsigned number);
  LogicalResult checkParameter(unsigned number, StringRef name, Role role);
  LogicalResult checkResult(unsigned number);
  LogicalResult checkBody();

  func::FuncOp function;
  SymbolTable &symbols;
  llvm::StringSet<> &used;
  Role last = Role::Input;
};

struct VerifyImport : lgc::impl::VerifyImportPassBase<VerifyImport> {
  void runOnOperation() override;
};

} // namespace

LogicalResult FunctionCheck::checkArgument(unsigned number) {
  auto name = function.getArgAttrOfType<StringAttr>(number, LgcDialect::kNameAttr);
  auto role = function.getArgAttrOfType<RoleAttr>(number, LgcDialect::kRoleAttr);
  if (!name || !role)
    return function.emitOpError("argument ") << number << " has no 'lgc.name' or no 'lgc.role'";
  if (role.getValue() == Role::Output || role.getValue() < last)
    return function.emitOpError("argument '")
           << name.getValue() << "' is out of order: inputs come first, then parameters, states "
           << "and scalars";
  last = role.getValue();
  auto type = dyn_cast<RankedTensorType>(function.getArgument(number).getType());
  if (!type || !type.hasStaticShape())
    return function.emitOpError("argument '")
           << name.getValue() << "' is no tensor of static shape";
  if (last == Role::Parameter || last == Role::State)
    return checkParameter(number, name, last);
  return success();
}

LogicalResult FunctionCheck::checkParameter(unsigned number, StringRef name, Role role) {
  auto parameter = symbols.lookup<ParameterOp>(name);
  if (!parameter)
    return function.emitOpError("argument '") << name << "' has no 'lgc.parameter' of its name";
  if (parameter.getRole() != role || parameter.getType() != function.getArgument(number).getType())
    return function.emitOpError("argument '")
           << name << "' has another role or type than its 'lgc.parameter'";
  if (!function.getArgument(number).use_empty())
    used.insert(name);
  return success();
}

LogicalResult FunctionCheck::checkResult(unsigned number) {
  if (function.getResultAttrOfType<StringAttr>(number, LgcDialect::kNameAttr))
    return success();
  auto updated = function.getResultAttrOfType<StringAttr>(number, LgcDialect::kUpdatesAttr);
  if (!updated)
    return function.emitOpError("result ") << number << " has neither 'lgc.name' nor 'lgc.updates'";
  auto state = symbols.lookup<ParameterOp>(updated.getValue());
  if (!state || state.getRole() != Role::State ||
      state.getType() != function.getResultTypes()[number])
    return function.emitOpError("result ")
           << number << " updates '" << updated.getValue() << "', which is no state of its type";
  return success();
}

LogicalResult FunctionCheck::checkBody() {
  if (!function.getBody().hasOneBlock())
    return function.emitOpError("must be straight-line code");
  for (Operation &op : function.getBody().front()) {
    if (isa<func::ReturnOp>(op))
      continue;
    if (!isa<LgcDialect>(op.getDialect()))
      return op.emitOpError("is no operation of the 'lgc' dialect");
    SmallVector<Attribute> constants;
    for (Value operand : op.getOperands()) {
      auto constant = operand.getDefiningOp<ConstantOp>();
      constants.push_back(constant ? Attribute(constant.getValue()) : Attribute());
    }
    bool known = !constants.empty() && !llvm::is_contained(constants, Attribute());
    SmallVector<OpFoldResult> folded;
    if (known && succeeded(op.fold(constants, folded)) && !folded.empty())
      return op.emitOpError("has constant operands only; fold it");
  }
  return success();
}

void VerifyImport::runOnOperation() {
  ModuleOp module = getOperation();
  SymbolTable symbols(module);
  llvm::StringSet<> used;
  for (StringRef name : {"forward", "training_forward"}) {
    auto function = symbols.lookup<func::FuncOp>(name);
    if (!function) {
      module.emitOpError("has no function '") << name << "'";
      return signalPassFailure();
    }
    if (failed(FunctionCheck(function, symbols, used).run()))
      return signalPassFailure();
  }
  for (auto parameter : module.getOps<ParameterOp>())
    if (!used.contains(parameter.getSymName())) {
      parameter.emitOpError("is used by no function; remove it");
      return signalPassFailure();
    }
}
