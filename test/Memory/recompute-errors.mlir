// RUN: lgc-opt %s --lgc-recompute-launches=limit=-1 --verify-diagnostics

// expected-error @below {{a limit of -1 bytes is no size; give 0 or more}}
module {
}
