// Packs of several callbacks: the callbacks of a library in one file, or several instances of a template.
//
//     const graft::Callback library = graft::Callback::file("library.cu");
//     const std::vector<std::byte> bytes = graft::precompile_several(
//         {library.with_entry("relu"), library.with_entry("scale<float>"),
//          {graft::formula("f32 x => x^2.2"), "gamma"}},
//         {75, 90});
//     ...                                                       // on another machine, without a compiler
//     const graft::Callback pack = graft::Callback::pack(bytes);
//     graft::Transform gamma = graft::Transform::create(pack.with_entry("gamma"));
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <graft/architecture.hpp>
#include <graft/callback.hpp>
#include <graft/export.hpp>
#include <graft/options.hpp>
#include <graft/precompile.hpp>

namespace graft {

class Engine;

// A callback of a pack, and the name by which Callback::with_entry and Options::entry choose it. Without a name of its
// own it is chosen by its function: "math::relu", or "relu" if no other name of the pack ends so; "scale<float>".
// Lambdas, formulas and compositions need a name.
struct PackEntry {
  PackEntry(const Callback& its_callback, std::string its_name = {})
      : callback(its_callback), name(std::move(its_name)) {}

  Callback callback;
  std::string name;
};

// Compiles callbacks ahead of time for these architectures, and returns one pack, as graft::precompile makes packs of
// one callback. All are compiled with these options; each has its own entry (Callback::with_entry). An entry that is
// there twice, also with other spaces (`scale< float >`), is in the pack once. Two callbacks may have the same name if
// their signatures differ: Callback::with_signature then chooses one.
//
// Blocks until all are compiled, several at the same time. Thread-safe. Throws Error: InvalidArgument if `entries` is
// empty, for a format other than Pack and PackWithCubins, for Options::entry, for a callback without a name, for two
// callbacks with the same name and signature, and if the pack's description would be larger than 3 MiB (about 1,400
// callbacks for two architectures); and what graft::precompile throws.
GRAFT_API std::vector<std::byte> precompile_several(const std::vector<PackEntry>& entries,
                                                    const std::vector<Architecture>& architectures,
                                                    PrecompileFormat format = PrecompileFormat::Pack,
                                                    const Options& options = {});
GRAFT_API std::vector<std::byte> precompile_several(Engine& engine, const std::vector<PackEntry>& entries,
                                                    const std::vector<Architecture>& architectures,
                                                    PrecompileFormat format = PrecompileFormat::Pack,
                                                    const Options& options = {});

}  // namespace graft
