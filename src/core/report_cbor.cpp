// The names of the fields are in files: do not change them without a new version of those.
#include "core/report_cbor.hpp"

#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/cbor.hpp"

namespace graft {
namespace {

using nlohmann::json;

// Writing.

json pack(const Parameter& parameter) {
  return json::array({static_cast<unsigned>(parameter.role), static_cast<unsigned>(parameter.type.kind),
                      parameter.type.size, parameter.type.alignment, parameter.spelling});
}

json pack(const Signature& signature) {
  json list = json::array({pack(signature.result())});
  for (const Parameter& parameter : signature.parameters()) list.push_back(pack(parameter));
  return list;
}

json pack(Architecture architecture) {
  return architecture.number == 0 ? std::string() : architecture.sm();
}

json pack(const Report::Resources& resources) {
  return json::array({resources.registers, resources.stack_bytes, resources.spill_store_bytes,
                      resources.spill_load_bytes, resources.local_bytes, resources.constant_bytes});
}

// Reading. What is not there, or of another type, is an exception of nlohmann's; what has no meaning, one of these.

void require(bool condition) {
  if (!condition) throw std::range_error("no report");
}

template <class Number>
Number number(const json& value) {
  require(value.is_number_unsigned());
  const auto wide = value.get<std::uint64_t>();
  require(wide <= static_cast<std::uint64_t>(std::numeric_limits<Number>::max()));
  return static_cast<Number>(wide);
}

template <class Enum>
Enum enumerator(const json& value, Enum last) {
  const auto wide = number<unsigned>(value);
  require(wide <= static_cast<unsigned>(last));
  return static_cast<Enum>(wide);
}

Parameter unpack_parameter(const json& list) {
  require(list.is_array() && list.size() == 5);
  return {enumerator(list[0], Role::Baked),
          {enumerator(list[1], ElementKind::Opaque), number<std::uint32_t>(list[2]), number<std::uint32_t>(list[3])},
          list[4].get<std::string>()};
}

Signature unpack_signature(const json& list) {
  require(list.is_array() && !list.empty());
  std::vector<Parameter> parameters;
  for (std::size_t i = 1; i < list.size(); ++i) parameters.push_back(unpack_parameter(list[i]));
  return {unpack_parameter(list[0]), std::move(parameters)};
}

Architecture unpack_architecture(const json& value) {
  const auto text = value.get<std::string>();
  return text.empty() ? Architecture() : Architecture::parse(text);
}

Report::Resources unpack_resources(const json& list) {
  require(list.is_array() && list.size() == 6);
  return {.registers = number<int>(list[0]),
          .stack_bytes = number<std::size_t>(list[1]),
          .spill_store_bytes = number<std::size_t>(list[2]),
          .spill_load_bytes = number<std::size_t>(list[3]),
          .local_bytes = number<std::size_t>(list[4]),
          .constant_bytes = number<std::size_t>(list[5])};
}

Report unpack(const json& object) {
  Report report;
  report.kernel_name = object.at("kernel").get<std::string>();
  report.signature = unpack_signature(object.at("signature"));
  report.route = enumerator(object.at("route"), Route::Host);
  for (const json& other : object.at("routes_not_taken"))
    report.routes_not_taken.push_back({enumerator(other.at(0), Route::Host), other.at(1).get<std::string>()});
  report.architecture = unpack_architecture(object.at("architecture"));
  report.vector_width = number<int>(object.at("vector_width"));
  report.vectors_per_thread = number<int>(object.at("vectors_per_thread"));
  report.body = enumerator(object.at("body"), Body::Rolled);
  report.policy_reason = object.at("policy_reason").get<std::string>();
  report.resources = unpack_resources(object.at("resources"));
  report.remaining_calls = object.at("remaining_calls").get<std::vector<std::string>>();
  report.cuda_helpers = object.at("cuda_helpers").get<std::vector<std::string>>();
  report.image_bytes = number<std::size_t>(object.at("image_bytes"));
  report.toolkit = object.at("toolkit").get<std::string>();
  for (const json& tool : object.at("versions"))
    report.versions.push_back({tool.at(0).get<std::string>(), tool.at(1).get<std::string>()});
  for (const json& step : object.at("steps"))
    report.steps.push_back({step.at(0).get<std::string>(), step.at(1).get<double>()});
  report.notes = object.at("notes").get<std::vector<std::string>>();
  report.compiler_log = object.at("compiler_log").get<std::string>();
  report.linker_log = object.at("linker_log").get<std::string>();
  report.source = object.at("source").get<std::string>();
  return report;
}

}  // namespace

base::Bytes report_to_cbor(const Report& report) {
  json object = {{"kernel", report.kernel_name},
                 {"signature", pack(report.signature)},
                 {"route", static_cast<unsigned>(report.route)},
                 {"routes_not_taken", json::array()},
                 {"architecture", pack(report.architecture)},
                 {"vector_width", report.vector_width},
                 {"vectors_per_thread", report.vectors_per_thread},
                 {"body", static_cast<unsigned>(report.body)},
                 {"policy_reason", report.policy_reason},
                 {"resources", pack(report.resources)},
                 {"remaining_calls", report.remaining_calls},
                 {"cuda_helpers", report.cuda_helpers},
                 {"image_bytes", report.image_bytes},
                 {"toolkit", report.toolkit},
                 {"versions", json::array()},
                 {"steps", json::array()},
                 {"notes", report.notes},
                 {"compiler_log", report.compiler_log},
                 {"linker_log", report.linker_log},
                 {"source", report.source}};
  for (const Report::RouteNotTaken& other : report.routes_not_taken)
    object["routes_not_taken"].push_back(json::array({static_cast<unsigned>(other.route), other.reason}));
  for (const ToolVersion& tool : report.versions) object["versions"].push_back(json::array({tool.tool, tool.version}));
  for (const Report::Step& step : report.steps) object["steps"].push_back(json::array({step.name, step.milliseconds}));
  return base::to_cbor(object);
}

std::optional<Report> report_from_cbor(std::span<const std::byte> bytes) {
  const json object = base::from_cbor(bytes);
  if (!object.is_object()) return std::nullopt;
  try {
    return unpack(object);
  } catch (const json::exception&) {
    return std::nullopt;
  } catch (const std::range_error&) {
    return std::nullopt;
  } catch (const Error&) {  // no architecture of that name
    return std::nullopt;
  }
}

}  // namespace graft
