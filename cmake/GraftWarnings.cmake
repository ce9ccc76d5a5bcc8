# Defines the target graft_warnings, the warning flags for graft's own code. graft's targets link it privately, so users
# of the library never get the flags.
add_library(graft_warnings INTERFACE)
target_compile_options(graft_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual>
  # Two warnings of GCC 12 are switched off, because GCC 12 gives them for correct code and GCC 13 no longer does. They
  # are about overlaps inside std::string (GCC bug 105651) and uninitialised members in tables of optionals and vectors.
  $<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict;-Wno-maybe-uninitialized>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${GRAFT_WARNINGS_AS_ERRORS}>>:-Werror>)
