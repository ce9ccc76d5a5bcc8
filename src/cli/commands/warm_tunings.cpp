#include "cli/commands/warm_tunings.hpp"

#include <algorithm>
#include <utility>

#include "engine/engine_impl.hpp"
#include "engine/taken_options.hpp"
#include "graft/error.hpp"

namespace graft::cli {
namespace {

// Returns the kernels that the request has with its tuning file and that `rules` does not have: the file has another
// plan for the job, which is a part of its steps, or numbers for a kernel's options.
std::vector<WarmItem> tuned_kernels(const WarmItem& tuned, const std::vector<Step>& rules) {
  std::vector<WarmItem> found;
  const std::vector<Step> steps = tuned.request.steps();
  const Options options = tuned.request.options();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const engine::TakenOptions taken(steps[i].callback, options);
    WarmItem item = tuned;
    item.request.kernel = static_cast<int>(i);
    item.request.measured =
        Engine::Impl::completed({steps[i], options.architecture, taken.get(), tuned.request.tuning.get()}).measured;
    if (item.request.measured || std::ranges::find(rules, steps[i]) == rules.end()) found.push_back(std::move(item));
  }
  return found;
}

// `first`: the first kernel of a line for an architecture. If its callback cannot be read, there are no further kernels
// of it: building the first says why.
std::vector<WarmItem> tuned_kernels(const WarmItem& first, engine::Tunings& tunings) {
  std::vector<WarmItem> found;
  const Architecture architecture = Architecture::parse(first.request.architecture);
  for (const engine::Tunings::Pointer& tuning : tunings.of_all_gpus(architecture, first.request.family())) try {
      WarmItem tuned = first;
      tuned.request.tuning = tuning;
      std::ranges::move(tuned_kernels(tuned, first.request.steps()), std::back_inserter(found));
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): see above
    }
  return found;
}

}  // namespace

void add_tuned_kernels(WarmList& list, engine::Tunings& tunings) {
  std::vector<WarmItem> all;
  std::vector<WarmItem> tuned;
  for (WarmItem& item : list.items) {
    if (item.request.kernel == 0) {
      std::ranges::move(tuned, std::back_inserter(all));
      tuned = tuned_kernels(item, tunings);
    }
    all.push_back(std::move(item));
  }
  std::ranges::move(tuned, std::back_inserter(all));
  list.items = std::move(all);
}

}  // namespace graft::cli
