# Generates a C++ function that returns one hash of many files.
#
#   graft_add_hash_of_files(TARGET NAMESPACE FUNCTION FILES...)
#
# Adds a C++ file to TARGET. The C++ file defines `std::string_view NAMESPACE::FUNCTION()`, and the build generates it
# again whenever one of FILES changes. The hash depends on the files' contents, but not on their names or order. The
# build runs this file as a script (cmake -P) to write the C++ file.
if(CMAKE_SCRIPT_MODE_FILE)
  file(STRINGS ${LIST} files)
  set(hashes "")
  foreach(path IN LISTS files)
    file(SHA256 ${path} hash)
    list(APPEND hashes ${hash})
  endforeach()
  list(SORT hashes)
  string(SHA256 all "${hashes}")
  string(SUBSTRING ${all} 0 32 all)
  file(WRITE ${OUTPUT} "// Made by cmake/HashOfFiles.cmake.
#include <string_view>

namespace ${NAMESPACE} {

std::string_view ${FUNCTION}();

std::string_view ${FUNCTION}() {
  return \"${all}\";
}

}  // namespace ${NAMESPACE}
")
  return()
endif()

set(GRAFT_HASH_OF_FILES_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

function(graft_add_hash_of_files target namespace function)
  set(list ${CMAKE_CURRENT_BINARY_DIR}/${function}_files.txt)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${function}.cpp)
  list(JOIN ARGN "\n" lines)
  file(CONFIGURE OUTPUT ${list} CONTENT "${lines}\n" @ONLY)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DLIST=${list} -DOUTPUT=${output} -DNAMESPACE=${namespace} -DFUNCTION=${function}
            -P ${GRAFT_HASH_OF_FILES_SCRIPT}
    DEPENDS ${ARGN} ${list} ${GRAFT_HASH_OF_FILES_SCRIPT}
    COMMENT "Hash ${function}"
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
