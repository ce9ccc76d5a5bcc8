#include "families/kept_kernels.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "base/format.hpp"
#include "base/shown_piece.hpp"
#include "families/kernel_check.hpp"
#include "families/registry.hpp"
#include "format/pack_version_2.hpp"

namespace graft::families {
namespace {

std::string objection(const Report& report) {
  return objection_to(report);
}

std::string objection(const format::PackedKernel& kernel) {
  Report common;
  common.kernel = kernel.spec;
  if (std::string why = objection_to(common); !why.empty()) return why;
  for (const format::PackPart& part : kernel.parts) {
    if (part.architecture.number == 0) return base::format("its {} image has no architecture", to_string(part.kind));
    if (!part.facts) continue;
    Report report;  // the report that a launch of this part would use
    report.kernel = spec_of(kernel, part);
    report.resources = part.facts->resources;
    if (const std::string why = objection_to(report); !why.empty())
      return base::format("its {} image for {} is not a possible kernel: {}", to_string(part.kind),
                          part.architecture.sm(), why);
  }
  return {};
}

std::string objection(const format::PackJob& job) {
  for (const format::PackedKernel& kernel : job.kernels) {
    if (std::string why = objection(kernel); !why.empty()) return why;
    if (kernel.spec.family != job.family)
      return base::format("a kernel of the family {} is in a job of the family {}", kernel.spec.family, job.family);
    if (!job.request.empty() && of(job.family).job_request(kernel.spec) != job.request)
      return base::format("{} does not belong to its job", kernel.spec.name);
  }
  return {};
}

void upgrade(const Family& family, format::PackedKernel& kernel) {
  for (format::PackPart& part : kernel.parts) {
    if (!part.facts) continue;
    KernelSpec spec = spec_of(kernel, part);
    family.upgrade(spec);
    part.facts->tuning = std::move(spec.tuning);
  }
  family.upgrade(kernel.spec);
}

}  // namespace

format::Outcome<format::Pack> read_pack(std::span<const std::byte> bytes) {
  format::Outcome<format::Pack> pack = format::read_pack(bytes);
  if (!pack) return pack;
  for (format::PackJob& job : pack->jobs) {
    for (format::PackedKernel& kernel : job.kernels)
      if (const Family* const family = find(kernel.spec.family)) upgrade(*family, kernel);
    // A set of packs does not say what its job was asked for, but its kernels do.
    const Family* const family = find(job.family);
    if (family != nullptr && format::is_pack_set(bytes)) job.request = family->job_request(job.kernels.front().spec);
    if (std::string why = objection(job); !why.empty())
      return format::FormatError{format::Flaw::Damaged, std::move(why), format::kPackMetadataAt};
  }
  return pack;
}

format::Outcome<base::Bytes> write_pack(const format::Pack& pack) {
  format::Outcome<base::Bytes> bytes = format::write_pack(pack);
  if (!bytes) return bytes;
  // Only read_pack() has the rules for a valid pack, so read the result back to check it.
  const format::Outcome<format::Pack> again = read_pack(*bytes);
  if (again) return bytes;
  return format::FormatError{format::Flaw::Unfit, "the pack would be invalid: " + again.error().message, 0};
}

bool is_for_callbacks(const format::PackJob& job) {
  return job.kernels.size() == 1 && (job.request.empty() || of(job.family).face().job.empty());
}

std::string title_of(const format::PackJob& job) {
  const format::PackedKernel& first = job.kernels.front();
  if (!job.name.empty()) return job.name;
  if (!first.entry.empty()) return first.entry;
  if (job.request.empty()) return first.spec.name;
  return of(job.family).title({.family = job.family, .request = job.request});
}

std::string listed(const std::vector<std::string>& texts) {
  constexpr std::size_t kMostShown = 20, kLongestShown = 100;
  std::vector<std::string> shown;
  for (const std::string& text : std::span(texts).first(std::min(texts.size(), kMostShown)))
    shown.push_back(base::printable(std::string_view(text).substr(0, kLongestShown)));
  const std::size_t others = texts.size() - shown.size();
  return base::format("{}{}", base::join(shown, ", "), others == 0 ? "" : base::format(" and {} others", others));
}

std::string titles_of(const format::Pack& pack) {
  std::vector<std::string> titles;
  for (const format::PackJob& job : pack.jobs) titles.push_back(title_of(job));
  return listed(titles);
}

std::string objection_to(const format::CacheEntry& entry) {
  std::string why = format::objection_to(entry, objection);
  return why.empty() ? objection_to_image(entry.report.kernel, entry.image) : why;
}

std::variant<format::CacheEntry, format::EntryFault> read_cache_entry(std::span<const std::byte> file) {
  auto read = format::read_cache_entry(file, objection);
  const auto* const entry = std::get_if<format::CacheEntry>(&read);
  // No build of graft writes such an image, so `build` does not matter here.
  if (entry != nullptr && !objection_to_image(entry->report.kernel, entry->image).empty())
    return format::EntryFault::Damaged;
  return read;
}

}  // namespace graft::families
