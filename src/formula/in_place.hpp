// What a message suggests stands in place of a piece of the formula, and gets parentheses where its neighbours would
// tear it apart:
//
//     2 * np.sinc(x)    ->   2 * (x == 0 ? 1 : sin(pi * x) / (pi * x))
//     max(~n, 0)        ->   max(-n - 1, 0)
#pragma once

#include <string>
#include <string_view>

#include "formula/mistake.hpp"

namespace graft::formulas {

// Returns what to type in place of `piece` of the text in order to mean `suggestion`. Symbols, and several outputs, are
// returned as they are, and an empty text for a suggestion that is too long for a message. Nothing before the piece may
// be a mistake.
std::string in_place(std::string_view text, Place piece, const std::string& suggestion);

}  // namespace graft::formulas
