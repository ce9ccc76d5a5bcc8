# What graft_add_callback and graft_add_kernel have in common: they run `graft precompile` and make a function of the
# pack.

cmake_policy(PUSH)
cmake_policy(VERSION 3.24)

# Sets the names of the arguments of both functions that say how their file is compiled.
macro(graft_compile_arguments)
  set(compile_flags FAST_MATH NO_CONTRACTION FLUSH_TO_ZERO APPROXIMATE_DIVISION APPROXIMATE_SQUARE_ROOT LINE_INFO CUBINS)
  set(compile_values NAME STANDARD MAX_REGISTERS)
  set(compile_lists ARCHITECTURES INCLUDES DEFINES DEPENDS)
endmacro()

# Puts the path of a file into `result`. Relative paths are of the current source folder.
function(graft_absolute_path file result)
  cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
  set(${result} ${file} PARENT_SCOPE)
endfunction()

# Runs `graft precompile` with the words `ask`, which name what is compiled, and the words of the caller's arguments
# arg_..., and adds the result to TARGET as a function `type arg_NAME()`. `make` is the C++ function
# that makes the type of the pack's bytes, and `depends` further files. Sets `pack`, the pack's path, and `name` in the
# caller.
function(graft_embed_pack target file type make ask depends)
  if(NOT TARGET graft::cli)
    message(FATAL_ERROR "graft_add_callback and graft_add_kernel need the program `graft`, but this graft was built "
                        "without it. Build graft with -DGRAFT_BUILD_CLI=ON.")
  endif()
  if(NOT arg_NAME)
    cmake_path(GET file STEM arg_NAME)
    string(MAKE_C_IDENTIFIER "${arg_NAME}" arg_NAME)
  endif()
  if(NOT arg_ARCHITECTURES)
    set(arg_ARCHITECTURES 75)
  endif()
  list(JOIN arg_ARCHITECTURES "," architectures)
  string(MAKE_C_IDENTIFIER "graft_pack_${target}_${arg_NAME}" symbol)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/graft/${target})
  set(pack ${folder}/${arg_NAME}.graft)

  set(words precompile ${ask} --arch ${architectures})
  foreach(include IN LISTS arg_INCLUDES)
    graft_absolute_path(${include} include)
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
  foreach(flag IN LISTS compile_flags)
    if(arg_${flag})
      string(TOLOWER "--${flag}" word)
      string(REPLACE "_" "-" word ${word})
      string(REGEX REPLACE "^--cubins$" "--cubin" word ${word})
      list(APPEND words ${word})
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
    DEPENDS ${file} ${depends} ${arg_DEPENDS}
    ${depfile}
    COMMENT "graft precompile ${file}"
    VERBATIM)

  string(REGEX REPLACE ".*::" "" class ${type})
  string(REPLACE "KernelCode" "kernel" header ${class})
  string(TOLOWER ${header} header)
  file(CONFIGURE OUTPUT ${folder}/${arg_NAME}.hpp @ONLY CONTENT
"// Made by CMake of ${file}.
#pragma once

#include <graft/${header}.hpp>

// Compiled ahead of time for ${architectures}.
${type} ${arg_NAME}();
")
  # An asm statement in C++ embeds the bytes, so the project need not enable CMake's language ASM.
  file(CONFIGURE OUTPUT ${folder}/${arg_NAME}.cpp @ONLY CONTENT
"// Made by CMake of ${file}.
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

${type} ${arg_NAME}() {
  return ${make}(std::span(${symbol}, ${symbol}_end), \"${arg_NAME}.graft\");
}
")
  set_source_files_properties(${folder}/${arg_NAME}.cpp PROPERTIES OBJECT_DEPENDS ${pack})
  target_sources(${target} PRIVATE ${folder}/${arg_NAME}.cpp)
  # The library of a kernel is linked by programs that fill its slots.
  if(class STREQUAL KernelCode)
    target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${folder}>)
  else()
    target_include_directories(${target} PRIVATE ${folder})
  endif()
  set(pack ${pack} PARENT_SCOPE)
  set(name ${arg_NAME} PARENT_SCOPE)
  set(architectures ${arg_ARCHITECTURES} PARENT_SCOPE)
endfunction()

cmake_policy(POP)
