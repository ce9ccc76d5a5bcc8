// Reads the packs of own kernels (own_kernels/packed.hpp).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "format/pack.hpp"
#include "graft/architecture.hpp"

namespace graft::routes {

// Opens the pack of a kernel's code, or that of a slot's callback. Throws Error(ImageRefused).
format::Pack read_kernel_pack(std::span<const std::byte> bytes, const std::string& name);

// Returns the parts of this kind for the newest architecture that serves `wanted`. Throws Error(ImageRefused) if there
// is none.
std::vector<const format::PackPart*> required_parts(const format::PackedKernel& kernel, format::PackPartKind kind,
                                                    Architecture wanted, const std::string& name);
// The same, but returns nothing.
std::vector<const format::PackPart*> newest_parts(const format::PackedKernel& kernel, format::PackPartKind kind,
                                                  Architecture wanted);

// Refuses a pack whose part has no record, or one that says too little. Throws Error(ImageRefused).
[[noreturn]] void refuse_record(const std::string& name);
template <class Record>
Record required(std::optional<Record> record, const std::string& name) {
  if (!record) refuse_record(name);
  return std::move(*record);
}

}  // namespace graft::routes
