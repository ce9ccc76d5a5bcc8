#include "own_kernels/packed.hpp"

#include "base/demangle.hpp"
#include "base/little_endian.hpp"
#include "base/record.hpp"
#include "core/fields.hpp"
#include "format/framing.hpp"

namespace graft::format {

template <class Codec, base::Is<PtxParameter> T>
void fields(Codec& codec, T& parameter) {
  auto number = static_cast<std::uint64_t>(parameter.number);
  codec.field(1, parameter.size);
  codec.field(2, parameter.alignment);
  codec.field(3, number);
  if constexpr (Codec::kReads) {
    if (number > PtxParameter::Float) return codec.refuse();
    parameter.number = static_cast<PtxParameter::Number>(number);
  }
}

}  // namespace graft::format

namespace graft {

template <class Codec, base::Is<KernelEntry> T>
void fields(Codec& codec, T& entry) {
  codec.field(1, entry.symbol);
  codec.field(2, entry.parameters);
  if constexpr (Codec::kReads) {
    if (!own_kernels::is_symbol(entry.symbol)) return codec.refuse();
    entry = own_kernels::entry_of(entry.symbol, std::move(entry.parameters));
  }
}

}  // namespace graft

namespace graft::own_kernels {

template <class Codec, base::Is<Slot> T>
void fields(Codec& codec, T& slot) {
  codec.field(1, slot.symbol);
  codec.field(2, slot.parameters);
  codec.field(3, slot.result);
  codec.signed_field(4, slot.call_sites);
  codec.field(5, slot.result_type);
  codec.field(6, slot.state_bytes);
  codec.field(7, slot.state_alignment);
  if constexpr (Codec::kReads) {
    if (!is_symbol(slot.symbol)) return codec.refuse();
    name_slot(slot);
  }
}

template <class Codec, base::Is<Variable> T>
void fields(Codec& codec, T& variable) {
  codec.field(1, variable.symbol);
  codec.field(2, variable.bytes);
  if constexpr (Codec::kReads) {
    if (!is_symbol(variable.symbol)) return codec.refuse();
    variable.name = base::readable(variable.symbol);
  }
}

template <class Codec, base::Is<CodeShape> T>
void fields(Codec& codec, T& shape) {
  codec.field(1, shape.entries);
  codec.field(2, shape.slots);
  codec.field(3, shape.variables);
  if (shape.entries.empty() || shape.slots.size() > kMostSlots) codec.refuse();
}

template <class Codec, base::Is<PackedCode> T>
void fields(Codec& codec, T& code) {
  codec.choice(1, code.input, toolchain::LinkInputKind::Library);
  codec.field(2, code.shape);
}

template <class Codec, base::Is<PackedSlot> T>
void fields(Codec& codec, T& slot) {
  codec.choice(1, slot.input, toolchain::LinkInputKind::Library);
  codec.field(2, slot.slot);
  codec.field(3, slot.title);
  codec.field(4, slot.how);
  codec.field(5, slot.state_bytes);
  codec.field(6, slot.state_alignment);
}

template <class Codec, base::Is<PackedConstant> T>
void fields(Codec& codec, T& constant) {
  auto value = static_cast<std::uint64_t>(constant.value);
  codec.field(1, constant.symbol);
  codec.field(2, value);
  if constexpr (Codec::kReads) constant.value = static_cast<std::int64_t>(value);
}

template <class Codec, base::Is<PackedHeaders> T>
void fields(Codec& codec, T& packed) {
  codec.field(1, packed.headers);
}

namespace {

struct CodeFile {
  std::string key = {};
  ReadCode code = {};
};

template <class Codec, base::Is<CodeFile> T>
void fields(Codec& codec, T& file) {
  codec.field(1, file.key);
  codec.field(2, file.code.code);
  codec.field(3, file.code.shape);
  codec.field(4, file.code.source);
  codec.field(5, file.code.log);
}

}  // namespace

base::Bytes write(const PackedCode& code) {
  return base::write_record(code);
}
base::Bytes write(const PackedSlot& slot) {
  return base::write_record(slot);
}
base::Bytes write(const PackedConstant& constant) {
  return base::write_record(constant);
}
base::Bytes write(const PackedHeaders& headers) {
  return base::write_record(headers);
}

std::optional<PackedCode> read_packed_code(std::span<const std::byte> bytes) {
  return base::read_record<PackedCode>(bytes);
}
std::optional<PackedSlot> read_packed_slot(std::span<const std::byte> bytes) {
  return base::read_record<PackedSlot>(bytes);
}
std::optional<PackedConstant> read_packed_constant(std::span<const std::byte> bytes) {
  return base::read_record<PackedConstant>(bytes);
}
std::optional<PackedHeaders> read_packed_headers(std::span<const std::byte> bytes) {
  return base::read_record<PackedHeaders>(bytes);
}

base::Bytes write_code_file(const std::string& key, const ReadCode& code) {
  base::LittleEndianWriter file;
  file.bytes(base::write_record(CodeFile{key, code}));
  format::append_checksum(file);
  return file.take();
}

std::optional<ReadCode> read_code_file(std::span<const std::byte> file, const std::string& key) {
  if (file.size() < format::kChecksumBytes || !format::has_checksum(file)) return std::nullopt;
  std::optional<CodeFile> read = base::read_record<CodeFile>(file.first(file.size() - format::kChecksumBytes));
  if (!read || read->key != key) return std::nullopt;
  return std::move(read->code);
}

}  // namespace graft::own_kernels
