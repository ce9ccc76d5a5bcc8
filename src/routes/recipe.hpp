// A kernel's recipe: everything of graft's own that goes into the kernel beside its request. That is the text that
// graft writes, the headers that the text includes, the tools' flags, the building blocks that are linked, and the
// tuning.
//
// Recipes let different builds of graft share a cache. A request's key on disk (plan/key.hpp) does not depend on the
// build of graft, and a cache entry stores the hash of its recipe. Another build uses the entry if its own recipe for
// the request is the same; if not, it builds a kernel of its own. So a reworded message leaves caches warm, and one
// changed byte of text, fragment, flag or header does not.
//
// A recipe is computed from the request and the kernel's description, by the code that builds kernels. No tool runs,
// and no file name is part of it. A recipe does not show what graft does to a callback binary before the link: raise
// kStepsVersion in recipe.cpp when that changes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graft/callback.hpp"
#include "graft/kernel_spec.hpp"
#include "graft/options.hpp"

namespace graft::routes {

struct Ingredient {
  std::string name;     // "text", "header graft/adapter.h", "flag", "block elementwise/tile.ltoir", "tuning"
  std::string content;  // for a file, its hash
  bool operator==(const Ingredient&) const = default;
};

// The recipe of a GPU kernel. `options` are those of the request; for a pack, the options that it remembers replace
// them. Throws Error if this build of graft does not make such a kernel.
std::vector<Ingredient> recipe_of(const Callback& callback, const Options& options, const KernelSpec& kernel);

// 32 hexadecimal digits, over names and contents in their order.
std::string hash_of(const std::vector<Ingredient>& recipe);

// The hash of the recipe; empty if this build of graft does not make such a kernel.
std::string recipe_hash(const Callback& callback, const Options& options, const KernelSpec& kernel);

}  // namespace graft::routes
