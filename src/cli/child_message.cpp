// CBOR: {"error"}, {"kept", "was_there", "is_source"}, {"precompiled"} or
// {"report", "bytes", "from_cache"}, since a report does not say by itself where it was found.
#include "cli/child_message.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "base/cbor.hpp"
#include "core/error_record.hpp"
#include "core/report_record.hpp"
#include "format/elf.hpp"
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

ChildMessage unpack(const json& object) {
  if (object.contains("error")) return {.error = read_error(bytes_of(object.at("error")))};
  if (object.contains("kept"))
    return {.kept = Kept{.name = object.at("kept").get<std::string>(),
                         .was_there = object.at("was_there").get<bool>(),
                         .is_source = object.at("is_source").get<bool>()}};
  if (object.contains("precompiled")) return {.precompiled = bytes_of(object.at("precompiled"))};
  std::optional<Report> report = read_report(bytes_of(object.at("report")));
  if (!report || !format::objection_to(*report).empty()) return {};
  auto data = std::make_shared<Image::Data>();
  data->bytes = bytes_of(object.at("bytes"));
  if (report->route != Route::Host && !format::is_whole_cubin(data->bytes)) return {};
  data->report = std::move(*report);
  data->report.from_cache = object.at("from_cache").get<bool>();
  return {.image = std::move(data)};
}

}  // namespace

base::Bytes write_message(const ChildMessage& message) {
  if (message.error) return base::to_cbor({{"error", binary(write_error(*message.error))}});
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
