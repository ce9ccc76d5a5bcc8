// Stops a compiler that does not compile C++20 with one message. Every public header for C++ includes this file before
// it uses the language, because the errors of an older language would name lines of graft and not the missing option.
#pragma once

#if __cplusplus < 202002L
#error "graft needs C++20: compile with -std=c++20 or newer"
#include <graft needs C++20>  // no such file: compilers go on after #error, and stop here
#endif
