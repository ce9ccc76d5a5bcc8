#include "cli/arrays/state_source.hpp"

#include <utility>

#include "base/format.hpp"
#include "compile/state_object.hpp"
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

}  // namespace

format::Outcome<format::Field> fields_of_state(const BuildRequest& request, const Image& image,
                                               const std::function<base::Bytes(const BuildRequest&)>& make) {
  const std::string type = type_of_state(image.signature());
  BuildRequest asked = request;
  if (request.route != name(Route::Host)) asked.architecture = image.report().kernel.architecture.sm();
  const bool has_text = request.read_callback().form() == Form::Source;
  if (!has_text) {
    asked.content.reset();
    asked.callback = base::format("__device__ void f(int& out, const {}& state) {{ out = 0; }}", type);
    asked.entry = asked.signature = {};
  }
  try {
    format::Outcome<format::Field> state =
        format::read_field_type(make(asked), compile::kParameterStruct, compile::kStateField);
    if (state) state->type = type;
    return state;
  } catch (const Error& error) {
    if (has_text || error.code() != ErrorCode::CompileFailed) throw;
    return format::FormatError{format::Flaw::Unfit, base::format("the text that defines {} is not given", type), 0};
  }
}

}  // namespace graft::cli
