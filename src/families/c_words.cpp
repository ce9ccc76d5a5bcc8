#include "families/c_words.hpp"

#include <utility>

#include "base/phrases.hpp"
#include "families/registry.hpp"

namespace graft::families {

std::string with_c_words(std::string text) {
  for (const Family* const family : all()) text = base::with_phrases(std::move(text), family->c_words());
  return text;
}

}  // namespace graft::families
