# Compiles kernels of your own, with slots for callbacks, ahead of time and embeds them into a library or program.
#
#   graft_add_kernel(TARGET FILE
#     [NAME name]                  name of the generated function and header; default: the name of FILE
#     [ENTRIES entry...]           instances of templates: "lib::spmv<float, 8>"
#     [DEFAULTS slot=file...]      the callback of a slot for which the application gives none
#     [DEFAULT_ENTRIES slot=function...]  its function, if the file defines several
#     [OPTIONAL slot=constant...]  slots that may stay empty, and the constant that the kernel asks
#     [CONSTANTS name=value,...]   the value of a constant, and further values that are compiled ahead
#     [INLINING slot=always|never...]
#     [THREAD_WORDS slot...]       slots whose callbacks may use barriers, thread indices, shared memory
#     [HEADERS file...]            what callbacks may include, such as the classes that slots pass
#     [ARCHITECTURES ...] [INCLUDES ...] [DEFINES ...] [STANDARD ...] [MAX_REGISTERS n] [LINE_INFO] [CUBINS] [DEPENDS ...]
#     [FAST_MATH] [NO_CONTRACTION] [FLUSH_TO_ZERO] [APPROXIMATE_DIVISION] [APPROXIMATE_SQUARE_ROOT])
#                                  as for graft_add_callback. Every link of the kernel repeats those of arithmetic
#
# adds a header to TARGET:
#
#   #include "knn.hpp"             // generated for knn.cu
#   graft::Kernel kernel = graft::Kernel::create(knn(), {{"metric", userText}});
#
# FILE is source, or LTO-IR or a fatbin that nvcc made; then give the same arithmetic as to nvcc (-fmad=false is
# NO_CONTRACTION, -ftz=true FLUSH_TO_ZERO, -prec-div=false APPROXIMATE_DIVISION, -prec-sqrt=false
# APPROXIMATE_SQUARE_ROOT, -use_fast_math FAST_MATH), because LTO-IR does not contain it. With CUBINS, no slot may be
# open.
include(${CMAKE_CURRENT_LIST_DIR}/GraftEmbedPack.cmake)

cmake_policy(PUSH)
cmake_policy(VERSION 3.24)

function(graft_add_kernel target file)
  graft_compile_arguments()
  cmake_parse_arguments(PARSE_ARGV 2 arg "${compile_flags}" "${compile_values}"
                        "ENTRIES;DEFAULTS;DEFAULT_ENTRIES;OPTIONAL;CONSTANTS;INLINING;THREAD_WORDS;HEADERS;${compile_lists}")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "graft_add_kernel: unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  graft_absolute_path(${file} source)
  set(ask --kernel ${source})
  set(depends "")
  foreach(word ENTRIES=--kernel-entry OPTIONAL=--optional-slot CONSTANTS=--constant INLINING=--inlining
               THREAD_WORDS=--thread-words-in DEFAULT_ENTRIES=--slot-entry)
    string(REGEX MATCH "^(.*)=(.*)$" word ${word})
    foreach(value IN LISTS arg_${CMAKE_MATCH_1})
      list(APPEND ask ${CMAKE_MATCH_2} ${value})
    endforeach()
  endforeach()
  foreach(pair IN LISTS arg_DEFAULTS)
    if(NOT pair MATCHES "^([^=]+)=(.+)$")
      message(FATAL_ERROR "graft_add_kernel: `${pair}` in DEFAULTS is no pair: write metric=l2.cu")
    endif()
    set(slot ${CMAKE_MATCH_1})
    graft_absolute_path(${CMAKE_MATCH_2} callback)
    list(APPEND ask --slot ${slot}=${callback})
    list(APPEND depends ${callback})
  endforeach()
  foreach(header IN LISTS arg_HEADERS)
    graft_absolute_path(${header} header)
    list(APPEND ask --header ${header})
    list(APPEND depends ${header})
  endforeach()
  graft_embed_pack(${target} ${source} graft::KernelCode graft::KernelCode::pack "${ask}" "${depends}")
  # For graft_add_callback(... FOR name).
  get_property(known GLOBAL PROPERTY graft_kernel_${name})
  if(known)
    message(FATAL_ERROR "graft_add_kernel: there is a kernel ${name} already: ${known}. Give another NAME.")
  endif()
  set_property(GLOBAL PROPERTY graft_kernel_${name} ${pack})
  set_property(GLOBAL PROPERTY graft_architectures_${name} ${architectures})
  set_property(GLOBAL APPEND PROPERTY graft_kernels ${name})
endfunction()

cmake_policy(POP)
