# Compiles a callback ahead of time and puts it into a program.
#
#   graft_add_callback(TARGET FILE
#     [NAME name]              the function's and header's name; the file's own unless given
#     [ENTRY entry]            which function of the file is the callback, where it defines several
#     [ARCHITECTURES 75 90...] to compile for; 75 unless given, which runs on all newer ones
#     [INCLUDES folder...]     to search for headers
#     [DEFINES NAME[=VALUE]...]
#     [DEPENDS file...])       headers: the callback is compiled anew when they change
#
# gives TARGET a header:
#
#   #include "gain.hpp"        // of gain.cu
#   graft::Transform transform = graft::Transform::create(gain());
#
# TARGET links graft::graft or graft::graft_static itself. The pack is made by `graft precompile` when TARGET is built,
# without a GPU, and its bytes become read-only data of the program.
function(graft_add_callback target file)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "NAME;ENTRY" "ARCHITECTURES;INCLUDES;DEFINES;DEPENDS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "graft_add_callback: unknown words: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT TARGET graft::cli)
    message(FATAL_ERROR "graft_add_callback needs the program graft, which this graft was built without "
                        "(GRAFT_BUILD_CLI)")
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
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(
    OUTPUT ${pack}
    COMMAND graft::cli ${words} -o ${pack}
    DEPENDS ${source} ${arg_DEPENDS}
    COMMENT "graft precompile ${file}"
    VERBATIM)

  file(CONFIGURE OUTPUT ${folder}/${arg_NAME}.hpp @ONLY CONTENT
"// Made by graft_add_callback of ${file}.
#pragma once

#include <graft/callback.hpp>

// Compiled ahead of time for ${architectures}.
graft::Callback ${arg_NAME}();
")
  # The compiler's own assembler embeds the bytes, so the project need not enable a language.
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
