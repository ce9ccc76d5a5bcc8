#include "formula/whole_text.hpp"

#include <algorithm>
#include <span>

#include "formula/mistake.hpp"

namespace graft::formulas {

std::size_t find_arrow(std::string_view text) noexcept {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '#') at = std::min(text.find('\n', at), text.size());
    else if (text.substr(at).starts_with(kArrow)) return at;
  }
  return text.npos;
}

bool has_arrow(std::string_view text) noexcept {
  return find_arrow(text) != text.npos;
}

bool is_whole(std::string_view text) noexcept {
  const auto declares = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("_,; \t\r\n").find(c) != std::string_view::npos;
  };
  return has_arrow(text) && std::ranges::all_of(text.substr(0, find_arrow(text)), declares);
}

WholeText split(std::string_view text) {
  const std::size_t arrow = find_arrow(text);
  if (arrow == text.npos)
    fail_at(text, {0, 0}, "the variables are missing; write them before the formula, as in `f32 x; f32 a => a * x`");
  return {formula_variables(text.substr(0, arrow)), blanked_to(arrow + kArrow.size(), text)};
}

std::string blanked_to(std::size_t end, std::string_view text) {
  std::string blanked(text);
  for (char& c : std::span(blanked).first(end))
    if (c != '\n') c = ' ';
  return blanked;
}

}  // namespace graft::formulas
