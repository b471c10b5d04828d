//===- Einsum.cpp - Sums of products by named dimensions -------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "../NodeImporter.h"

using namespace mlir;
using namespace lgc;
using Shape = SmallVector<int64_t>;

namespace {

/// A tensor whose dimensions have one-letter names. The dimensions of an ellipsis are named by
/// numbers below 32, counted from the last.
struct Term {
  Value value;
  std::string labels;
};

/// Evaluates the product term by term from the left.
class Einsum {
public:
  explicit Einsum(NodeImporter &n) : n(n) {}
  Value run();

private:
  bool readEquation();
  bool readTerm(StringRef text, Value value, Term &term);
  Term takeDiagonals(Term term);
  Term sumUnused(Term term, StringRef needed);
  Term product(Term lhs, Term rhs, StringRef needed);

  NodeImporter &n;
  std::vector<Term> terms;
  std::string output;
  size_t ellipsis = 0; ///< the most dimensions that an ellipsis stands for
};

} // namespace

static std::string ellipsisLabels(size_t count) {
  std::string labels;
  for (size_t i = count; i-- > 0;)
    labels += char(1 + i);
  return labels;
}

bool Einsum::readTerm(StringRef text, Value value, Term &term) {
  term.value = value;
  auto [before, after] = text.split("...");
  bool hasEllipsis = text.contains("...");
  size_t named = before.size() + (hasEllipsis ? after.size() : 0);
  size_t rank = size_t(TensorBuilder::rankOf(value));
  if (named > rank || (!hasEllipsis && named != rank) || rank - named > 25) {
    n.error("the equation names " + Twine(named) + " dimensions of a tensor that has " +
            Twine(rank));
    return false;
  }
  size_t open = hasEllipsis ? rank - named : 0;
  ellipsis = std::max(ellipsis, open);
  term.labels = before.str() + ellipsisLabels(open) + (hasEllipsis ? after.str() : "");
  return true;
}

bool Einsum::readEquation() {
  std::string equation = n.stringAttr("equation", "");
  llvm::erase(equation, ' ');
  auto [inputs, result] = StringRef(equation).split("->");
  SmallVector<StringRef> texts;
  inputs.split(texts, ',');
  SmallVector<Value> operands = n.allOperands();
  if (operands.empty() || texts.size() != operands.size()) {
    n.error("the equation '" + equation + "' doesn't have one term for each input");
    return false;
  }
  for (auto [text, value] : llvm::zip(texts, operands))
    if (!readTerm(text, value, terms.emplace_back()))
      return false;
  if (StringRef(equation).contains("->")) {
    auto [before, after] = result.split("...");
    output = before.str();
    if (result.contains("..."))
      output += ellipsisLabels(ellipsis) + after.str();
    return true;
  }
  // Without an arrow: the ellipsis, then the names that appear once, in their order.
  std::string all;
  for (const Term &term : terms)
    all += term.labels;
  std::string once;
  for (char label : all)
    if (label >= 32 && llvm::count(all, label) == 1)
      once += label;
  llvm::sort(once);
  output = ellipsisLabels(ellipsis) + once;
  return true;
}

/// A name twice in one term takes the diagonal: what is off it becomes 0 and is summed away.
Term Einsum::takeDiagonals(Term term) {
  for (size_t i = 0; i < term.labels.size(); ++i) {
    size_t j = term.labels.find(term.labels[i], i + 1);
    if (j == std::string::npos || !term.value)
      continue;
    ArrayRef<int64_t> shape = TensorBuilder::shapeOf(term.value);
    if (shape[i] != shape[j])
      return {n.error("dimensions of one name have different sizes"), ""};
    Value onDiagonal = n.compare(ComparePredicate::EQ, n.iota(shape, int64_t(i), n.i64()),
                                 n.iota(shape, int64_t(j), n.i64()));
    Value kept = n.select(onDiagonal, term.value, n.like(term.value, 0.0));
    term.value = n.reduce(ReductionKind::Sum, kept, {int64_t(j)}, /*keepDims=*/false);
    term.labels.erase(j, 1);
    --i;
  }
  return term;
}

Term Einsum::sumUnused(Term term, StringRef needed) {
  Shape dims;
  std::string kept;
  for (auto [i, label] : llvm::enumerate(term.labels))
    if (needed.contains(label))
      kept += label;
    else
      dims.push_back(int64_t(i));
  return {n.reduce(ReductionKind::Sum, term.value, dims, /*keepDims=*/false), kept};
}

Term Einsum::product(Term lhs, Term rhs, StringRef needed) {
  if (!lhs.value || !rhs.value)
    return {};
  // Size 1 against another size is a broadcast: only ellipses may have it.
  for (auto [i, label] : llvm::enumerate(lhs.labels)) {
    size_t j = rhs.labels.find(label);
    if (j == std::string::npos)
      continue;
    Shape left(TensorBuilder::shapeOf(lhs.value)), right(TensorBuilder::shapeOf(rhs.value));
    int64_t size = left[i] == 1 ? right[j] : left[i];
    left[i] = right[j] = size;
    lhs.value = n.broadcastTo(lhs.value, left);
    rhs.value = n.broadcastTo(rhs.value, right);
    if (!lhs.value || !rhs.value)
      return {};
  }
  Shape leftBatch, rightBatch, leftSum, rightSum;
  std::string batch, free;
  for (auto [i, label] : llvm::enumerate(lhs.labels)) {
    size_t j = rhs.labels.find(label);
    if (j == std::string::npos) {
      free += label;
    } else if (needed.contains(label)) {
      batch += label;
      leftBatch.push_back(int64_t(i));
      rightBatch.push_back(int64_t(j));
    } else {
      leftSum.push_back(int64_t(i));
      rightSum.push_back(int64_t(j));
    }
  }
  for (char label : rhs.labels)
    if (lhs.labels.find(label) == std::string::npos)
      free += label;
  return {n.dot(lhs.value, rhs.value, leftBatch, rightBatch, leftSum, rightSum), batch + free};
}

Value Einsum::run() {
  if (!readEquation())
    return {};
  Term result;
  for (size_t i = 0; i < terms.size(); ++i) {
    std::string later = output;
    for (size_t j = i + 1; j < terms.size(); ++j)
      later += terms[j].labels;
    Term term = takeDiagonals(terms[i]);
    if (!term.value)
      return {};
    result = i == 0 ? sumUnused(term, later)
                    : product(result, sumUnused(term, later + result.labels), later);
    if (!result.value)
      return {};
  }
  Shape permutation;
  for (char label : output) {
    size_t i = result.labels.find(label);
    if (i == std::string::npos || output.size() != result.labels.size())
      return n.error("the equation's result has a name that no input has, or one twice");
    permutation.push_back(int64_t(i));
  }
  return n.transpose(result.value, permutation);
}

static void importEinsum(NodeImporter &n) { n.setResult(Einsum(n).run()); }

void lgc::registerEinsumOps(OpTable &table) { table["Einsum"] = importEinsum; }
