#include "formula/whole_text.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "formula/mistake.hpp"

namespace graft::formulas {
namespace {

constexpr std::string_view kArrow = "=>";

}  // namespace

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
  std::string formula(text);
  for (char& c : std::span(formula).first(arrow + kArrow.size()))
    if (c != '\n') c = ' ';
  return {formula_variables(text.substr(0, arrow)), std::move(formula)};
}

}  // namespace graft::formulas
