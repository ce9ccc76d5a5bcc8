#include "families/reduce/exact_text.hpp"

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "codegen/compose.hpp"
#include "codegen/exact_text.hpp"
#include "codegen/program.hpp"
#include "codegen/program_text.hpp"
#include "families/reduce/kernels.hpp"
#include "format/mangled.hpp"
#include "reflect/signature/declaration.hpp"
#include "reflect/signature/known_types.hpp"
#include "reflect/signature/probe.hpp"

namespace graft::families::reduce {
namespace {

enum Place : std::size_t { kMap, kCombine, kFinish };

// A callback whose types are known, as a compiler names them.
struct Hook {
  std::string call;  // the expression that names the function
  std::string result;
  std::vector<std::string> parameters;
  bool takes_index = false;  // behind the one element

  std::string type() const { return base::format("{}({})", result, base::join(parameters, ", ")); }
};

bool is_element(std::string_view type) {
  return reflect::known_type(type).has_value();
}

// The name that a compiler gives the type; that of a parameter may have a name behind it.
std::string plain_type(std::string_view spelling) {
  std::string type = format::canonical_type(reflect::west_const(spelling));
  if (type.starts_with("const ") && !type.ends_with('&')) type = type.substr(6);
  const std::optional<Signature> known = reflect::known_signature(base::format("{0}({0})", type));
  return known ? known->result().spelling : type;
}

std::optional<Hook> hook_of(const codegen::SourceProgram& program, std::size_t number) {
  const codegen::ProgramParts& member = program.parts.members[number];
  const std::string& function_type = program.members[number].function_type;
  if (!codegen::is_known_function(member, function_type)) return std::nullopt;
  Hook hook{.call = codegen::member_call(member, number), .result = {}, .parameters = {}};
  for (const std::string& spelling : reflect::spellings(function_type)) {
    std::string type = plain_type(spelling);
    if (!is_element(type) && type != "graft::Index") type = plain_type(reflect::parameter_type(spelling));
    hook.parameters.push_back(std::move(type));
  }
  if (hook.parameters.empty()) return std::nullopt;
  hook.result = hook.parameters.front();
  hook.parameters.erase(hook.parameters.begin());
  hook.takes_index = hook.parameters.size() == 2 && hook.parameters[1] == "graft::Index";
  return hook;
}

class Writer {
 public:
  explicit Writer(const codegen::SourceProgram& program) : program_(program) {}

  std::optional<ExactText> write() {
    std::string why;
    const std::optional<KernelRequest> request = read_request(program_.request, why);
    if (!request || request->kind != KernelKind::Whole || !request->initial.empty() || !read_hooks())
      return std::nullopt;
    return ExactText{signature(), text()};
  }

 private:
  bool read_hooks() {
    if (program_.has_chain_as_stage) return false;
    for (const std::size_t place : {kMap, kCombine, kFinish})
      if (program_.stages[place]) {
        hooks_[place] = hook_of(program_, *program_.stages[place]);
        if (!hooks_[place]) return false;
      }
    const std::optional<Hook>&map = hooks_[kMap], &finish = hooks_[kFinish];
    if (!hooks_[kCombine]) return false;
    accumulator_ = hooks_[kCombine]->result;
    if (!is_element(accumulator_) || hooks_[kCombine]->parameters != std::vector(2, accumulator_)) return false;
    if (map && (map->result != accumulator_ || map->parameters.size() != (map->takes_index ? 2 : 1))) return false;
    if (finish && finish->parameters != std::vector(1, accumulator_)) return false;
    element_ = map ? map->parameters.front() : accumulator_;
    result_ = finish ? finish->result : accumulator_;
    return is_element(element_) && is_element(result_);
  }

  Signature signature() const {
    const auto known = [](const std::string& type) { return reflect::known_type(type).value(); };
    std::vector<Parameter> parameters = {{Role::Input, known(element_), element_}};
    if (hooks_[kMap] && hooks_[kMap]->takes_index)
      parameters.push_back({Role::Index, {ElementKind::Class, 8, 8}, "graft::Index"});
    parameters.push_back({Role::Accumulator, known(accumulator_), base::format("Accumulator<{}>", accumulator_)});
    return Signature({Role::Output, known(result_), result_}, std::move(parameters));
  }

  std::string text() const {
    codegen::ProgramParts parts = program_.parts;
    parts.front += front();
    codegen::ProgramText text;
    text.include("graft/device.h");
    codegen::write_preamble(text, parts);
    codegen::write_plain_members(text, parts);
    codegen::undefine_names_in_words(text);
    for (const Place place : {kMap, kCombine, kFinish})
      if (hooks_[place]) codegen::write_type_check(text, hooks_[place]->call, type_of(place), hooks_[place]->type());
    const auto value = [&](Place place, const char* arguments, const char* alone) {
      return hooks_[place] ? base::format("{}({})", hooks_[place]->call, arguments) : std::string(alone);
    };
    const bool takes_index = hooks_[kMap] && hooks_[kMap]->takes_index;
    text.line(
        "static __device__ __forceinline__ graft_accumulator graft_map(const graft_input& graft_x, unsigned long long "
        "graft_index) {{ return {}; }}",
        value(kMap, takes_index ? "graft_x, graft_index_type{graft_index}" : "graft_x", "graft_x"));
    text.line(
        "static __device__ __forceinline__ graft_accumulator graft_combine(const graft_accumulator& graft_a, const "
        "graft_accumulator& graft_b) {{ return {}; }}",
        value(kCombine, "graft_a, graft_b", ""));
    text.line(
        "static __device__ __forceinline__ graft_result graft_finish(const graft_accumulator& graft_a) "
        "{{ return {}; }}",
        value(kFinish, "graft_a", "graft_a"));
    text.line("using graft_hooks = graft_exact_hooks;");
    return text.take();
  }

  // The type in the names that front() declares, which the user's macros do not change.
  std::string type_of(Place place) const {
    if (place == kMap)
      return base::format("graft_accumulator(graft_input{})", hooks_[kMap]->takes_index ? ", graft_index_type" : "");
    if (place == kFinish) return "graft_result(graft_accumulator)";
    return "graft_accumulator(graft_accumulator, graft_accumulator)";
  }

  std::string front() const {
    codegen::ProgramText text;
    codegen::include_headers_of(text, {element_, accumulator_, result_});
    codegen::write_type_checks(text);
    text.line("typedef {} graft_input;\ntypedef {} graft_accumulator;\ntypedef {} graft_result;", element_,
              accumulator_, result_);
    text.line("typedef graft::Index graft_index_type;");
    for (const char* const header :
         {"graft/contract.h", "graft/cells.h", "graft/reduce/order.h", "graft/reduce/loads.h", "graft/reduce/lanes.h",
          "graft/reduce/exact.h", "graft/reduce/whole.h"})
      text.include(header);
    return text.take();
  }

  const codegen::SourceProgram& program_;
  std::array<std::optional<Hook>, 3> hooks_;
  std::string element_, accumulator_, result_;
};

}  // namespace

std::optional<ExactText> exact_text(const codegen::SourceProgram& program) {
  return Writer(program).write();
}

}  // namespace graft::families::reduce
