// Numbers are little-endian, of 4 or 8 bytes; texts and lists have their length in front, in 4. The order of the fields
// is that of files: do not change it without a new version of those.
#include "core/report_record.hpp"

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/little_endian.hpp"

namespace graft {
namespace {

template <class T, class Type>
concept Is = std::same_as<std::remove_const_t<T>, Type>;

// Every field stands here once, for both directions: `codec` writes what it is given, or fills it.

template <class Codec, Is<Parameter> T>
void fields(Codec& codec, T& parameter) {
  codec.choice(parameter.role, Role::Baked);
  codec.choice(parameter.type.kind, ElementKind::Opaque);
  codec.number(parameter.type.size);
  codec.number(parameter.type.alignment);
  codec.text(parameter.spelling);
}

template <class Codec, Is<std::string> T>
void fields(Codec& codec, T& text) {
  codec.text(text);
}

template <class Codec, Is<Report::RouteNotTaken> T>
void fields(Codec& codec, T& other) {
  codec.choice(other.route, Route::Host);
  codec.text(other.reason);
}

template <class Codec, Is<ToolVersion> T>
void fields(Codec& codec, T& tool) {
  codec.text(tool.tool);
  codec.text(tool.version);
}

template <class Codec, Is<Report::Step> T>
void fields(Codec& codec, T& step) {
  codec.text(step.name);
  codec.real(step.milliseconds);
}

template <class Codec, Is<Report::Resources> T>
void fields(Codec& codec, T& resources) {
  codec.number(resources.registers);
  codec.number(resources.stack_bytes);
  codec.number(resources.spill_store_bytes);
  codec.number(resources.spill_load_bytes);
  codec.number(resources.local_bytes);
  codec.number(resources.constant_bytes);
}

template <class Codec, Is<Report> T>
void fields(Codec& codec, T& report) {
  codec.text(report.kernel_name);
  codec.signature(report.signature);
  codec.choice(report.route, Route::Host);
  codec.list(report.routes_not_taken);
  codec.architecture(report.architecture);
  codec.number(report.vector_width);
  codec.number(report.vectors_per_thread);
  codec.choice(report.body, Body::Rolled);
  codec.number(report.block_threads);
  codec.flag(report.programmatic_launch);
  codec.number(report.few_tiles);
  codec.number(report.single_below);
  codec.text(report.policy_reason);
  fields(codec, report.resources);
  codec.list(report.remaining_calls);
  codec.list(report.cuda_helpers);
  codec.number(report.image_bytes);
  codec.text(report.toolkit);
  codec.list(report.versions);
  codec.list(report.steps);
  codec.list(report.notes);
  codec.text(report.compiler_log);
  codec.text(report.linker_log);
  codec.text(report.source);
}

class Writer {
 public:
  void text(const std::string& text) {
    out_.u32(static_cast<std::uint32_t>(text.size()));
    out_.bytes(base::as_bytes(text));
  }
  void number(std::integral auto number) { out_.u64(static_cast<std::uint64_t>(number)); }
  void flag(bool flag) { out_.u32(flag); }
  void real(double number) { out_.u64(std::bit_cast<std::uint64_t>(number)); }
  template <class Enum>
  void choice(Enum value, Enum) {
    out_.u32(static_cast<std::uint32_t>(value));
  }
  template <class T>
  void list(const std::vector<T>& list) {
    out_.u32(static_cast<std::uint32_t>(list.size()));
    for (const T& item : list) fields(*this, item);
  }
  void signature(const Signature& signature) {
    fields(*this, signature.result());
    list(signature.parameters());
  }
  void architecture(Architecture architecture) {
    out_.u32(static_cast<std::uint32_t>(architecture.number));
    out_.u32(static_cast<std::uint32_t>(architecture.suffix));
  }

  base::Bytes take() { return out_.take(); }

 private:
  base::LittleEndianWriter out_;
};

// After the first thing that is not there, or has no meaning, all else is empty.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : left_(bytes) {}

  void text(std::string& text) { text = base::as_text(take(u32())); }
  template <std::integral T>
  void number(T& number) {
    const std::uint64_t wide = u64();
    require(wide <= static_cast<std::uint64_t>(std::numeric_limits<T>::max()));
    number = static_cast<T>(wide);
  }
  void flag(bool& flag) {
    const std::uint32_t wide = u32();
    require(wide <= 1);
    flag = wide == 1;
  }
  void real(double& number) { number = std::bit_cast<double>(u64()); }
  template <class Enum>
  void choice(Enum& value, Enum last) {
    const std::uint32_t wide = u32();
    require(wide <= static_cast<std::uint32_t>(last));
    if (good_) value = static_cast<Enum>(wide);
  }
  template <class T>
  void list(std::vector<T>& list) {
    // Every item takes 4 bytes at least, so that no count makes more than the file could hold.
    const std::uint32_t count = u32();
    require(count <= left_.size() / 4);
    for (std::uint32_t i = 0; i < count && good_; ++i) fields(*this, list.emplace_back());
  }
  void signature(Signature& signature) {
    Parameter result;
    std::vector<Parameter> parameters;
    fields(*this, result);
    list(parameters);
    if (good_) signature = Signature(std::move(result), std::move(parameters));
  }
  void architecture(Architecture& architecture) {
    const std::uint32_t number = u32();
    const std::uint32_t suffix = u32();
    constexpr std::uint32_t kMostDigits = 9999;
    require(number <= kMostDigits && (suffix == 0 || suffix == 'a' || suffix == 'f'));
    if (good_) architecture = Architecture(static_cast<int>(number), static_cast<char>(suffix));
  }

  bool is_whole() const { return good_ && left_.empty(); }

 private:
  void require(bool condition) { good_ &= condition; }
  std::span<const std::byte> take(std::size_t size) {
    require(size <= left_.size());
    if (!good_) return {};
    const std::span<const std::byte> taken = left_.first(size);
    left_ = left_.subspan(size);
    return taken;
  }
  std::uint32_t u32() { return base::LittleEndianReader(take(4)).u32(); }
  std::uint64_t u64() { return base::LittleEndianReader(take(8)).u64(); }

  std::span<const std::byte> left_;
  bool good_ = true;
};

}  // namespace

base::Bytes write_report(const Report& report) {
  Writer writer;
  fields(writer, report);
  return writer.take();
}

std::optional<Report> read_report(std::span<const std::byte> bytes) {
  Reader reader(bytes);
  Report report;
  fields(reader, report);
  return reader.is_whole() ? std::optional(std::move(report)) : std::nullopt;
}

}  // namespace graft
