#include "routes/pack_entry.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "base/shown_piece.hpp"
#include "core/fail.hpp"
#include "families/kept_kernels.hpp"
#include "families/registry.hpp"
#include "graft/error.hpp"
#include "reflect/callback/scan.hpp"
#include "reflect/signature/declaration.hpp"
#include "reflect/signature/known_types.hpp"
#include "routes/pack_contents.hpp"

namespace graft::routes {
namespace {

using format::PackJob;
using Jobs = std::vector<PackJob*>;

// What a request says of the callback that it wants.
struct Asked {
  const std::string& entry;                                    // may be empty
  std::function<bool(const format::PackedKernel&)> fits = {};  // whether it has the declared signature
  const std::string& signature;
};

Jobs all_of(format::Pack& pack) {
  Jobs all;
  for (PackJob& job : pack.jobs) all.push_back(&job);
  return all;
}

// Returns the jobs of this name, or if there are none, those whose name ends in it.
Jobs named(format::Pack& pack, const std::string& entry) {
  const std::string wanted = reflect::canonical_entry(entry);
  Jobs exact, tails;
  for (PackJob& job : pack.jobs) {
    const std::string name = reflect::canonical_entry(families::title_of(job));
    if (name == wanted) exact.push_back(&job);
    else if (!entry.starts_with("::") && reflect::ends_in_name(name, wanted)) tails.push_back(&job);
  }
  return exact.empty() ? tails : exact;
}

// Lists callbacks of one name by their signatures, for a message.
std::string signatures_of(const Jobs& jobs) {
  std::vector<std::string> texts;
  for (const PackJob* const job : jobs)
    texts.push_back(base::format("{}: {}", families::title_of(*job), job->kernels.front().spec.signature.text()));
  return families::listed(texts);
}

[[noreturn]] void refuse_entry(const format::Pack& pack, const std::string& name, const std::string& entry) {
  if (pack.jobs.size() == 1) {
    const PackJob& job = pack.jobs.front();
    const bool is_lambda = job.name.empty() && job.kernels.front().entry.empty();
    fail(ErrorCode::NoSuchEntry,
         base::format("{} holds `{}`, but this request asks for `{}`", name,
                      is_lambda ? "a lambda" : base::shortened(families::title_of(job)), base::shortened(entry)),
         "Leave the entry out: a pack holds one callback.");
  }
  std::vector<std::string> names;
  for (const PackJob& job : pack.jobs)
    if (const std::string title = families::title_of(job); title.find(' ') == title.npos) names.push_back(title);
  const std::string guess = reflect::nearest(entry, names);
  fail(ErrorCode::NoSuchEntry,
       base::format("{} has no callback `{}`; it holds {}", name, base::shortened(entry), families::titles_of(pack)),
       guess.empty() ? "Name one of these callbacks in Options::entry."
                     : base::format("Did you mean `{}`? Name the callback in Options::entry.", guess));
}

PackJob& chosen(format::Pack& pack, const std::string& name, const Asked& asked) {
  Jobs found = asked.entry.empty() ? all_of(pack) : named(pack, asked.entry);
  if (found.empty()) refuse_entry(pack, name, asked.entry);
  if (found.size() == 1) return *found.front();
  if (asked.entry.empty())
    fail(ErrorCode::AmbiguousEntry,
         base::format("{} holds {} callbacks: {}", name, found.size(), families::titles_of(pack)),
         base::format("Name one of them in Options::entry: \"{}\".",
                      base::shortened(families::title_of(*found.front()))));
  const Jobs same_name = found;
  std::erase_if(found, [&](const PackJob* job) { return !asked.fits(job->kernels.front()); });
  if (found.empty())
    fail(ErrorCode::SignatureMismatch,
         base::format("{} has several `{}`, none with the signature {}: {}", name, base::shortened(asked.entry),
                      base::shortened(asked.signature), signatures_of(same_name)),
         "Declare the signature of one of them, or give its whole name.");
  if (found.size() > 1)
    fail(ErrorCode::AmbiguousEntry,
         base::format("{} has several `{}`: {}", name, base::shortened(asked.entry), signatures_of(same_name)),
         "Give the whole name of one of them in Options::entry, or choose one by its signature, with "
         "Callback::with_signature.");
  return *found.front();
}

}  // namespace

format::PackedKernel read_packed_kernel(const Callback& callback, const Options& options) {
  format::Pack pack = read_pack(callback.bytes(), callback.name());
  check_has_callbacks(pack, callback.name());
  const auto fits = [&](const format::PackedKernel& kernel) { return has_declared_signature(kernel, callback); };
  const std::string& entry = options.entry.empty() ? callback.entry() : options.entry;
  return std::move(chosen(pack, callback.name(), {entry, fits, callback.signature()}).kernels.front());
}

format::PackedKernel read_packed_kernel(std::span<const std::byte> bytes, const std::string& name) {
  format::Pack pack = read_pack(bytes, name);
  check_has_callbacks(pack, name);
  const std::string nothing;
  return std::move(chosen(pack, name, {nothing, {}, nothing}).kernels.front());
}

void check_has_callbacks(const format::Pack& pack, const std::string& name) {
  const auto other = std::ranges::find_if_not(pack.jobs, families::is_for_callbacks);
  if (other == pack.jobs.end()) return;
  if (pack.jobs.size() > 1)
    fail(ErrorCode::ImageRefused,
         base::format("{} is a pack of {} jobs, not of a callback: {}", name, pack.jobs.size(),
                      families::titles_of(pack)),
         "Load each job with the class of its family, or make a pack of the callback alone.");
  const families::Family::Face face = families::of(other->family).face();
  fail(ErrorCode::ImageRefused,
       base::format("{} is the pack of {}, not of a callback", name,
                    face.job.empty() ? families::title_of(*other) : std::string(face.job)),
       face.remedy.empty() ? "Load it with the class of its family." : std::string(face.remedy));
}

bool has_declared_signature(const format::PackedKernel& kernel, const Callback& callback) {
  std::optional<Signature> declared = callback.typed_signature();
  if (!declared && !callback.signature().empty())
    declared = reflect::known_signature(reflect::function_type(callback.signature()));
  if (declared) return *declared == kernel.spec.signature;
  return callback.signature().empty() || callback.signature() == kernel.spec.signature.text();
}

}  // namespace graft::routes
