// Arrays of PyTorch and CuPy on a GPU and of NumPy, read by functions of their libraries, which takes some 100 ns, and
// several microseconds by the protocols (arrays.hpp).
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <graft/arrays.hpp>

namespace graft_python {
namespace nb = nanobind;

struct Extents {
  static constexpr std::uint32_t kMost = 8;  // arrays of more dimensions are left to the protocols
  std::uint32_t rank = 0;
  std::array<std::int64_t, kMost> of = {};

  bool operator==(const Extents&) const = default;  // those past the rank are 0
};

// Strides are in elements, and 1 in a dimension that has one index.
struct ReadArray {
  static constexpr int kHost = -1;
  void* pointer = nullptr;
  graft::ElementType type;
  int device = kHost;
  bool is_read_only = false;
  Extents shape;
  std::array<std::int64_t, Extents::kMost> strides = {};

  graft::ArrayRef ref() const noexcept {
    return graft::ArrayRef::shaped(pointer, type, shape.rank, shape.of.data(), strides.data());
  }
  // The same without a shape, if it is dense.
  graft::ArrayRef flat_ref() const noexcept { return {pointer, count(), type}; }

  std::uint64_t count() const noexcept {
    std::uint64_t count = 1;
    for (std::uint32_t d = 0; d < shape.rank; ++d) count *= static_cast<std::uint64_t>(shape.of[d]);
    return count;
  }

  // Whether the elements are in the order of their indices, without gaps.
  bool is_dense() const noexcept {
    std::int64_t dense = 1;
    for (std::uint32_t d = shape.rank; d-- > 0; dense *= shape.of[d])
      if (shape.of[d] > 1 && strides[d] != dense) return false;
    return true;
  }
};

// The arrays of one class of Python. Its functions return false or nothing for what is no ordinary array, and leave no
// exception.
class Reader {
 public:
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  virtual ~Reader() = default;
  virtual bool is_on_device() const { return true; }
  virtual bool read(PyObject* object, ReadArray& array) const = 0;
  // The device alone.
  virtual std::optional<int> device_of(PyObject* object) const = 0;
  // The library's current stream on a device.
  virtual std::optional<std::intptr_t> stream(int device) const = 0;
  // A new array where another one is.
  virtual nb::object empty(const nb::object& shape, const nb::object& dtype, PyObject* mate) const = 0;

  nb::object empty(const Extents& shape, const graft::ElementType& type, PyObject* mate) const;
  // A new array of an array's type, shape and place, if the array is dense.
  virtual nb::object empty_like(PyObject* array) const;

 protected:
  explicit Reader(const char* library);

 private:
  nb::object dtype_of(const graft::ElementType& type, PyObject* mate) const;

  nb::object empty_like_;
  mutable std::vector<std::pair<graft::ElementType, nb::object>> dtypes_;
};

// Null for an object that is read by the protocols.
const Reader* reader_of(PyObject* object);

// An int of Python that 64 bits hold; nothing for other objects.
std::optional<std::int64_t> integer(PyObject* object);

// Whether arrays of this class are on a GPU. Nothing for a class that is not read directly.
std::optional<bool> directly_on_device(nb::handle array);

// Returns false, without an exception, for every other object, and for an array whose elements are not in its memory as
// they are, or of no type that graft has.
bool read_directly(nb::handle array, ReadArray& read);

// The objects of a tuple, which keeps them.
std::vector<PyObject*> items_of(const nb::tuple& tuple);

// Whether two types of numbers are the same, whatever their alignment.
inline bool are_same(const graft::ElementType& a, const graft::ElementType& b) noexcept {
  return a.kind == b.kind && a.size == b.size;
}

// The types of arrays, and whether these are on a GPU, which they are not if there are none. Nothing if one is not read
// directly, or in another kind of memory than the first.
std::optional<std::pair<std::vector<graft::ElementType>, bool>> read_types(std::span<PyObject* const> arrays);

// The current stream of the array's library on the array's device. Nothing for an object that is not read directly, or
// is in host memory.
std::optional<std::intptr_t> stream_directly(nb::handle array);

// The same as objects of Python, with the short names of the types. A null object for nothing.
nb::object types_directly(const nb::tuple& arrays);

}  // namespace graft_python
