// One answer of a policy, compiled once for each value: the linker picks the fragments that a kernel needs.
#include "contract.h"

GRAFT_ANSWER int GRAFT_QUESTION() {
  return GRAFT_VALUE;
}
