// A struct that is written once, for the program and for the text of a callback:
//
//     GRAFT_DEFINE_STRUCT(Scale, float factor, offset;);
//
//     const graft::Transform transform = graft::Transform::create(graft::declaration<Scale>() + R"(
//         __device__ float scaled(float x, const Scale& s) { return s.factor * x + s.offset; }
//     )");
//     transform.execute(stream, in, out, Scale{2, 1});
//
// The macro defines the struct with these members, in the scope where the macro stands, which may be a function. The
// struct stays an aggregate. `declaration` returns the same words as a text, in which a comment is a space. So the
// types of the members must be known in the callback under the same names: fundamental types, CUDA's vector types,
// those of graft/device.h, and other structs of this kind, whose declarations come first:
//
//     GRAFT_DEFINE_STRUCT(Point, float x, y;);
//     GRAFT_DEFINE_STRUCT(Line, Point from, to;);
//     graft::declaration<Point>() + graft::declaration<Line>() + "__device__ ..."
//
// Names of macros and of constants, such as the size of an array, are not replaced in the text. Members have no
// initialisers that only the program understands. The text has no line breaks, so that a callback's lines keep their
// numbers, and no preprocessing, so that the closed mode takes it.
#pragma once

#include <string>
#include <type_traits>

#include <graft/cpp20.hpp>

// clang-format off
#define GRAFT_DEFINE_STRUCT(name, ...)                                          \
  struct name {                                                          \
    __VA_ARGS__                                                          \
    static constexpr const char* graft_declaration() noexcept {          \
      return "struct " #name " { " #__VA_ARGS__ " }; ";                  \
    }                                                                    \
  }
// clang-format on

namespace graft {
namespace detail {

template <class S>
concept Declared = requires {
  S::graft_declaration();
};

}  // namespace detail

// Returns the definition of a struct that GRAFT_DEFINE_STRUCT defined, as the text of a callback needs it.
template <class S>
std::string declaration() {
  static_assert(detail::Declared<S>, "graft: graft::declaration needs a struct that GRAFT_DEFINE_STRUCT defined");
  if constexpr (detail::Declared<S>) {
    static_assert(std::is_trivially_copyable_v<S>, "graft: elements and state must be trivially copyable");
    return S::graft_declaration();
  } else {
    return {};
  }
}

}  // namespace graft
