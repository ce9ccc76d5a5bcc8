# Warnings for graft's own code. The target is private: users of the library never see its flags.
add_library(graft_warnings INTERFACE)
target_compile_options(graft_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual>
  # GCC 12 warns of overlaps inside std::string that cannot be (its bug 105651), and of members of tables of optionals
  # and vectors that it takes for uninitialised; 13 does neither.
  $<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict;-Wno-maybe-uninitialized>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${GRAFT_WARNINGS_AS_ERRORS}>>:-Werror>)
