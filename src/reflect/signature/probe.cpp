// The C++ ABI library demangles the probe's name, and the functions here parse the demangled text. In that text,
// `const` follows the type ("Scale const&"). graft shows `const` in front of the type, as people write it.
#include "reflect/signature/probe.hpp"

#include <cxxabi.h>

#include <cctype>
#include <charconv>
#include <cstdlib>
#include <memory>

#include "base/format.hpp"
#include "base/trimmed.hpp"
#include "contract.h"
#include "core/element_spelling.hpp"
#include "core/fail.hpp"
#include "reflect/signature/refusal.hpp"

namespace graft::reflect {
namespace {

std::string demangle(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 && text ? std::string(text.get()) : std::string();
}

// Returns the position of the last `(` outside all brackets, which opens the parameter list.
std::size_t parameter_list(std::string_view function) {
  int depth = 0;
  for (std::size_t i = function.size(); i-- > 0;) {
    if (function[i] == ')') ++depth;
    if (function[i] == '(' && --depth == 0) return i;
  }
  return std::string_view::npos;
}

// The facts begin with two numbers: why the signature is refused, and the position of the refused parameter. After
// these come four facts for the result and for each parameter: role, size, alignment and kind, in the order that
// probe.hpp describes.
constexpr std::size_t kFactsInFront = 2;
constexpr std::size_t kFactsEach = 4;

// The most bytes of a function's type ("float (float, Scale const&)"). Types that people write stay far below: a name
// of 100 characters in each of the 64 parameters has a tenth of it.
constexpr std::size_t kLongestFunction = std::size_t{1} << 16;

// Whether an enumerator of graft's public headers has the number that the adapter writes into the facts.
template <class Public, class Device>
constexpr bool same_number(Public enumerator, Device number) {
  return static_cast<unsigned>(enumerator) == static_cast<unsigned>(number);
}
static_assert(same_number(Role::Input, graft_adapter::kInput) && same_number(Role::Output, graft_adapter::kOutput) &&
              same_number(Role::State, graft_adapter::kState) && same_number(Role::Index, graft_adapter::kIndex) &&
              same_number(Role::None, graft_adapter::kNone) && same_number(Role::Baked, graft_adapter::kBaked) &&
              same_number(Role::InOut, graft_adapter::kInOut) && same_number(Role::Store, graft_adapter::kStore) &&
              same_number(Role::FurtherInput, graft_adapter::kFurtherInput) &&
              same_number(Role::Position, graft_adapter::kPosition) &&
              same_number(Role::Accumulator, graft_adapter::kAccumulator));
static_assert(same_number(ElementKind::Class, graft_adapter::kClass) &&
              same_number(ElementKind::Bool, graft_adapter::kBool) &&
              same_number(ElementKind::Signed, graft_adapter::kSigned) &&
              same_number(ElementKind::Unsigned, graft_adapter::kUnsigned) &&
              same_number(ElementKind::Float, graft_adapter::kFloat) &&
              same_number(ElementKind::Bfloat, graft_adapter::kBfloat) &&
              same_number(ElementKind::Complex, graft_adapter::kComplex) &&
              same_number(ElementKind::Enum, graft_adapter::kEnum) &&
              same_number(ElementKind::Opaque, graft_adapter::kOpaque) &&
              same_number(ElementKind::Bit, graft_adapter::kBit));

// Replaces names that nobody wrote: NVRTC's name of an unnamed namespace, the struct of a composition's states, and
// what stands for the accumulator of a reduction.
std::string without_own_names(std::string type) {
  constexpr std::string_view kUnnamed = "_INTERNAL_";
  for (std::size_t at = type.find(kUnnamed); at != std::string::npos; at = type.find(kUnnamed, at + 1)) {
    const std::size_t end = type.find("::", at);
    const bool is_inside_name =
        at > 0 && (std::isalnum(static_cast<unsigned char>(type[at - 1])) != 0 || type[at - 1] == '_');
    if (end != std::string::npos && !is_inside_name) type.replace(at, end - at, "(anonymous namespace)");
  }
  constexpr std::string_view kStates = "graft_adapter::AllStates<", kAccumulator = "graft_adapter::AccumulatorOf<";
  for (std::size_t at = type.find(kStates); at != std::string::npos; at = type.find(kStates, at))
    type.replace(at, kStates.size(), "States<");
  if (type.starts_with(kAccumulator)) type.replace(0, kAccumulator.size(), "Accumulator<");
  return type;
}

std::size_t count(const Probe& probe) {
  return (probe.facts.size() - kFactsInFront) / kFactsEach;
}

Parameter parameter(const Probe& probe, std::size_t position, std::string spelling) {
  const auto fact = [&](std::size_t which) { return probe.facts.at(kFactsInFront + which * count(probe) + position); };
  return {static_cast<Role>(fact(0)), {static_cast<ElementKind>(fact(3)), fact(1), fact(2)}, std::move(spelling)};
}

}  // namespace

std::vector<unsigned> numbers(std::string_view text) {
  std::vector<unsigned> found;
  for (std::size_t i = 0; i < text.size();) {
    unsigned value = 0;
    const auto [end, failure] = std::from_chars(text.data() + i, text.data() + text.size(), value);
    if (failure == std::errc{}) {
      found.push_back(value);
      i = static_cast<std::size_t>(end - text.data());
    } else {
      ++i;
    }
  }
  return found;
}

Probe parse_probe(const std::string& lowered_name) {
  const std::string text = demangle(lowered_name);
  constexpr std::string_view head = "graft_probe<";
  constexpr std::string_view facts = ", graft_adapter::Facts<";
  const std::size_t middle = text.rfind(facts);
  if (!text.starts_with(head) || middle == std::string::npos) return {};
  return {text.substr(head.size(), middle - head.size()),
          numbers(std::string_view(text).substr(middle + facts.size()))};
}

std::string west_const(std::string_view type) {
  std::string_view base = base::trimmed(type);
  std::string tail;
  while (base.ends_with('&')) {
    tail += '&';
    base.remove_suffix(1);
  }
  base = base::trimmed(base);
  constexpr std::string_view east = " const";
  if (base.ends_with(east) && base.find('*') == std::string_view::npos)
    return base::format("const {}{}", base.substr(0, base.size() - east.size()), tail);
  return base::format("{}{}", base, tail);
}

std::vector<std::string> spellings(std::string_view function) {
  const std::size_t open = parameter_list(function);
  if (open == std::string_view::npos) return {std::string(function)};
  std::vector<std::string> found = {west_const(function.substr(0, open))};
  const std::string_view list = function.substr(open + 1, function.rfind(')') - open - 1);
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    const char c = i < list.size() ? list[i] : ',';
    if (c == '<' || c == '(' || c == '[' || c == '{') ++depth;
    if (c == '>' || c == ')' || c == ']' || c == '}') --depth;
    if (c != ',' || (depth != 0 && i < list.size())) continue;
    if (const std::string_view item = base::trimmed(list.substr(begin, i - begin)); !item.empty() && item != "void")
      found.push_back(west_const(item));
    begin = i + 1;
  }
  return found;
}

void check_length(const Probe& probe, std::string_view callback) {
  // parse_probe returns an empty probe if the demangled text does not fit into memory.
  if (!probe.facts.empty() && probe.function.size() <= kLongestFunction) return;
  const std::string size = probe.facts.empty() ? std::string("too many") : base::format("{}", probe.function.size());
  fail(ErrorCode::UnsupportedParameter,
       base::format("the names of the types in the signature of {} have {} bytes, and the limit is {}", callback, size,
                    kLongestFunction),
       "Give the long type a short name: derive a struct from it, and use the struct as the parameter.");
}

Signature to_signature(const Probe& probe, std::string_view callback, std::string_view takers_of_cufft) {
  std::vector<std::string> types = spellings(probe.function);
  for (std::string& type : types) type = name_in_out(without_own_names(std::move(type)));
  const auto refusal = static_cast<graft_adapter::Refusal>(probe.facts.at(0));
  if (refusal != graft_adapter::kAccepted)
    throw refusal_error(refusal, probe.facts.at(1), types, callback, takers_of_cufft);
  types.resize(count(probe));
  std::vector<Parameter> parameters;
  for (std::size_t i = 1; i < types.size(); ++i) parameters.push_back(parameter(probe, i, std::move(types[i])));
  return Signature(parameter(probe, 0, std::move(types[0])), std::move(parameters));
}

}  // namespace graft::reflect
