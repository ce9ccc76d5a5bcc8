#include "formula/nearest.hpp"

#include <cstddef>
#include <vector>

#include "reflect/callback/scan.hpp"

namespace graft::formulas {
namespace {

constexpr std::size_t kLongestWord = 64;  // nobody misspells longer names, and comparing them takes quadratic time

// Whether the letters of `word` are in `whole` in this order, from the same first letter: "sgn" abbreviates "sign".
bool abbreviates(std::string_view word, std::string_view whole) {
  if (word.size() < 3 || word.size() > whole.size() || word.front() != whole.front()) return false;
  std::size_t at = 0;
  for (const char c : whole)
    if (at < word.size() && word[at] == c) ++at;
  return at == word.size();
}

}  // namespace

std::string nearest(std::string_view wanted, std::span<const std::string> candidates) {
  if (wanted.size() > kLongestWord) return {};
  std::vector<std::string> shorts;
  for (const std::string& candidate : candidates)
    if (candidate.size() <= kLongestWord) shorts.push_back(candidate);
  if (std::string found = reflect::nearest(wanted, shorts); !found.empty()) return found;
  const std::string* best = nullptr;
  for (const std::string& candidate : shorts)
    if (abbreviates(wanted, candidate) && (best == nullptr || candidate.size() < best->size())) best = &candidate;
  return best == nullptr ? std::string() : *best;
}

}  // namespace graft::formulas
