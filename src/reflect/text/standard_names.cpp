// The names of namespace std are those that come with <cmath> of GCC 9 to 14. std::clamp, std::minmax and std::exchange
// do not, but belong to the others of their headers.
#include "reflect/text/standard_names.hpp"

#include <algorithm>
#include <cctype>
#include <string>

#include "reflect/text/keywords.hpp"

namespace graft::reflect {
namespace {

bool is_part_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Returns the header of a name of namespace std, or an empty text if the name has none of the headers below.
std::string_view header_of(std::string_view name) {
  static constexpr std::string_view kAlgorithm[] = {"min",    "max",       "clamp",    "minmax",
                                                    "copy",   "fill",      "equal",    "copy_n",
                                                    "fill_n", "iter_swap", "mismatch", "lower_bound"};
  static constexpr std::string_view kUtility[] = {"swap", "exchange", "pair", "make_pair", "as_const"};
  static constexpr std::string_view kTypeTraits[] = {
      "integral_constant", "true_type",     "false_type",  "conditional", "enable_if", "decay",
      "make_signed",       "make_unsigned", "common_type", "void_t",      "declval",   "underlying_type"};
  static constexpr std::string_view kOtherTypes[] = {"size_t",    "ptrdiff_t", "max_align_t",
                                                     "nullptr_t", "float_t",   "double_t"};
  if (is_among(kAlgorithm, name)) return "algorithm";
  if (is_among(kUtility, name)) return "utility";
  if (name == "numeric_limits") return "limits";
  const bool is_integer_type = name.find("int") != name.npos && name.ends_with("_t");
  const bool has_suffix = (name.ends_with("_t") || name.ends_with("_v")) && !is_among(kOtherTypes, name);
  const bool is_trait = is_among(kTypeTraits, name) || name.starts_with("is_") || name.starts_with("remove_") ||
                        name.starts_with("add_") || (has_suffix && !is_integer_type);
  return is_trait ? "type_traits" : "";
}

void add(std::string_view header, std::vector<std::string_view>& headers) {
  if (std::ranges::find(headers, header) == headers.end()) headers.push_back(header);
}

bool is_wide_type(std::string_view word) {
  static constexpr std::string_view kNames[] = {"int64_t", "uint64_t", "intptr_t", "uintptr_t"};
  return is_among(kNames, word);
}

// Whether the text names a limit of <cstdint>: INT32_MAX, UINT8_MAX, SIZE_MAX.
bool names_limit(std::string_view text) {
  for (std::size_t at = text.find("_M"); at != text.npos; at = text.find("_M", at + 1)) {
    const std::string_view rest = text.substr(at);
    const std::string_view before = text.substr(0, at);
    if (!rest.starts_with("_MAX") && !rest.starts_with("_MIN")) continue;
    for (const std::string_view name : {"INT8", "INT16", "INT32", "INT64", "INTPTR", "PTRDIFF", "SIZE"})
      if (before.ends_with(name)) return true;
  }
  return false;
}

}  // namespace

void add_std_headers(std::string_view text, std::vector<std::string_view>& headers) {
  constexpr std::string_view kStd = "std::";
  for (std::size_t at = text.find(kStd); at != text.npos; at = text.find(kStd, at + 1)) {
    const std::string_view before = text.substr(0, at);
    if (before.ends_with("cuda::") || (!before.empty() && is_part_of_name(before.back()))) continue;
    for (const std::string_view header : {"cmath", "cstddef", "cstdint"}) add(header, headers);
    const std::string_view rest = text.substr(at + kStd.size());
    const auto end = std::ranges::find_if_not(rest, is_part_of_name);
    const std::string_view header = header_of(rest.substr(0, static_cast<std::size_t>(end - rest.begin())));
    if (!header.empty()) add(header, headers);
  }
  if (names_limit(text)) add("cstdint", headers);
}

// A typedef's name is the word in front of its semicolon, and an alias' name the word behind `using`.
std::vector<std::string> own_wide_types(const Text& whole_text) {
  const std::string& text = whole_text.source();
  if (text.find("64_t") == text.npos && text.find("ptr_t") == text.npos) return {};
  const std::vector<Token>& tokens = whole_text.code().tokens;
  std::vector<std::string> found;
  bool is_typedef = false;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i].is("typedef")) is_typedef = true;
    const Token& next = tokens[i + 1];
    const bool is_alias = i > 0 && tokens[i - 1].is("using") && next.is("=");
    if (is_wide_type(tokens[i].text) && (is_alias || (is_typedef && next.is(";")))) {
      std::string name(tokens[i].text);
      const bool is_of_std = text.find("std::" + name) != text.npos;
      if (!is_of_std && std::ranges::find(found, name) == found.end()) found.push_back(std::move(name));
    }
    if (tokens[i].is(";")) is_typedef = false;
  }
  return found;
}

}  // namespace graft::reflect
