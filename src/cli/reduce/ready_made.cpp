#include "cli/reduce/ready_made.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <system_error>

#include "base/embedded.hpp"
#include "base/format.hpp"
#include "cli/commands/words.hpp"
#include "core/fail.hpp"
#include "core/named_elements.hpp"
#include "graft/error.hpp"

namespace graft::cli {
namespace {

// The types of a reduction's text: of elements, of their sum, of numbers that are computed of them, and of what is
// compared.
struct Types {
  std::string_view element, sum, number, compared;
};

std::string_view name_in_cpp(const Dtype& dtype) {
  for (const NamedElement& one : kNamedElements)
    if (one.type.kind == dtype.kind && one.type.size == dtype.size)
      return one.also_in_cpp.starts_with("graft::") ? one.also_in_cpp : one.in_cpp;
  return {};
}

std::optional<Types> types_of(const Dtype& dtype) {
  const std::string_view element = name_in_cpp(dtype);
  if (element.empty()) return std::nullopt;
  switch (dtype.kind) {
    case ElementKind::Bool:
      return Types{element, "long long", "double", "unsigned char"};
    case ElementKind::Signed:
      return Types{element, "long long", "double", element};
    case ElementKind::Unsigned:
      return Types{element, "unsigned long long", "double", element};
    case ElementKind::Float:
    case ElementKind::Complex:
      if (dtype.size == 2) return Types{element, "float", "float", "float"};  // which has the values of half numbers
      return Types{element, element, element, element};
    default:
      return std::nullopt;
  }
}

// How a reduction is made of functions of namespace graft::callbacks. `map` is an expression of the element x and its
// index i. E, S, N and M are the types of struct Types, in its order.
struct ReadyMade {
  const char* name;
  const char* accumulator;
  const char* map;
  const char* combine;
  const char* finish;   // an expression of the accumulator a
  const char* initial;  // the accumulator of results without elements; null: they are refused
};
constexpr std::array kReadyMade = {
    ReadyMade{"sum", "S", "S(x)", "add<S>", "a", "0"},
    ReadyMade{"product", "S", "S(x)", "multiply<S>", "a", "1"},
    ReadyMade{"min", "M", "M(x)", "minimum<M>", "E(a)", nullptr},
    ReadyMade{"max", "M", "M(x)", "maximum<M>", "E(a)", nullptr},
    ReadyMade{"argmin", "Best<M>", "with_place<M>(M(x), i)", "smaller<M>", "(long long)place_of<M>(a)", nullptr},
    ReadyMade{"argmax", "Best<M>", "with_place<M>(M(x), i)", "larger<M>", "(long long)place_of<M>(a)", nullptr},
    ReadyMade{"any", "bool", "is_nonzero<M>(M(x))", "either", "a", "false"},
    ReadyMade{"all", "bool", "is_nonzero<M>(M(x))", "both", "a", "true"},
    ReadyMade{"count", "unsigned long long", "count_nonzero<M>(M(x))", "add<unsigned long long>", "(long long)a", "0"},
    ReadyMade{"mean", "Moments<N>", "moments_of<N>(N(x))", "join_moments<N>", "mean_of<N>(a)", nullptr},
    ReadyMade{"variance", "Moments<N>", "moments_of<N>(N(x))", "join_moments<N>", "variance_of<N>(a)", nullptr},
    ReadyMade{"norm", "N", "square<N>(N(x))", "add<N>", "root_of<N>(a)", "0"},
    ReadyMade{"log-sum-exp", "Exponentials<N>", "exponential_of<N>(N(x))", "add_exponentials<N>",
              "log_of_exponentials<N>(a)", nullptr},
};

// The text of a file of ready-made callbacks without its first lines, because several come one behind the other in a
// program, in which graft includes the header.
std::string_view body_of(std::string_view file) {
  constexpr std::string_view kInclude = "#include <graft/device.h>\n";
  const std::string_view text = base::embedded_file(file);
  return text.substr(text.find(kInclude) + kInclude.size());
}

std::string source_of(const ReadyMade& one, const Types& types) {
  return base::format(
      "{}{}namespace graft::callbacks::ready_made {{\n"
      "using E = {};\nusing S = {};\nusing N = {};\nusing M = {};\nusing A = {};\n"
      "__device__ A map(E x, graft::Index i) {{ return {}; }}\n"
      "__device__ A combine(A a, A b) {{ return {}(a, b); }}\n"
      "__device__ auto finish(A a) {{ return {}; }}\n}}\n",
      body_of("graft/callbacks/arithmetic.cuh"), body_of("graft/callbacks/reduce.cuh"), types.element, types.sum,
      types.number, types.compared, one.accumulator, one.map, one.combine, one.finish);
}

std::string initial_of(const ReadyMade& one, const Types& types) {
  const std::string_view accumulator = one.accumulator;
  const std::string_view type = accumulator == "S" ? types.sum : accumulator == "N" ? types.number : accumulator;
  return base::format("{}={}", to_string(element_in_cpp(type).value()), one.initial);
}

}  // namespace

std::vector<std::string> ready_made_reductions() {
  std::vector<std::string> names;
  for (const ReadyMade& one : kReadyMade) names.emplace_back(one.name);
  return names;
}

bool is_ready_made(const std::string& name) {
  if (std::ranges::find(kReadyMade, name, &ReadyMade::name) != kReadyMade.end()) return true;
  std::error_code ignored;
  if (name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == name.npos && !std::filesystem::exists(name, ignored))
    refuse(problem_of_choice("ready-made reduction or file", name, ready_made_reductions()),
           "Give one of these names, or a callback that combines two accumulators: a file, or source text.");
  return false;
}

std::vector<GivenOption> ready_made(std::string_view name, const Dtype& element) {
  const ReadyMade& one = *std::ranges::find(kReadyMade, name, &ReadyMade::name);
  const std::optional<Types> types = types_of(element);
  const bool is_sum = std::string_view(one.accumulator) == "S";
  if (!types || (element.kind == ElementKind::Complex && !is_sum))
    refuse(base::format("there is no ready-made `{}` of {}", name, element.descr),
           "Give --map and --combine for these elements: files, or source text.");
  const std::string text = source_of(one, *types);
  std::vector<GivenOption> options;
  for (const char* const place : {"map", "combine", "finish"}) {
    options.push_back({option_of(place), text});
    options.push_back({option_of(place, "-entry"), base::format("graft::callbacks::ready_made::{}", place)});
  }
  if (one.initial != nullptr && element.kind != ElementKind::Complex)
    options.push_back({"--initial", initial_of(one, *types)});
  return options;
}

}  // namespace graft::cli
