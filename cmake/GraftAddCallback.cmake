# Compiles a callback ahead of time and embeds it into a program.
#
#   graft_add_callback(TARGET FILE
#     [NAME name]              name of the generated function and header; default: the name of FILE
#     [ENTRY entry]            the callback's function, if FILE defines several
#     [ARCHITECTURES 75 90...] architectures to compile for; default: 75, whose LTO-IR serves all newer ones
#     [INCLUDES folder...]     folders to search for headers
#     [DEFINES NAME[=VALUE]...]
#     [STANDARD 17|20]         the C++ standard of FILE; default: 17
#     [MAX_REGISTERS n]        most registers of a thread
#     [FAST_MATH]              faster, less accurate arithmetic, as with nvcc's --use_fast_math
#     [LINE_INFO]              lines of the source in the kernel, for profilers and debuggers
#     [CUBINS]                 also finished kernels for ARCHITECTURES, which need only the driver there
#     [DEPENDS file...])       further files; the callback is recompiled when they change
#
# adds a header to TARGET:
#
#   #include "gain.hpp"        // generated for gain.cu
#   graft::Transform transform = graft::Transform::create(gain());
#
# The project must link TARGET to graft::graft or graft::graft_static. Building TARGET runs `graft precompile`, which
# needs no GPU; the resulting pack becomes read-only data of the program. The callback is compiled again when FILE or a
# header that it includes changes. (Generators without support for depfiles know FILE and DEPENDS only.)

# A function has the policies of the place of its definition. CMP0116: names in depfiles are those of the command.
cmake_policy(PUSH)
cmake_policy(VERSION 3.24)

function(graft_add_callback target file)
  cmake_parse_arguments(PARSE_ARGV 2 arg "FAST_MATH;LINE_INFO;CUBINS" "NAME;ENTRY;STANDARD;MAX_REGISTERS"
                        "ARCHITECTURES;INCLUDES;DEFINES;DEPENDS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "graft_add_callback: unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT TARGET graft::cli)
    message(FATAL_ERROR "graft_add_callback needs the program `graft`, but this graft was built without it. "
                        "Build graft with -DGRAFT_BUILD_CLI=ON.")
  endif()
  cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE OUTPUT_VARIABLE source)
  if(NOT arg_NAME)
    cmake_path(GET source STEM arg_NAME)
    string(MAKE_C_IDENTIFIER "${arg_NAME}" arg_NAME)
  endif()
  if(NOT arg_ARCHITECTURES)
    set(arg_ARCHITECTURES 75)
  endif()
  list(JOIN arg_ARCHITECTURES "," architectures)
  string(MAKE_C_IDENTIFIER "graft_pack_${target}_${arg_NAME}" symbol)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/graft/${target})
  set(pack ${folder}/${arg_NAME}.graft)

  set(words precompile ${source} --arch ${architectures})
  if(arg_ENTRY)
    list(APPEND words --entry ${arg_ENTRY})
  endif()
  foreach(include IN LISTS arg_INCLUDES)
    cmake_path(ABSOLUTE_PATH include BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    list(APPEND words --include ${include})
  endforeach()
  foreach(define IN LISTS arg_DEFINES)
    list(APPEND words --define ${define})
  endforeach()
  if(arg_STANDARD)
    list(APPEND words --std ${arg_STANDARD})
  endif()
  if(arg_MAX_REGISTERS)
    list(APPEND words --max-registers ${arg_MAX_REGISTERS})
  endif()
  foreach(flag FAST_MATH=--fast-math LINE_INFO=--line-info CUBINS=--cubin)
    string(REGEX MATCH "^(.*)=(.*)$" flag ${flag})
    if(arg_${CMAKE_MATCH_1})
      list(APPEND words ${CMAKE_MATCH_2})
    endif()
  endforeach()
  set(depfile "")
  if(CMAKE_GENERATOR MATCHES "Ninja|Makefiles")
    list(APPEND words --depfile ${pack}.d)
    set(depfile DEPFILE ${pack}.d)
  endif()
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(
    OUTPUT ${pack}
    COMMAND graft::cli ${words} -o ${pack}
    DEPENDS ${source} ${arg_DEPENDS}
    ${depfile}
    COMMENT "graft precompile ${file}"
    VERBATIM)

  file(CONFIGURE OUTPUT ${folder}/${arg_NAME}.hpp @ONLY CONTENT
"// Made by graft_add_callback of ${file}.
#pragma once

#include <graft/callback.hpp>

// Compiled ahead of time for ${architectures}.
graft::Callback ${arg_NAME}();
")
  # An asm statement in C++ embeds the bytes, so the project need not enable CMake's language ASM.
  file(CONFIGURE OUTPUT ${folder}/${arg_NAME}.cpp @ONLY CONTENT
"// Made by graft_add_callback of ${file}.
#include \"${arg_NAME}.hpp\"

#include <cstddef>
#include <span>

asm(R\"(
    .pushsection .rodata
    .balign 64
    .hidden ${symbol}
    .global ${symbol}
${symbol}:
    .incbin \"${pack}\"
    .hidden ${symbol}_end
    .global ${symbol}_end
${symbol}_end:
    .popsection
)\");

extern \"C\" {
extern const std::byte ${symbol}[];
extern const std::byte ${symbol}_end[];
}

graft::Callback ${arg_NAME}() {
  return graft::Callback::pack(std::span(${symbol}, ${symbol}_end));
}
")
  set_source_files_properties(${folder}/${arg_NAME}.cpp PROPERTIES OBJECT_DEPENDS ${pack})
  target_sources(${target} PRIVATE ${folder}/${arg_NAME}.cpp)
  target_include_directories(${target} PRIVATE ${folder})
endfunction()

cmake_policy(POP)
