//===- ModelFunction.cpp - Named arguments and results --------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ModelFunction.h"

using namespace mlir;
using namespace lgc;

StringRef ModelFunction::getName(BlockArgument argument) const {
  auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), LgcDialect::kNameAttr);
  return name ? name.getValue() : StringRef();
}

std::optional<Role> ModelFunction::getRole(BlockArgument argument) const {
  auto role = function.getArgAttrOfType<RoleAttr>(argument.getArgNumber(), LgcDialect::kRoleAttr);
  return role ? std::optional(role.getValue()) : std::nullopt;
}

StringRef ModelFunction::getResultName(unsigned result) const {
  auto name = function.getResultAttrOfType<StringAttr>(result, LgcDialect::kNameAttr);
  return name ? name.getValue() : StringRef();
}

StringRef ModelFunction::getUpdated(unsigned result) const {
  auto name = function.getResultAttrOfType<StringAttr>(result, LgcDialect::kUpdatesAttr);
  return name ? name.getValue() : StringRef();
}

Value ModelFunction::findArgument(StringRef name) const {
  for (BlockArgument argument : function.getArguments())
    if (getName(argument) == name)
      return argument;
  return {};
}

Value ModelFunction::findOutput(StringRef name) const {
  for (auto [i, value] : llvm::enumerate(getReturn().getOperands()))
    if (getResultName(i) == name)
      return value;
  return {};
}

std::string ModelFunction::listOutputs() const {
  SmallVector<std::string> names;
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (StringRef name = getResultName(i); !name.empty())
      names.push_back("'" + name.str() + "'");
  return llvm::join(names, ", ");
}

BlockArgument ModelFunction::addArgument(StringRef name, Role role, Type type) {
  Builder builder(function.getContext());
  unsigned at = 0;
  for (BlockArgument argument : function.getArguments())
    if (getRole(argument).value_or(Role::Input) <= role)
      at = argument.getArgNumber() + 1;
  auto attributes = builder.getDictionaryAttr(
      {builder.getNamedAttr(LgcDialect::kNameAttr, builder.getStringAttr(name)),
       builder.getNamedAttr(LgcDialect::kRoleAttr, RoleAttr::get(function.getContext(), role))});
  (void)function.insertArgument(at, type, attributes, function.getLoc());
  return function.getArgument(at);
}

Value ModelFunction::getScalar(StringRef name, Type element) {
  if (Value argument = findArgument(name))
    return argument;
  return addArgument(name, Role::Scalar, RankedTensorType::get({}, element));
}

void ModelFunction::addResult(Value value, StringRef attribute, StringRef name) {
  Builder builder(function.getContext());
  unsigned at = function.getNumResults();
  auto attributes =
      builder.getDictionaryAttr(builder.getNamedAttr(attribute, builder.getStringAttr(name)));
  (void)function.insertResult(at, value.getType(), attributes);
  getReturn().getOperandsMutable().append(value);
}

void ModelFunction::clearResults() {
  getReturn().getOperandsMutable().clear();
  llvm::BitVector all(function.getNumResults(), true);
  (void)function.eraseResults(all);
}
