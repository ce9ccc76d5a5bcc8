// The arrays of one call, taken from Python objects without copying: arrays that readers.hpp reads, buffers,
// __array_interface__, __cuda_array_interface__, and DLPack's tensors.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <graft/arrays.hpp>

namespace graft_python {
namespace nb = nanobind;

// A buffer that is released when its owner ends.
struct Buffer {
  Py_buffer view = {};
  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() {
    if (view.obj) PyBuffer_Release(&view);
  }
};

// One array. It keeps what its pointer needs to stay valid: a buffer, or a DLPack capsule.
class Array {
 public:
  // Throws graft::Error: TypeMismatch for an element type that graft does not have, InvalidArgument for an object that
  // is no array, strides that are no whole elements, and, if `is_output`, memory that must not be written. `role` is
  // how messages call the array ("input 0"). A DLPack tensor is made ready for work on `stream`.
  Array(nb::handle object, const std::string& role, bool is_output, std::optional<std::intptr_t> stream);

  // Keeps pointers into this object.
  graft::ArrayRef ref() const noexcept { return graft::ArrayRef::shaped(pointer_, type_, rank_, shape_, strides_); }
  // The same as an array of one dimension. Throws graft::Error(InvalidArgument) unless the elements are dense.
  graft::ArrayRef flat_ref() const;
  graft::ElementType type() const noexcept { return type_; }
  bool is_on_device() const noexcept { return is_on_device_; }
  std::uint32_t rank() const noexcept { return rank_; }
  std::int64_t extent(std::uint32_t d) const noexcept { return shape_[d]; }
  std::uint64_t bytes() const noexcept { return ref().count * type_.size; }
  void* pointer() const noexcept { return pointer_; }

 private:
  bool take_directly();
  bool take_buffer();
  bool take_interface(const char* attribute, bool on_device);
  bool take_dlpack(std::optional<std::intptr_t> stream);
  void set_type_of_format(const char* format, std::size_t size);
  void set_type_of_typestr(const std::string& typestr);
  void set_rank(std::size_t rank);
  void set_dense_strides() noexcept;
  // `strides` are in bytes.
  template <class Strides>
  void set_strides(const Strides& strides);
  [[noreturn]] void refuse_type(const std::string& type) const;

  nb::handle object_;
  const std::string& role_;
  nb::object keeper_;
  Buffer buffer_;
  void* pointer_ = nullptr;
  graft::ElementType type_ = {};
  std::uint32_t rank_ = 0;
  bool is_on_device_ = false;
  bool is_read_only_ = false;
  std::int64_t shape_[graft::ArrayRef::kMostDimensions];
  std::int64_t strides_[graft::ArrayRef::kMostDimensions];
};

// The inputs or the outputs of a call. All are in the same kind of memory: GPU memory if `on_device` is true, host
// memory if it is false, either if it is empty. `role` is how messages call them, if they are neither.
class Arrays {
 public:
  Arrays(nb::sequence objects, bool are_outputs, std::optional<std::intptr_t> stream, std::optional<bool> on_device,
         const std::optional<std::string>& role);
  Arrays(const Arrays&) = delete;
  Arrays& operator=(const Arrays&) = delete;

  const std::vector<std::unique_ptr<Array>>& all() const noexcept { return arrays_; }
  // `wanted`: the callback's types. Arrays that a load or store callback reaches itself are passed without a shape.
  std::vector<graft::ArrayRef> refs(const std::vector<graft::ElementType>& wanted) const;
  std::vector<graft::ArrayRef> flat_refs() const;
  bool are_on_device() const noexcept { return !arrays_.empty() && arrays_.front()->is_on_device(); }
  // The shape to which the arrays repeat, as NumPy's broadcasting. Throws graft::Error(CountMismatch).
  std::vector<std::int64_t> broadcast_shape() const;

 private:
  std::vector<std::string> roles_;
  std::vector<std::unique_ptr<Array>> arrays_;
};

// The module of an object's class: "cupy".
std::string module_name(nb::handle object);

// The type of a number by the letter that NumPy has for its kind (dtype.kind), if graft has it: 'f' and 4 are f32.
std::optional<graft::ElementType> number_of_kind(char kind, std::size_t size);

// The name of a type as graft::ElementType::named reads it: "f32"; "class" for structs.
std::string short_name(const graft::ElementType& type);

void bind_arrays(nb::module_& module);

}  // namespace graft_python
