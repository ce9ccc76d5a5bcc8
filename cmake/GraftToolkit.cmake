# Finds the CUDA toolkit with which graft is built: nvcc and the headers; or the headers alone, where the sources come
# with graft's device code as LTO-IR (building_blocks/shipped, which scripts/release.sh adds to a release).
#
# Sets CUDAToolkit_INCLUDE_DIRS, and GRAFT_SHIPPED_FOLDER: where the LTO-IR is, or empty if nvcc compiles it.
set(GRAFT_SHIPPED_LTOIR AUTO
    CACHE STRING "Take the LTO-IR that comes with a release: AUTO (if there is no nvcc), ON, or OFF (compile it)")
set(GRAFT_SHIPPED_FOLDER "")
set(shipped ${PROJECT_SOURCE_DIR}/building_blocks/shipped)

# Sets `changed` to the names of the sources that are not those from which the shipped files were compiled. The file
# SOURCES has a line for each source: its SHA-256, two spaces, and its name.
function(graft_find_changed_sources changed)
  set(found "")
  set(known "")
  set(folder ${PROJECT_SOURCE_DIR}/building_blocks)
  file(STRINGS ${shipped}/SOURCES lines)
  foreach(line IN LISTS lines)
    string(REGEX MATCH "^([0-9a-f]+)  (.+)$" _ "${line}")
    set(expected "${CMAKE_MATCH_1}")
    set(name "${CMAKE_MATCH_2}")
    list(APPEND known "${name}")
    set(hash "")
    if(EXISTS ${folder}/${name})
      file(SHA256 ${folder}/${name} hash)
    endif()
    if(NOT hash STREQUAL expected)
      list(APPEND found "building_blocks/${name}")
    endif()
  endforeach()
  file(GLOB present RELATIVE ${folder} ${folder}/CMakeLists.txt ${folder}/contract.h ${folder}/elementwise/*)
  foreach(name IN LISTS present)
    if(NOT name IN_LIST known)
      list(APPEND found "building_blocks/${name}")
    endif()
  endforeach()
  list(JOIN found ", " found)
  set(${changed} "${found}" PARENT_SCOPE)
endfunction()

if(GRAFT_SHIPPED_LTOIR STREQUAL "AUTO" AND EXISTS ${shipped}/SOURCES)
  find_package(CUDAToolkit 13.0 QUIET)
  if(NOT CUDAToolkit_FOUND OR NOT CUDAToolkit_NVCC_EXECUTABLE)
    set(GRAFT_SHIPPED_FOLDER ${shipped})
  endif()
elseif(GRAFT_SHIPPED_LTOIR STREQUAL "AUTO" OR NOT GRAFT_SHIPPED_LTOIR)
  find_package(CUDAToolkit 13.0 REQUIRED)
elseif(EXISTS ${shipped}/SOURCES)
  find_package(CUDAToolkit 13.0 QUIET)
  set(GRAFT_SHIPPED_FOLDER ${shipped})
else()
  message(FATAL_ERROR "GRAFT_SHIPPED_LTOIR is ON, but these sources have no folder building_blocks/shipped. It comes with "
                      "releases; scripts/release.sh makes it. With nvcc, leave the option away.")
endif()
if(NOT GRAFT_SHIPPED_FOLDER)
  return()
endif()

graft_find_changed_sources(changed)
if(changed)
  message(FATAL_ERROR "The shipped LTO-IR of graft (building_blocks/shipped) was compiled from other sources than these. "
                      "Changed: ${changed}. Install nvcc of CUDA 13.0 or newer and configure with "
                      "-DGRAFT_SHIPPED_LTOIR=OFF, or take the sources of the release as they are.")
endif()
if(NOT CUDAToolkit_INCLUDE_DIRS)
  find_path(GRAFT_CUDA_INCLUDE_DIR nvJitLink.h REQUIRED
            HINTS ${CUDAToolkit_ROOT} ENV CUDAToolkit_ROOT ENV CUDA_PATH /usr/local/cuda PATH_SUFFIXES include
            DOC "Folder of the CUDA toolkit's headers: cuda.h, nvrtc.h, nvJitLink.h, cuda_fp16.h")
  file(STRINGS ${GRAFT_CUDA_INCLUDE_DIR}/cuda.h version REGEX "^#define CUDA_VERSION ")
  string(REGEX REPLACE "^#define CUDA_VERSION +" "" version "${version}")
  if(version LESS 13000)
    message(FATAL_ERROR "The CUDA headers in ${GRAFT_CUDA_INCLUDE_DIR} are of version ${version}; graft is built with "
                        "those of 13.0 (13000) or newer. -DGRAFT_CUDA_INCLUDE_DIR=... names another folder.")
  endif()
  set(CUDAToolkit_INCLUDE_DIRS ${GRAFT_CUDA_INCLUDE_DIR})
endif()
file(READ ${GRAFT_SHIPPED_FOLDER}/COMPILER compiler)
string(STRIP "${compiler}" compiler)
message(STATUS "graft's device code: the LTO-IR of the release, compiled by ${compiler}")
