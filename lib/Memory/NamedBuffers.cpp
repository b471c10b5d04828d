//===- NamedBuffers.cpp - Tensors that entry functions share --------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "FunctionPlan.h"

using namespace mlir;
using namespace lgc;

static LogicalResult addBuffer(func::FuncOp function, StringAttr name, Role role,
                               RankedTensorType type, NamedBuffers &named) {
  auto [at, isNew] = named.insert({name, {role, type}});
  if (isNew || (at->second.role == role && at->second.type == type))
    return success();
  return function.emitOpError("has ")
         << name << " as " << stringifyRole(role) << " of type " << type << ", another function as "
         << stringifyRole(at->second.role) << " of type " << at->second.type
         << "; a name means the same tensor in all functions";
}

static LogicalResult addArguments(func::FuncOp function, NamedBuffers &named) {
  llvm::SmallDenseSet<StringAttr> seen;
  for (auto [number, type] : llvm::enumerate(function.getArgumentTypes())) {
    auto name = function.getArgAttrOfType<StringAttr>(number, LgcDialect::kNameAttr);
    auto role = function.getArgAttrOfType<RoleAttr>(number, LgcDialect::kRoleAttr);
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!name || !role || !tensor || !tensor.hasStaticShape())
      return function.emitOpError("argument #")
             << number << " isn't a tensor of static shape with 'lgc.name' and 'lgc.role'; "
             << "give it both";
    if (!seen.insert(name).second)
      return function.emitOpError("has two arguments named ") << name << "; rename one";
    if (failed(addBuffer(function, name, role.getValue(), tensor, named)))
      return failure();
  }
  return success();
}

/// Checks the results, and adds their names to `outputs`, or to the named buffers where they
/// are there already.
static LogicalResult addResults(func::FuncOp function, NamedBuffers &named, NamedBuffers &outputs) {
  llvm::SmallDenseSet<StringAttr> seen;
  for (unsigned number = 0; number < function.getNumResults(); ++number) {
    Type type = function.getResultTypes()[number];
    auto updates = function.getResultAttrOfType<StringAttr>(number, LgcDialect::kUpdatesAttr);
    auto name =
        updates ? updates : function.getResultAttrOfType<StringAttr>(number, LgcDialect::kNameAttr);
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!name || !tensor || !tensor.hasStaticShape())
      return function.emitOpError("result #")
             << number << " isn't a tensor of static shape with 'lgc.name' or 'lgc.updates'; "
             << "give it one";
    if (!seen.insert(name).second)
      return function.emitOpError("has two results for ") << name << "; keep one";
    if (updates) {
      bool isArgument = llvm::any_of(llvm::seq(function.getNumArguments()), [&](unsigned argument) {
        return function.getArgAttr(argument, LgcDialect::kNameAttr) == updates &&
               function.getArgumentTypes()[argument] == type;
      });
      if (!isArgument)
        return function.emitOpError("updates ")
               << updates << ", which is no argument of type " << type << "; take it as one";
      continue;
    }
    if (!outputs.insert({name, {Role::Output, tensor}}).second &&
        failed(addBuffer(function, name, Role::Output, tensor, named)))
      return failure();
  }
  return success();
}

LogicalResult lgc::collectNamedBuffers(ArrayRef<func::FuncOp> functions, NamedBuffers &named) {
  NamedBuffers outputs;
  for (func::FuncOp function : functions)
    if (failed(addArguments(function, named)))
      return failure();
  for (func::FuncOp function : functions)
    if (failed(addResults(function, named, outputs)))
      return failure();
  for (const auto &[name, buffer] : outputs)
    if (auto at = named.find(name); at != named.end() && at->second.role != Role::Output)
      return func::FuncOp(functions.front()).emitOpError("gives an output the name ")
             << name << " of an argument; rename the output";
  return success();
}
