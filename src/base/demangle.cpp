// Calls the C++ runtime's demangler, but only for names whose demangled text has a bounded length.
#include "base/demangle.hpp"

#include <cxxabi.h>

#include <cctype>
#include <cstdlib>
#include <memory>
#include <utility>

namespace graft::base {
namespace {

// demangled() refuses a mangled name that has more bytes (kLongestName) or more back references (kMostReferences). A
// back reference (S_, S1_, T_) repeats an earlier part of the name and can double the demangled text, so a short
// hostile name could demangle to more text than fits into memory. A name with 40 back references demangles to at most
// some ten megabytes. Reports and cache entries contain demangled names, so demangled() also refuses a text of more
// than kLongestText bytes.
constexpr std::size_t kLongestName = 4096;
constexpr std::size_t kMostReferences = 40;
constexpr std::size_t kLongestText = std::size_t{1} << 16;

std::size_t references(std::string_view symbol) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < symbol.size(); ++i) {
    if (symbol[i] != 'S' && symbol[i] != 'T') continue;
    std::size_t end = i + 1;
    while (end < symbol.size() &&
           ((symbol[end] >= '0' && symbol[end] <= '9') || (symbol[end] >= 'A' && symbol[end] <= 'Z')))
      ++end;
    if (end < symbol.size() && symbol[end] == '_') ++count;
  }
  return count;
}

}  // namespace

std::string demangled(std::string_view symbol) {
  // Requires the prefix _Z of mangled names, because __cxa_demangle would read the unmangled name "f" as the type
  // float.
  if (!symbol.starts_with("_Z") || symbol.size() > kLongestName || references(symbol) > kMostReferences) return {};
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(std::string(symbol).c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0 || !text || std::string_view(text.get()).size() > kLongestText) return {};
  return text.get();
}

std::string without_own_scopes(std::string text) {
  for (const std::string_view begin : {"_INTERNAL_", "graft_text_"})
    for (std::size_t at = text.find(begin); at != text.npos; at = text.find(begin, at)) {
      std::size_t end = at;
      while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_')) ++end;
      const bool is_whole =
          at == 0 || (std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0 && text[at - 1] != '_');
      if (is_whole && text.compare(end, 2, "::") == 0) text.erase(at, end + 2 - at);
      else at = end;
    }
  return text;
}

std::string readable(std::string_view symbol) {
  std::string text = demangled(symbol);
  return text.empty() ? std::string(symbol) : without_own_scopes(std::move(text));
}

}  // namespace graft::base
