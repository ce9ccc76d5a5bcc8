// The ways from a callback to a kernel, and what a caller may say about them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <graft/export.hpp>

namespace graft {

enum class Route : std::uint8_t {
  Lto,       // block, policy, adapter and callback linked as LTO-IR: the callback is inlined
  Program,   // all of them compiled as one program by NVRTC
  Ptx,       // linked as PTX: a direct call for each element
  Indirect,  // linked as PTX, by the driver where there is no other linker: a call through a function pointer for each
             // element
  Host,      // compiled for the CPU: for machines and tests without a GPU; only when required
};

// "lto", "program", "ptx", "indirect", "host".
GRAFT_API std::string_view name(Route route) noexcept;

struct RouteChoice {
  std::optional<Route> required = {};  // this one or an error
  std::vector<Route> forbidden = {};   // never these
};

}  // namespace graft
