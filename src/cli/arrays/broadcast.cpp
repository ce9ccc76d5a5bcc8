#include "cli/arrays/broadcast.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/format.hpp"
#include "core/fail.hpp"
#include "graft/error.hpp"

namespace graft::cli {
namespace {

using Shape = std::vector<std::uint64_t>;

// The extent in dimension d, counted from the right.
std::uint64_t extent_of(const Shape& shape, std::size_t d) {
  return d < shape.size() ? shape[shape.size() - 1 - d] : 1;
}

std::string shape_text(const Shape& shape) {
  return base::format("({}{})", base::join(shape, ", "), shape.size() == 1 ? "," : "");
}

[[noreturn]] void refuse_shapes(const std::string& name, const Shape& shape, const std::string& other,
                                const Shape& of_other) {
  fail(ErrorCode::CountMismatch,
       base::format("{} has the shape {}, and {} has {}, which does not align with it", name, shape_text(shape), other,
                    shape_text(of_other)),
       "Give arrays whose extents, counted from the right, are equal or 1, as for NumPy: a[:, None] makes a column.");
}

Shape common_shape(const std::vector<NpyArray>& arrays, const std::vector<std::string>& names) {
  Shape shape;
  for (const NpyArray& array : arrays)
    if (array.header.shape.size() > shape.size()) shape.resize(array.header.shape.size(), 1);
  std::vector<std::size_t> source(shape.size());  // which array gave the extent
  for (std::size_t k = 0; k < arrays.size(); ++k)
    for (std::size_t d = 0; d < arrays[k].header.shape.size(); ++d) {
      const std::size_t place = shape.size() - 1 - d;
      const std::uint64_t extent = extent_of(arrays[k].header.shape, d);
      if (extent == 1 || extent == shape[place]) continue;
      if (shape[place] != 1)
        refuse_shapes(names[source[place]], arrays[source[place]].header.shape, names[k], arrays[k].header.shape);
      shape[place] = extent;
      source[place] = k;
    }
  return shape;
}

// The strides of the array in its file, in bytes, for each dimension of the shape, the last first; 0 where it repeats.
std::vector<std::size_t> strides_of(const NpyHeader& header, std::size_t rank) {
  std::vector<std::size_t> strides(rank);
  std::size_t stride = header.type.size;
  for (std::size_t i = 0; i < header.shape.size(); ++i) {
    const std::size_t d = header.is_fortran ? header.shape.size() - 1 - i : i;
    if (extent_of(header.shape, d) != 1) strides[d] = stride;
    stride *= extent_of(header.shape, d);
  }
  return strides;
}

AlignedBytes arranged(const NpyArray& array, const Shape& shape, std::uint64_t count, const std::string& name) {
  const std::size_t size = array.header.type.size;
  AlignedBytes result(count, size, name);
  const std::vector<std::size_t> strides = strides_of(array.header, shape.size());
  std::vector<std::uint64_t> place(shape.size());
  const std::byte* from = array.data.data();
  for (std::uint64_t i = 0; i < count; ++i) {
    std::memcpy(result.data() + i * size, from, size);
    for (std::size_t d = 0; d < shape.size(); ++d) {  // the next element
      from += strides[d];
      if (++place[d] < extent_of(shape, d)) break;
      from -= strides[d] * place[d];
      place[d] = 0;
    }
  }
  return result;
}

}  // namespace

std::vector<std::uint64_t> broadcast(std::vector<NpyArray>& arrays, const std::vector<std::string>& names) {
  Shape shape = common_shape(arrays, names);
  std::uint64_t count = 1;
  for (const std::uint64_t extent : shape)
    if (__builtin_mul_overflow(count, extent, &count) || count >> 63 != 0)
      refuse(base::format("the arrays have the shape {} together, which has 2^63 or more elements", shape_text(shape)),
             "Give smaller arrays.");
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    NpyHeader& header = arrays[k].header;
    if (header.shape == shape && !header.is_fortran) continue;
    arrays[k].data = arranged(arrays[k], shape, count, names[k]);
    header.shape = shape;
    header.count = count;
    header.is_fortran = false;
  }
  return shape;
}

}  // namespace graft::cli
