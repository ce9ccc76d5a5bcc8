#include "families/reduce/arithmetic.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "reflect/text/keywords.hpp"
#include "reflect/text/lexer.hpp"

namespace graft::families::reduce {
namespace {

bool is_inexact(std::string_view word) {
  static constexpr auto kOthers = std::to_array<std::string_view>(
      {"exp",    "exp2",   "exp10",      "log",       "log2",     "log10",  "cbrt",    "rcbrt",    "rsqrt",  "hypot",
       "rhypot", "norm3d", "norm4d",     "__expf",    "__exp10f", "__logf", "__log2f", "__log10f", "__sinf", "__cosf",
       "__tanf", "__powf", "__fdividef", "__sincosf", "hexp",     "hlog",   "hsin",    "hcos",     "htanh",  "hrsqrt"});
  if (reflect::is_long_math(word) || reflect::is_among(kOthers, word)) return true;
  return word.ends_with('f') && reflect::is_among(kOthers, word.substr(0, word.size() - 1));
}

// The headers of CUDA that texts include for their types.
bool is_known_header(std::string_view rest) {
  for (const std::string_view header :
       {"<cuda_fp16.h>", "<cuda_bf16.h>", "<graft/device.h>", "<cstdint>", "<stdint.h>"})
    if (rest.find(header) != rest.npos) return true;
  return false;
}

std::string inexact_function_in(std::string_view text) {
  const reflect::Tokens tokens = reflect::tokenize(text);
  bool is_known = true;
  for (std::size_t i = 0; i < tokens.list.size(); ++i) {
    const reflect::Token& token = tokens.list[i];
    if (token.kind == reflect::Token::Directive) {
      const reflect::Directive directive = reflect::parse_directive(token);
      is_known = is_known && !(directive.name == "include" && !is_known_header(directive.rest));
    } else if (token.kind == reflect::Token::Word && i + 1 < tokens.list.size() && tokens.list[i + 1].is("(") &&
               is_inexact(token.text)) {
      return std::string(token.text);
    }
  }
  return std::string(is_known ? "" : kUnknownFunctions);
}

}  // namespace

void add_inexact_function(std::string& found, std::string another) {
  if ((found.empty() || found == kUnknownFunctions) && !another.empty()) found = std::move(another);
}

std::string inexact_function_of(const Callback& callback) {
  std::string found;
  if (const Callback::Composition* const composition = callback.composition(); composition != nullptr) {
    for (const std::optional<Callback>& part : composition->parts)
      if (part) add_inexact_function(found, inexact_function_of(*part));
    return found;
  }
  if (callback.form() != Form::Source || !callback.link_inputs().empty()) found = kUnknownFunctions;
  if (callback.form() == Form::Source) add_inexact_function(found, inexact_function_in(callback.text()));
  return found;
}

}  // namespace graft::families::reduce
