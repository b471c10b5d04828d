//===- ProgramOps.cpp - Parameters, micro-batches and launches ------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/IR/LgcOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace lgc;

//===----------------------------------------------------------------------===//
// ParameterOp
//===----------------------------------------------------------------------===//

LogicalResult ParameterOp::verify() {
  auto type = dyn_cast<RankedTensorType>(getType());
  if (!type || !type.hasStaticShape())
    return emitOpError("isn't a tensor of static shape; bind its dimensions");
  if (getRole() != Role::Parameter && getRole() != Role::State)
    return emitOpError("is neither a parameter nor a state; give it one of these roles");
  Attribute initial = getInitial();
  if (auto dense = dyn_cast<ElementsAttr>(initial)) {
    if (dense.getType() != type)
      return emitOpError("has an initial value of type ")
             << dense.getType() << "; give one of type " << type;
    return success();
  }
  if (auto external = dyn_cast<ExternalDataAttr>(initial)) {
    if (external.getOffset() < 0)
      return emitOpError("starts at byte ")
             << external.getOffset() << " of a file; give an offset of 0 or more";
    int64_t bytes = getTensorBytes(type);
    if (external.getLength() != bytes)
      return emitOpError("takes ") << external.getLength() << " bytes of a file for " << bytes
                                   << " bytes of elements; both must be equal";
    return success();
  }
  auto number = dyn_cast<TypedAttr>(initial);
  if (!number || !isa<FloatAttr, IntegerAttr>(initial) || number.getType() != type.getElementType())
    return emitOpError("has an initial value that is neither elements, nor bytes of a file, nor "
                       "one number of the element type");
  return success();
}

//===----------------------------------------------------------------------===//
// MicroBatchesOp
//===----------------------------------------------------------------------===//

LogicalResult MicroBatchesOp::verify() {
  int64_t count = getCount();
  if (count < 1)
    return emitOpError("runs ") << count << " micro-batches; give at least 1";
  for (Value value : getBatched()) {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getRank() == 0 || type.getDimSize(0) % count != 0)
      return emitOpError("can't split ")
             << type << " into " << count << " equal pieces; choose a divisor of the batch";
  }
  if (getCarried().getTypes() != getResultTypes())
    return emitOpError("has results of other types than its carried values; make them equal");
  return success();
}

LogicalResult MicroBatchesOp::verifyRegions() {
  Block &body = getBody().front();
  SmallVector<Type> expected{RankedTensorType::get({}, IntegerType::get(getContext(), 64))};
  for (Value value : getBatched()) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[0] /= static_cast<int64_t>(getCount());
    expected.push_back(type.clone(shape));
  }
  llvm::append_range(expected, getCarried().getTypes());
  if (body.getArgumentTypes() != TypeRange(expected))
    return emitOpError("has a body whose arguments aren't the number of the micro-batch, the "
                       "pieces and the carried values");
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield || yield.getOperandTypes() != getResultTypes())
    return emitOpError("has a body that doesn't yield the carried values");
  return success();
}

//===----------------------------------------------------------------------===//
// LaunchOp
//===----------------------------------------------------------------------===//

/// Whether a value passed to a launch fits a type of the kernel: the tensor, or a buffer of it.
static bool fits(Type value, Type kernel) {
  if (value == kernel)
    return true;
  auto buffer = dyn_cast<MemRefType>(value);
  auto tensor = dyn_cast<RankedTensorType>(kernel);
  return buffer && tensor && buffer.getShape() == tensor.getShape() &&
         buffer.getElementType().getIntOrFloatBitWidth() ==
             tensor.getElementType().getIntOrFloatBitWidth();
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto kernel = symbols.lookupNearestSymbolFrom<func::FuncOp>(*this, getKernelAttr());
  if (!kernel)
    return emitOpError("runs '") << getKernel() << "', which is no kernel; outline it first";
  if (getNumResults() == 0 && !getOutputs().empty()) {
    // A kernel that is already lowered takes buffers and a range.
    if (kernel.getNumResults() == 0)
      return success();
    if (getOutputs().size() != kernel.getNumResults() ||
        !llvm::all_of(llvm::zip(getOutputs().getTypes(), kernel.getResultTypes()),
                      [](auto pair) { return fits(std::get<0>(pair), std::get<1>(pair)); }))
      return emitOpError("has outputs that don't fit the results of '") << getKernel() << "'";
  } else if (getResultTypes() != kernel.getResultTypes()) {
    return emitOpError("has other results than '") << getKernel() << "'";
  }
  if (getInputs().size() != kernel.getNumArguments() ||
      !llvm::all_of(llvm::zip(getInputs().getTypes(), kernel.getArgumentTypes()),
                    [](auto pair) { return fits(std::get<0>(pair), std::get<1>(pair)); }))
    return emitOpError("has inputs that don't fit the arguments of '") << getKernel() << "'";
  return success();
}

void LaunchOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  for (OpOperand &input : getInputsMutable())
    if (isa<MemRefType>(input.get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), &input);
  for (OpOperand &output : getOutputsMutable())
    effects.emplace_back(MemoryEffects::Write::get(), &output);
  for (OpOperand &scratch : getScratchMutable())
    effects.emplace_back(MemoryEffects::Write::get(), &scratch);
}
