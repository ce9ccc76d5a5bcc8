#include "families/elementwise/shapes/shape_class.hpp"

#include <algorithm>
#include <bit>
#include <charconv>

#include "base/format.hpp"
#include "base/record.hpp"
#include "contract.h"

namespace graft::elementwise {
namespace {

struct ClassRecord {
  std::int64_t shapes = 0;
  std::int64_t inputs = 0;
};

template <class Codec, base::Is<ClassRecord> T>
void fields(Codec& codec, T& record) {
  codec.field(1, record.shapes);
  codec.field(2, record.inputs);
}

// The shared memory that every thread block may have, and what of it callbacks may have for variables of their own.
constexpr std::uint32_t kSharedBytes = 48u << 10, kOwnSharedBytes = 16u << 10;

// Returns the kernel if there can be one.
std::optional<KernelShapes> checked(std::int64_t shapes, std::int64_t inputs) {
  switch (shapes) {
    case static_cast<std::int64_t>(ShapeClass::Strided):
      if (inputs != 0) return std::nullopt;
      break;
    case static_cast<std::int64_t>(ShapeClass::Transposed):
      if (inputs <= 0 || inputs >= std::int64_t{1} << GRAFT_MAX_INPUTS) return std::nullopt;
      break;
    default:
      return std::nullopt;
  }
  return KernelShapes(static_cast<ShapeClass>(shapes), static_cast<std::uint32_t>(inputs));
}

std::uint32_t widest_of(const Signature& signature, std::uint32_t inputs) {
  std::uint32_t widest = 1;
  for (std::size_t k = 0; k < signature.inputs().size(); ++k)
    if ((inputs >> k & 1) != 0) widest = std::max<std::uint32_t>(widest, signature.inputs()[k].size);
  return widest;
}

std::uint32_t tile_bytes(const Signature& signature, std::uint32_t inputs) {
  std::uint32_t bytes = 0;
  for (std::size_t k = 0; k < signature.inputs().size(); ++k)
    if ((inputs >> k & 1) != 0) bytes += signature.inputs()[k].size;
  const unsigned edge = edge_of_tiles(signature, inputs);
  return bytes * edge * edge;
}

}  // namespace

const char* name(ShapeClass shapes) {
  switch (shapes) {
    case ShapeClass::Flat:
      return "flat";
    case ShapeClass::Strided:
      return "strided";
    case ShapeClass::Transposed:
      return "transposed";
  }
  return "";
}

std::string method_of(const KernelShapes& kernel) {
  if (kernel.shapes == ShapeClass::Flat) return "";
  if (kernel.shapes != ShapeClass::Transposed) return name(kernel.shapes);
  return base::format("{} {}", name(kernel.shapes), kernel.inputs);
}

std::optional<KernelShapes> kernel_of(std::string_view method) {
  for (const ShapeClass shapes : {ShapeClass::Flat, ShapeClass::Strided})
    if (method == method_of(shapes)) return shapes;
  const std::string_view transposed = name(ShapeClass::Transposed);
  if (!method.starts_with(transposed)) return std::nullopt;
  std::uint32_t inputs = 0;
  const char* const end = method.data() + method.size();
  const char* const begin = std::min(method.data() + transposed.size() + 1, end);
  if (std::from_chars(begin, end, inputs).ptr != end) return std::nullopt;
  const std::optional<KernelShapes> kernel = checked(static_cast<std::int64_t>(ShapeClass::Transposed), inputs);
  return kernel && method_of(*kernel) == method ? kernel : std::nullopt;
}

KernelShapes servable_by_pack(const KernelShapes& kernel) {
  return kernel == ShapeClass::Flat ? ShapeClass::Flat : ShapeClass::Strided;
}

std::vector<std::string> methods_for_any_shape() {
  return {method_of(ShapeClass::Flat), method_of(ShapeClass::Strided)};
}

base::Bytes request_of(const KernelShapes& kernel) {
  if (kernel.shapes == ShapeClass::Flat) return {};
  return base::write_record(ClassRecord{static_cast<std::int64_t>(kernel.shapes), kernel.inputs});
}

std::optional<KernelShapes> kernel_of(std::span<const std::byte> request) {
  if (request.empty()) return ShapeClass::Flat;
  const std::optional<ClassRecord> read = base::read_record<ClassRecord>(request);
  return read ? checked(read->shapes, read->inputs) : std::nullopt;
}

int width_of_units(const Signature& signature) {
  std::uint32_t widest = 1;
  for (const auto& types : {signature.inputs(), signature.outputs()})
    for (const ElementType& type : types) {
      if (type.kind == ElementKind::Opaque) continue;
      if (!std::has_single_bit(type.size) || type.size > GRAFT_WORD_BYTES) return 1;
      widest = std::max(widest, type.size);
    }
  return GRAFT_WORD_BYTES / static_cast<int>(widest);
}

std::uint32_t with_tiles(const Signature& signature) {
  std::uint32_t inputs = 0;
  for (std::size_t k = 0; k < signature.inputs().size(); ++k) {
    const ElementType& type = signature.inputs()[k];
    if (type.kind != ElementKind::Opaque && std::has_single_bit(type.size) && type.size <= GRAFT_WORD_BYTES)
      inputs |= 1u << k;
  }
  return inputs;
}

std::uint32_t in_tiles(const Signature& signature, std::uint32_t inputs, std::uint32_t shared_bytes) {
  inputs &= with_tiles(signature);
  std::uint32_t found = 0;
  for (std::size_t k = 0; k < signature.inputs().size(); ++k) {
    const std::uint32_t more = found | (inputs & 1u << k);
    if (tile_bytes(signature, more) + std::max(shared_bytes, kOwnSharedBytes) <= kSharedBytes) found = more;
  }
  return found;
}

unsigned edge_of_tiles(const Signature& signature, std::uint32_t inputs) {
  return GRAFT_TILE_EDGE(widest_of(signature, inputs));
}

}  // namespace graft::elementwise
