#include "formula/whole_text.hpp"

#include <algorithm>
#include <span>

#include "formula/mistake.hpp"

namespace graft::formulas {

bool has_arrow(std::string_view text) noexcept {
  return text.find(kArrow) != text.npos;
}

bool is_whole(std::string_view text) noexcept {
  const auto declares = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("_,; \t\r\n").find(c) != std::string_view::npos;
  };
  return has_arrow(text) && std::ranges::all_of(text.substr(0, text.find(kArrow)), declares);
}

WholeText split(std::string_view text) {
  const std::size_t arrow = text.find(kArrow);
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
