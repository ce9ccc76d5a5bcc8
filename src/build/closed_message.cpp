#include "build/closed_message.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "base/cbor.hpp"
#include "core/error_record.hpp"
#include "core/report_record.hpp"
#include "graft/version.hpp"
#include "plan/added_hash.hpp"

namespace graft::building {
namespace {

using nlohmann::json;

// ---- values: texts and bytes as bytes, since they may be no UTF-8 ----

json packed(const std::string& text) {
  return json::binary({text.begin(), text.end()});
}
json packed(std::span<const std::byte> bytes) {
  return packed(std::string(base::as_text(bytes)));
}
std::string text_of(const json& value) {
  const json::binary_t& bytes = value.get_binary();
  return {bytes.begin(), bytes.end()};
}
base::Bytes bytes_of(const json& value) {
  const json::binary_t& binary = value.get_binary();
  const auto* begin = reinterpret_cast<const std::byte*>(binary.data());
  return {begin, begin + binary.size()};
}

template <class Value>
json packed_or_null(const std::optional<Value>& value) {
  return value ? json(static_cast<int>(*value)) : json();
}
template <class Value>
std::optional<Value> read_or_null(const json& value) {
  if (value.is_null()) return std::nullopt;
  return static_cast<Value>(value.get<int>());
}

json packed(const FloatingPoint& fp) {
  return {fp.fast_math, fp.contraction, fp.flush_to_zero, fp.precise_division, fp.precise_square_root};
}
FloatingPoint floating_point_of(const json& value) {
  return {.fast_math = value.at(0),
          .contraction = value.at(1),
          .flush_to_zero = value.at(2),
          .precise_division = value.at(3),
          .precise_square_root = value.at(4)};
}

// ---- callbacks ----

// As a report has it.
json packed(const Signature& signature) {
  Report report;
  report.signature = signature;
  return packed(std::span<const std::byte>(write_report(report)));
}
Signature signature_of(const json& value) {
  return read_report(bytes_of(value)).value().signature;
}

json packed(const Callback& callback) {
  json object = {{"text", packed(callback.text())},
                 {"name", packed(callback.name())},
                 {"entry", packed(callback.entry())},
                 {"signature", packed(callback.signature())}};
  if (callback.typed_signature()) object["types"] = packed(*callback.typed_signature());
  if (callback.floating_point()) object["floating_point"] = packed(*callback.floating_point());
  const Callback::Composition* const composition = callback.composition();
  if (composition == nullptr) return object;
  object["composition"] = static_cast<int>(composition->kind);
  object["parts"] = json::array();
  for (const auto& part : composition->parts) object["parts"].push_back(part ? packed(*part) : json());
  return object;
}

Callback callback_of(const json& object);

Callback composition_of(const json& object) {
  std::vector<std::optional<Callback>> parts;
  for (const json& part : object.at("parts"))
    parts.push_back(part.is_null() ? std::nullopt : std::optional(callback_of(part)));
  if (object.at("composition").get<int>() == Callback::Composition::Staged)
    return Stages{.load = parts.at(0), .op = parts.at(1), .store = parts.at(2)};
  std::vector<Callback> chained;
  for (const auto& part : parts) chained.push_back(part.value());
  return chain(chained);
}

Callback callback_of(const json& object) {
  Callback callback = object.contains("composition")
                          ? composition_of(object)
                          : Callback::source(text_of(object.at("text")), text_of(object.at("name")));
  if (std::string entry = text_of(object.at("entry")); !entry.empty()) callback = callback.with_entry(std::move(entry));
  if (object.contains("types")) callback = callback.with_signature(signature_of(object.at("types")));
  else if (std::string signature = text_of(object.at("signature")); !signature.empty())
    callback = callback.with_signature(std::move(signature));
  if (object.contains("floating_point"))
    callback = callback.with_floating_point(floating_point_of(object.at("floating_point")));
  return callback;
}

// ---- options ----

json packed(const PolicyOverrides& policy) {
  return {packed_or_null(policy.vector_width), packed_or_null(policy.vectors_per_thread), packed_or_null(policy.body),
          packed_or_null(policy.block_threads), packed_or_null(policy.programmatic_launch)};
}
PolicyOverrides policy_of(const json& value) {
  return {.vector_width = read_or_null<int>(value.at(0)),
          .vectors_per_thread = read_or_null<int>(value.at(1)),
          .body = read_or_null<Body>(value.at(2)),
          .block_threads = read_or_null<int>(value.at(3)),
          .programmatic_launch = read_or_null<bool>(value.at(4))};
}

json packed(const Options& options) {
  json defines = json::array();
  for (const Define& define : options.defines) defines.push_back({packed(define.name), packed(define.value)});
  json forbidden = json::array();
  for (const Route route : options.routes.forbidden) forbidden.push_back(static_cast<int>(route));
  const Closed closed = options.closed.value_or(Closed{});
  return {{"entry", packed(options.entry)},
          {"defines", std::move(defines)},
          {"standard", static_cast<int>(options.standard)},
          {"floating_point", packed(options.floating_point)},
          {"max_registers", options.max_registers},
          {"line_info", options.line_info},
          {"baked_state", packed(std::span<const std::byte>(options.baked_state))},
          {"baked_type",
           {static_cast<int>(options.baked_type.kind), options.baked_type.size, options.baked_type.alignment}},
          {"shared_bytes", options.shared_bytes},
          {"policy", packed(options.policy)},
          {"required", packed_or_null(options.routes.required)},
          {"forbidden", std::move(forbidden)},
          {"closed", {closed.max_registers, closed.time.count(), closed.memory}}};
}

Options options_of(const json& object) {
  Options options;
  options.entry = text_of(object.at("entry"));
  for (const json& define : object.at("defines"))
    options.defines.push_back({text_of(define.at(0)), text_of(define.at(1))});
  options.standard = static_cast<CppStandard>(object.at("standard").get<int>());
  options.floating_point = floating_point_of(object.at("floating_point"));
  options.max_registers = object.at("max_registers");
  options.line_info = object.at("line_info");
  options.baked_state = bytes_of(object.at("baked_state"));
  const json& type = object.at("baked_type");
  options.baked_type = {static_cast<ElementKind>(type.at(0).get<int>()), type.at(1), type.at(2)};
  options.shared_bytes = object.at("shared_bytes");
  options.policy = policy_of(object.at("policy"));
  options.routes.required = read_or_null<Route>(object.at("required"));
  for (const json& route : object.at("forbidden"))
    options.routes.forbidden.push_back(static_cast<Route>(route.get<int>()));
  const json& closed = object.at("closed");
  options.closed = Closed{.max_registers = closed.at(0),
                          .time = std::chrono::milliseconds(closed.at(1).get<std::int64_t>()),
                          .memory = closed.at(2)};
  return options;
}

// ---- the rest of the question ----

json packed(const ClosedQuestion::Precompiling& precompiling) {
  json architectures = json::array();
  for (const Architecture architecture : precompiling.architectures) architectures.push_back(architecture.sm());
  return {{"format", static_cast<int>(precompiling.format)}, {"architectures", std::move(architectures)}};
}
ClosedQuestion::Precompiling precompiling_of(const json& object) {
  ClosedQuestion::Precompiling precompiling{static_cast<PrecompileFormat>(object.at("format").get<int>()), {}};
  for (const json& architecture : object.at("architectures"))
    precompiling.architectures.push_back(Architecture::parse(architecture.get<std::string>()));
  return precompiling;
}

// ---- the answer ----

std::optional<Image::Data> image_of(const json& object) {
  std::optional<Report> report = read_report(bytes_of(object.at("report")));
  if (!report) return std::nullopt;
  return Image::Data{bytes_of(object.at("bytes")), std::move(*report)};
}

std::optional<ClosedAnswer> answer_of(const json& object) {
  ClosedAnswer answer;
  if (const std::string build = text_of(object.at("build")); build != this_build()) answer.other_build = build;
  else if (object.contains("out_of_memory")) answer.is_out_of_memory = true;
  else if (object.contains("error")) answer.error = read_error(bytes_of(object.at("error")));
  else if (object.contains("precompiled")) answer.precompiled = bytes_of(object.at("precompiled"));
  else answer.image = image_of(object);
  const bool is_one =
      answer.is_out_of_memory || !answer.other_build.empty() || answer.error || answer.precompiled || answer.image;
  return is_one ? std::optional(std::move(answer)) : std::nullopt;
}

}  // namespace

std::string this_build() {
  return std::string(GRAFT_VERSION_STRING " ") + std::string(plan::added_hash());
}

base::Bytes write_question(const ClosedQuestion& question) {
  json object = {{"build", packed(this_build())},
                 {"callback", packed(question.callback)},
                 {"options", packed(question.options)},
                 {"cuda_path", packed(question.cuda_path)},
                 {"driver_major", question.driver_major}};
  if (question.architecture) object["architecture"] = question.architecture->sm();
  if (question.precompiling) object["precompiling"] = packed(*question.precompiling);
  return base::to_cbor(object);
}

std::optional<ClosedQuestion> read_question(std::span<const std::byte> bytes) {
  const json object = base::from_cbor(bytes);
  if (text_of(object.at("build")) != this_build()) return std::nullopt;
  ClosedQuestion question{.callback = callback_of(object.at("callback")),
                          .options = options_of(object.at("options")),
                          .cuda_path = text_of(object.at("cuda_path")),
                          .driver_major = object.at("driver_major")};
  if (object.contains("architecture"))
    question.architecture = Architecture::parse(object.at("architecture").get<std::string>());
  if (object.contains("precompiling")) question.precompiling = precompiling_of(object.at("precompiling"));
  return question;
}

base::Bytes write_answer(const ClosedAnswer& answer) {
  json object = {{"build", packed(this_build())}};
  if (answer.is_out_of_memory) object["out_of_memory"] = true;
  else if (answer.error) object["error"] = packed(std::span<const std::byte>(write_error(*answer.error)));
  else if (answer.precompiled) object["precompiled"] = packed(std::span<const std::byte>(*answer.precompiled));
  else if (answer.image) {
    object["report"] = packed(std::span<const std::byte>(write_report(answer.image->report)));
    object["bytes"] = packed(std::span<const std::byte>(answer.image->bytes));
  }
  return base::to_cbor(object);
}

std::optional<ClosedAnswer> read_answer(std::span<const std::byte> bytes) {
  const json object = base::from_cbor(bytes);
  if (!object.is_object()) return std::nullopt;
  try {
    return answer_of(object);
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

}  // namespace graft::building
