# SPDX-License-Identifier: Apache-2.0
# xebec_library(NAME SOURCES... [PURE] [APART] DEPS ...), xebec_test(NAME [OPTIMIZED] SOURCES... DEPS ...), xebec_binary(NAME SOURCES... DEPS ...)
set(XEBEC_SANITIZE "" CACHE STRING "Sanitizers to build with, e.g. address,undefined or thread")
option(XEBEC_COVERAGE "Instrument for coverage" OFF)
# Half of what a file takes to compile, and nearly all that clang-tidy takes for it, goes into headers of others. What ships is built
# file by file, which also shows that each includes what it uses.
option(XEBEC_UNITY "Compile the files of a library together, eight at a time, but for those that are APART" OFF)

add_library(xebec_options INTERFACE)
target_include_directories(xebec_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(xebec_options INTERFACE -Wall -Wextra -Wpedantic -Werror -Wshadow -Wnon-virtual-dtor
                       -Wno-missing-field-initializers  # members have defaults: designated initializers may leave them out
                       -Wimplicit-fallthrough -fno-omit-frame-pointer -fstack-protector-strong)
# gcc 12 warns of std::string's own assignment at -O2 (GCC bug 105651).
target_compile_options(xebec_options INTERFACE $<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Release>>:-Wno-restrict>)
# Shipped binaries are hardened; .ci/hardening checks them.
if(NOT XEBEC_SANITIZE)
  target_compile_options(xebec_options INTERFACE $<$<CONFIG:Release>:-D_FORTIFY_SOURCE=2 -D_GLIBCXX_ASSERTIONS>)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  target_compile_options(xebec_options INTERFACE -Wthread-safety)
endif()
if(XEBEC_SANITIZE)
  target_compile_options(xebec_options INTERFACE -fsanitize=${XEBEC_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(xebec_options INTERFACE -fsanitize=${XEBEC_SANITIZE})
endif()
if(XEBEC_SANITIZE STREQUAL thread)
  # Debian's Protobuf is built without it, and its headers lay maps out otherwise where they see it.
  target_compile_options(xebec_options INTERFACE -U__SANITIZE_THREAD__ -DXEBEC_THREAD_SANITIZER)
endif()
if(XEBEC_COVERAGE)
  target_compile_options(xebec_options INTERFACE --coverage)
  target_link_options(xebec_options INTERFACE --coverage)
endif()

function(xebec_library name)
  cmake_parse_arguments(ARG "PURE;APART" "" "SOURCES;DEPS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  if(XEBEC_UNITY AND NOT ARG_APART)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON)
  endif()
  target_link_libraries(${name} PUBLIC xebec_options ${ARG_DEPS})
  if(ARG_PURE)  # .ci/purity reads this list
    set_property(GLOBAL APPEND PROPERTY XEBEC_PURE_LIBRARIES ${name})
    file(APPEND ${PROJECT_BINARY_DIR}/pure_libraries.txt "${CMAKE_CURRENT_BINARY_DIR}/lib${name}.a\n")
  endif()
endfunction()

function(xebec_test name)
  cmake_parse_arguments(ARG "OPTIMIZED" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE xebec_options ${ARG_DEPS} GTest::gmock GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
  # Of the time a test takes to compile, the optimizer has two fifths under clang's sanitizers: only those that compute for long
  # (OPTIMIZED) win it back.
  if(ARG_OPTIMIZED)
    set_tests_properties(${name} PROPERTIES COST 100)  # they begin first
  else()
    target_compile_options(${name} PRIVATE $<$<NOT:$<CONFIG:Release>>:-O0>)
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT 1800 WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                       ENVIRONMENT TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/tsan.supp)
endfunction()

function(xebec_binary name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE xebec_options ${ARG_DEPS})
  target_link_options(${name} PRIVATE -pie -Wl,-z,relro,-z,now,-z,noexecstack)
  if(NOT XEBEC_SANITIZE)
    target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/common/telemetry/malloc_conf.cc)
    target_link_libraries(${name} PRIVATE PkgConfig::jemalloc)
  endif()
endfunction()

file(WRITE ${PROJECT_BINARY_DIR}/pure_libraries.txt "")
