// What a kernel is made of beside its request, of graft's own: the text that graft writes for it, the headers that the
// text includes, the tools' flags, the blocks that are linked, and what was decided. Made of the request and the
// kernel's description, by the code that makes kernels, and of no name of a file; no tool runs. Not in it is what graft
// does to a callback's own binary on its way to a linker: kStepsVersion in recipe.cpp is raised when that changes.
//
// A request's key on disk (plan/key.hpp) does not change with the build of graft. An entry keeps the hash of its
// recipe: another build takes the entry where its own recipe for it is the same, and makes a kernel of its own where
// not. So a message that is worded anew leaves caches warm, and one byte of text, fragment, flag or header that differs
// does not.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graft/callback.hpp"
#include "graft/kernel_spec.hpp"
#include "graft/options.hpp"

namespace graft::building {

struct Ingredient {
  std::string name;     // "text", "header graft/adapter.h", "flag", "block elementwise/tile.ltoir", "tuning"
  std::string content;  // of a file its hash
  bool operator==(const Ingredient&) const = default;
};

// Of a kernel for a GPU. `options` as they were asked for; of a pack its own count. Throws Error where this build makes
// no such kernel.
std::vector<Ingredient> recipe_of(const Callback& callback, const Options& options, const KernelSpec& kernel);

// 32 digits. Names and contents count, and their order.
std::string hash_of(const std::vector<Ingredient>& recipe);

// The hash; empty where this build makes no such kernel.
std::string recipe_hash(const Callback& callback, const Options& options, const KernelSpec& kernel);

}  // namespace graft::building
