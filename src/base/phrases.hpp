// Replaces phrases of a text, for messages that name the members of C++ classes: the program `graft` names its options
// instead, and the C interface its functions and constants.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace graft::base {

using Phrase = std::pair<std::string_view, std::string_view>;  // a phrase, and what stands in its place

inline std::string with_phrase(std::string text, std::string_view phrase, std::string_view instead) {
  for (std::size_t at = text.find(phrase); at != text.npos; at = text.find(phrase, at + instead.size()))
    text.replace(at, phrase.size(), instead);
  return text;
}

// The replacements are made from the first to the last, so whole phrases must stand before the single names in them.
inline std::string with_phrases(std::string text, std::span<const Phrase> phrases) {
  for (const auto& [phrase, instead] : phrases) text = with_phrase(std::move(text), phrase, instead);
  return text;
}

}  // namespace graft::base
