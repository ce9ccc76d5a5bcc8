// The structs of DLPack, version 1.3: tensors, and the table of functions with which a library shows its tensors to C.
#pragma once

#include <cstdint>

namespace graft_python {

struct DlTensor {
  void* data;
  std::int32_t device_type, device_id;
  std::int32_t ndim;
  struct {
    std::uint8_t code, bits;
    std::uint16_t lanes;
  } dtype;
  std::int64_t* shape;
  std::int64_t* strides;
  std::uint64_t byte_offset;
};

struct DlManagedVersioned {
  std::uint32_t major, minor;
  void* context;
  void (*deleter)(DlManagedVersioned*);
  std::uint64_t flags;
  DlTensor tensor;
};

// A type of tensors has it as the capsule "dlpack_exchange_api" in its attribute __dlpack_c_exchange_api__. The
// functions return 0, or another number with a Python exception.
struct DlExchange {
  std::uint32_t major, minor;
  const DlExchange* previous;
  void* allocate;
  void* managed_from_object;
  void* object_from_managed;
  int (*tensor_from_object)(void* object, DlTensor* tensor);  // may be null; borrows from the object
  int (*current_stream)(std::int32_t device_type, std::int32_t device_id, void** stream);
};

constexpr std::uint64_t kDlReadOnly = 1;
constexpr std::int32_t kDlCpu = 1, kDlCuda = 2, kDlCudaHost = 3, kDlCudaManaged = 13;

}  // namespace graft_python
