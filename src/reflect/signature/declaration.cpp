// split() divides the last declaration of a signature text into result, name and parameters. From these parts,
// declaration() writes a new declaration, with __device__ and inside the namespaces of the name.
#include "reflect/signature/declaration.hpp"

#include <span>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "core/fail.hpp"
#include "graft/error.hpp"
#include "reflect/callback/scan.hpp"
#include "reflect/text/keywords.hpp"
#include "reflect/text/lexer.hpp"

namespace graft::reflect {
namespace {

using TokenSpan = std::span<const Token>;

[[noreturn]] void fail_unreadable(std::string_view callback, std::string_view signature) {
  refuse(base::format("{}: \"{}\" is not the signature of a function", callback, signature),
         "Write it like \"float f(float, const Scale&)\", after the definitions of the structs that it uses.");
}

// The parts of the last declaration: [front] result [name] (parameters). `front` is the text in front of the
// declaration.
struct Parts {
  TokenSpan front;
  TokenSpan result;
  TokenSpan name;  // empty if the signature has no name
  TokenSpan parameters;
  bool is_extern_c = false;
};

// Returns the position of the `(` that matches the last token, which is a `)`. Returns tokens.size() if there is none.
std::size_t opening(TokenSpan tokens) {
  int depth = 0;
  for (std::size_t i = tokens.size(); i-- > 0;) {
    if (tokens[i].is(")")) ++depth;
    if (tokens[i].is("(") && --depth == 0) return i;
  }
  return tokens.size();
}

// Returns the number of tokens in front of the last declaration.
std::size_t front_size(TokenSpan tokens) {
  int depth = 0;
  std::size_t end = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].is("{") || tokens[i].is("(")) ++depth;
    if (tokens[i].is("}") || tokens[i].is(")")) --depth;
    const bool ends = tokens[i].kind == Token::Directive || (depth == 0 && (tokens[i].is(";") || tokens[i].is("}")));
    if (ends) end = i + 1;
  }
  return end;
}

// Returns the number of tokens at the end of `head` that are the function's name: 3 in `float math::relu`. Returns 0 if
// all of `head` is the type.
std::size_t name_size(TokenSpan head) {
  if (head.empty() || head.back().kind != Token::Word || is_builtin_type(head.back().text) ||
      is_qualifier(head.back().text))
    return 0;
  std::size_t size = 1;
  while (size + 2 <= head.size() && head[head.size() - size - 1].is("::") &&
         head[head.size() - size - 2].kind == Token::Word && !is_builtin_type(head[head.size() - size - 2].text))
    size += 2;
  // the name begins with `::`, as in ::relu
  if (size < head.size() && head[head.size() - size - 1].is("::")) ++size;
  for (const Token& token : head.first(head.size() - size))
    if (!is_qualifier(token.text)) return size;
  return 0;
}

bool split(TokenSpan tokens, Parts& parts) {
  while (!tokens.empty() && (tokens.back().is(";") || tokens.back().is("noexcept")))
    tokens = tokens.first(tokens.size() - 1);
  const std::size_t front = front_size(tokens);
  parts.front = tokens.first(front);
  TokenSpan own = tokens.subspan(front);
  for (; !own.empty() && (is_function_specifier(own[0].text) || own[0].kind == Token::String); own = own.subspan(1))
    parts.is_extern_c |= own[0].is("\"C\"");
  const std::size_t open = opening(own);
  if (own.empty() || !own.back().is(")") || open == own.size() || open == 0) return false;
  parts.parameters = own.subspan(open);
  const TokenSpan head = own.first(open);
  const std::size_t name = name_size(head);
  parts.result = head.first(head.size() - name);
  parts.name = head.last(name);
  return true;
}

// Returns the tokens as they are written, with the blanks and comments between them.
std::string verbatim(TokenSpan tokens) {
  return {tokens.front().text.data(), tokens.back().text.data() + tokens.back().text.size()};
}

std::string without_leading_colons(std::string_view name) {
  return std::string(name.starts_with("::") ? name.substr(2) : name);
}

// Writes the declaration with __device__. For the name `math::square` the declaration is inside `namespace math { }`.
std::string declaration(std::string_view result, std::string_view name, std::string_view parameters, bool is_extern_c) {
  std::string open;
  std::string close;
  for (std::size_t colon = name.find("::"); colon != std::string_view::npos; colon = name.find("::")) {
    open += base::format("namespace {} {{ ", name.substr(0, colon));
    close += " }";
    name.remove_prefix(colon + 2);
  }
  return base::format("{}{}__device__ {} {}{};{}", open, is_extern_c ? "extern \"C\" " : "", result, name, parameters,
                      close);
}

// Chooses the callback in a signature text that ends in a brace, from the __device__ functions that the text declares.
DeclaredFunction choose_declared(std::string_view signature, const std::string& wanted, std::string_view callback) {
  std::vector<std::string> names;
  std::vector<const FunctionFound*> fitting;
  const SourceScan found = scan(signature);
  for (const FunctionFound& function : found.functions) {
    if (!function.is_device || function.is_global) continue;
    names.push_back(function.name);
    if (wanted.empty() || ends_in_name(function.name, wanted)) fitting.push_back(&function);
  }
  if (fitting.empty())
    fail(ErrorCode::NoSuchEntry,
         base::format("{}: its signature declares no __device__ function{}", callback,
                      wanted.empty() ? std::string() : base::format(" `{}`", wanted)),
         "Declare the callback with __device__ in the signature's text, and name it in the entry.");
  if (fitting.size() > 1)
    fail(ErrorCode::AmbiguousEntry,
         base::format("{}: its signature declares several functions: {}", callback, base::join(names, ", ")),
         "Name the callback in the entry.");
  return {std::string(signature), fitting[0]->name, {}, fitting[0]->is_extern_c};
}

}  // namespace

DeclaredFunction declare_function(std::string_view signature, std::string_view wanted_entry,
                                  std::string_view callback) {
  const std::string wanted = without_leading_colons(wanted_entry);
  const Tokens tokens = tokenize(signature);
  if (tokens.list.empty())
    refuse(base::format("{} comes without a signature, and a binary does not contain one", callback),
           "Declare the function: Callback::with_signature(\"float f(float, const Scale&)\"), with the definition of "
           "any struct that it uses, or Signature::of<float(float)>().");
  if (tokens.list.back().is("}")) return choose_declared(signature, wanted, callback);
  Parts parts;
  if (!split(tokens.list, parts)) fail_unreadable(callback, signature);

  DeclaredFunction declared;
  declared.is_extern_c = parts.is_extern_c;
  declared.entry = wanted.empty() ? without_leading_colons(spaced_text(parts.name)) : wanted;
  if (declared.entry.empty())
    fail(ErrorCode::NoSuchEntry, base::format("{}: neither its signature nor its entry names the function", callback),
         "Write the name into the signature (\"float f(float)\"), or give it with Callback::with_entry.");
  if (declared.entry.starts_with("_Z")) declared.is_extern_c = true;
  const std::string result = spaced_text(parts.result);
  const std::string parameters = spaced_text(parts.parameters);
  if (!parts.front.empty()) declared.text = verbatim(parts.front) + "\n";
  declared.text += declaration(result, declared.entry, parameters, declared.is_extern_c) + "\n";
  declared.function_type = result + parameters;
  return declared;
}

std::string function_type(std::string_view declared) {
  const Tokens tokens = tokenize(declared);
  Parts parts;
  if (!split(tokens.list, parts)) return std::string(declared);
  return verbatim(parts.result) + verbatim(parts.parameters);
}

std::string_view parameter_type(std::string_view parameter) {
  const auto is_in_word = [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  std::size_t end = parameter.size();
  while (end > 0 && is_in_word(parameter[end - 1])) --end;
  if (is_builtin_type(parameter.substr(end))) return parameter;
  return parameter.substr(0, parameter.substr(0, end).find_last_not_of(' ') + 1);
}

}  // namespace graft::reflect
