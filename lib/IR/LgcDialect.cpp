//===- LgcDialect.cpp - The lgc dialect -----------------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/IR/LgcDialect.h"
#include "lgc/IR/LgcOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;
using namespace lgc;

#include "lgc/IR/LgcDialect.cpp.inc"

namespace {

/// Every op of the dialect may be inlined: none depends on the function that it is in.
struct LgcInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
};

} // namespace

void LgcDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "lgc/IR/LgcOps.cpp.inc"
      >();
  addInterfaces<LgcInlinerInterface>();
}

Operation *LgcDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                           Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, type, elements);
}

/// The attributes that the compiler puts on functions, arguments and results.
static LogicalResult verifyAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == LgcDialect::kRoleAttr && !isa<RoleAttr>(attribute.getValue()))
    return op->emitError("has an 'lgc.role' that isn't a role; write #lgc.role<input> or the like");
  if ((name == LgcDialect::kNameAttr || name == LgcDialect::kUpdatesAttr) &&
      !isa<StringAttr>(attribute.getValue()))
    return op->emitError("has an attribute '") << name << "' that isn't a string; give the name";
  return success();
}

LogicalResult LgcDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() == kKernelAttr && !isa<FunctionOpInterface>(op))
    return op->emitError("has 'lgc.kernel', which belongs on functions; remove it");
  return verifyAttribute(op, attribute);
}

LogicalResult LgcDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned,
                                                   NamedAttribute attribute) {
  return verifyAttribute(op, attribute);
}

LogicalResult LgcDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned,
                                                      NamedAttribute attribute) {
  return verifyAttribute(op, attribute);
}
