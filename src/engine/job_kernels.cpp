#include "engine/job_kernels.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/format.hpp"
#include "core/fail.hpp"
#include "core/serves.hpp"
#include "families/kept_kernels.hpp"
#include "families/registry.hpp"
#include "graft/error.hpp"
#include "routes/pack_contents.hpp"

namespace graft::engine {
namespace {

using families::Job;
using families::Method;
using families::Schedule;

[[noreturn]] void refuse_made(std::string message) {
  fail(ErrorCode::ImageRefused, std::move(message),
       "Make them again: graft::precompile and graft::build make all kernels that belong together.");
}

std::string where(std::optional<Architecture> architecture) {
  return architecture ? architecture->sm() : "the host";
}

// Returns the only job of the family. If the pack has one job, that is returned, whatever its family is.
format::PackJob& job_of(format::Pack& pack, std::string_view family) {
  if (pack.jobs.size() == 1) return pack.jobs.front();
  const auto found = std::ranges::find(pack.jobs, family, &format::PackJob::family);
  const auto count = std::ranges::count(pack.jobs, family, &format::PackJob::family);
  if (count == 1) return *found;
  fail(ErrorCode::ImageRefused,
       base::format("of the {} jobs of the pack, {} are of the family {}: {}", pack.jobs.size(), count, family,
                    families::titles_of(pack)),
       "Load a pack with one job of that family.");
}

}  // namespace

JobKernels::JobKernels(Job job) : job_(std::move(job)) {}

JobKernels JobKernels::of_pack(std::string_view family, std::span<const std::byte> pack, std::uint64_t capacity) {
  format::Pack read = routes::read_pack(pack, "the pack");
  format::PackJob& job = job_of(read, family);
  std::vector<Made> made;
  std::size_t number = 0;
  for (format::PackedKernel& kernel : job.kernels) {
    const std::string name = base::format("kernel {} of the pack", ++number);
    const KernelSpec spec = kernel.spec;
    std::set<Architecture> architectures;
    for (const format::PackPart& part : kernel.parts) architectures.insert(part.architecture);
    const Callback alone = routes::callback_of(std::move(kernel), name);
    for (const Architecture architecture : architectures) made.push_back({spec, architecture, alone});
  }
  return of_made(family, std::move(made), capacity);
}

JobKernels JobKernels::of_images(std::string_view family, const std::vector<Image>& images, std::uint64_t capacity) {
  if (images.empty()) refuse("no image is given to load", "Pass the images that graft::build returned.");
  std::vector<Made> made;
  for (const Image& image : images) {
    const KernelSpec& kernel = image.report().kernel;
    std::optional<Architecture> architecture;
    if (kernel.route != Route::Host) architecture = kernel.architecture;
    made.push_back({kernel, architecture, std::nullopt, Image::Data::of(image)});
  }
  return of_made(family, std::move(made), capacity);
}

JobKernels JobKernels::of_made(std::string_view family, std::vector<Made> made, std::uint64_t capacity) {
  for (const Made& one : made)
    if (one.kernel.family != family) {
      const families::Family* const other = families::find(one.kernel.family);
      const std::string_view remedy = other == nullptr ? "" : other->face().remedy;
      fail(ErrorCode::ImageRefused,
           base::format("{} is a kernel of the family {}, not {}", one.kernel.name, one.kernel.family, family),
           remedy.empty() ? "Load it with the class of that family." : std::string(remedy));
    }
  const families::Family& maker = families::of(family);
  JobKernels kernels({.family = std::string(family), .capacity = capacity});
  if (made.empty()) refuse_made("the file has no kernels");
  for (const Made& one : made)
    if (const std::string why = maker.objection_to(one.kernel); !why.empty())
      refuse_made(base::format("{} is not a kernel of the family {}: {}", one.kernel.name, family, why));
  kernels.made_ = std::move(made);
  const Made& first = kernels.made_.front();
  kernels.job_.request = maker.shipped_request(maker.job_request(first.kernel));
  for (const Made& one : kernels.made_) {
    const base::Bytes request = maker.job_request(one.kernel);
    if (maker.shipped_request(request) != kernels.job_.request || request != kernels.job_for(one.architecture).request)
      refuse_made(base::format("{} and {} do not belong together", one.kernel.name, first.kernel.name));
  }
  kernels.find_methods();
  return kernels;
}

Job JobKernels::job_for(std::optional<Architecture> architecture) const {
  Job job = job_;
  const auto made = std::ranges::find(made_, architecture, &Made::architecture);
  if (made != made_.end()) job.request = families::of(job_.family).job_request(made->kernel);
  return job;
}

// Finds the methods whose kernels were made. They are the same for each architecture, and no kernel is left over.
void JobKernels::find_methods() {
  std::set<std::optional<Architecture>> architectures;
  for (const Made& one : made_) architectures.insert(one.architecture);
  for (const std::optional<Architecture> architecture : architectures) {
    const Schedule schedule = families::of(job_.family).schedule(job_for(architecture), architecture);
    std::vector<std::string> complete;
    std::set<const Made*> used;
    for (const Method& method : schedule.methods) {
      std::vector<const Made*> found;
      for (const std::size_t kernel : method.kernels)
        if (const Made* const one = find(schedule.kernels[kernel], architecture)) found.push_back(one);
      if (!found.empty() && found.size() != method.kernels.size())
        refuse_made(base::format("{} of the {} kernels of `{}` for {} are missing",
                                 method.kernels.size() - found.size(), method.kernels.size(), method.name,
                                 where(architecture)));
      if (!found.empty()) complete.push_back(method.name);
      used.insert(found.begin(), found.end());
    }
    const auto made = std::ranges::count(made_, architecture, &Made::architecture);
    if (used.size() != static_cast<std::size_t>(made))
      refuse_made(base::format("{} of the kernels for {} do not belong to the others, or are there twice",
                               static_cast<std::size_t>(made) - used.size(), where(architecture)));
    if (architecture != *architectures.begin() && complete != job_.methods)
      refuse_made(base::format("the kernels for {} and {} are of different methods", where(*architectures.begin()),
                               where(architecture)));
    job_.methods = std::move(complete);
  }
}

const JobKernels::Made* JobKernels::find(const Step& step, std::optional<Architecture> architecture) const {
  const auto found = std::ranges::find_if(
      made_, [&](const Made& one) { return one.architecture == architecture && one.kernel.request == step.request; });
  return found == made_.end() ? nullptr : &*found;
}

JobKernels::Planned JobKernels::kernels_for(std::optional<Architecture> architecture,
                                            const std::vector<std::string>& methods,
                                            const format::TuningFile* tuning) const {
  const families::Family& family = families::of(job_.family);
  const auto schedule_for = [&](std::optional<Architecture> wanted) {
    Job asked = job_for(wanted);
    asked.methods = methods;
    if (tuning != nullptr && made_.empty()) asked.request = family.tuned_request(asked, *tuning);
    Schedule schedule = family.schedule(asked, wanted);
    return methods.empty() ? schedule : families::with_methods(schedule, methods);
  };
  if (made_.empty()) return {schedule_for(architecture), {}};
  const auto is_for_it = [&](const Made& one) {
    if (one.image != nullptr || !architecture) return one.architecture == architecture;
    return one.architecture && serves(*one.architecture, *architecture);
  };
  const Made* newest = nullptr;
  for (const Made& one : made_)
    if (is_for_it(one) && (newest == nullptr || newest->architecture < one.architecture)) newest = &one;
  if (newest == nullptr)
    fail(ErrorCode::ImageRefused, base::format("the kernels were not made for {}", where(architecture)),
         architecture ? "Make them for this architecture, or as a pack for an older one."
                      : "Create it from its callbacks, with Options::routes.required = graft::Route::Host: packs have "
                        "no kernels for the host. To run these kernels on a GPU, leave Options::routes unset.");
  Planned planned{schedule_for(newest->architecture), {}};
  for (Step& step : planned.schedule.kernels) {
    const Made* const made = find(step, newest->architecture);
    if (made == nullptr) refuse_made(base::format("a kernel for {} was not made", where(newest->architecture)));
    if (made->pack) step.callback = *made->pack;
    else planned.images.push_back(made->image);
  }
  return planned;
}

bool JobKernels::is_on_host(const Options& options) const {
  const bool has_images = !made_.empty() && made_.front().image != nullptr;
  return has_images ? !made_.front().architecture : options.routes.required == Route::Host;
}

std::vector<Callback> JobKernels::callbacks() const {
  std::vector<Callback> found;
  for (const families::NamedCallback& one : job_.callbacks) found.push_back(one.callback);
  for (const Made& one : made_)
    if (one.pack) found.push_back(*one.pack);
  return found;
}

}  // namespace graft::engine
