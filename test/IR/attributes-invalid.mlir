// RUN: lgc-opt %s -verify-diagnostics -split-input-file

// expected-error @+1 {{factor j has no size; list it}}
func.func private @f() attributes {rule = #lgc.sharding_rule<([i, j]) -> ([i]) {i = 2}>}

// -----

// expected-error @+1 {{factor i is twice in a tensor; use two factors}}
func.func private @f() attributes {rule = #lgc.sharding_rule<([i, i]) -> ([]) {i = 2}>}

// -----

// expected-error @+1 {{factor j is in no tensor; remove it}}
func.func private @f() attributes {rule = #lgc.sharding_rule<([i]) -> ([i]) {i = 2, j = 3}>}

// -----

// expected-error @+1 {{factor k has no size; list it}}
func.func private @f() attributes {rule = #lgc.sharding_rule<([i]) -> ([i]) {i = 2} replicated = {k}>}

// -----

// expected-error @+1 {{factor i is both a reduction and replicated; choose one}}
func.func private @f() attributes {rule = #lgc.sharding_rule<([i]) -> ([]) {i = 2} reduction = {i} replicated = {i}>}

// -----

// expected-error @+1 {{expected factors: letters from i to y, or z with a number}}
func.func private @f() attributes {rule = #lgc.sharding_rule<([a]) -> ([a]) {}>}

// -----

// expected-error @+1 {{expected factors, or 1 for none}}
func.func private @f() attributes {rule = #lgc.sharding_rule<([2]) -> ([]) {}>}

// -----

// expected-error @+1 {{expected sizes in factor order}}
func.func private @f() attributes {rule = #lgc.sharding_rule<([i, j]) -> ([]) {j = 2, i = 3}>}

// -----

// expected-error @+1 {{expected one factor}}
func.func private @f() attributes {rule = #lgc.sharding_rule<([i, j]) -> ([]) {ij = 2}>}
