// Work on the host that is spread over all cores.
#pragma once

#include "base/thread_pool.hpp"

namespace graft::bench {

// Calls visit(item) for every item, on as many threads as the machine has cores, and returns when all calls have
// returned. `visit` must not throw.
template <class Items, class Visit>
void for_each_in_parallel(Items& items, const Visit& visit) {
  base::ThreadPool pool(0);
  for (auto& item : items) pool.run([&visit, &item] { visit(item); });
  pool.finish();
}

}  // namespace graft::bench
