# Compiles a callback ahead of time and embeds it into a program.
#
#   graft_add_callback(TARGET FILE
#     [NAME name]              name of the generated function and header; default: the name of FILE
#     [ENTRY entry...]         the callback's function, if FILE defines several; several are one pack, of which
#                              Callback::with_entry chooses one: gain().with_entry("scale<float>")
#     [FOR kernel SLOT slot]   compile it for a slot of a kernel of your own: the NAME of a graft_add_kernel, or a file
#     [ARCHITECTURES 75 90...] architectures to compile for; default: 75, whose LTO-IR serves all newer ones; with FOR
#                              those of the kernel
#     [INCLUDES folder...]     folders to search for headers
#     [DEFINES NAME[=VALUE]...]
#     [STANDARD 17|20]         the C++ standard of FILE; default: 17
#     [MAX_REGISTERS n]        most registers of a thread
#     [FAST_MATH]              faster, less accurate arithmetic, as with nvcc's --use_fast_math; or parts of that:
#     [NO_CONTRACTION] [FLUSH_TO_ZERO] [APPROXIMATE_DIVISION] [APPROXIMATE_SQUARE_ROOT]
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
include(${CMAKE_CURRENT_LIST_DIR}/GraftEmbedPack.cmake)

# A function has the policies of the place of its definition. CMP0116: names in depfiles are those of the command.
cmake_policy(PUSH)
cmake_policy(VERSION 3.24)

function(graft_add_callback target file)
  graft_compile_arguments()
  cmake_parse_arguments(PARSE_ARGV 2 arg "${compile_flags}" "FOR;SLOT;${compile_values}"
                        "ENTRY;${compile_lists}")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "graft_add_callback: unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  graft_absolute_path(${file} source)
  set(depends "")
  if(arg_FOR OR arg_SLOT)
    if(NOT arg_FOR OR NOT arg_SLOT)
      message(FATAL_ERROR "graft_add_callback: FOR kernel and SLOT slot belong together")
    endif()
    get_property(kernel GLOBAL PROPERTY graft_kernel_${arg_FOR})
    if(kernel)
      if(NOT arg_ARCHITECTURES)
        get_property(arg_ARCHITECTURES GLOBAL PROPERTY graft_architectures_${arg_FOR})
      endif()
    else()
      graft_absolute_path(${arg_FOR} kernel)
      if(NOT EXISTS ${kernel})
        get_property(kernels GLOBAL PROPERTY graft_kernels)
        message(FATAL_ERROR "graft_add_callback: FOR ${arg_FOR} is no file, and no graft_add_kernel before this call "
                            "has this NAME. Kernels: ${kernels}")
      endif()
    endif()
    set(ask --kernel ${kernel} --for ${arg_SLOT}=${source})
    list(LENGTH arg_ENTRY entries)
    if(entries GREATER 1)
      message(FATAL_ERROR "graft_add_callback: a slot takes one callback, but ENTRY names ${entries}: ${arg_ENTRY}")
    elseif(arg_ENTRY)
      list(APPEND ask --slot-entry ${arg_SLOT}=${arg_ENTRY})
    endif()
    set(depends ${kernel})
  else()
    set(ask ${source})
    foreach(entry IN LISTS arg_ENTRY)
      list(APPEND ask --entry ${entry})
    endforeach()
  endif()
  graft_embed_pack(${target} ${source} graft::Callback graft::Callback::pack "${ask}" "${depends}")
endfunction()

cmake_policy(POP)
