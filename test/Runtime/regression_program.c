/*===- regression_program.c - What the compiler would emit -------------------===
 *
 * Part of lgc, the large graph compiler, under the Apache License v2.0.
 * SPDX-License-Identifier: Apache-2.0
 *
 *===----------------------------------------------------------------------===
 *
 * A program written by hand: softmax regression of 3 classes on 4 features, trained by
 * gradient descent with momentum, on batches of 8. It stands for emitted object code in
 * the tests of the runtime. The environment can ask it for delays and bad losses.
 *
 *===----------------------------------------------------------------------===*/

#include "lgc/Runtime/Program.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { batch = 8, features = 4, classes = 3 };

const char lgc_manifest[] =
    "{\"format\":1,\"model\":\"regression.onnx\",\"compiler\":\"lgc 0.1.0\",\"target\":\"cpu\","
    "\"arena_bytes\":1024,\"alignment\":64,\"batch\":8,\"micro_batches\":1,\"learning_rate\":0.5,"
    "\"buffers\":["
    "{\"name\":\"x\",\"role\":\"input\",\"type\":\"f32\",\"shape\":[8,4],\"offset\":0,"
    "\"bytes\":128,\"batch_dim\":0},"
    "{\"name\":\"labels\",\"role\":\"input\",\"type\":\"i64\",\"shape\":[8],\"offset\":128,"
    "\"bytes\":64,\"batch_dim\":0,\"range\":[0,2],\"also\":[-100]},"
    "{\"name\":\"w\",\"role\":\"parameter\",\"type\":\"f32\",\"shape\":[4,3],\"offset\":192,"
    "\"bytes\":48,\"init\":{\"file\":\"weights.bin\",\"offset\":16,\"bytes\":48},"
    "\"trainable\":true,\"onnx\":[{\"initializer\":\"weight\",\"permutation\":[1,0]}]},"
    "{\"name\":\"b\",\"role\":\"parameter\",\"type\":\"f32\",\"shape\":[3],\"offset\":256,"
    "\"bytes\":12,\"init\":{\"fill\":0.25},\"trainable\":true,"
    "\"onnx\":[{\"initializer\":\"bias\"}]},"
    "{\"name\":\"w.momentum\",\"role\":\"state\",\"type\":\"f32\",\"shape\":[4,3],\"offset\":320,"
    "\"bytes\":48,\"init\":{\"fill\":0}},"
    "{\"name\":\"b.momentum\",\"role\":\"state\",\"type\":\"f32\",\"shape\":[3],\"offset\":384,"
    "\"bytes\":12,\"init\":{\"fill\":0}},"
    "{\"name\":\"lgc.learning_rate\",\"role\":\"scalar\",\"type\":\"f32\",\"shape\":[],"
    "\"offset\":448,\"bytes\":4},"
    "{\"name\":\"lgc.step\",\"role\":\"scalar\",\"type\":\"i64\",\"shape\":[],\"offset\":512,"
    "\"bytes\":8},"
    "{\"name\":\"lgc.seed\",\"role\":\"scalar\",\"type\":\"i64\",\"shape\":[],\"offset\":520,"
    "\"bytes\":8},"
    "{\"name\":\"lgc.loss\",\"role\":\"output\",\"type\":\"f32\",\"shape\":[],\"offset\":576,"
    "\"bytes\":4},"
    "{\"name\":\"lgc.forward_loss\",\"role\":\"output\",\"type\":\"f32\",\"shape\":[],"
    "\"offset\":580,\"bytes\":4},"
    "{\"name\":\"lgc.grad_norm\",\"role\":\"output\",\"type\":\"f32\",\"shape\":[],"
    "\"offset\":584,\"bytes\":4},"
    "{\"name\":\"logits\",\"role\":\"output\",\"type\":\"f32\",\"shape\":[8,3],\"offset\":640,"
    "\"bytes\":96}],"
    "\"functions\":{\"train_step\":{\"inputs\":[\"x\",\"labels\"],\"loss\":\"lgc.loss\","
    "\"metrics\":[\"lgc.grad_norm\"]},"
    "\"forward\":{\"inputs\":[\"x\",\"labels\"],\"outputs\":[\"logits\"],"
    "\"loss\":\"lgc.forward_loss\"}},"
    "\"classification\":{\"logits\":\"logits\",\"labels\":\"labels\",\"class_dim\":1,"
    "\"ignore_index\":-100},"
    "\"source\":{\"onnx\":\"source/model.onnx\"}}";

#define FLOATS(offset) ((float *)(arena + (offset)))

/* Writes the logits and returns the loss; `difference` gets its gradient by them. */
static float loss(uint8_t *arena, float difference[batch][classes]) {
  const float *x = FLOATS(0), *w = FLOATS(192), *b = FLOATS(256);
  const int64_t *labels = (const int64_t *)(arena + 128);
  float *logits = FLOATS(640), total = 0;
  int counted = 0;
  for (int i = 0; i < batch; ++i)
    counted += labels[i] != -100;
  for (int i = 0; i < batch; ++i) {
    float sum = 0;
    for (int c = 0; c < classes; ++c) {
      float value = b[c];
      for (int f = 0; f < features; ++f)
        value += x[i * features + f] * w[f * classes + c];
      logits[i * classes + c] = value;
      sum += expf(value);
    }
    for (int c = 0; c < classes; ++c) {
      float probability = expf(logits[i * classes + c]) / sum;
      int isLabel = labels[i] == c;
      difference[i][c] = labels[i] == -100 ? 0 : (probability - isLabel) / counted;
      if (isLabel)
        total -= logf(probability) / counted;
    }
  }
  return total;
}

void lgc_train_step(uint8_t *arena) {
  const float *x = FLOATS(0);
  float *w = FLOATS(192), *b = FLOATS(256), *wMomentum = FLOATS(320), *bMomentum = FLOATS(384);
  float rate = *FLOATS(448), difference[batch][classes], squares = 0;
  *FLOATS(576) = loss(arena, difference);
  for (int c = 0; c < classes; ++c) {
    float gradient = 0;
    for (int i = 0; i < batch; ++i)
      gradient += difference[i][c];
    squares += gradient * gradient;
    bMomentum[c] = 0.9f * bMomentum[c] + gradient;
    b[c] -= rate * bMomentum[c];
    for (int f = 0; f < features; ++f) {
      gradient = 0;
      for (int i = 0; i < batch; ++i)
        gradient += difference[i][c] * x[i * features + f];
      squares += gradient * gradient;
      wMomentum[f * classes + c] = 0.9f * wMomentum[f * classes + c] + gradient;
      w[f * classes + c] -= rate * wMomentum[f * classes + c];
    }
  }
  *FLOATS(584) = sqrtf(squares);
  if (getenv("TEST_NAN_AT") && *(int64_t *)(arena + 512) == atoi(getenv("TEST_NAN_AT")))
    *FLOATS(576) = NAN;
  if (getenv("TEST_STEP_MICROSECONDS"))
    usleep((unsigned)atoi(getenv("TEST_STEP_MICROSECONDS")));
}

void lgc_forward(uint8_t *arena) {
  float difference[batch][classes];
  *FLOATS(580) = loss(arena, difference);
}
