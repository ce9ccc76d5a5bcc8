#include "graft/pending.hpp"

#include "core/fail.hpp"

namespace graft {

void refuse_pending_without_work() {
  refuse("this Pending has no work: it was moved from, or its default constructor made it",
         "Keep the Pending that create_async returned, or a copy: copies refer to the same work.");
}

}  // namespace graft
