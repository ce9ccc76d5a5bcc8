// A minimal C interface to graft for Python's ctypes: create, and execute with one input and one output. With it,
// Python can measure graft and its peers in one process, on the same memory and the same stream. Arrays are passed as
// ArrayRef, as in every binding to a language without C++ types.
//
// After a failure, graft_shim_error() returns the failure's message to the same thread until the next failure. The null
// stream is the legacy default stream, which the peers use too.
#include <cstdint>
#include <exception>
#include <graft/graft.hpp>
#include <string>
#include <vector>

// One array of any shape, with strides in elements.
struct ShimArray {
  void* pointer;
  const char* type;  // "f32"
  unsigned rank;
  const std::int64_t* shape;
  const std::int64_t* strides;
};

namespace {

thread_local std::string error_words;

template <class Work>
bool succeeds(const Work& work) {
  try {
    work();
    return true;
  } catch (const std::exception& error) {
    error_words = error.what();
    return false;
  }
}

const graft::ElementType f32 = graft::ElementType::named("f32");
const graft::ElementType f16 = graft::ElementType::named("f16");

int execute(const graft::ElementType& type, const void* transform, void* stream, const void* in, void* out,
            unsigned long long count) {
  return succeeds([&] {
    static_cast<const graft::Transform*>(transform)->execute(
        static_cast<CUstream_st*>(stream), graft::ArrayRef(in, count, type), graft::ArrayRef(out, count, type));
  });
}

std::vector<graft::ArrayRef> refs(const ShimArray* arrays, int count) {
  std::vector<graft::ArrayRef> all;
  for (const ShimArray* array = arrays; array != arrays + count; ++array)
    all.push_back(graft::ArrayRef::shaped(array->pointer, graft::ElementType::named(array->type), array->rank,
                                          array->shape, array->strides));
  return all;
}

}  // namespace

#define GRAFT_SHIM extern "C" __attribute__((visibility("default")))

GRAFT_SHIM const char* graft_shim_error() {
  return error_words.c_str();
}

// Compiles a callback and returns its transform, or null on failure.
GRAFT_SHIM void* graft_shim_create(const char* source) {
  graft::Transform* made = nullptr;
  succeeds([&] { made = new graft::Transform(graft::Transform::create(source)); });
  return made;
}

GRAFT_SHIM void graft_shim_destroy(void* transform) {
  delete static_cast<graft::Transform*>(transform);
}

// Returns the transform's report as text, which is valid until the next call on this thread.
GRAFT_SHIM const char* graft_shim_report(const void* transform) {
  thread_local std::string text;
  text = static_cast<const graft::Transform*>(transform)->report().to_text();
  return text.c_str();
}

// Returns 1, or 0 on failure.
GRAFT_SHIM int graft_shim_execute_float32(const void* transform, void* stream, const void* in, void* out,
                                          unsigned long long count) {
  return execute(f32, transform, stream, in, out, count);
}

GRAFT_SHIM int graft_shim_execute_float16(const void* transform, void* stream, const void* in, void* out,
                                          unsigned long long count) {
  return execute(f16, transform, stream, in, out, count);
}

// Like graft_shim_create, with the kernel that serves arrays of these shapes best.
GRAFT_SHIM void* graft_shim_create_for(const char* source, const ShimArray* in, int inputs, const ShimArray* out) {
  graft::Transform* made = nullptr;
  succeeds([&] {
    graft::Options options;
    options.shapes.emplace_back(refs(in, inputs), refs(out, 1));
    made = new graft::Transform(graft::Transform::create(source, options));
  });
  return made;
}

// Returns 1, or 0 on failure.
GRAFT_SHIM int graft_shim_execute_views(const void* transform, void* stream, const ShimArray* in, int inputs,
                                        const ShimArray* out) {
  return succeeds([&] {
    static_cast<const graft::Transform*>(transform)->execute(static_cast<CUstream_st*>(stream), refs(in, inputs),
                                                             refs(out, 1));
  });
}

// Does nothing. Calls of this function measure the cost of a call through ctypes.
GRAFT_SHIM int graft_shim_nothing(const void*, void*, const void*, void*, unsigned long long) {
  return 1;
}
