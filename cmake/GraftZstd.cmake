# Finds zstd, with which graft compresses cache entries and packs (src/format/compressed.hpp). Without zstd, graft
# stores them as they are, and cannot read compressed ones.
#
# Defines the target graft::zstd if zstd is used. Sets GRAFT_HAS_ZSTD to a truth value, and graft_zstd to the target's
# name or to an empty text. The library may be shared or static:
# -DGRAFT_ZSTD_LIBRARY=/usr/lib/x86_64-linux-gnu/libzstd.a makes a libgraft.so that needs no libzstd.so.1 and is 0.7 MB
# larger. The shared one takes 0.06 ms of each program's start.
set(GRAFT_ZSTD AUTO CACHE STRING "Compress cache entries and packs with zstd: AUTO (if it is found), ON, or OFF")
set_property(CACHE GRAFT_ZSTD PROPERTY STRINGS AUTO ON OFF)
set(GRAFT_HAS_ZSTD FALSE)
set(graft_zstd "")
if(NOT GRAFT_ZSTD)
  return()
endif()

find_path(GRAFT_ZSTD_INCLUDE_DIR zstd.h DOC "Folder of zstd.h (Debian: libzstd-dev)")
find_library(GRAFT_ZSTD_LIBRARY zstd DOC "libzstd.so or libzstd.a (Debian: libzstd-dev)")
mark_as_advanced(GRAFT_ZSTD_INCLUDE_DIR GRAFT_ZSTD_LIBRARY)
if(GRAFT_ZSTD_INCLUDE_DIR AND GRAFT_ZSTD_LIBRARY)
  # Links a program with the functions that graft calls: an old zstd lacks some of them, and in a cross build the
  # library may be one for the build machine.
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_INCLUDES ${GRAFT_ZSTD_INCLUDE_DIR})
  set(CMAKE_REQUIRED_LIBRARIES ${GRAFT_ZSTD_LIBRARY})
  check_cxx_source_compiles("
    #include <zstd.h>
    int main() {
      char bytes[64] = {};
      return static_cast<int>(ZSTD_compress(bytes, 64, bytes, 1, 1) + ZSTD_decompress(bytes, 64, bytes, 64) +
                              ZSTD_findFrameCompressedSize(bytes, 64) + ZSTD_getFrameContentSize(bytes, 64) +
                              ZSTD_getDictID_fromFrame(bytes, 64) + ZSTD_MAGICNUMBER);
    }" GRAFT_ZSTD_LINKS)
  unset(CMAKE_REQUIRED_INCLUDES)
  unset(CMAKE_REQUIRED_LIBRARIES)
  set(GRAFT_HAS_ZSTD ${GRAFT_ZSTD_LINKS})
endif()
if(NOT GRAFT_HAS_ZSTD)
  if(NOT GRAFT_ZSTD STREQUAL "AUTO")
    message(FATAL_ERROR "GRAFT_ZSTD is ON, but there is no zstd 1.4 or newer (Debian: libzstd-dev).")
  endif()
  set(GRAFT_HAS_ZSTD FALSE)
  message(STATUS "graft: no zstd (Debian: libzstd-dev), so cache entries and packs will not be compressed")
  return()
endif()

# Global, because graft::graft_static needs it also in a project that contains graft.
set(graft_zstd graft::zstd)
add_library(graft::zstd INTERFACE IMPORTED GLOBAL)
set_target_properties(graft::zstd PROPERTIES INTERFACE_COMPILE_DEFINITIONS GRAFT_HAS_ZSTD
                                             INTERFACE_INCLUDE_DIRECTORIES ${GRAFT_ZSTD_INCLUDE_DIR}
                                             INTERFACE_LINK_LIBRARIES ${GRAFT_ZSTD_LIBRARY})
