//===- Recurrent.cpp - Recurrent layers, unrolled over time ----------------===//
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

/// The sizes and operands that RNN, GRU and LSTM share. `x` is [time, batch, features].
struct Recurrent {
  Recurrent(NodeImporter &n, int64_t gates) : n(n), gates(gates) {}

  NodeImporter &n;
  int64_t gates; ///< rows of the weights by hidden size
  Value x, w, r, b, h, c, peepholes;
  int64_t time = 0, batch = 0, hidden = 0, directions = 1;
  bool batchFirst = false;
  SmallVector<std::string> activations;

  bool read(unsigned initialCell, unsigned peephole, ArrayRef<StringRef> defaults);
  /// One direction's part of weights of any rank, without the first dimension.
  Value part(Value whole, int64_t direction);
  /// Row block `gate` of [rows, columns] or of [rows].
  Value gate(Value whole, int64_t number);
  Value activate(Value x, int64_t direction, unsigned number, unsigned perDirection);
  /// x W^T + biases for one time step, of one gate.
  Value project(Value x, Value weights, Value bias);
  void run(llvm::function_ref<void(int64_t, Value, Value &, Value &)> step, bool hasCell);
};

} // namespace

bool Recurrent::read(unsigned initialCell, unsigned peephole, ArrayRef<StringRef> defaults) {
  x = n.operand(0), w = n.operand(1), r = n.operand(2), b = n.optionalOperand(3);
  h = n.optionalOperand(5);
  c = initialCell ? n.optionalOperand(initialCell) : Value();
  peepholes = peephole ? n.optionalOperand(peephole) : Value();
  if (!x || !w || !r)
    return false;
  batchFirst = n.intAttr("layout", 0) != 0;
  if (TensorBuilder::rankOf(x) != 3 || TensorBuilder::rankOf(w) != 3 ||
      TensorBuilder::rankOf(r) != 3)
    return n.error("input and weights must have three dimensions"), false;
  if (batchFirst) {
    x = n.transpose(x, {1, 0, 2});
    h = h ? n.transpose(h, {1, 0, 2}) : h;
    c = c ? n.transpose(c, {1, 0, 2}) : c;
  }
  time = TensorBuilder::shapeOf(x)[0];
  batch = TensorBuilder::shapeOf(x)[1];
  directions = TensorBuilder::shapeOf(w)[0];
  hidden = TensorBuilder::shapeOf(r)[2];
  std::string direction = n.stringAttr("direction", "forward");
  if (directions != (direction == "bidirectional" ? 2 : 1) ||
      TensorBuilder::shapeOf(w)[1] != gates * hidden ||
      TensorBuilder::shapeOf(r)[1] != gates * hidden)
    return n.error("the weights don't fit the direction and the hidden size"), false;
  if (n.hasOperand(4)) {
    auto lengths = n.constantInts(4, "sequence lengths");
    if (!lengths)
      return false;
    if (llvm::any_of(*lengths, [&](int64_t length) { return length != time; }))
      return n.error("only sequences of full length are supported"), false;
  }
  if (time > 4096 || n.hasAttribute("clip") || n.intAttr("input_forget", 0))
    return n.error("more than 4096 time steps, 'clip' and 'input_forget' aren't supported"), false;
  if (const onnx::AttributeProto *given = n.attribute("activations"))
    activations.assign(given->strings().begin(), given->strings().end());
  while (activations.size() < defaults.size() * size_t(directions))
    activations.push_back(defaults[activations.size() % defaults.size()].str());
  for (const std::string &name : activations)
    if (name != "Sigmoid" && name != "Tanh" && name != "Relu")
      return n.error("the activation '" + name + "' isn't supported"), false;
  return true;
}

Value Recurrent::part(Value whole, int64_t direction) {
  if (!whole)
    return {};
  Value slice = n.sliceDim(whole, 0, direction, direction + 1);
  return n.reshape(slice, TensorBuilder::shapeOf(whole).drop_front());
}

Value Recurrent::gate(Value whole, int64_t number) {
  return n.sliceDim(whole, 0, number * hidden, (number + 1) * hidden);
}

Value Recurrent::activate(Value value, int64_t direction, unsigned number, unsigned perDirection) {
  StringRef name = activations[size_t(direction) * perDirection + number];
  if (name == "Sigmoid")
    return n.unary<LogisticOp>(value);
  if (name == "Tanh")
    return n.unary<TanhOp>(value);
  return n.binary<MaxOp>(value, 0.0);
}

Value Recurrent::project(Value input, Value weights, Value bias) {
  Value y = n.dot(input, weights, {}, {}, {1}, {1});
  return bias && y ? n.add(y, n.broadcastTo(bias, TensorBuilder::shapeOf(y))) : y;
}

void Recurrent::run(llvm::function_ref<void(int64_t, Value, Value &, Value &)> step, bool hasCell) {
  Type element = TensorBuilder::elementOf(x);
  SmallVector<SmallVector<Value>> outputs(directions);
  SmallVector<Value> lastH, lastC;
  bool reversed = n.stringAttr("direction", "forward") == "reverse";
  for (int64_t d = 0; d < directions; ++d) {
    Value state = h ? part(h, d) : n.splat(0.0, element, {batch, hidden});
    Value cell = c ? part(c, d) : n.splat(0.0, element, {batch, hidden});
    bool backwards = reversed || d == 1;
    for (int64_t t = 0; t < time; ++t) {
      int64_t at = backwards ? time - 1 - t : t;
      Value input = n.reshape(n.sliceDim(x, 0, at, at + 1), {batch, TensorBuilder::shapeOf(x)[2]});
      step(d, input, state, cell);
      if (!state)
        return;
      outputs[d].push_back(n.unsqueeze(state, {0}));
    }
    if (backwards)
      std::reverse(outputs[d].begin(), outputs[d].end());
    lastH.push_back(n.unsqueeze(state, {0}));
    lastC.push_back(n.unsqueeze(cell, {0}));
  }
  SmallVector<Value> all;
  for (auto &direction : outputs)
    all.push_back(n.unsqueeze(n.concat(direction, 0), {1}));
  Value y = n.concat(all, 1), yh = n.concat(lastH, 0), yc = n.concat(lastC, 0);
  if (batchFirst) {
    y = n.transpose(y, {2, 0, 1, 3});
    yh = n.transpose(yh, {1, 0, 2});
    yc = n.transpose(yc, {1, 0, 2});
  }
  n.setResult(0, y);
  n.setResult(1, yh);
  if (hasCell)
    n.setResult(2, yc);
}

static void importRnn(NodeImporter &n) {
  Recurrent rnn(n, 1);
  if (!rnn.read(0, 0, {"Tanh"}))
    return;
  rnn.run(
      [&](int64_t d, Value x, Value &h, Value &) {
        Value b = rnn.part(rnn.b, d);
        Value sum = n.add(rnn.project(x, rnn.part(rnn.w, d), b ? rnn.gate(b, 0) : b),
                          rnn.project(h, rnn.part(rnn.r, d), b ? rnn.gate(b, 1) : b));
        h = rnn.activate(sum, d, 0, 1);
      },
      /*hasCell=*/false);
}

static void importGru(NodeImporter &n) {
  Recurrent gru(n, 3);
  if (!gru.read(0, 0, {"Sigmoid", "Tanh"}))
    return;
  bool resetAfter = n.intAttr("linear_before_reset", 0) != 0;
  gru.run(
      [&](int64_t d, Value x, Value &h, Value &) {
        Value w = gru.part(gru.w, d), r = gru.part(gru.r, d), b = gru.part(gru.b, d);
        auto input = [&](int64_t gate) {
          return gru.project(x, gru.gate(w, gate), b ? gru.gate(b, gate) : b);
        };
        auto recur = [&](Value state, int64_t gate) {
          return gru.project(state, gru.gate(r, gate), b ? gru.gate(b, 3 + gate) : b);
        };
        Value z = gru.activate(n.add(input(0), recur(h, 0)), d, 0, 2);
        Value reset = gru.activate(n.add(input(1), recur(h, 1)), d, 0, 2);
        Value past = resetAfter ? n.mul(reset, recur(h, 2)) : recur(n.mul(reset, h), 2);
        Value fresh = gru.activate(n.add(input(2), past), d, 1, 2);
        h = n.add(n.mul(n.sub(n.like(z, 1.0), z), fresh), n.mul(z, h));
      },
      /*hasCell=*/false);
}

static void importLstm(NodeImporter &n) {
  Recurrent lstm(n, 4);
  if (!lstm.read(6, 7, {"Sigmoid", "Tanh", "Tanh"}))
    return;
  lstm.run(
      [&](int64_t d, Value x, Value &h, Value &c) {
        Value w = lstm.part(lstm.w, d), r = lstm.part(lstm.r, d), b = lstm.part(lstm.b, d);
        Value p = lstm.part(lstm.peepholes, d);
        // Gates lie in the order input, output, forget, cell; peepholes input, output, forget.
        auto sum = [&](int64_t gate, Value cell) {
          Value value = n.add(lstm.project(x, lstm.gate(w, gate), b ? lstm.gate(b, gate) : b),
                              lstm.project(h, lstm.gate(r, gate), b ? lstm.gate(b, 4 + gate) : b));
          if (!p || gate == 3 || !value)
            return value;
          return n.add(
              value, n.mul(n.broadcastTo(lstm.gate(p, gate), TensorBuilder::shapeOf(value)), cell));
        };
        Value in = lstm.activate(sum(0, c), d, 0, 3);
        Value forget = lstm.activate(sum(2, c), d, 0, 3);
        Value fresh = lstm.activate(sum(3, c), d, 1, 3);
        Value cell = n.add(n.mul(forget, c), n.mul(in, fresh));
        Value out = lstm.activate(sum(1, cell), d, 0, 3);
        h = n.mul(out, lstm.activate(cell, d, 2, 3));
        c = cell;
      },
      /*hasCell=*/true);
}

void lgc::registerRecurrentOps(OpTable &table) {
  table["RNN"] = importRnn;
  table["GRU"] = importGru;
  table["LSTM"] = importLstm;
}
