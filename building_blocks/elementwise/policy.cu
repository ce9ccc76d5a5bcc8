// A policy fragment defines one function that returns one constant of the tuning, for example graft_vector_width() that
// returns 4. CMakeLists.txt compiles this file once for each such function and each of its values, and a kernel is
// linked with the fragments of its tuning.
#include "contract.h"

GRAFT_ANSWER int GRAFT_QUESTION() {
  return GRAFT_VALUE;
}
