// Rewrites the types in a declaration token by token (Rewriter, without_names, with_all), and collects the distinct
// spellings of a callback (candidates). If a callback binary lists its functions, the spelling of the function in this
// list is chosen. For a composition, all combinations of its callbacks' spellings are tried.
#include "routes/wide_integers.hpp"

#include <algorithm>
#include <utility>

#include "compile/derived_callback.hpp"
#include "format/mangled.hpp"
#include "link/callback_binary.hpp"
#include "reflect/signature/declaration.hpp"
#include "reflect/signature/probe.hpp"
#include "reflect/text/lexer.hpp"

namespace graft::routes {
namespace {

using reflect::Token;
using reflect::Tokens;
using Span = std::span<const Token>;

// Returns whether the token is one of the names for signed 64-bit integers in <cstdint> and <cstddef>.
bool is_signed_name(const Token& token) {
  return token.kind == Token::Word && (token.is("int64_t") || token.is("intptr_t") || token.is("ptrdiff_t"));
}
bool is_unsigned_name(const Token& token) {
  return token.kind == Token::Word && (token.is("uint64_t") || token.is("uintptr_t") || token.is("size_t"));
}

// Returns whether the token is a keyword of an integer type that may be 64 bits wide.
bool is_integer_word(const Token& token) {
  return token.is("long") || token.is("int") || token.is("signed") || token.is("unsigned");
}

bool touch(const Token& front, const Token& behind) {
  return front.text.data() + front.text.size() == behind.text.data();
}

// Returns the number of tokens at `at` that form one of these names: "int64_t", "std::int64_t", "::int64_t".
// Returns 0 for "mine::int64_t".
std::size_t name_size(Span tokens, std::size_t at) {
  std::size_t end = at;
  const auto is = [&](std::string_view text) { return end < tokens.size() && tokens[end].is(text); };
  const bool is_qualified = at > 0 && touch(tokens[at - 1], tokens[at]) &&
                            (tokens[at - 1].is("::") || (tokens[at].is("::") && tokens[at - 1].kind == Token::Word));
  if (is_qualified) return 0;
  if (is("::")) ++end;
  if (is("std") && end + 1 < tokens.size() && tokens[end + 1].is("::")) end += 2;
  if (end >= tokens.size() || (!is_signed_name(tokens[end]) && !is_unsigned_name(tokens[end]))) return 0;
  return end + 1 - at;
}

// Copies a text and replaces some of its tokens.
class Rewriter {
 public:
  explicit Rewriter(std::string_view text)
      : tokens_(reflect::tokenize(text)), text_(tokens_.joined ? std::string_view(*tokens_.joined) : text) {}

  Span tokens() const { return tokens_.list; }

  void replace(std::size_t first, std::size_t count, std::string_view with) {
    const auto begin = static_cast<std::size_t>(tokens_.list[first].text.data() - text_.data());
    const Token& last = tokens_.list[first + count - 1];
    result_.append(text_.substr(copied_, begin - copied_)).append(with);
    copied_ = static_cast<std::size_t>(last.text.data() - text_.data()) + last.text.size();
  }

  std::string take() { return result_.append(text_.substr(copied_)); }

 private:
  Tokens tokens_;
  std::string_view text_;
  std::size_t copied_ = 0;
  std::string result_;
};

std::string without_names(std::string_view text, std::string_view wide) {
  Rewriter rewriter(text);
  const Span tokens = rewriter.tokens();
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::size_t size = name_size(tokens, i);
    if (size == 0) continue;
    const bool is_signed = is_signed_name(tokens[i + size - 1]);
    rewriter.replace(i, size, (is_signed ? "" : "unsigned ") + std::string(wide));
    i += size - 1;
  }
  return rewriter.take();
}

// Replaces each run of integer keywords that contains `long` by the type `wide`. `long double` stays.
std::string with_all(std::string_view text, std::string_view wide) {
  Rewriter rewriter(text);
  const Span tokens = rewriter.tokens();
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    std::size_t end = i;
    while (end < tokens.size() && is_integer_word(tokens[end])) ++end;
    if (end == i) continue;
    const Span run = tokens.subspan(i, end - i);
    const auto longs = std::ranges::count_if(run, [](const Token& token) { return token.is("long"); });
    const bool is_floating = (end < tokens.size() && tokens[end].is("double")) || (i > 0 && tokens[i - 1].is("double"));
    if (longs > 0 && !is_floating) {
      std::string words;
      for (const Token& token : run)
        if (!token.is("long")) words += std::string(token.text) + " ";
      rewriter.replace(i, end - i, words + std::string(wide));
    }
    i = end - 1;
  }
  return rewriter.take();
}

Callback with_spelling(const Callback& callback, WideIntegers spelling) {
  if (!callback.typed_signature()) return callback.with_signature(spell_wide_integers(callback.signature(), spelling));
  const auto spelled = [&](Parameter parameter) {
    parameter.spelling = spell_wide_integers(parameter.spelling, spelling);
    return parameter;
  };
  const Signature& signature = *callback.typed_signature();
  std::vector<Parameter> parameters;
  for (const Parameter& parameter : signature.parameters()) parameters.push_back(spelled(parameter));
  return callback.with_signature(Signature(spelled(signature.result()), std::move(parameters)));
}

// Returns the callback in each of the spellings of `order`, without duplicates. An empty optional stands for the
// spelling that the caller gave.
std::vector<Callback> candidates(const Callback& callback, std::initializer_list<std::optional<WideIntegers>> order) {
  std::vector<Callback> all;
  for (const std::optional<WideIntegers> spelling : order) {
    Callback candidate = spelling ? with_spelling(callback, *spelling) : callback;
    if (std::ranges::find(all, candidate.signature(), &Callback::signature) == all.end())
      all.push_back(std::move(candidate));
  }
  return all;
}

bool has_parameters(const format::FunctionName& function, const std::vector<std::string>& declared) {
  return function.parameters && std::ranges::equal(*function.parameters, declared, [](const auto& type, const auto& d) {
           return type == format::canonical_type(d) || type == format::canonical_type(reflect::parameter_type(d));
         });
}

// Returns whether the binary lists a function with the declared name and types.
bool shows(const link::CallbackBinary& image, const reflect::DeclaredFunction& declared) {
  std::vector<std::string> types = reflect::spellings(declared.function_type);
  types.erase(types.begin());
  const std::vector<std::string_view> symbols(image.functions.begin(), image.functions.end());
  return std::ranges::any_of(format::symbols_called(declared.entry, symbols), [&](std::string_view symbol) {
    const auto function = format::read_function_name(symbol);
    return function && has_parameters(*function, types);
  });
}

std::vector<Callback> of_binary(const Callback& callback, std::optional<Architecture> architecture,
                                const std::string& entry) {
  const auto declared = [&](const Callback& one) {
    return reflect::declare_function(one.signature(), entry, one.name());
  };
  try {
    if (callback.signature().empty() || declared(callback).is_extern_c) return {callback};
    std::vector<Callback> all =
        candidates(callback, {WideIntegers::AsNvcc, std::nullopt, WideIntegers::Long, WideIntegers::LongLong});
    if (all.size() == 1) return {callback};
    const link::CallbackBinary image = link::examine(callback, architecture);
    if (!image.lists_all_functions) return all;
    const auto shown = std::ranges::find_if(all, [&](const Callback& one) { return shows(image, declared(one)); });
    return {shown == all.end() ? all.front() : *shown};
  } catch (const Error&) {
    return {callback};  // the build will meet the same error and report it
  }
}

std::vector<Callback> of_one(const Callback& callback, std::optional<Architecture> architecture,
                             const std::string& entry) {
  switch (callback.form()) {
    case Form::Source:
      if (callback.signature().empty()) return {callback};
      return candidates(callback, {std::nullopt, WideIntegers::LongLong, WideIntegers::Long});
    case Form::LtoIr:
    case Form::Fatbin:
    case Form::Ptx:
    case Form::Object:
      return of_binary(callback, architecture, entry);
    case Form::Composition:
    case Form::Pack:
    case Form::Nvvm:
      break;
  }
  return {callback};
}

// Returns the composition with all combinations of its callbacks' spellings, the likeliest first. Returns at most kMost
// combinations, because each is tried by a build; no reasonable composition has more.
std::vector<Callback> of_composition(const Callback& callback, std::optional<Architecture> architecture) {
  constexpr std::size_t kMost = 16;
  std::vector<std::vector<std::optional<Callback>>> combinations = {{}};
  for (const std::optional<Callback>& part : callback.composition()->parts) {
    std::vector<std::optional<Callback>> choices = {std::nullopt};
    if (part) {
      const std::vector<Callback> all = spellings_of(*part, architecture, {});
      choices.assign(all.begin(), all.end());
    }
    std::vector<std::vector<std::optional<Callback>>> longer;
    for (const std::optional<Callback>& choice : choices)
      for (std::vector<std::optional<Callback>> combination : combinations) {
        if (longer.size() == kMost) break;
        combination.push_back(choice);
        longer.push_back(std::move(combination));
      }
    combinations = std::move(longer);
  }
  if (combinations.size() == 1 && combinations.front() == callback.composition()->parts) return {callback};
  std::vector<Callback> all;
  for (const std::vector<std::optional<Callback>>& parts : combinations)
    all.push_back(compile::with_parts(callback, parts));
  return all;
}

}  // namespace

std::string spell_wide_integers(std::string_view text, WideIntegers spelling) {
  const std::string_view wide = spelling == WideIntegers::LongLong ? "long long" : "long";
  const std::string named = without_names(text, wide);
  return spelling == WideIntegers::AsNvcc ? named : with_all(named, wide);
}

std::vector<Callback> spellings_of(const Callback& callback, std::optional<Architecture> architecture,
                                   const Options& options) {
  if (callback.composition() != nullptr) return of_composition(callback, architecture);
  return of_one(callback, architecture, options.entry.empty() ? callback.entry() : options.entry);
}

bool may_be_spelled_otherwise(const Error& error) {
  return error.code() == ErrorCode::NoSuchEntry || error.code() == ErrorCode::LinkFailed ||
         error.code() == ErrorCode::SignatureMismatch;
}

}  // namespace graft::routes
