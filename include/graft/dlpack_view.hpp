// Views of DLPack's tensors, without DLPack's header: of DLTensor, and of every struct with its members.
//
//     t.execute(stream, {graft::view(a), graft::view(b)}, {graft::view(c)});        const DLTensor& a, b, c
#pragma once

#include <cstdint>

#include <graft/arrays.hpp>

namespace graft {
namespace detail {

template <class T>
concept DLTensorLike = requires(const T& t) {
  t.data;
  t.ndim;
  t.shape;
  t.strides;
  t.byte_offset;
  t.dtype.code;
  t.dtype.bits;
  t.dtype.lanes;
};

// Returns the type of DLPack's codes for int, uint, float, bfloat, complex and bool. Throws Error(TypeMismatch) for
// every other type, and for vectors of elements.
GRAFT_API ElementType element_of_dlpack(int code, int bits, int lanes);

}  // namespace detail

// The result keeps the tensor's pointers to its shape and strides. Throws Error(TypeMismatch) for an element type that
// graft does not have. graft does not look at the tensor's device.
template <detail::DLTensorLike T>
ArrayRef view(const T& tensor) {
  return ArrayRef::shaped(static_cast<char*>(tensor.data) + tensor.byte_offset,
                          detail::element_of_dlpack(tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes),
                          static_cast<std::uint32_t>(tensor.ndim), tensor.shape, tensor.strides);
}

}  // namespace graft
