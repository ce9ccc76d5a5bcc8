#include "engine/entries_ahead.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "base/format.hpp"
#include "base/in_parallel.hpp"
#include "base/shown_piece.hpp"
#include "core/enumerators.hpp"
#include "core/fail.hpp"
#include "families/kept_kernels.hpp"
#include "format/compressed_pack.hpp"
#include "formula/writer.hpp"
#include "reflect/callback/scan.hpp"
#include "routes/pack_contents.hpp"
#include "routes/pack_entry.hpp"

namespace graft::engine {
namespace {

[[noreturn]] void refuse_twice(std::string_view name) {
  refuse(base::format("two callbacks of the pack are called `{}`", base::shortened(name)),
         "Give one of them another name (graft::PackEntry::name).");
}

void check(const std::vector<PackEntry>& entries, PrecompileFormat format, const Options& options) {
  check_enumerator(format, PrecompileFormat::Cubin, "the format of graft::precompile_several");
  if (entries.empty()) refuse("no callback is given for a pack of several", "Name at least one callback.");
  if (format != PrecompileFormat::Pack && format != PrecompileFormat::PackWithCubins)
    refuse(base::format("several callbacks cannot be precompiled to the format {}", name(format)),
           "Make a pack, with or without cubins, or a file of this format for each callback.");
  if (!options.entry.empty())
    refuse("Options::entry names one function, but a pack of several callbacks has more",
           "Name the entry function of each callback with Callback::with_entry.");
  for (const PackEntry& entry : entries)
    if (!entry.name.empty() && reflect::canonical_entry(entry.name).empty())
      refuse(base::format("the name `{}` of a callback of the pack has nothing but blanks and comments",
                          base::shortened(entry.name)),
             "Give it a name (graft::PackEntry::name).");
}

// Whether two entries have the same callback, but for how they spell the name of its function.
bool have_one_text(const PackEntry& a, const PackEntry& b) {
  return a.callback.with_entry("") == b.callback.with_entry("");
}

// The name and the declared signature, by which a request will choose the callback. Without a name where only a compile
// finds the function.
std::string key_of(const PackEntry& entry) {
  const std::string& name = entry.name.empty() ? entry.callback.entry() : entry.name;
  return name.empty() ? std::string() : reflect::canonical_entry(name) + "\n" + entry.callback.signature();
}

// Returns the entries without those that are there before. Throws Error(InvalidArgument) for two that differ and would
// be chosen by the same name and signature.
std::vector<const PackEntry*> distinct(const std::vector<PackEntry>& entries) {
  const auto without_spaces = [](const Callback& callback) {
    return callback.with_entry(reflect::canonical_entry(callback.entry()));
  };
  std::vector<const PackEntry*> found;
  std::map<std::string, const PackEntry*> known;
  for (const PackEntry& entry : entries) {
    const std::string key = key_of(entry);
    const auto [place, is_new] = key.empty() ? std::pair(known.end(), true) : known.emplace(key, &entry);
    if (is_new) found.push_back(&entry);
    else if (without_spaces(place->second->callback) != without_spaces(entry.callback))
      refuse_twice(entry.name.empty() ? entry.callback.entry() : entry.name);
  }
  return found;
}

// A pack may have a thousand callbacks, so there are no more threads than processors. After an error, the other threads
// begin nothing more.
std::vector<base::Bytes> compile(const MakePrecompileStep& make_step, const std::vector<const PackEntry*>& entries,
                                 const std::vector<Architecture>& architectures) {
  const std::size_t threads = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, entries.size());
  std::vector<base::Bytes> made(entries.size());
  std::atomic<bool> has_failed{false};
  base::results_in_parallel(threads, [&](std::size_t thread) {
    const PrecompileStep step = make_step();
    for (std::size_t i = thread; i < entries.size() && !has_failed; i += threads) try {
        made[i] = step({entries[i]->callback}, architectures);
      } catch (...) {
        has_failed = true;
        throw;
      }
    return thread;
  });
  return made;
}

}  // namespace

base::Bytes precompile_several(const MakePrecompileStep& make_step, const std::vector<PackEntry>& entries,
                               const std::vector<Architecture>& architectures, PrecompileFormat format,
                               const Options& options) {
  check(entries, format, options);
  const std::vector<const PackEntry*> kept = distinct(entries);
  const std::vector<base::Bytes> made = compile(make_step, kept, architectures);
  format::Pack pack;
  // By name and signature: the entry, and its function.
  std::map<std::pair<std::string, std::string>, std::pair<const PackEntry*, std::string>> known;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const PackEntry& entry = *kept[i];
    format::PackedKernel kernel = routes::read_packed_kernel(made[i], entry.callback.name());
    const std::string family = kernel.spec.family;
    const std::string& name = entry.name.empty() ? kernel.entry : entry.name;
    const bool is_alone = kept.size() == 1;
    if (!is_alone && (name.empty() || (entry.name.empty() && entry.callback.entry() == formulas::kEntry)))
      refuse(base::format("{} has no name by which it could be chosen in a pack of several", entry.callback.name()),
             "Give it a name (graft::PackEntry::name).");
    const auto [there, is_new] = known.emplace(std::pair(reflect::canonical_entry(name), kernel.spec.signature.text()),
                                               std::pair(&entry, kernel.entry));
    if (!is_new) {
      const auto& [other, function] = there->second;
      if (!have_one_text(*other, entry) || function != kernel.entry) refuse_twice(name);
      continue;  // the function `math::relu` was called `relu` before
    }
    pack.jobs.push_back({.family = family, .kernels = {std::move(kernel)}, .name = entry.name});
  }
  return format::compressed_pack(routes::written_pack(pack, entries.front().callback.name()));
}

base::Bytes precompile_several(const std::shared_ptr<Engine::Impl>& engine, const std::vector<PackEntry>& entries,
                               const std::vector<Architecture>& architectures, PrecompileFormat format,
                               const Options& options) {
  PrecompileStep step = [&](const Step& one, const std::vector<Architecture>& of_step) {
    return engine->precompile(one, of_step, format, options);
  };
  return precompile_several([&] { return step; }, entries, architectures, format, options);
}

}  // namespace graft::engine
