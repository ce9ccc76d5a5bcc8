// What packs say of own kernels: the records in format::PackedKernel::details and format::PackPart::details.
//
//     pack of a kernel's code       job 1: the parts KernelLtoIr, ConstantLtoIr and Cubin
//                                   further jobs: those of the slots' defaults, as in their packs
//     pack of a slot's callback     one job: the parts SlotLtoIr
//
// A pack is not trusted to say what a launch relies on: that is read from the linked image.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "graft/kernel.hpp"
#include "own_kernels/code_cache.hpp"
#include "own_kernels/code_shape.hpp"
#include "toolchain/nvjitlink.hpp"

namespace graft::own_kernels {

// Of a KernelLtoIr. The code for one architecture may be several inputs of the linker, of which the first has the
// shape.
struct PackedCode {
  toolchain::LinkInputKind input = toolchain::LinkInputKind::LtoIr;
  std::optional<CodeShape> shape = {};
};

// Of a SlotLtoIr. A compiled callback takes several inputs, of which the first says which slot they fill.
struct PackedSlot {
  toolchain::LinkInputKind input = toolchain::LinkInputKind::LtoIr;
  std::optional<Slot> slot = {};
  std::string title = {};  // "huber in metric.cu"
  std::string how = {};    // as SlotBuild::Part::how
  std::uint64_t state_bytes = 0;
  std::uint64_t state_alignment = 1;
};

// Of a ConstantLtoIr.
struct PackedConstant {
  std::string symbol = {};
  std::int64_t value = 0;
};

// Of the code's PackedKernel, whose request says everything else.
struct PackedHeaders {
  std::vector<Header> headers = {};  // as KernelCode::headers
};

base::Bytes write(const PackedCode& code);
base::Bytes write(const PackedSlot& slot);
base::Bytes write(const PackedConstant& constant);
base::Bytes write(const PackedHeaders& headers);

// Return nothing for bytes that are no such record.
std::optional<PackedCode> read_packed_code(std::span<const std::byte> bytes);
std::optional<PackedSlot> read_packed_slot(std::span<const std::byte> bytes);
std::optional<PackedConstant> read_packed_constant(std::span<const std::byte> bytes);
std::optional<PackedHeaders> read_packed_headers(std::span<const std::byte> bytes);

// The file in which a cache keeps the compiled code of kernels: its whole key, the code, and a checksum. Reading
// returns nothing if the file is damaged, of another version, or of another key.
base::Bytes write_code_file(const std::string& key, const ReadCode& code);
std::optional<ReadCode> read_code_file(std::span<const std::byte> file, const std::string& key);

}  // namespace graft::own_kernels
