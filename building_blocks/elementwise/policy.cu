// A policy fragment: one function that returns one constant. CMakeLists.txt compiles this file once for each question
// and value (graft_vector_width and 4, say), and a kernel is linked with the fragments of its tuning.
#include "contract.h"

GRAFT_ANSWER int GRAFT_QUESTION() {
  return GRAFT_VALUE;
}
