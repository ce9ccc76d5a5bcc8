#include "formula/whole_text.hpp"

#include <span>
#include <utility>

#include "formula/mistake.hpp"

namespace graft::formulas {
namespace {

constexpr std::string_view kArrow = "=>";

}  // namespace

bool is_whole(std::string_view text) noexcept {
  return text.find(kArrow) != text.npos;
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
