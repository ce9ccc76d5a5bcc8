#include "reflect/text/special_names.hpp"

#include <algorithm>
#include <vector>

namespace graft::reflect {
namespace {

struct SpecialName {
  std::string_view name;
  Circumstance circumstance;
};

constexpr SpecialName kSpecialNames[] = {
    {"__FILE__", Circumstance::File},
    {"__FILE_NAME__", Circumstance::File},
    {"__BASE_FILE__", Circumstance::File},
    {"__builtin_FILE", Circumstance::File},
    {"__builtin_FILE_NAME", Circumstance::File},
    {"__builtin_source_location", Circumstance::File},
    {"source_location", Circumstance::File},
    {"assert", Circumstance::File},
    {"__DATE__", Circumstance::Time},
    {"__TIME__", Circumstance::Time},
    {"__TIMESTAMP__", Circumstance::Time},
    {"__has_include", Circumstance::Other},
    {"__has_include_next", Circumstance::Other},
    {"__has_embed", Circumstance::Other},
};

// Whether `name` is a concatenation of pieces. reached[i] says whether the first i characters of `name` are such a
// concatenation.
bool is_made_of(std::string_view name, const std::set<std::string, std::less<>>& pieces) {
  std::vector<bool> reached(name.size() + 1, false);
  reached[0] = true;
  for (std::size_t begin = 0; begin < name.size(); ++begin)
    for (std::size_t size = 1; reached[begin] && begin + size <= name.size(); ++size)
      if (pieces.contains(name.substr(begin, size))) reached[begin + size] = true;
  return reached.back();
}

}  // namespace

Circumstance circumstance_of(std::string_view word) {
  for (const SpecialName& special : kSpecialNames)
    if (word == special.name) return special.circumstance;
  if (word.starts_with("__builtin_FILE")) return Circumstance::File;
  const bool asks_for_files = word.starts_with("__has_include") || word.starts_with("__has_embed");
  return asks_for_files ? Circumstance::Other : Circumstance::None;
}

bool has_special_name(std::string_view text) {
  return std::ranges::any_of(
      kSpecialNames, [&](const SpecialName& special) { return text.find(special.name) != std::string_view::npos; });
}

void NamePieces::add(std::string_view word) {
  const auto is_part = [&](const SpecialName& special) {
    return word.size() < special.name.size() && special.name.find(word) != std::string_view::npos;
  };
  if (std::ranges::any_of(kSpecialNames, is_part)) pieces_.emplace(word);
}

std::string_view NamePieces::makes() const {
  for (const SpecialName& special : kSpecialNames)
    if (is_made_of(special.name, pieces_)) return special.name;
  return {};
}

}  // namespace graft::reflect
