// Reads the parameters of one function or lambda, token by token, and writes the lambda that is its instance.
#include "reflect/callback/generic.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "base/format.hpp"
#include "core/element_spelling.hpp"
#include "core/fail.hpp"
#include "reflect/callback/scan.hpp"
#include "reflect/signature/known_types.hpp"
#include "reflect/text/keywords.hpp"
#include "reflect/text/lexer.hpp"

namespace graft::reflect {
namespace {

using TokenSpan = std::span<const Token>;
using NameSet = std::set<std::string_view>;

constexpr std::string_view kParameterName = "graft_x";
constexpr std::string_view kBody = ") { return ";

// Splits tokens at the commas outside all brackets.
std::vector<TokenSpan> split_at_commas(TokenSpan tokens) {
  std::vector<TokenSpan> items;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].is("<") || tokens[i].is("(") || tokens[i].is("[") || tokens[i].is("{")) ++depth;
    if (tokens[i].is(">") || tokens[i].is(")") || tokens[i].is("]") || tokens[i].is("}")) --depth;
    if (depth != 0 || !tokens[i].is(",")) continue;
    items.push_back(tokens.subspan(begin, i - begin));
    begin = i + 1;
  }
  if (!tokens.empty()) items.push_back(tokens.subspan(begin));
  return items;
}

// Returns the tokens in front of a default value.
TokenSpan without_default(TokenSpan item) {
  return item.first(static_cast<std::size_t>(
      std::ranges::find_if(item, [](const Token& token) { return token.is("="); }) - item.begin()));
}

bool has(TokenSpan tokens, std::string_view word) {
  return std::ranges::any_of(tokens, [&](const Token& token) { return token.is(word); });
}

// The list of a template: `<class T, int N = 4>`.
struct TemplateList {
  std::vector<std::string_view> names;  // of all its parameters
  NameSet deduced;                      // of those that have no default value and are no packs
};

// Reads a template's list from the tokens behind its `<`, and moves them behind its `>`.
TemplateList read_template_list(TokenSpan& tokens) {
  std::size_t end = 0;
  for (int depth = 1; end < tokens.size(); ++end) {
    depth += tokens[end].is("<") ? 1 : tokens[end].is(">") ? -1 : 0;
    if (depth == 0) break;
  }
  TemplateList list;
  for (const TokenSpan item : split_at_commas(tokens.first(end))) {
    const TokenSpan declared = without_default(item);
    if (declared.empty() || declared.back().kind != Token::Word) continue;
    const std::string_view name = declared.back().text;
    list.names.push_back(name);
    if (declared.size() == item.size() && !has(declared, ".")) list.deduced.insert(name);
  }
  tokens = tokens.subspan(std::min(end + 1, tokens.size()));
  return list;
}

// Whether the last token of a parameter is its name: `T a`, and not `T` or `graft::Index`.
bool has_name(TokenSpan tokens) {
  if (tokens.size() < 2 || tokens.back().kind != Token::Word || is_builtin_type(tokens.back().text) ||
      is_qualifier(tokens.back().text) || tokens[tokens.size() - 2].is("::"))
    return false;
  return std::ranges::any_of(tokens.first(tokens.size() - 1),
                             [](const Token& token) { return !is_qualifier(token.text); });
}

// Whether a type is one of graft's own: "graft::Position<2>" is "Position".
bool is_graft_type(std::string_view type, std::string_view name) {
  constexpr std::string_view kNamespace = "graft::";
  if (type.starts_with("::")) type.remove_prefix(2);
  if (type.starts_with(kNamespace)) type.remove_prefix(kNamespace.size());
  return type == name || (type.starts_with(name) && type.substr(name.size()).starts_with('<'));
}

// `names` are those of the template's parameters.
GenericParameter read_parameter(TokenSpan tokens, const NameSet& names) {
  tokens = without_default(tokens);
  if (has_name(tokens)) tokens = tokens.first(tokens.size() - 1);
  std::vector<Token> type;
  int references = 0, depth = 0;
  bool is_const = false;
  GenericParameter parameter;
  for (const Token& token : tokens) {
    depth += token.is("<") ? 1 : token.is(">") ? -1 : 0;
    parameter.is_open |= names.contains(token.text) || token.is("auto") || token.is("decltype");
    const bool is_outside = depth <= 0;                              // of template arguments
    if (is_outside && token.is("&")) ++references;                   // and two for `&&`
    else if (is_outside && token.is(".")) parameter.is_pack = true;  // the lexer has three tokens for `...`
    else if (is_outside && token.is("const")) is_const = true;
    else type.push_back(token);
  }
  parameter.type = spaced_text(type);
  const bool is_value = references == 0;
  if (is_value && is_graft_type(parameter.type, "Index")) {
    parameter.role = Role::Index;
  } else if (is_value && is_graft_type(parameter.type, "Position")) {
    parameter.role = Role::Position;
  } else if (is_value && is_graft_type(parameter.type, "InOut")) {
    parameter.role = Role::InOut;
    const std::size_t open = parameter.type.find('<');
    parameter.type = parameter.type.substr(open + 1, parameter.type.rfind('>') - open - 1);
  } else {
    parameter.role = is_value ? Role::Input : references == 2 ? Role::InOut : is_const ? Role::State : Role::Output;
  }
  return parameter;
}

std::vector<GenericParameter> read_parameters(TokenSpan list, const NameSet& names) {
  std::vector<GenericParameter> parameters;
  const bool is_void = list.size() == 1 && list.front().is("void");
  if (!is_void)
    for (const TokenSpan item : split_at_commas(list)) parameters.push_back(read_parameter(item, names));
  return parameters;
}

// Reads the result of a function from the type that is written in front of its name, which may be `auto`, and from what
// follows its parameters: `-> T {` and the body.
GenericParameter read_result(const std::string& written, TokenSpan rest, const NameSet& names) {
  const auto is_open_brace = [](const Token& token) { return token.is("{"); };
  const std::size_t body = static_cast<std::size_t>(std::ranges::find_if(rest, is_open_brace) - rest.begin());
  const auto arrow = std::ranges::find_if(rest.first(body), [](const Token& token) { return token.is("->"); });
  const std::size_t behind = static_cast<std::size_t>(arrow - rest.begin()) + 1;
  GenericParameter result{.role = Role::Output};
  if (behind < body) {
    result = read_parameter(rest.subspan(behind, body - behind), names);
  } else if (written.empty() || written == "auto" || written.starts_with("decltype")) {
    bool returns = false;
    for (std::size_t i = body; i + 1 < rest.size(); ++i) returns |= rest[i].is("return") && !rest[i + 1].is(";");
    return {.role = returns ? Role::Output : Role::None, .type = "auto", .is_open = true};
  } else {
    const Tokens tokens = tokenize(written);
    result = read_parameter(tokens.list, names);
  }
  const bool is_none = result.type == "void" || is_graft_type(result.type, "Store");
  result.role = is_none ? Role::None : Role::Output;
  return result;
}

// Returns the result's type as the text writes it in front of the function's name, without the template's list.
std::string result_text(const FunctionFound& function) {
  const Tokens tokens = tokenize(function.result_text);
  TokenSpan rest = tokens.list;
  if (rest.size() < 2 || !rest[0].is("template") || !rest[1].is("<")) return function.result_text;
  rest = rest.subspan(2);
  read_template_list(rest);
  return spaced_text(rest);
}

std::string undeduced(const TemplateList& list, std::size_t named, TokenSpan parameters) {
  NameSet used;
  for (const Token& token : parameters) used.insert(token.text);
  for (std::size_t i = named; i < list.names.size(); ++i)
    if (list.deduced.contains(list.names[i]) && !used.contains(list.names[i])) return std::string(list.names[i]);
  return {};
}

// A lambda with a template list, or with a parameter such as `auto* x` or `auto... x`, is none whose instance can be
// written: the compiler refuses it as it is.
std::optional<GenericFunction> read_lambda(const Text& text) {
  const Code& code = text.code();
  const TokenSpan all = code.tokens;
  if (code.is_damaged || !is_lambda(all)) return std::nullopt;
  const std::size_t open = code.partner[0] + 1;
  TokenSpan parameters, rest = all.subspan(open);
  if (!rest.empty() && rest[0].is("<")) return std::nullopt;
  if (!rest.empty() && rest[0].is("(")) {
    parameters = all.subspan(open + 1, code.partner[open] - open - 1);
    rest = all.subspan(code.partner[open] + 1);
  }
  GenericFunction lambda{.name = {}, .line = all[0].line};
  lambda.parameters = read_parameters(parameters, {});
  lambda.result = read_result({}, rest, {});
  SourcePlaces places(text.source(), text.tokens());
  const std::vector<TokenSpan> items = split_at_commas(parameters);
  for (std::size_t i = 0; i < lambda.parameters.size(); ++i) {
    GenericParameter& parameter = lambda.parameters[i];
    if (!parameter.is_open) continue;
    if (parameter.type != "auto" || parameter.is_pack) return std::nullopt;
    lambda.is_generic = true;
    const auto word = std::ranges::find_if(items[i], [](const Token& token) { return token.is("auto"); });
    const std::string_view place = places.of(word->text);
    parameter.place = static_cast<std::size_t>(place.data() - text.source().data());
    parameter.size = place.size();
  }
  return lambda;
}

// Finds the tokens of a function's definition, from its name to the end of its body, and its template's list.
struct Definition {
  TemplateList list;
  TokenSpan parameters;
  TokenSpan rest;
};
std::optional<Definition> find_definition(const Code& code, const SourceScan& found, const FunctionFound& function) {
  const std::string_view name = unqualified(function.name);
  for (const Statement& statement : found.statements) {
    const TokenSpan all = TokenSpan(code.tokens).subspan(statement.begin, statement.end - statement.begin);
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
      const std::size_t open = statement.begin + i + 1, close = code.partner[open];
      if (!all[i].is(name) || all[i].line != function.line || !all[i + 1].is("(") || close >= statement.end) continue;
      Definition definition;
      TokenSpan front = all;
      if (front[0].is("template") && front[1].is("<")) {
        front = front.subspan(2);
        definition.list = read_template_list(front);
      }
      definition.parameters = TokenSpan(code.tokens).subspan(open + 1, close - open - 1);
      definition.rest = TokenSpan(code.tokens).subspan(close + 1, statement.end - close - 1);
      return definition;
    }
  }
  return std::nullopt;
}

std::string counted(std::size_t number, std::string_view thing) {
  return base::format("{} {}{}", number, thing, number == 1 ? "" : "s");
}
std::string were(std::size_t types) {
  return base::format("{} {}", counted(types, "type"), types == 1 ? "was" : "were");
}
std::string in_parentheses(const std::vector<std::string>& types) {
  return base::format("({})", base::join(types, ", "));
}

// Spells the types of one instance.
class Speller {
 public:
  Speller(const GenericFunction& function, const GivenTypes& types, std::string_view text, std::string_view file)
      : function_(function), types_(types), text_(text), title_(base::format("{} in {}", function.title(), file)) {}

  Instance write() {
    check_inputs();
    if (!types_.state.empty() && function_.count(Role::State) == 0)
      mismatch(base::format("{} has no state, for which {} was given", title_, types_.state),
               "Leave the type of the state out, or take the state as a `const T&`.");
    // Inputs come first, because the types of other parameters may follow from theirs.
    for (const GenericParameter& parameter : function_.parameters)
      if (parameter.role == Role::Input) add_inputs(parameter);
    const std::size_t outputs = function_.outputs();
    if (!types_.outputs.empty() && types_.outputs.size() != outputs)
      mismatch(base::format("{} has {}, and {} given: {}", title_, counted(outputs, "output"),
                            were(types_.outputs.size()), in_parentheses(types_.outputs)),
               "Give one type for the result, if there is one, and for each parameter by reference.");
    Instance instance;
    if (function_.result.role == Role::Output) instance.outputs.push_back(result());
    std::size_t input = 0;
    for (const GenericParameter& parameter : function_.parameters) {
      if (parameter.role == Role::Input) {
        const std::size_t end = parameter.is_pack ? types_.inputs.size() : input + 1;
        for (; input < end; ++input) pass(inputs_[input], parameter);
        continue;
      }
      const std::string type = type_of(parameter, instance.outputs.size());
      pass(type, parameter);
      if (parameter.role == Role::Output || parameter.role == Role::InOut) instance.outputs.push_back(type);
    }
    if (function_.name.empty()) instance.text = lambda_text();
    else
      instance.entry = base::format("[]({}{}{}({}); }}", base::join(parameters_, ", "), kBody, function_.name,
                                    base::join(arguments_, ", "));
    return instance;
  }

 private:
  [[noreturn]] static void mismatch(std::string message, std::string remedy) {
    fail(ErrorCode::SignatureMismatch, std::move(message), std::move(remedy));
  }

  [[noreturn]] void unknown(const GenericParameter& parameter, std::string_view what) const {
    fail(ErrorCode::AmbiguousEntry,
         base::format("{}: the type {} of {} does not follow from the types of the inputs", title_, parameter.type,
                      what),
         "Give it too, the state behind a semicolon and the outputs behind an arrow: graft::types(\"f32; f32 -> "
         "f32\").");
  }

  void check_inputs() const {
    const std::size_t taken = function_.count(Role::Input), given = types_.inputs.size();
    const bool fits = function_.takes_any_number() ? given + 1 >= taken : given == taken;
    if (fits) return;
    mismatch(base::format("{} takes {}, and {} given: {}", title_, counted(taken, "input"), were(given),
                          in_parentheses(types_.inputs)),
             "Give one type for each parameter that is taken by value, in their order.");
  }

  // Returns the type of a parameter whose type the text writes.
  std::string written(const GenericParameter& parameter, const std::string& given) const {
    const std::optional<ElementType> known = known_type(parameter.type);
    if (!known) {
      const bool is_global = function_.name.find("::") == function_.name.npos;
      return is_global || given.empty() ? parameter.type : given;
    }
    const std::optional<ElementType> other = known_type(given);
    const bool is_other = !other || other->kind != known->kind || other->size != known->size;
    if (!given.empty() && !given.starts_with("graft_") && is_other)
      mismatch(base::format("{} has a parameter of the type {}, for which {} was given", title_, parameter.type, given),
               "Give the type that the callback has; nothing is converted.");
    return parameter.type;
  }

  void add_inputs(const GenericParameter& parameter) {
    const std::size_t end = parameter.is_pack ? types_.inputs.size() : inputs_.size() + 1;
    while (inputs_.size() < end) {
      const std::string& given = types_.inputs[inputs_.size()];
      inputs_.push_back(parameter.is_open ? given : written(parameter, given));
      if (!parameter.is_pack) types_of_inputs_.emplace(parameter.type, inputs_.back());
    }
  }

  // Returns the type of an input that the text writes in the same way: that of `T x` for `T& y`. Empty if there is
  // none.
  std::string same_as_input(const std::string& type) const {
    const auto same = types_of_inputs_.find(type);
    return same == types_of_inputs_.end() || type == "auto" ? std::string() : same->second;
  }

  std::string result() const {
    const GenericParameter& result = function_.result;
    if (result.is_open) return same_as_input(result.type);
    return known_type(result.type) ? result.type : std::string();
  }

  std::string type_of(const GenericParameter& parameter, std::size_t output) const {
    if (parameter.role == Role::Index || parameter.role == Role::Position) return parameter.type;
    const bool is_state = parameter.role == Role::State;
    const std::string given = is_state ? types_.state : types_.outputs.empty() ? "" : types_.outputs[output];
    if (!parameter.is_open) return written(parameter, given);
    std::string type = given.empty() ? same_as_input(parameter.type) : given;
    if (type.empty()) unknown(parameter, is_state ? "its state" : "an output");
    return type;
  }

  void pass(const std::string& type, const GenericParameter& parameter) {
    const Role role = parameter.role;
    const std::string name = base::format("{}{}", kParameterName, parameters_.size());
    const bool is_in_out = role == Role::InOut;
    parameters_.push_back(base::format("{}{}{} {}", role == Role::State ? "const " : "", type,
                                       role == Role::State || role == Role::Output ? "&"
                                       : is_in_out                                 ? "&&"
                                                                                   : "",
                                       name));
    arguments_.push_back(is_in_out ? base::format("static_cast<{}&&>({})", type, name) : name);
    if (parameter.is_open) in_place_of_auto_.emplace_back(&parameter, type);
  }

  std::string lambda_text() const {
    std::string text;
    std::size_t end = 0;
    for (const auto& [parameter, type] : in_place_of_auto_) {
      text.append(text_.substr(end, parameter->place - end)).append(type);
      end = parameter->place + parameter->size;
    }
    return text.append(text_.substr(end));
  }

  const GenericFunction& function_;
  const GivenTypes& types_;
  const std::string_view text_;
  const std::string title_;
  std::vector<std::string> inputs_;
  std::map<std::string, std::string> types_of_inputs_;  // by how the text writes them
  std::vector<std::string> parameters_, arguments_;
  std::vector<std::pair<const GenericParameter*, std::string>> in_place_of_auto_;
};

}  // namespace

std::size_t GenericFunction::count(Role role) const {
  return static_cast<std::size_t>(std::ranges::count(parameters, role, &GenericParameter::role));
}

std::size_t GenericFunction::outputs() const {
  return count(Role::Output) + count(Role::InOut) + (result.role == Role::Output ? 1 : 0);
}

std::string GenericFunction::title() const {
  return name.empty() ? "the lambda" : base::format("`{}`", name.substr(0, name.find('<')));
}

std::optional<GenericFunction> find_function(const Text& text, std::string_view entry) {
  const SourceScan found = scan(text);
  if (found.is_expression && entry.empty()) return read_lambda(text);
  if (found.is_expression || entry.find_first_of("({[") != entry.npos) return std::nullopt;
  const EntryChoice choice = choose_entry(found, entry);
  if (choice.kind != EntryChoice::Found || choice.overloaded) return std::nullopt;
  const std::size_t angle = std::min(choice.name.find('<'), choice.name.size());
  const std::string name = choice.name.substr(0, angle), arguments = choice.name.substr(angle);
  const auto function = std::ranges::find_if(found.functions, [&](const FunctionFound& one) {
    return one.name == name && one.is_definition && (arguments.empty() || one.is_template);
  });
  if (function == found.functions.end()) return std::nullopt;
  const std::optional<Definition> definition = find_definition(text.code(), found, *function);
  if (!definition) return std::nullopt;
  const Tokens named = tokenize(arguments);
  const std::size_t count =
      named.list.size() < 2 ? 0 : split_at_commas(TokenSpan(named.list).subspan(1, named.list.size() - 2)).size();
  const std::vector<std::string_view>& names = definition->list.names;
  if (count > 0 && count >= names.size()) return std::nullopt;  // an instance
  GenericFunction generic{.name = function->name, .line = function->line, .is_generic = function->is_template};
  if (generic.is_generic) generic.name += arguments.empty() ? "<>" : arguments;
  const NameSet open(names.begin(), names.end());
  generic.parameters = read_parameters(definition->parameters, open);
  generic.result = read_result(result_text(*function), definition->rest, open);
  generic.undeduced = undeduced(definition->list, count, definition->parameters);
  return generic;
}

Instance instance_of(const GenericFunction& function, const GivenTypes& types, std::string_view text,
                     std::string_view file) {
  if (!function.undeduced.empty()) {
    const std::string name = function.name.substr(0, function.name.find('<'));
    fail(ErrorCode::AmbiguousEntry,
         base::format("{}({}): the template parameter {} of {} occurs in none of its parameters, so no types of arrays "
                      "determine it",
                      file, function.line, function.undeduced, function.title()),
         base::format("Name it in Options::entry: \"{}<float>\". The others are still deduced if it comes first.",
                      name));
  }
  return Speller(function, types, text, file).write();
}

bool takes_from_previous(std::string_view entry, std::string_view text) noexcept {
  return entry.find(kPrevious) != entry.npos || text.find(kPrevious) != text.npos;
}

std::optional<InstanceWords> read_instance(std::string_view entry) {
  const std::size_t body = entry.find(kBody);
  if (!entry.starts_with("[](") || body == entry.npos || entry.find(kParameterName) > body) return std::nullopt;
  std::string_view name = entry.substr(body + kBody.size());
  name = name.substr(0, std::min(name.find("(graft_x"), name.find("(static_cast<")));
  if (name.ends_with("<>")) name.remove_suffix(2);
  InstanceWords words{std::string(name), {}};
  // "double graft_x0, float& graft_x1" without the names
  std::string_view rest = entry.substr(3, body - 3);
  for (std::size_t at = rest.find(kParameterName); at != rest.npos; at = rest.find(kParameterName)) {
    words.types.append(rest.substr(0, at - 1));
    rest.remove_prefix(std::min(rest.find(',', at), rest.size()));
  }
  return words;
}

std::string called_function(std::string_view entry) {
  const std::optional<InstanceWords> instance = read_instance(entry);
  return instance ? instance->name : std::string(entry);
}

}  // namespace graft::reflect
