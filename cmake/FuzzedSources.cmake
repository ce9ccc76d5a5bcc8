# Lists the sources whose functions read untrusted bytes. The fuzz targets (tests/fuzz) compile these sources again,
# with sanitizers, and link the result in front of the library. If the fuzz targets are built, each of these sources is
# an object of its own in the library too, also with GRAFT_FAST_BUILD: in an object of several sources, the linker would
# find the same functions twice.
file(GLOB GRAFT_FUZZED_SOURCES CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/src/format/*.cpp ${PROJECT_SOURCE_DIR}/src/core/*.cpp
     ${PROJECT_SOURCE_DIR}/src/families/*.cpp ${PROJECT_SOURCE_DIR}/src/families/elementwise/*.cpp
     ${PROJECT_SOURCE_DIR}/src/reflect/*/*.cpp ${PROJECT_SOURCE_DIR}/src/formula/*.cpp)
foreach(source base/hash base/format base/demangle base/read_file engine/child_message toolchain/loader_path
        toolchain/library_file)
  list(APPEND GRAFT_FUZZED_SOURCES ${PROJECT_SOURCE_DIR}/src/${source}.cpp)
endforeach()

# The sources among those of the command line tool.
set(GRAFT_FUZZED_CLI_SOURCES)
foreach(source arrays/npy arrays/python_literal commands/warm_list)
  list(APPEND GRAFT_FUZZED_CLI_SOURCES ${PROJECT_SOURCE_DIR}/src/cli/${source}.cpp)
endforeach()
