#include "cli/output/printable_report.hpp"

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "cli/output/option_words.hpp"
#include "cli/output/printable.hpp"

namespace graft::cli {
namespace {

void make_printable(std::string& text) {
  text = printable(text);
}
void make_printable(std::vector<std::string>& texts) {
  for (std::string& text : texts) make_printable(text);
}
void make_printable(std::vector<ToolVersion>& tools) {
  for (ToolVersion& tool : tools) {
    make_printable(tool.tool);
    make_printable(tool.version);
  }
}

}  // namespace

Signature printable(const Signature& signature) {
  Parameter result = signature.result();
  std::vector<Parameter> parameters = signature.parameters();
  make_printable(result.spelling);
  for (Parameter& parameter : parameters) make_printable(parameter.spelling);
  return {std::move(result), std::move(parameters)};
}

Report printable(Report report) {
  report.kernel.signature = printable(report.kernel.signature);
  for (std::string* const text : {&report.kernel.name, &report.policy_reason, &report.toolkit}) make_printable(*text);
  for (auto* const texts : {&report.remaining_calls, &report.cuda_helpers, &report.notes}) make_printable(*texts);
  make_printable(report.versions);
  for (Report::RouteNotTaken& other : report.routes_not_taken) make_printable(other.reason);
  for (std::string& note : report.notes) note = in_option_words(std::move(note));
  for (Report::Step& step : report.steps) make_printable(step.name);
  for (Report::Slot& slot : report.slots)
    for (std::string* const text : {&slot.declaration, &slot.callback, &slot.how}) make_printable(*text);
  return report;
}

std::string text_of(const Error& given) {
  const Error error = in_option_words(given);
  Error::Details details{.message = printable(error.message()),
                         .remedy = printable(error.remedy()),
                         .log = error.log(),
                         .versions = error.versions()};
  make_printable(details.versions);
  return Error(error.code(), std::move(details)).what();
}

nlohmann::json json_of(const Error& given) {
  const Error error = in_option_words(given);
  nlohmann::json versions = nlohmann::json::array();
  for (const ToolVersion& tool : error.versions()) versions.push_back({{"tool", tool.tool}, {"version", tool.version}});
  nlohmann::json diagnostics = nlohmann::json::array();
  for (const Diagnostic& diagnostic : error.diagnostics())
    diagnostics.push_back({{"file", diagnostic.file},
                           {"line", diagnostic.line},
                           {"column", diagnostic.column},
                           {"severity", name(diagnostic.severity)},
                           {"text", diagnostic.text}});
  nlohmann::json object = json_of_failure(name(error.code()), error.message(), error.remedy());
  object["error"].update({{"log", error.log()}, {"versions", versions}, {"diagnostics", diagnostics}});
  return object;
}

nlohmann::json json_of_failure(std::string_view code, const std::string& message, const std::string& remedy) {
  return {{"error",
           {{"code", code},
            {"message", message},
            {"remedy", remedy},
            {"log", ""},
            {"versions", nlohmann::json::array()},
            {"diagnostics", nlohmann::json::array()}}}};
}

}  // namespace graft::cli
