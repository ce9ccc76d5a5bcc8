#include "format/pack.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/cbor.hpp"
#include "base/format.hpp"
#include "base/hash.hpp"
#include "base/little_endian.hpp"
#include "format/byte_view.hpp"
#include "format/kernel_check.hpp"

namespace graft::format {
namespace {

using nlohmann::json;

constexpr std::string_view kMagic = "\x89GRAFT\r\n";
constexpr std::size_t kVersionAt = 8;
constexpr std::size_t kMetadataSizeAt = 12;
constexpr std::size_t kWholeSizeAt = 16;
constexpr std::size_t kHeader = 24;
constexpr std::size_t kChecksum = 16;
constexpr std::size_t kImageAlignment = 16;

constexpr std::size_t kLargestMetadata = 1 << 20;
constexpr std::size_t kMostImages = 1024;
constexpr std::uint64_t kLargestImage = 1ull << 32;
constexpr std::size_t kMostParameters = 64;
constexpr std::uint64_t kLargestType = 1 << 16;
constexpr int kMostRegisters = 255;
constexpr std::size_t kMostNames = 1024;

constexpr std::array<std::string_view, 5> kImageKinds = {"ltoir", "program", "callback-ptx", "adapter-ptx", "cubin"};

// Thrown inside the reader of the metadata only.
struct Misread {};

void demand(bool condition) {
  if (!condition) throw Misread();
}

json to_json(const Parameter& parameter) {
  return json::array({static_cast<unsigned>(parameter.role), static_cast<unsigned>(parameter.type.kind),
                      parameter.type.size, parameter.type.alignment, parameter.spelling});
}

json to_json(const PackKernel& kernel) {
  const Report::Resources& used = kernel.resources;
  json object = {{"route", static_cast<unsigned>(kernel.route)},
                 {"vector_width", static_cast<unsigned>(kernel.tuning.vector_width)},
                 {"vectors_per_thread", static_cast<unsigned>(kernel.tuning.vectors_per_thread)},
                 {"body", static_cast<unsigned>(kernel.tuning.body)},
                 {"registers", static_cast<unsigned>(used.registers)},
                 {"bytes", json::array({used.stack_bytes, used.spill_store_bytes, used.spill_load_bytes,
                                        used.local_bytes, used.constant_bytes})},
                 {"calls", kernel.remaining_calls},
                 {"helpers", kernel.cuda_helpers}};
  const PackKernel usual;
  if (kernel.tuning.block_threads != usual.tuning.block_threads)
    object["block_threads"] = static_cast<unsigned>(kernel.tuning.block_threads);
  if (kernel.tuning.programmatic_launch != usual.tuning.programmatic_launch)
    object["programmatic_launch"] = kernel.tuning.programmatic_launch;
  if (kernel.tuning.few_tiles != usual.tuning.few_tiles)
    object["few_tiles"] = static_cast<unsigned>(kernel.tuning.few_tiles);
  if (kernel.tuning.single_below != usual.tuning.single_below) object["single_below"] = kernel.tuning.single_below;
  return object;
}

json to_json(const PackImage& image) {
  return {{"kind", static_cast<unsigned>(image.kind)},
          {"architecture", image.architecture.sm()},
          {"kernel", to_json(image.kernel)},
          {"size", image.bytes.size()},
          {"xxh3", base::hash(base::as_text(image.bytes)).hex()}};
}

json to_json(const FloatingPoint& fp) {
  return {{"fast_math", fp.fast_math},
          {"contraction", fp.contraction},
          {"flush_to_zero", fp.flush_to_zero},
          {"precise_division", fp.precise_division},
          {"precise_square_root", fp.precise_square_root}};
}

json to_json(const ToolVersion& tool) {
  return json::array({tool.tool, tool.version});
}

template <class T>
json to_list(const std::vector<T>& values) {
  json list = json::array();
  for (const T& value : values) list.push_back(to_json(value));
  return list;
}

// Keys come out sorted and numbers in their shortest form: the same pack makes the same bytes.
std::vector<std::uint8_t> metadata(const Pack& pack) {
  return json::to_cbor({{"entry", pack.entry},
                        {"symbol", pack.symbol},
                        {"kernel", pack.kernel},
                        {"result", to_json(pack.signature.result())},
                        {"parameters", to_list(pack.signature.parameters())},
                        {"floating_point", to_json(pack.floating_point)},
                        {"max_registers", static_cast<unsigned>(pack.max_registers)},
                        {"line_info", pack.line_info},
                        {"heavy", pack.is_heavy},
                        {"long_math", pack.has_long_math},
                        {"tools", to_list(pack.tools)},
                        {"images", to_list(pack.images)}});
}

std::uint64_t number(const json& value, std::uint64_t most) {
  demand(value.is_number_unsigned() && value.get<std::uint64_t>() <= most);
  return value.get<std::uint64_t>();
}

const json& list(const json& value, std::size_t most) {
  demand(value.is_array() && value.size() <= most);
  return value;
}

Architecture architecture(std::string_view text) {
  constexpr std::string_view prefix = "sm_";
  demand(text.starts_with(prefix));
  text.remove_prefix(prefix.size());
  Architecture found;
  if (text.ends_with('a') || text.ends_with('f')) found.suffix = text.back(), text.remove_suffix(1);
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), found.number);
  demand(failure == std::errc{} && end == text.data() + text.size() && found.number >= 10 && found.number <= 999);
  return found;
}

Parameter parameter(const json& value) {
  demand(list(value, 5).size() == 5);
  Parameter found;
  found.role = static_cast<Role>(number(value[0], static_cast<unsigned>(Role::Baked)));
  demand(found.role <= Role::None || found.role == Role::Baked);
  found.type.kind = static_cast<ElementKind>(number(value[1], static_cast<unsigned>(ElementKind::Opaque)));
  found.type.size = static_cast<std::uint32_t>(number(value[2], kLargestType));
  found.type.alignment = static_cast<std::uint32_t>(number(value[3], kLargestType));
  found.spelling = value[4].get<std::string>();
  demand(std::has_single_bit(found.type.alignment));
  return found;
}

Signature signature(const json& meta) {
  Parameter result = parameter(meta.at("result"));
  demand(result.role == Role::Output || result.role == Role::None);
  std::vector<Parameter> parameters;
  for (const json& value : list(meta.at("parameters"), kMostParameters)) {
    parameters.push_back(parameter(value));
    demand(parameters.back().role != Role::None);
  }
  return Signature(std::move(result), std::move(parameters));
}

FloatingPoint floating_point(const json& meta) {
  return {meta.at("fast_math").get<bool>(), meta.at("contraction").get<bool>(), meta.at("flush_to_zero").get<bool>(),
          meta.at("precise_division").get<bool>(), meta.at("precise_square_root").get<bool>()};
}

std::vector<std::string> names(const json& value) {
  std::vector<std::string> found;
  for (const json& name : list(value, kMostNames)) found.push_back(name.get<std::string>());
  return found;
}

int small(const json& value) {
  return static_cast<int>(number(value, std::numeric_limits<int>::max()));
}

// Numbers with a meaning of their own are judged with the signature, by kernel_check.hpp.
PackKernel kernel(const json& value) {
  PackKernel found;
  found.route = static_cast<Route>(number(value.at("route"), static_cast<unsigned>(Route::Indirect)));
  found.tuning.vector_width = small(value.at("vector_width"));
  found.tuning.vectors_per_thread = small(value.at("vectors_per_thread"));
  found.tuning.body = static_cast<Body>(number(value.at("body"), static_cast<unsigned>(Body::Rolled)));
  if (value.contains("block_threads")) found.tuning.block_threads = small(value["block_threads"]);
  if (value.contains("programmatic_launch"))
    found.tuning.programmatic_launch = value["programmatic_launch"].get<bool>();
  if (value.contains("few_tiles")) found.tuning.few_tiles = small(value["few_tiles"]);
  if (value.contains("single_below"))
    found.tuning.single_below = number(value["single_below"], std::numeric_limits<std::uint64_t>::max());
  found.resources.registers = small(value.at("registers"));
  const json& bytes = list(value.at("bytes"), 5);
  demand(bytes.size() == 5);
  std::size_t* const sizes[] = {&found.resources.stack_bytes, &found.resources.spill_store_bytes,
                                &found.resources.spill_load_bytes, &found.resources.local_bytes,
                                &found.resources.constant_bytes};
  for (std::size_t i = 0; i < bytes.size(); ++i) *sizes[i] = static_cast<std::size_t>(number(bytes[i], kLargestImage));
  found.remaining_calls = names(value.at("calls"));
  found.cuda_helpers = names(value.at("helpers"));
  return found;
}

// As it would be launched. The signature is the pack's.
void describe(const PackImage& image, Report& report) {
  const PackKernel& kernel = image.kernel;
  report.route = kernel.route;
  report.tuning = kernel.tuning;
  report.resources.registers = kernel.resources.registers;
}

ToolVersion tool(const json& value) {
  demand(list(value, 2).size() == 2);
  return {value[0].get<std::string>(), value[1].get<std::string>()};
}

std::size_t aligned(std::size_t size) {
  return (size + kImageAlignment - 1) / kImageAlignment * kImageAlignment;
}

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : view_(bytes) {}

  Outcome<Pack> read() {
    if (header() && checksum() && contents()) return std::move(pack_);
    return error_;
  }

 private:
  bool fail(Flaw flaw, std::string message, std::size_t offset) {
    error_ = {flaw, std::move(message), offset};
    return false;
  }

  bool header() {
    if (!is_pack(view_.bytes())) return fail(Flaw::Unknown, "this is no pack", 0);
    const auto version = view_.number<std::uint32_t>(kVersionAt);
    if (version && *version > kPackVersion)
      return fail(Flaw::Newer,
                  base::format("the pack has format version {}, and this graft reads up to {}", *version, kPackVersion),
                  kVersionAt);
    if (version == 0u) return fail(Flaw::Damaged, "the pack has format version 0, which never was", kVersionAt);
    if (!view_.has(0, kHeader)) return fail(Flaw::Truncated, "the pack ends inside its header", view_.size());
    const auto whole = view_.get<std::uint64_t>(kWholeSizeAt);
    if (whole > view_.size())
      return fail(Flaw::Truncated, base::format("the pack ends after {} of its {} bytes", view_.size(), whole),
                  view_.size());
    if (whole < view_.size())
      return fail(Flaw::Damaged, base::format("something follows the pack's {} bytes", whole),
                  static_cast<std::size_t>(whole));
    metadata_size_ = view_.get<std::uint32_t>(kMetadataSizeAt);
    if (metadata_size_ > kLargestMetadata || !view_.has(kHeader, metadata_size_ + kChecksum))
      return fail(Flaw::Damaged, "the pack's metadata has an impossible size", kMetadataSizeAt);
    return true;
  }

  bool checksum() {
    const std::size_t end = view_.size() - kChecksum;
    const base::Hash128 found = base::hash(view_.text().substr(0, end));
    if (found.low == view_.get<std::uint64_t>(end) && found.high == view_.get<std::uint64_t>(end + 8)) return true;
    return fail(Flaw::Damaged, "the pack is damaged: its checksum does not match", end);
  }

  bool contents() {
    const std::span<const std::byte> stored = view_.bytes().subspan(kHeader, metadata_size_);
    try {
      const json meta = base::from_cbor(stored);
      demand(meta.is_object());
      described(meta);
      if (!images(meta.at("images"))) return false;
    } catch (const Misread&) {
      return fail(Flaw::Damaged, "the pack's metadata is not what graft writes", kHeader);
    } catch (const json::exception&) {
      return fail(Flaw::Damaged, "the pack's metadata is not what graft writes", kHeader);
    }
    const std::vector<std::uint8_t> again = metadata(pack_);
    if (!std::ranges::equal(std::as_bytes(std::span(again)), stored))
      return fail(Flaw::Damaged, "the pack's metadata and its images disagree", kHeader);
    return is_possible();
  }

  bool is_possible() {
    Report report;
    report.signature = pack_.signature;
    if (std::string why = objection_to(report.signature); !why.empty())
      return fail(Flaw::Damaged, std::move(why), kHeader);
    for (const PackImage& image : pack_.images) {
      describe(image, report);
      if (const std::string why = objection_to(report); !why.empty())
        return fail(Flaw::Damaged,
                    base::format("its {} for {} is no kernel: {}", to_string(image.kind), image.architecture.sm(), why),
                    kHeader);
    }
    return true;
  }

  void described(const json& meta) {
    pack_.entry = meta.at("entry").get<std::string>();
    pack_.symbol = meta.at("symbol").get<std::string>();
    pack_.kernel = meta.at("kernel").get<std::string>();
    pack_.signature = signature(meta);
    pack_.floating_point = floating_point(meta.at("floating_point"));
    pack_.max_registers = static_cast<int>(number(meta.at("max_registers"), kMostRegisters));
    pack_.line_info = meta.at("line_info").get<bool>();
    pack_.is_heavy = meta.at("heavy").get<bool>();
    pack_.has_long_math = meta.at("long_math").get<bool>();
    for (const json& value : list(meta.at("tools"), kMostImages)) pack_.tools.push_back(tool(value));
  }

  bool images(const json& values) {
    const std::size_t end = view_.size() - kChecksum;
    std::size_t at = kHeader + metadata_size_;
    for (const json& value : list(values, kMostImages)) {
      PackImage image;
      image.kind = static_cast<PackImageKind>(number(value.at("kind"), kImageKinds.size() - 1));
      image.architecture = architecture(value.at("architecture").get<std::string>());
      image.kernel = kernel(value.at("kernel"));
      const std::uint64_t size = number(value.at("size"), kLargestImage);
      const std::size_t begin = aligned(at);
      if (begin > end || size > end - begin) return fail(Flaw::Damaged, "an image ends after the pack", at);
      if (!is_zero(at, begin)) return fail(Flaw::Damaged, "something stands between the pack's images", at);
      image.bytes = view_.bytes().subspan(begin, static_cast<std::size_t>(size));
      pack_.images.push_back(image);
      at = begin + static_cast<std::size_t>(size);
    }
    return at == end || fail(Flaw::Damaged, "something follows the pack's last image", at);
  }

  bool is_zero(std::size_t begin, std::size_t end) const {
    return std::ranges::all_of(view_.bytes().subspan(begin, end - begin),
                               [](std::byte b) { return b == std::byte{0}; });
  }

  ByteView view_;
  std::size_t metadata_size_ = 0;
  Pack pack_;
  FormatError error_;
};

}  // namespace

std::string_view to_string(PackImageKind kind) noexcept {
  return kImageKinds[static_cast<std::size_t>(kind)];
}

bool is_pack(std::span<const std::byte> bytes) noexcept {
  return base::as_text(bytes).starts_with(kMagic);
}

Outcome<base::Bytes> write_pack(const Pack& pack) {
  const std::vector<std::uint8_t> meta = metadata(pack);
  if (meta.size() > kLargestMetadata)
    return FormatError{Flaw::Unfit, base::format("the pack's metadata is larger than {} bytes", kLargestMetadata), 0};
  std::size_t whole = kHeader + meta.size();
  for (const PackImage& image : pack.images) whole = aligned(whole) + image.bytes.size();
  whole += kChecksum;

  base::LittleEndianWriter writer;
  writer.bytes(base::as_bytes(kMagic));
  writer.u32(kPackVersion);
  writer.u32(static_cast<std::uint32_t>(meta.size()));
  writer.u64(whole);
  writer.bytes(std::as_bytes(std::span(meta)));
  for (const PackImage& image : pack.images) {
    writer.bytes(base::Bytes(aligned(writer.written().size()) - writer.written().size()));
    writer.bytes(image.bytes);
  }
  const base::Hash128 checksum = base::hash(base::as_text(writer.written()));
  writer.u64(checksum.low);
  writer.u64(checksum.high);
  base::Bytes bytes = writer.take();
  // The reader alone knows what is possible: what it refuses is never handed out.
  const Outcome<Pack> again = read_pack(bytes);
  if (!again) return FormatError{Flaw::Unfit, "this cannot be packed: " + again.error().message, 0};
  return bytes;
}

Outcome<Pack> read_pack(std::span<const std::byte> bytes) {
  return Reader(bytes).read();
}

}  // namespace graft::format
