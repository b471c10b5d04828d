//===- SpecTest.cpp - What specifications mean and which are refused ------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Training/Spec.h"
#include "lgc/Training/Training.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace lgc;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

static Spec parse(llvm::StringRef text) { return llvm::cantFail(Spec::parse(text)); }

static std::string getError(llvm::Error error) { return llvm::toString(std::move(error)); }

template <typename T> static std::string getError(llvm::Expected<T> value) {
  return getError(value.takeError());
}

TEST(Spec, NameAlone) {
  Spec spec = parse(" /layer/loss:0 ");
  EXPECT_EQ(spec.getName(), "/layer/loss:0");
  EXPECT_FALSE(spec.isCall());
  EXPECT_THAT(spec.getArguments(), IsEmpty());
}

TEST(Spec, CallWithoutArguments) {
  Spec spec = parse("adamw( )");
  EXPECT_EQ(spec.getName(), "adamw");
  EXPECT_TRUE(spec.isCall());
  EXPECT_THAT(spec.getArguments(), IsEmpty());
}

TEST(Spec, ArgumentsAndValuesInAnyOrder) {
  Spec spec = parse("cross_entropy( logits , ignore_index = -1, my labels)");
  EXPECT_THAT(spec.getArguments(), ElementsAre("logits", "my labels"));
  EXPECT_EQ(llvm::cantFail(spec.getInteger("ignore_index", -100)), -1);
  EXPECT_EQ(llvm::cantFail(spec.getInteger("dim", 7)), 7);
  EXPECT_EQ(getError(spec.checkAllKnown()), "");
}

TEST(Spec, NumbersAndFlags) {
  Spec spec = parse("sgd(lr=3e-4,momentum=.5,nesterov=true,x=0)");
  EXPECT_EQ(llvm::cantFail(spec.getNumber("lr", 1.0)), 3e-4);
  EXPECT_EQ(llvm::cantFail(spec.getNumber("momentum", 1.0)), 0.5);
  EXPECT_EQ(llvm::cantFail(spec.getNumber("dampening", 0.25)), 0.25);
  EXPECT_TRUE(llvm::cantFail(spec.getFlag("nesterov", false)));
  EXPECT_FALSE(llvm::cantFail(spec.getFlag("x", true)));
  EXPECT_TRUE(llvm::cantFail(spec.getFlag("y", true)));
}

TEST(Spec, RefusesMalformedText) {
  EXPECT_THAT(getError(Spec::parse("")), HasSubstr("has no name"));
  EXPECT_THAT(getError(Spec::parse("(a)")), HasSubstr("has no name"));
  EXPECT_THAT(getError(Spec::parse("f(a")), HasSubstr("parentheses that don't match"));
  EXPECT_THAT(getError(Spec::parse("f(a))")), HasSubstr("parentheses that don't match"));
  EXPECT_THAT(getError(Spec::parse("f(g(a))")), HasSubstr("parentheses that don't match"));
  EXPECT_THAT(getError(Spec::parse("f(a) b")), HasSubstr("parentheses that don't match"));
  EXPECT_THAT(getError(Spec::parse("f(a,)")), HasSubstr("empty argument"));
  EXPECT_THAT(getError(Spec::parse("f(,a)")), HasSubstr("empty argument"));
  EXPECT_THAT(getError(Spec::parse("f(=1)")), HasSubstr("empty argument"));
  EXPECT_THAT(getError(Spec::parse("f(a=)")), HasSubstr("empty argument"));
  EXPECT_THAT(getError(Spec::parse("f(a=1, a=2)")), HasSubstr("gives 'a' twice"));
}

TEST(Spec, RefusesWrongValues) {
  for (llvm::StringRef text :
       {"f(a=b)", "f(a=1.0.0)", "f(a==1)", "f(a=nan)", "f(a=inf)", "f(a=1e999)"}) {
    Spec spec = parse(text);
    EXPECT_THAT(getError(spec.getNumber("a", 0.0)), HasSubstr("is no number")) << text.str();
  }
  for (llvm::StringRef text : {"f(a=1.5)", "f(a=99999999999999999999)", "f(a=0x1)"}) {
    Spec spec = parse(text);
    EXPECT_THAT(getError(spec.getInteger("a", 0)), HasSubstr("is no integer")) << text.str();
  }
  EXPECT_THAT(getError(parse("f(a=yes)").getFlag("a", false)), HasSubstr("write true or false"));
}

TEST(Spec, NamesWhatNobodyAskedFor) {
  Spec spec = parse("f(a=1, b=2)");
  (void)spec.get("a");
  (void)spec.get("c");
  EXPECT_EQ(getError(spec.checkAllKnown()), "'f' has no parameter 'b'; it has a, c");
  EXPECT_EQ(getError(parse("f(a=1)").checkAllKnown()), "'f' has no parameter 'a'; leave it out");
}

TEST(Optimizer, AcceptsEveryForm) {
  for (llvm::StringRef text :
       {"sgd", "sgd(lr=0.1, momentum=0.9, nesterov=true)", "momentum(lr=1, dampening=0.5)", "adam",
        "adam(lr=1e-3, beta1=0.8, beta2=0.95, eps=1e-6, weight_decay=0.1, decay=matrices)",
        "adamw(lr=0, decay=all)", "adamw(decay=*.weight|embed*)"})
    EXPECT_EQ(getError(checkOptimizer(text)), "") << text.str();
}

TEST(Optimizer, RefusesWhatHasNoMeaning) {
  EXPECT_THAT(getError(checkOptimizer("luck(lr=1)")), HasSubstr("no optimizer 'luck'"));
  EXPECT_THAT(getError(checkOptimizer("sgd(0.1)")), HasSubstr("an argument without a name"));
  EXPECT_THAT(getError(checkOptimizer("sgd(beta1=0.9)")), HasSubstr("no parameter 'beta1'"));
  EXPECT_THAT(getError(checkOptimizer("adam(lr=-1)")),
              HasSubstr("lr=-1; write a number of 0 or more"));
  EXPECT_THAT(getError(checkOptimizer("adam(beta1=1)")),
              HasSubstr("beta1=1; write a number from 0 to below 1"));
  EXPECT_THAT(getError(checkOptimizer("sgd(nesterov=true)")), HasSubstr("needs a momentum"));
  EXPECT_THAT(getError(checkOptimizer("momentum(nesterov=true, dampening=0.1)")),
              HasSubstr("no dampening"));
  EXPECT_THAT(getError(checkOptimizer("adamw(decay=[)")), HasSubstr("patterns of names"));
}

TEST(Loss, AcceptsEveryForm) {
  for (llvm::StringRef text :
       {"loss", "cross_entropy(logits, labels)", "cross_entropy(a, b, ignore_index=-1, dim=1)",
        "mse(a, b)", "l1(a, b)", "binary_cross_entropy_with_logits(a, b)"})
    EXPECT_EQ(getError(checkLoss(text)), "") << text.str();
}

TEST(Loss, RefusesWhatHasNoMeaning) {
  EXPECT_THAT(getError(checkLoss("regret(a, b)")), HasSubstr("no loss 'regret'"));
  EXPECT_THAT(getError(checkLoss("mse(a)")), HasSubstr("takes two names"));
  EXPECT_THAT(getError(checkLoss("mse(a, b, c)")), HasSubstr("takes two names"));
  EXPECT_THAT(getError(checkLoss("mse(a, b, dim=1)")), HasSubstr("no parameter 'dim'"));
  EXPECT_THAT(getError(checkLoss("cross_entropy(a, b, dim=x)")), HasSubstr("is no integer"));
}
