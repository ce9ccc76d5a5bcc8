#include "families/elementwise/shapes/shape_class.hpp"

#include <algorithm>
#include <bit>

#include "base/record.hpp"
#include "contract.h"

namespace graft::elementwise {
namespace {

struct ClassRecord {
  std::int64_t shapes = 0;
};

template <class Codec, base::Is<ClassRecord> T>
void fields(Codec& codec, T& record) {
  codec.field(1, record.shapes);
}

}  // namespace

const char* name(ShapeClass shapes) {
  return shapes == ShapeClass::Flat ? "flat" : shapes == ShapeClass::Rows ? "rows" : "scalar";
}

const char* method_of(ShapeClass shapes) {
  return shapes == ShapeClass::Flat ? "" : name(shapes);
}

std::vector<std::string> methods_for_any_shape() {
  return {method_of(ShapeClass::Flat), method_of(ShapeClass::Scalar), method_of(ShapeClass::Rows)};
}

base::Bytes request_of(ShapeClass shapes) {
  if (shapes == ShapeClass::Flat) return {};
  return base::write_record(ClassRecord{static_cast<std::int64_t>(shapes)});
}

std::optional<ShapeClass> class_of(std::span<const std::byte> request) {
  if (request.empty()) return ShapeClass::Flat;
  const std::optional<ClassRecord> read = base::read_record<ClassRecord>(request);
  for (const ShapeClass shapes : {ShapeClass::Scalar, ShapeClass::Rows})
    if (read && read->shapes == static_cast<std::int64_t>(shapes)) return shapes;
  return std::nullopt;
}

int width_of_rows(const Signature& signature) {
  std::uint32_t widest = 1;
  for (const auto& types : {signature.inputs(), signature.outputs()})
    for (const ElementType& type : types) {
      if (type.kind == ElementKind::Opaque) continue;
      if (!std::has_single_bit(type.size) || type.size > GRAFT_WORD_BYTES) return 1;
      widest = std::max(widest, type.size);
    }
  return GRAFT_WORD_BYTES / static_cast<int>(widest);
}

}  // namespace graft::elementwise
