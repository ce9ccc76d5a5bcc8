#include "plan/key.hpp"

#include <fmt/format.h>

#include <iterator>

#include "base/bytes.hpp"
#include "graft/version.hpp"

namespace graft::plan {
namespace {

class Fields {
 public:
  void add(std::string_view tag, std::string_view value) {
    fmt::format_to(std::back_inserter(text_), "{} {}:{}\n", tag, value.size(), value);
  }
  void add(std::string_view tag, long value) { fmt::format_to(std::back_inserter(text_), "{} {}\n", tag, value); }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

void add_floating_point(Fields& fields, const FloatingPoint& fp) {
  fields.add("fast_math", fp.fast_math);
  if (fp.fast_math) return;  // it decides the other four
  fields.add("contraction", fp.contraction);
  fields.add("flush_to_zero", fp.flush_to_zero);
  fields.add("precise_division", fp.precise_division);
  fields.add("precise_square_root", fp.precise_square_root);
}

void add_policy(Fields& fields, const PolicyOverrides& policy) {
  fields.add("vector_width", policy.vector_width.value_or(0));
  fields.add("vectors_per_thread", policy.vectors_per_thread.value_or(0));
  fields.add("body", policy.body ? static_cast<long>(*policy.body) : -1);
}

void add_routes(Fields& fields, const RouteChoice& routes) {
  fields.add("required_route", routes.required ? static_cast<long>(*routes.required) : -1);
  unsigned forbidden = 0;
  for (const Route route : routes.forbidden) forbidden |= 1u << static_cast<unsigned>(route);
  fields.add("forbidden_routes", static_cast<long>(forbidden));
}

}  // namespace

std::string request_key(const Callback& callback, std::optional<Architecture> architecture, const Options& options) {
  Fields fields;
  fields.add("graft", GRAFT_VERSION_STRING);
  fields.add("form", name(callback.form()));
  fields.add("source", callback.text());
  fields.add("name", callback.name());
  fields.add("entry", options.entry.empty() ? callback.entry() : options.entry);
  fields.add("signature", callback.signature());
  // A source's compiler knows the layout; of a binary it is what was declared.
  if (callback.form() != Form::Source && callback.typed_signature())
    fields.add("layout", callback.typed_signature()->describe());
  fields.add("architecture", architecture ? architecture->sm() : "");
  fields.add("standard", static_cast<long>(options.standard));
  add_floating_point(fields, options.floating_point);
  fields.add("max_registers", options.max_registers);
  fields.add("line_info", options.line_info);
  if (!options.baked_state.empty()) fields.add("baked_state", base::as_text(options.baked_state));
  add_policy(fields, options.policy);
  add_routes(fields, options.routes);
  for (const Define& define : options.defines) {
    fields.add("define", define.name);
    fields.add("value", define.value);
  }
  for (const Header& header : options.headers) {
    fields.add("header", header.name);
    fields.add("text", header.text);
  }
  for (const std::string& path : options.include_paths) fields.add("include_path", path);
  return fields.take();
}

}  // namespace graft::plan
