// The handles of the C interface (graft/graft.h), and the border at which exceptions become error values.
//
// A handle is a struct with one C++ value. Every function of the interface that can fail does its work inside
// guarded(), make_handle() or give(), so that no exception leaves the library. An error that cannot be kept, because
// memory is exhausted, becomes a static error, which needs no memory.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "graft/graft.h"
#include "graft/graft.hpp"

#include "base/immortal.hpp"

struct graft_bytes {
  std::string value;
};

struct graft_engine_options {
  graft::EngineOptions value;
};

struct graft_engine {
  explicit graft_engine(const graft::EngineOptions& options) : value(options) {}
  graft::Engine value;
};

struct graft_options {
  graft::Options value;
};

struct graft_callback {
  graft::Callback value;
};

struct graft_parameters {
  graft::Parameters value;
};

struct graft_transform {
  graft::Transform value;
};

struct graft_image {
  graft::Image value;
};

namespace graft::c {

// Turns an exception into an error value. Both functions never throw.
graft_error* keep_error(const Error& error) noexcept;
graft_error* out_of_memory() noexcept;
// The same for an exception that is no graft::Error, such as one of the standard library; `what` is its text.
graft_error* keep_other(const char* what) noexcept;

// Calls `work`, and returns null or the error that it threw.
template <class Work>
graft_error* guarded(Work work) noexcept {
  try {
    work();
    return nullptr;
  } catch (const Error& error) {
    return keep_error(error);
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  } catch (const std::exception& error) {
    return keep_other(error.what());
  } catch (...) {
    return keep_other("an exception of an unknown type");
  }
}

// Throws Error(InvalidArgument), with the argument's name.
[[noreturn, gnu::cold]] void refuse_null(std::string_view argument);

// Returns what a pointer points to. Throws Error(InvalidArgument) if the pointer is null.
template <class T>
T& checked(T* pointer, std::string_view argument) {
  if (pointer == nullptr) [[unlikely]]
    refuse_null(argument);
  return *pointer;
}

// Sets *result to what `make` returns, or to a zero if `make` throws.
template <class T, class Make>
graft_error* give(T* result, Make make) noexcept {
  if (result != nullptr) *result = T();
  return guarded([&] {
    T& given = checked(result, "the pointer to the result");  // before `make`, whose result would be lost
    given = make();
  });
}

// Sets *result to a new handle for the value that `make` returns, or to null if `make` throws.
template <class Handle, class Make>
graft_error* make_handle(Handle** result, Make make) {
  return give(result, [&] { return new Handle{make()}; });
}

inline Engine& engine_of(graft_engine* engine) {
  return engine == nullptr ? Engine::shared() : engine->value;
}

// Returns the options of a handle, or default options for null.
inline const Options& options_of(const graft_options* options) {
  static const auto& defaults = base::immortal<Options>();
  return options == nullptr ? defaults : options->value;
}

// Throws Error(InvalidArgument), unless the number is the number of an element type.
ElementType element_of(graft_type type);
graft_type type_of(const ElementType& element) noexcept;

}  // namespace graft::c
