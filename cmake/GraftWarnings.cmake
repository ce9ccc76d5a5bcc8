# Warnings for graft's own code. The target is private: users of the library never see its flags.
add_library(graft_warnings INTERFACE)
target_compile_options(graft_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${GRAFT_WARNINGS_AS_ERRORS}>>:-Werror>)
