// A kernel's recipe is everything that graft itself adds to the kernel: the text that graft writes, the headers that
// the text includes, the tools' flags, the building blocks that are linked, and the tuning. The request is not part of
// the recipe.
//
// Recipes let different builds of graft share a cache. A request's key on disk (plan/key.hpp) does not depend on the
// build of graft, and a cache entry stores the hash of its recipe. Another build of graft uses the cache entry if its
// own recipe for the request is the same, and builds a kernel of its own if not. So caches stay warm when an error
// message is reworded, but not when one byte of text, building block, flag or header changes.
//
// A recipe is computed from the request and the kernel's description, by the code that builds kernels. No tool runs,
// and file names are not part of the recipe. A recipe does not show what graft does to a callback binary before the
// link: raise kStepsVersion in recipe.cpp when that changes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/step.hpp"
#include "graft/kernel_spec.hpp"
#include "graft/options.hpp"

namespace graft::routes {

struct Ingredient {
  // "text", "header graft/adapter.h", "compile flag", "block elementwise/tile.ltoir", "tuning vector_width", ...
  std::string name;
  std::string content;  // the ingredient's text; for a file, its hash
  bool operator==(const Ingredient&) const = default;
};

// Returns the recipe of a GPU kernel. `options` are the request's options; for a pack, the options that the pack stores
// replace them. Throws Error if this build of graft cannot make a kernel with the description `kernel`.
std::vector<Ingredient> recipe_of(const Step& step, const Options& options, const KernelSpec& kernel);

// Returns the hash of the names and contents, in the recipe's order, as 32 hexadecimal digits.
std::string hash_of(const std::vector<Ingredient>& recipe);

// Returns the hash of the recipe, or an empty text if this build of graft cannot make a kernel with the description
// `kernel`.
std::string recipe_hash(const Step& step, const Options& options, const KernelSpec& kernel);

}  // namespace graft::routes
