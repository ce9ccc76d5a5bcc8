// A Route is a way to make a kernel from a callback. A RouteChoice says which routes a caller allows. Without a choice,
// graft takes the first route, in the order of the enumerators, that works with the callback and the installed tools.
// graft takes Host only if RouteChoice::required names it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <graft/export.hpp>

namespace graft {

enum class Route : std::uint8_t {
  Lto,       // building blocks, policy fragments, adapter and callback linked as LTO-IR; the callback is inlined
  Program,   // the same code compiled as one program by NVRTC; the callback is inlined
  Ptx,       // linked as PTX; the kernel calls the callback directly for each element
  Indirect,  // linked as PTX, by the driver if there is no nvJitLink; the kernel calls the callback through a function
             // pointer for each element
  Host,      // compiled for the CPU, for machines and tests without a GPU
};

// "lto", "program", "ptx", "indirect", "host".
GRAFT_API std::string_view name(Route route) noexcept;

struct RouteChoice {
  std::optional<Route> required = {};  // take this route, or throw
  std::vector<Route> forbidden = {};   // never take these routes
};

}  // namespace graft
