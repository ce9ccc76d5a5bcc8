// {"code", "texts": [message, remedy, log], "versions": [tool, version, tool, version, ...]}; all texts are bytes.
#include "core/error_record.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/cbor.hpp"

namespace graft {
namespace {

using nlohmann::json;

json packed(const std::string& text) {
  return json::binary({text.begin(), text.end()});
}

std::string text_of(const json& value) {
  const json::binary_t& bytes = value.get_binary();
  return {bytes.begin(), bytes.end()};
}

std::optional<Error> unpacked(const json& object) {
  constexpr unsigned kMostCodes = 1000;
  const json& number = object.at("code");
  if (!number.is_number_unsigned() || number > kMostCodes) return std::nullopt;
  const auto code = static_cast<ErrorCode>(number.get<int>());
  if (name(code) == "Unknown") return std::nullopt;
  const json& texts = object.at("texts");
  Error::Details details{
      .message = text_of(texts.at(0)), .remedy = text_of(texts.at(1)), .log = text_of(texts.at(2)), .versions = {}};
  const json& versions = object.at("versions");
  for (std::size_t i = 0; i < versions.size(); i += 2)
    details.versions.push_back({text_of(versions.at(i)), text_of(versions.at(i + 1))});
  return Error(code, std::move(details));
}

}  // namespace

base::Bytes write_error(const Error& error) {
  json versions = json::array();
  for (const ToolVersion& tool : error.versions()) {
    versions.push_back(packed(tool.tool));
    versions.push_back(packed(tool.version));
  }
  return base::to_cbor({{"code", static_cast<int>(error.code())},
                        {"texts", json::array({packed(error.message()), packed(error.remedy()), packed(error.log())})},
                        {"versions", std::move(versions)}});
}

std::optional<Error> read_error(std::span<const std::byte> bytes) {
  const json object = base::from_cbor(bytes);
  if (!object.is_object()) return std::nullopt;
  try {
    return unpacked(object);
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

}  // namespace graft
