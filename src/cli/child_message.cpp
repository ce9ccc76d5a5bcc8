// CBOR: {"code", "message", "remedy", "log", "versions"}, {"kept", "was_there", "is_source"}, {"precompiled"} or
// {"report", "bytes", "from_cache"}, since a report does not say by itself where it was found.
#include "cli/child_message.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "base/cbor.hpp"
#include "core/report_record.hpp"
#include "format/kernel_check.hpp"

namespace graft::cli {
namespace {

using nlohmann::json;

json binary(std::span<const std::byte> bytes) {
  const auto* begin = reinterpret_cast<const std::uint8_t*>(bytes.data());
  return json::binary({begin, begin + bytes.size()});
}

base::Bytes bytes_of(const json& value) {
  const json::binary_t& binary = value.get_binary();
  const auto* begin = reinterpret_cast<const std::byte*>(binary.data());
  return {begin, begin + binary.size()};
}

json pack(const Error& error) {
  json object = {{"code", static_cast<int>(error.code())},
                 {"message", error.message()},
                 {"remedy", error.remedy()},
                 {"log", error.log()},
                 {"versions", json::array()}};
  for (const ToolVersion& tool : error.versions()) object["versions"].push_back(json::array({tool.tool, tool.version}));
  return object;
}

Error unpack_error(const json& object) {
  Error::Details details{.message = object.at("message").get<std::string>(),
                         .remedy = object.at("remedy").get<std::string>(),
                         .log = object.at("log").get<std::string>(),
                         .versions = {}};
  for (const json& tool : object.at("versions"))
    details.versions.push_back({tool.at(0).get<std::string>(), tool.at(1).get<std::string>()});
  return {static_cast<ErrorCode>(object.at("code").get<int>()), std::move(details)};
}

ChildMessage unpack(const json& object) {
  if (object.contains("code")) return {.error = unpack_error(object)};
  if (object.contains("kept"))
    return {.kept = Kept{.name = object.at("kept").get<std::string>(),
                         .was_there = object.at("was_there").get<bool>(),
                         .is_source = object.at("is_source").get<bool>()}};
  if (object.contains("precompiled")) return {.precompiled = bytes_of(object.at("precompiled"))};
  std::optional<Report> report = read_report(bytes_of(object.at("report")));
  if (!report || !format::objection_to(*report).empty()) return {};
  auto data = std::make_shared<Image::Data>();
  data->bytes = bytes_of(object.at("bytes"));
  if (report->route != Route::Host && !format::is_cubin(data->bytes)) return {};
  data->report = std::move(*report);
  data->report.from_cache = object.at("from_cache").get<bool>();
  return {.image = std::move(data)};
}

}  // namespace

base::Bytes write_message(const ChildMessage& message) {
  if (message.error) return base::to_cbor(pack(*message.error));
  if (const std::optional<Kept>& kept = message.kept)
    return base::to_cbor({{"kept", kept->name}, {"was_there", kept->was_there}, {"is_source", kept->is_source}});
  if (message.precompiled) return base::to_cbor({{"precompiled", binary(*message.precompiled)}});
  return base::to_cbor({{"report", binary(write_report(message.image->report))},
                        {"bytes", binary(message.image->bytes)},
                        {"from_cache", message.image->report.from_cache}});
}

ChildMessage read_message(std::span<const std::byte> bytes) {
  const json object = base::from_cbor(bytes);
  if (!object.is_object()) return {};
  try {
    return unpack(object);
  } catch (const json::exception&) {
    return {};
  }
}

}  // namespace graft::cli
