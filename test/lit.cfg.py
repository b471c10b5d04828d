# The lit tests: what a tool makes of a module, checked by FileCheck.
#
# A test lies at the path of what it tests: test/IR/shape.mlir tests lib/IR/ShapeOps.cpp.

import os

import lit.formats

config.name = "lgc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "models", "hostile"]
config.test_source_root = os.path.join(config.lgc_source_dir, "test")
config.test_exec_root = os.path.join(config.lgc_binary_dir, "test")

# Our tools first, then FileCheck, not and count.
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.lgc_binary_dir, "bin"), config.llvm_tools_dir, os.environ["PATH"]]
)
for name in ("HOME", "LGC_DEPS", "ASAN_OPTIONS", "UBSAN_OPTIONS", "OMP_NUM_THREADS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

# Costs that the user measured don't change what tests see.
config.environment["XDG_CACHE_HOME"] = os.path.join(config.test_exec_root, "cache")

config.substitutions.append(("%python", config.python))
config.substitutions.append(("%source", config.lgc_source_dir))
config.substitutions.append(
    ("%lgc_import", os.path.join(config.lgc_binary_dir, "test", "bin", "lgc-import"))
)
