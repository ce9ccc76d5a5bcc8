#include "own_kernels/launch_check.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/format.hpp"
#include "core/fail.hpp"
#include "core/named_elements.hpp"
#include "graft/error.hpp"

namespace graft::own_kernels {
namespace {

// The characters, which are no elements of arrays (core/named_elements.hpp).
constexpr std::pair<std::string_view, std::uint8_t> kCharacters[] = {
    {"char8_t", 1}, {"char16_t", 2}, {"char32_t", 4}, {"wchar_t", 4}};

// What is passed: a pointer is an integer, too, because addresses are also kept as unsigned long long.
ArgumentType::Number passed(const ArgumentType& type) {
  return type.is_pointer ? ArgumentType::Integer : type.number;
}

bool differ(const ArgumentType& own, const ArgumentType& wanted) {
  const auto known = [](ArgumentType::Number a, ArgumentType::Number b) {
    return a != ArgumentType::Unknown && b != ArgumentType::Unknown;
  };
  if (known(passed(own), passed(wanted)) && passed(own) != passed(wanted)) return true;
  const bool is_of_bytes = own.size == 1 || wanted.size == 1;
  return own.is_pointer && wanted.is_pointer && !is_of_bytes && known(own.number, wanted.number) &&
         (own.number != wanted.number || own.size != wanted.size);
}

std::string in_words(const ArgumentType& type) {
  const char* const number = type.number == ArgumentType::Integer ? "integer" : "floating-point number";
  if (type.is_pointer && type.number == ArgumentType::Unknown) return "a pointer";
  return type.is_pointer
             ? base::format("a pointer to {}s of {} bytes", number, type.size)
             : base::format("{} {} of {} bytes", type.number == ArgumentType::Integer ? "an" : "a", number, type.size);
}

[[noreturn, gnu::cold]] void fail_type(const KernelEntry& entry, std::size_t i, const std::string& is,
                                       const std::string& wanted) {
  fail(ErrorCode::TypeMismatch,
       base::format("argument {} of {} {}, and the parameter {}", i + 1, entry.name, is, wanted),
       "Convert the argument to the parameter's type: an `int` is no `long long` and no `float`, and a number no "
       "pointer. A `const void*` or `char*` is taken for every pointer.");
}

}  // namespace

ArgumentType argument_type(std::string_view spelling) {
  ArgumentType type;
  if (spelling.ends_with('*')) {
    type.is_pointer = true;
    spelling.remove_suffix(1);
    for (const std::string_view qualifier : {"const ", "volatile "})
      if (spelling.starts_with(qualifier)) spelling.remove_prefix(qualifier.size());
  }
  const auto set = [&](ArgumentType::Number number, std::uint32_t size) {
    type.number = number;
    type.size = static_cast<std::uint8_t>(size);
  };
  if (const std::optional<ElementType> element = element_in_cpp(spelling)) {
    const bool is_integer = element->kind == ElementKind::Bool || element->kind == ElementKind::Signed ||
                            element->kind == ElementKind::Unsigned;
    if (is_integer) set(ArgumentType::Integer, element->size);
    else if (spelling == "float" || spelling == "double") set(ArgumentType::Float, element->size);
  }
  for (const auto& [name, size] : kCharacters)
    if (name == spelling) set(ArgumentType::Integer, size);
  return type;
}

std::vector<Parameter> parameters_of(const KernelEntry& entry, std::span<const std::uint64_t> offsets) {
  std::vector<Parameter> all;
  for (std::size_t i = 0; i < entry.parameters.size(); ++i)
    all.push_back({entry.parameters[i], i < offsets.size() ? offsets[i] : 0,
                   entry.types.size() == entry.parameters.size() ? argument_type(entry.types[i]) : ArgumentType()});
  return all;
}

void check_arguments(const KernelEntry& entry, std::span<const Parameter> parameters,
                     std::span<const KernelArgument> arguments) {
  if (arguments.size() != parameters.size())
    fail(ErrorCode::CountMismatch,
         base::format("{} takes {} arguments, and the launch has {}", entry.name, parameters.size(), arguments.size()),
         "Give one argument for each parameter of the kernel.");
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const KernelArgument& own = arguments[i];
    const Parameter& wanted = parameters[i];
    if (own.size != wanted.size)
      fail_type(entry, i, base::format("has {} bytes", own.size), base::format("has {}", wanted.size));
    if (differ(own.type, wanted.type))
      fail_type(entry, i, "is " + in_words(own.type), base::format("is `{}`", entry.types[i]));
    if (own.alignment > 1 && wanted.offset % own.alignment != 0)
      fail_type(entry, i, base::format("is aligned to {} bytes", own.alignment),
                base::format("begins at byte {} of the parameters", wanted.offset));
  }
}

}  // namespace graft::own_kernels
