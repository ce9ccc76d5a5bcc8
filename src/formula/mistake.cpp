// Finds line and column of a place, and shows the line around it.
#include "formula/mistake.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "base/shown_piece.hpp"
#include "graft/error.hpp"

namespace graft::formulas {
namespace {

// Returns the line with the place, cut to the bytes around it, and below it a mark.
std::string excerpt(std::string_view line, std::size_t column, std::size_t length) {
  constexpr std::size_t kBefore = 40;
  constexpr std::size_t kWhole = 80;
  const std::size_t begin = column > kBefore ? column - kBefore : 0;
  const std::string shown = base::printable(line.substr(begin, kWhole));
  const std::size_t at = column - begin;
  const std::size_t room = shown.size() > at ? shown.size() - at : 1;
  const std::size_t marked = std::clamp<std::size_t>(length, 1, room);
  return shown + "\n" + std::string(at, ' ') + "^" + std::string(marked - 1, '~');
}

}  // namespace

std::string in_quotes(std::string_view piece) {
  return "`" + base::shortened(piece) + "`";
}

void fail_at(std::string_view text, Place place, const std::string& what, const std::string& wanted) {
  // A message quotes at most two pieces of the formula, of 40 bytes each, makes one suggestion, and shows 80 bytes
  // around the place: 300 bytes. A suggestion that is cut would be wrong.
  const std::string suggestion = wanted.size() <= kLongestSuggestion + 2 ? wanted : std::string();
  const std::size_t offset = std::min(place.offset, text.size());
  const std::string_view before = text.substr(0, offset);
  const auto line = static_cast<int>(std::ranges::count(before, '\n')) + 1;
  const std::size_t begin = before.rfind('\n') + 1;  // npos + 1 is 0
  const std::string_view whole_line = text.substr(begin, text.find('\n', offset) - begin);
  const std::size_t column = offset - begin;

  std::string said = what;
  if (!suggestion.empty()) said += base::format("; did you mean `{}`?", suggestion);
  const std::string where =
      line == 1 ? base::format("column {}", column + 1) : base::format("line {}, column {}", line, column + 1);
  Diagnostic diagnostic{.file = std::string(kName),
                        .line = line,
                        .column = static_cast<int>(column + 1),
                        .severity = Diagnostic::Severity::Error,
                        .text = said,
                        .near = base::shortened(text.substr(offset, place.length)),
                        .suggestion = suggestion};
  throw Error(ErrorCode::CompileFailed,
              {.message = base::format("{}: {}: {}", kName, where, said),
               .remedy = "Correct the formula; docs/formulas.md says what a formula may hold.",
               .log = excerpt(whole_line, column, place.length),
               .versions = {},
               .diagnostics = {std::move(diagnostic)}});
}

}  // namespace graft::formulas
