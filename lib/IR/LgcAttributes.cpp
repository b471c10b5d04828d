//===- LgcAttributes.cpp - Attributes of the lgc dialect ------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/IR/LgcAttributes.h"
#include "lgc/IR/LgcDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lgc;

#include "lgc/IR/LgcEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "lgc/IR/LgcAttributes.cpp.inc"

void LgcDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "lgc/IR/LgcAttributes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// ShardingRuleAttr
//===----------------------------------------------------------------------===//

/// Factors are letters from i on, then z0, z1, ...
static std::string getFactorName(int64_t factor) {
  constexpr int64_t letters = 'z' - 'i';
  if (factor < letters)
    return std::string(1, static_cast<char>('i' + factor));
  return "z" + std::to_string(factor - letters);
}

static void printTensors(AsmPrinter &printer, ArrayAttr tensors) {
  printer << "(";
  llvm::interleaveComma(tensors, printer, [&](Attribute tensor) {
    printer << "[";
    llvm::interleaveComma(cast<ArrayAttr>(tensor), printer, [&](Attribute dim) {
      auto factors = cast<DenseI64ArrayAttr>(dim);
      if (factors.empty())
        printer << "1";
      for (int64_t factor : factors.asArrayRef())
        printer << getFactorName(factor);
    });
    printer << "]";
  });
  printer << ")";
}

static void printFactorList(AsmPrinter &printer, StringRef name, ArrayRef<int64_t> factors) {
  if (factors.empty())
    return;
  printer << " " << name << " = {";
  llvm::interleaveComma(factors, printer,
                        [&](int64_t factor) { printer << getFactorName(factor); });
  printer << "}";
}

void ShardingRuleAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printTensors(printer, getOperandFactors());
  printer << " -> ";
  printTensors(printer, getResultFactors());
  printer << " {";
  llvm::interleaveComma(llvm::enumerate(getFactorSizes()), printer, [&](auto factor) {
    printer << getFactorName(factor.index()) << " = " << factor.value();
  });
  printer << "}";
  printFactorList(printer, "reduction", getReductionFactors());
  printFactorList(printer, "replicated", getReplicatedFactors());
  printer << ">";
}

namespace {

/// Parses the form that `print` writes.
class RuleParser {
public:
  explicit RuleParser(AsmParser &parser) : parser(parser) {}

  Attribute parse() {
    ArrayAttr operands, results;
    SmallVector<int64_t> sizes, reduction, replicated;
    if (parser.parseLess() || parseTensors(operands) || parser.parseArrow() ||
        parseTensors(results) || parseSizes(sizes) || parseFactorList("reduction", reduction) ||
        parseFactorList("replicated", replicated) || parser.parseGreater())
      return {};
    return parser.getChecked<ShardingRuleAttr>(parser.getContext(), operands, results, sizes,
                                               reduction, replicated);
  }

private:
  /// Splits `ijz0` into factor numbers.
  ParseResult splitFactors(StringRef text, SmallVectorImpl<int64_t> &factors) {
    while (!text.empty()) {
      char letter = text.front();
      text = text.drop_front();
      if (letter >= 'i' && letter < 'z') {
        factors.push_back(letter - 'i');
        continue;
      }
      StringRef digits = text.take_while([](char c) { return c >= '0' && c <= '9'; });
      int64_t number;
      if (letter != 'z' || digits.getAsInteger(10, number))
        return parser.emitError(parser.getCurrentLocation(),
                                "expected factors: letters from i to y, or z with a number");
      factors.push_back('z' - 'i' + number);
      text = text.drop_front(digits.size());
    }
    return success();
  }

  ParseResult parseDim(SmallVectorImpl<Attribute> &dims) {
    SmallVector<int64_t> factors;
    int64_t one;
    OptionalParseResult unit = parser.parseOptionalInteger(one);
    if (unit.has_value()) {
      if (failed(*unit) || one != 1)
        return parser.emitError(parser.getCurrentLocation(), "expected factors, or 1 for none");
    } else {
      if (parser.parseKeyword(&name) || splitFactors(name, factors))
        return failure();
    }
    dims.push_back(DenseI64ArrayAttr::get(parser.getContext(), factors));
    return success();
  }

  ParseResult parseTensors(ArrayAttr &tensors) {
    SmallVector<Attribute> parsed;
    auto parseTensor = [&]() -> ParseResult {
      SmallVector<Attribute> dims;
      if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                         [&] { return parseDim(dims); }))
        return failure();
      parsed.push_back(ArrayAttr::get(parser.getContext(), dims));
      return success();
    };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseTensor))
      return failure();
    tensors = ArrayAttr::get(parser.getContext(), parsed);
    return success();
  }

  ParseResult parseFactor(int64_t &factor) {
    SmallVector<int64_t> factors;
    if (parser.parseKeyword(&name) || splitFactors(name, factors))
      return failure();
    if (factors.size() != 1)
      return parser.emitError(parser.getCurrentLocation(), "expected one factor");
    factor = factors.front();
    return success();
  }

  ParseResult parseSizes(SmallVectorImpl<int64_t> &sizes) {
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, [&]() -> ParseResult {
      int64_t factor, size;
      if (parseFactor(factor) || parser.parseEqual() || parser.parseInteger(size))
        return failure();
      if (factor != static_cast<int64_t>(sizes.size()))
        return parser.emitError(parser.getCurrentLocation(), "expected sizes in factor order");
      sizes.push_back(size);
      return success();
    });
  }

  ParseResult parseFactorList(StringRef keyword, SmallVectorImpl<int64_t> &factors) {
    if (parser.parseOptionalKeyword(keyword))
      return success();
    if (parser.parseEqual())
      return failure();
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, [&]() -> ParseResult {
      return parseFactor(factors.emplace_back());
    });
  }

  AsmParser &parser;
  StringRef name;
};

} // namespace

Attribute ShardingRuleAttr::parse(AsmParser &parser, Type) { return RuleParser(parser).parse(); }

LogicalResult ShardingRuleAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                                       ArrayAttr operandFactors, ArrayAttr resultFactors,
                                       ArrayRef<int64_t> factorSizes,
                                       ArrayRef<int64_t> reductionFactors,
                                       ArrayRef<int64_t> replicatedFactors) {
  int64_t count = factorSizes.size();
  llvm::SmallSet<int64_t, 8> used;
  for (ArrayAttr tensors : {operandFactors, resultFactors}) {
    for (Attribute tensor : tensors) {
      llvm::SmallSet<int64_t, 8> inTensor;
      for (Attribute dim : cast<ArrayAttr>(tensor)) {
        for (int64_t factor : cast<DenseI64ArrayAttr>(dim).asArrayRef()) {
          if (factor < 0 || factor >= count)
            return emitError() << "factor " << getFactorName(factor) << " has no size; list it";
          if (!inTensor.insert(factor).second)
            return emitError() << "factor " << getFactorName(factor)
                               << " is twice in a tensor; use two factors";
          used.insert(factor);
        }
      }
    }
  }
  for (int64_t factor = 0; factor < count; ++factor)
    if (!used.contains(factor))
      return emitError() << "factor " << getFactorName(factor) << " is in no tensor; remove it";
  for (ArrayRef<int64_t> list : {reductionFactors, replicatedFactors})
    for (int64_t factor : list)
      if (factor < 0 || factor >= count)
        return emitError() << "factor " << getFactorName(factor) << " has no size; list it";
  for (int64_t factor : reductionFactors)
    if (llvm::is_contained(replicatedFactors, factor))
      return emitError() << "factor " << getFactorName(factor)
                         << " is both a reduction and replicated; choose one";
  return success();
}
