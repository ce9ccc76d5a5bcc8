// Prints a Report as text for people and as JSON for programs.
#include "graft/report.hpp"

#include <nlohmann/json.hpp>
#include <numeric>

#include "base/format.hpp"
#include "core/option_table.hpp"

namespace graft {
namespace {

using nlohmann::json;

// The version of the JSON format, which is written to the field "schema". docs/cli.md lists the fields. Raise the
// version when a field changes its meaning or is removed.
//
//     1   The tuning numbers are at the top level. The times are in the object "milliseconds", by name of the build
//         step. There is no field "family".
//     2   The tuning is in "tuning" as numbers and in "shape" as text, and the times are in "steps". The field "family"
//         names the family of kernels, such as "elementwise".
constexpr int kSchema = 2;

json to_json(const ElementType& type) {
  return {{"type", to_string(type)}, {"size", type.size}, {"alignment", type.alignment}};
}

json to_json(const std::vector<ElementType>& types) {
  json list = json::array();
  for (const ElementType& type : types) list.push_back(to_json(type));
  return list;
}

// Marks the types of in-out arrays, which are among the outputs.
json outputs_of(const Signature& signature) {
  json list = to_json(signature.outputs());
  for (const std::size_t output : signature.in_outs()) list[output]["in_out"] = true;
  return list;
}

json to_json(const Signature& signature) {
  json object = {{"text", signature.text()},
                 {"inputs", to_json(signature.inputs())},
                 {"outputs", outputs_of(signature)},
                 {"index", signature.takes_index()}};
  if (signature.coordinates() > 0) object["coordinates"] = signature.coordinates();
  if (signature.state()) object["state"] = to_json(*signature.state());
  return object;
}

json to_json(const FloatingPoint& fp) {
  json object;
  for_each_option<FloatingPoint>([&](const auto& row) { object[std::string(row.name)] = fp.*row.member; });
  return object;
}

json to_json(const Report::Resources& resources) {
  return {{"registers", resources.registers},
          {"stack_bytes", resources.stack_bytes},
          {"spill_store_bytes", resources.spill_store_bytes},
          {"spill_load_bytes", resources.spill_load_bytes},
          {"local_bytes", resources.local_bytes},
          {"constant_bytes", resources.constant_bytes}};
}

// Returns the text with each line indented by four spaces.
std::string indented(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  std::string out = "    ";
  for (const char c : text) {
    out += c;
    if (c == '\n') out += "    ";
  }
  return out;
}

std::string resources_line(const Report& report) {
  const Report::Resources& r = report.resources;
  return base::format("{} registers, {} bytes of local memory, {} bytes spilled", r.registers, r.local_bytes,
                      r.spill_store_bytes + r.spill_load_bytes);
}

// Returns the tuning as a list of names and values. Used when the kernel's family has not described its tuning as text
// (Report::shape).
std::string tuning_line(const Tuning& tuning) {
  std::vector<std::string> words;
  for (const Tuning::Decision& decision : tuning.decisions())
    words.push_back(base::format("{} {}", decision.name, decision.value));
  return base::format("{}", base::join(words, ", "));
}

std::string calls_line(const Report& report) {
  std::string line = report.inlined() ? "callback inlined"
                                      : base::format("still called: {}", base::join(report.remaining_calls, ", "));
  if (!report.cuda_helpers.empty()) line += base::format("; CUDA's helpers: {}", base::join(report.cuda_helpers, ", "));
  return line;
}

std::string slot_line(const Report::Slot& slot) {
  std::string line = slot.declaration + ": ";
  if (!slot.callback.empty()) line += slot.callback + ", ";
  line += slot.how;
  if (slot.state_bytes != 0) line += base::format("; state of {} bytes", slot.state_bytes);
  return line;
}

}  // namespace

double Report::total_milliseconds() const noexcept {
  return std::accumulate(steps.begin(), steps.end(), 0.0,
                         [](double sum, const Step& step) { return sum + step.milliseconds; });
}

std::string Report::to_text() const {
  std::string out = base::format("{}\n", kernel.name);
  auto field = [&](std::string_view title, std::string_view text) {
    if (!text.empty()) out += base::format("  {:<14}{}\n", title, text);
  };
  const bool is_on_host = kernel.route == Route::Host;
  if (kernel.signature != Signature()) field("signature", kernel.signature.text());
  field("route", is_on_host ? std::string(name(kernel.route))
                            : base::format("{} for {}", name(kernel.route), kernel.architecture.sm()));
  for (const RouteNotTaken& other : routes_not_taken)
    field("", base::format("not {}: {}", name(other.route), other.reason));
  if (!is_on_host) {
    field("body", shape.empty() ? tuning_line(kernel.tuning) : base::format("{} ({})", shape, policy_reason));
    field("resources", resources_line(*this));
    field("calls", calls_line(*this));
    for (const Slot& slot : slots) field(&slot == slots.data() ? "slots" : "", slot_line(slot));
    for (const std::string& option : kernel.compiler_options) field("option", option);
  }
  field("image", base::format("{} bytes{}", image_bytes, from_cache ? ", from the cache" : ""));
  field("toolkit", toolkit);
  for (const ToolVersion& tool : versions) field("", base::format("{} {}", tool.tool, tool.version));
  for (const Step& step : steps)
    field(&step == steps.data() ? "times" : "", base::format("{:<11}{:8.2f} ms", step.name, step.milliseconds));
  for (const std::string& note : notes) field("note", note);
  if (!compiler_log.empty()) out += base::format("  compiler log\n{}\n", indented(compiler_log));
  if (!linker_log.empty()) out += base::format("  linker log\n{}\n", indented(linker_log));
  return out;
}

std::string Report::to_json() const {
  json object = {{"schema", kSchema},
                 {"kernel", kernel.name},
                 {"family", kernel.family},
                 {"signature", graft::to_json(kernel.signature)},
                 {"route", name(kernel.route)},
                 {"architecture", kernel.route == Route::Host ? std::string() : kernel.architecture.sm()},
                 {"floating_point", graft::to_json(kernel.floating_point)},
                 {"max_registers", kernel.max_registers},
                 {"shared_bytes", kernel.shared_bytes},
                 {"compiler_options", kernel.compiler_options},
                 {"shape", shape},
                 {"policy_reason", policy_reason},
                 {"resources", graft::to_json(resources)},
                 {"remaining_calls", remaining_calls},
                 {"cuda_helpers", cuda_helpers},
                 {"inlined", inlined()},
                 {"image_bytes", image_bytes},
                 {"toolkit", toolkit},
                 {"notes", notes},
                 {"compiler_log", compiler_log},
                 {"linker_log", linker_log},
                 {"source", source},
                 {"from_cache", from_cache}};
  object["routes_not_taken"] = json::array();
  for (const RouteNotTaken& other : routes_not_taken)
    object["routes_not_taken"].push_back({{"route", name(other.route)}, {"reason", other.reason}});
  object["slots"] = json::array();
  for (const Slot& slot : slots)
    object["slots"].push_back({{"declaration", slot.declaration},
                               {"callback", slot.callback},
                               {"how", slot.how},
                               {"state_bytes", slot.state_bytes},
                               {"state_alignment", slot.state_alignment}});
  object["versions"] = json::object();
  for (const ToolVersion& tool : versions) object["versions"][tool.tool] = tool.version;
  object["steps"] = json::array();
  for (const Step& step : steps) object["steps"].push_back({{"name", step.name}, {"milliseconds", step.milliseconds}});
  object["tuning"] = json::object();
  for (const Tuning::Decision& decision : kernel.tuning.decisions()) object["tuning"][decision.name] = decision.value;
  // Source text and logs may contain any bytes. Bytes that are not valid UTF-8 are replaced.
  return object.dump(2, ' ', false, json::error_handler_t::replace);
}

}  // namespace graft
