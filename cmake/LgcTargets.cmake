# How the project's libraries, tools and unit tests are declared.
#
# Compiler libraries share one precompiled header of the LLVM and MLIR headers that
# nearly every source needs (5 s a source without it, under 2 s with it).

set(CMAKE_CXX_FLAGS_RELWITHASSERTIONS "-O1 -UNDEBUG" CACHE STRING "" FORCE)
set(CMAKE_C_FLAGS_RELWITHASSERTIONS "-O1 -UNDEBUG" CACHE STRING "" FORCE)

add_library(lgc_options INTERFACE)
target_compile_options(lgc_options INTERFACE -Wall -Wextra -Wno-unused-parameter
                       "$<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang -fno-pch-timestamp>")
target_include_directories(lgc_options INTERFACE "${PROJECT_SOURCE_DIR}/include"
                           "${PROJECT_BINARY_DIR}/include")
if(LGC_SANITIZE)
  target_compile_options(lgc_options INTERFACE -fsanitize=address,undefined
                         -fno-omit-frame-pointer -fno-sanitize=vptr)
  target_link_options(lgc_options INTERFACE -fsanitize=address,undefined)
endif()

add_library(lgc_mlir INTERFACE)
target_link_libraries(lgc_mlir INTERFACE lgc_options MLIR LLVM)
target_include_directories(lgc_mlir SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
separate_arguments(LLVM_DEFINITIONS)
target_compile_definitions(lgc_mlir INTERFACE ${LLVM_DEFINITIONS})

# lgc_add_compiler_library(NAME SOURCE... [LINK LIB...] [DEPENDS TARGET...])
function(lgc_add_compiler_library name)
  cmake_parse_arguments(ARG "" "" "LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC lgc_mlir ${ARG_LINK})
  add_dependencies(${name} lgc_tablegen ${ARG_DEPENDS})
  target_precompile_headers(${name} REUSE_FROM lgc_pch)
endfunction()

# lgc_add_unit_test(NAME SOURCE... [LINK LIB...]): a GoogleTest program, run by ctest.
function(lgc_add_unit_test name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE lgc_options GTest::gtest GTest::gmock GTest::gtest_main
                        ${ARG_LINK})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/test/bin")
  add_test(NAME unit.${name} COMMAND ${name})
endfunction()

# The set-up's Python environment has the packages that tests need; another Python must.
set(LGC_TEST_PYTHON "${LGC_DEPS}/python/bin/python")
if(NOT EXISTS "${LGC_TEST_PYTHON}")
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  set(LGC_TEST_PYTHON "${Python3_EXECUTABLE}")
endif()

# lgc_add_python_test(NAME FILE TIMEOUT seconds): a pytest file that runs the built compiler.
# Threads that spin while they wait make tests that run beside others very slow.
function(lgc_add_python_test name file)
  cmake_parse_arguments(ARG "" "TIMEOUT" "" ${ARGN})
  add_test(NAME ${name} COMMAND "${LGC_TEST_PYTHON}" -m pytest -q -p no:cacheprovider
           "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
  set_tests_properties(${name} PROPERTIES TIMEOUT "${ARG_TIMEOUT}"
    ENVIRONMENT "OMP_WAIT_POLICY=passive;LGC_OPT=$<TARGET_FILE:lgc-opt>")
endfunction()
