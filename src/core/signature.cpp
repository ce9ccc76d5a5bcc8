// The constructor of Signature sorts a callback's parameters into inputs, outputs, state and index. The other functions
// print and compare signatures.
#include "graft/signature.hpp"
#include "base/format.hpp"
#include "core/element_spelling.hpp"

#include <algorithm>
#include <utility>

namespace graft {
namespace {

std::string_view word(Role role) {
  switch (role) {
    case Role::Input:
    case Role::FurtherInput:
      return "input";
    case Role::Output:
      return "output";
    case Role::State:
      return "state";
    case Role::Index:
      return "index";
    case Role::Position:
      return "position";
    case Role::Accumulator:
      return "accumulator";
    case Role::Baked:
      return "baked state";
    case Role::InOut:
      return "output";
    case Role::Store:
      return "whether the outputs are stored";
    case Role::None:
      break;
  }
  return "nothing";
}

// Removes the const of a result or of a parameter that is passed by value, which changes no call. A function's type
// does not even contain that of a parameter: `float f(const float)` has the type `float(float)`.
void drop_top_level_const(Parameter& parameter) {
  constexpr std::string_view kConst = "const ";
  while (parameter.spelling.starts_with(kConst) && parameter.spelling.find_first_of("&*") == std::string::npos)
    parameter.spelling.erase(0, kConst.size());
}

bool same_layout(const Parameter& a, const Parameter& b) {
  if (a.role != b.role) return false;
  return a.role == Role::None || a.role == Role::Index || a.type == b.type;
}

}  // namespace

Signature::Signature(Parameter result, std::vector<Parameter> parameters)
    : result_(std::move(result)), parameters_(std::move(parameters)) {
  drop_top_level_const(result_);
  for (Parameter& parameter : parameters_) {
    drop_top_level_const(parameter);
    parameter.spelling = name_in_out(std::move(parameter.spelling));
  }
  if (result_.role == Role::Output) outputs_.push_back(result_.type);
  for (const Parameter& parameter : parameters_) {
    switch (parameter.role) {
      case Role::Input:
        inputs_.push_back(parameter.type);
        break;
      case Role::FurtherInput:
        inputs_.push_back(parameter.type);
        ++further_inputs_;
        break;
      case Role::InOut:
        in_outs_.push_back(outputs_.size());
        outputs_.push_back(parameter.type);
        break;
      case Role::Output:
        outputs_.push_back(parameter.type);
        break;
      case Role::State:
        state_ = parameter.type;
        break;
      case Role::Index:
        takes_index_ = true;
        break;
      case Role::Position:
        coordinates_ = std::max<std::uint32_t>(coordinates_, parameter.type.size / sizeof(unsigned int));
        break;
      case Role::Accumulator:
        accumulator_ = parameter.type;
        break;
      case Role::Baked:
      case Role::Store:
      case Role::None:
        break;
    }
  }
}

Signature Signature::with_baked_state() const {
  std::vector<Parameter> parameters = parameters_;
  for (Parameter& parameter : parameters)
    if (parameter.role == Role::State) parameter.role = Role::Baked;
  return Signature(result_, std::move(parameters));
}

std::string Signature::text() const {
  std::vector<std::string_view> spellings;
  for (const Parameter& parameter : parameters_) spellings.push_back(parameter.spelling);
  return base::format("{}({})", result_.spelling, base::join(spellings, ", "));
}

std::string Signature::describe() const {
  std::string lines;
  int input = 0;
  int output = 0;
  const auto is_output = [](const Parameter& parameter) {
    return parameter.role == Role::Output || parameter.role == Role::InOut;
  };
  auto line = [&](const Parameter& parameter) {
    const bool is_further = parameter.role == Role::FurtherInput;
    const bool is_input = parameter.role == Role::Input || is_further;
    const int number = is_input ? input++ : is_output(parameter) ? output++ : -1;
    lines +=
        number < 0 ? base::format("  {}", word(parameter.role)) : base::format("  {} {}", word(parameter.role), number);
    if (parameter.role == Role::InOut) lines += ", read and written";
    if (is_further) lines += ", of the store callback";
    lines += base::format(": {}", parameter.spelling);
    if (parameter.type.kind == ElementKind::Bit && number >= 0) lines += " (a bit array of 32-bit words)";
    else if (parameter.type.kind == ElementKind::Opaque) lines += " (any array: the callback accesses it itself)";
    else if (parameter.role != Role::Index && parameter.role != Role::Position && parameter.role != Role::Store)
      lines += base::format(" ({}, {} bytes aligned to {})", to_string(parameter.type), parameter.type.size,
                            parameter.type.alignment);
    lines += '\n';
  };
  for (const Parameter& parameter : parameters_)
    if (!is_output(parameter)) line(parameter);
  if (result_.role == Role::Output || result_.role == Role::Store) line(result_);
  for (const Parameter& parameter : parameters_)
    if (is_output(parameter)) line(parameter);
  return text() + '\n' + lines;
}

bool Signature::operator==(const Signature& other) const noexcept {
  if (!same_layout(result_, other.result_) || parameters_.size() != other.parameters_.size()) return false;
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    if (!same_layout(parameters_[i], other.parameters_[i])) return false;
  return true;
}

namespace detail {

// Extracts the name of the type T from __PRETTY_FUNCTION__ of type_name(). GCC writes "std::string
// graft::detail::type_name() [with T = float; std::string = ...]", and clang writes "... [T = float]".
std::string spelling_of(const char* pretty_function) {
  const std::string_view text = pretty_function;
  constexpr std::string_view mark = "T = ";
  const std::size_t begin = text.find(mark) + mark.size();
  const std::size_t end = text.find_first_of(";]", begin);
  std::string name(text.substr(begin, end - begin));
  // For a type in an unnamed namespace, GCC writes "{anonymous}::Name" and clang "(anonymous namespace)::Name", which
  // is not valid C++.
  if (name.starts_with('{') || name.starts_with('(')) name = "T";
  // Clang writes "double &".
  if (const std::size_t space = name.find_last_not_of("&*"); space != std::string::npos && name[space] == ' ')
    name.erase(space, 1);
  return name;
}

}  // namespace detail
}  // namespace graft
