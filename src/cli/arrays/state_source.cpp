#include "cli/arrays/state_source.hpp"

#include <utility>

#include "base/format.hpp"
#include "cli/arrays/formula_numbers.hpp"
#include "compile/state_object.hpp"
#include "core/fail.hpp"
#include "formula/variables.hpp"
#include "formula/whole_text.hpp"
#include "graft/error.hpp"

namespace graft::cli {
namespace {

// "const math::Scale&" -> "math::Scale"
std::string type_of_state(const Signature& signature) {
  for (const Parameter& parameter : signature.parameters()) {
    if (parameter.role != Role::State) continue;
    std::string type = parameter.spelling;
    if (type.starts_with("const ")) type.erase(0, 6);
    while (type.ends_with('&') || type.ends_with(' ')) type.pop_back();
    return type;
  }
  return {};
}

// The fields of a struct of these variables.
format::Field fields_of(const std::vector<Variable>& members, std::size_t begin) {
  const formulas::Layout layout = formulas::layout_of(members);
  format::Field all{.name = {}, .type = "parameters", .offset = begin, .element = layout.type, .parts = {}};
  for (std::size_t k = 0; k < members.size(); ++k) {
    const std::size_t at = begin + layout.offsets[k];
    format::Field one{
        .name = {}, .type = to_string(members[k].type), .offset = at, .element = members[k].type, .parts = {}};
    if (!members[k].fields.empty()) one = fields_of(members[k].fields, at);
    one.name = members[k].name;
    all.parts.push_back(std::move(one));
  }
  return all;
}

// The text of a callback that has a state of this type.
std::string callback_with_state(std::string_view name, const std::string& type) {
  return base::format("__device__ void {}(int& out, const {}& state) {{ out = 0; }}", name, type);
}

// The request for the kernel's architecture.
BuildRequest for_kernel(BuildRequest request, const Image& image) {
  if (request.route != name(Route::Host)) request.architecture = image.report().kernel.architecture.sm();
  return request;
}

// The fields of the state of the callback `asked`.
format::Outcome<format::Field> read_fields(const BuildRequest& asked, const std::string& type,
                                           const std::function<base::Bytes(const BuildRequest&)>& make) {
  format::Outcome<format::Field> state =
      format::read_field_type(make(asked), compile::kParameterStruct, compile::kStateField);
  if (state) state->type = type;
  return state;
}

}  // namespace

format::Field fields_of_variables(const std::vector<Variable>& members) {
  return fields_of(members, 0);
}

format::Outcome<format::Field> fields_of_state(const BuildRequest& request, const Image& image,
                                               const std::function<base::Bytes(const BuildRequest&)>& make) {
  if (request.is_formula()) return fields_of_variables(formulas::split(request.callback).variables.parameters);
  const std::string type = type_of_state(image.signature());
  BuildRequest asked = for_kernel(request, image);
  const bool has_text = request.read_callback().form() == Form::Source;
  if (!has_text) {
    asked.content.reset();
    asked.callback = callback_with_state("f", type);
    asked.entry = asked.signature = asked.types = {};
  }
  try {
    return read_fields(asked, type, make);
  } catch (const Error& error) {
    if (has_text || error.code() != ErrorCode::CompileFailed) throw;
    return format::FormatError{format::Flaw::Unfit, base::format("the text that defines {} is not given", type), 0};
  }
}

format::Outcome<format::Field> fields_of_type(const BuildRequest& request, const Image& image, const std::string& type,
                                              const std::function<base::Bytes(const BuildRequest&)>& make) {
  constexpr const char* kName = "graft_members_of";
  BuildRequest asked = for_kernel(request, image);
  asked.entry = asked.signature = asked.types = {};
  asked.job_options.clear();
  asked.link_inputs.clear();
  asked.is_only_formula = false;
  const bool has_text =
      request.asked_job() == nullptr && !request.is_formula() && request.read_callback().form() == Form::Source;
  if (has_text) {
    std::string& text = asked.content ? *asked.content : asked.callback;
    text += '\n' + callback_with_state(kName, type);
    asked.entry = kName;
    try {
      return read_fields(asked, type, make);
    } catch (const Error&) {  // nothing can stand behind a lambda expression, whose types are CUDA's
    }
  }
  asked.content.reset();
  asked.entry.clear();
  asked.callback = callback_with_state(kName, type);
  return read_fields(asked, type, make);
}

base::Bytes state_of(const Image& image, const std::string& text, const ReadFields& fields) {
  const std::optional<ElementType>& type = image.signature().state();
  if (!type && text.empty()) return {};
  if (!type)
    fail(ErrorCode::TypeMismatch,
         base::format("{} has no state parameter, and --state was given", image.report().kernel.name),
         "Leave --state out, or add a `const T&` parameter to the callback.");
  if (text.empty())
    fail(ErrorCode::TypeMismatch,
         base::format("the state of {} ({}, {} bytes) is missing", image.report().kernel.name, to_string(*type),
                      type->size),
         "Give the state with --state.");
  return parse_state(text, *type, fields);
}

base::Bytes state_of(const BuildRequest& request, const Image& image, const std::string& text) {
  if (!request.numbers.empty()) return state_with_numbers(request, text);
  return state_of(image, text, [&] { return fields_of_state(request, image); });
}

}  // namespace graft::cli
