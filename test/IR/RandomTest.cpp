//===- RandomTest.cpp - Random numbers, run --------------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Execution.h"
#include <array>

using namespace lgc::test;

namespace {

using Words = std::array<uint32_t, 4>;

/// Philox 4x32-10 as in the paper, to compare with.
Words philox(Words counter, std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    uint64_t first = uint64_t(0xD2511F53) * counter[0];
    uint64_t second = uint64_t(0xCD9E8D57) * counter[2];
    counter = {
        static_cast<uint32_t>(second >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(second),
        static_cast<uint32_t>(first >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(first)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

/// The known answers that the authors' library Random123 is tested with.
TEST(Random, ReferenceGivesPublishedWords) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

struct Key {
  uint64_t seed, step, stream;
};

const std::vector<Key> keys = {
    {0, 0, 0}, {1, 1, 0}, {0x299f31d0a4093822, 0x13198a2e, 0x03707344}, {0xffffffffffffffff, 7, 3}};

TEST(Random, FloatsAreTheHighBitsOfTheFirstWord) {
  for (const Key &key : keys) {
    Tensor<int64_t> seed({}, static_cast<int64_t>(key.seed));
    Tensor<int64_t> step({}, static_cast<int64_t>(key.step));
    Execution run({"tensor<3x50xf32>", "tensor<3x50xf64>"},
                  "%r0 = lgc.random_uniform %a0, %a1 stream = " + std::to_string(key.stream) +
                      " : tensor<3x50xf32>\n%r1 = lgc.random_uniform %a0, %a1 stream = " +
                      std::to_string(key.stream) + " : tensor<3x50xf64>",
                  seed, step);
    std::vector<float> single(150);
    std::vector<double> twice(150);
    for (uint32_t i = 0; i < 150; ++i) {
      Words words =
          philox({i, 0, static_cast<uint32_t>(key.step), static_cast<uint32_t>(key.stream)},
                 {static_cast<uint32_t>(key.seed), static_cast<uint32_t>(key.seed >> 32)});
      single[i] = std::ldexp(static_cast<float>(words[0] >> 8), -24);
      uint64_t bits = (uint64_t(words[1]) << 32 | words[0]) >> 11;
      twice[i] = std::ldexp(static_cast<double>(bits), -53);
    }
    EXPECT_EQ(run.get<float>(0), single);
    EXPECT_EQ(run.get<double>(1), twice);
  }
}

TEST(Random, IsUniformAndBelowOne) {
  Tensor<int64_t> seed({}, 42), step({}, 1);
  Execution run({"tensor<65536xf32>", "tensor<65536xf32>"},
                "%r0 = lgc.random_uniform %a0, %a1 stream = 5 : tensor<65536xf32>\n"
                "%h = lgc.random_uniform %a0, %a1 stream = 5 : tensor<65536xbf16>\n"
                "%r1 = lgc.cast %h : tensor<65536xbf16> to tensor<65536xf32>",
                seed, step);
  for (unsigned result : {0, 1}) {
    double sum = 0, squares = 0;
    for (float value : run.get<float>(result)) {
      EXPECT_GE(value, 0.0f);
      EXPECT_LT(value, 1.0f);
      sum += value;
      squares += value * value;
    }
    EXPECT_NEAR(sum / 65536, 0.5, 0.01);
    EXPECT_NEAR(squares / 65536, 1.0 / 3, 0.01);
  }
}

} // namespace
