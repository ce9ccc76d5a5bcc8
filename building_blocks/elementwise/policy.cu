// A policy fragment defines one function that returns one constant of the tuning, for example graft_body() that
// returns 0. CMakeLists.txt compiles this file once for each such function and each of its values, and a kernel is
// linked with the fragments of its tuning.
#include "contract.h"

GRAFT_ANSWER int GRAFT_QUESTION() {
  return GRAFT_VALUE;
}
