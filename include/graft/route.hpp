// A Route is a way to make a kernel from a callback. A RouteChoice says which routes a caller allows. Without a choice,
// graft takes the first route, in the order of the enumerators, that works with the callback and the installed tools.
// graft takes Host only if RouteChoice::required names it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <graft/cpp20.hpp>
#include <graft/export.hpp>

namespace graft {

enum class Route : std::uint8_t {
  Lto,       // graft's device code and the callback are linked as LTO-IR; the callback is inlined
  Program,   // NVRTC compiles graft's device code and the callback as one program; the callback is inlined
  Ptx,       // graft's device code and the callback are linked as PTX; the kernel calls the callback for each element
  Indirect,  // as Ptx, but the kernel calls the callback through a function pointer, which is slower; for PTX and packs
             // this route needs the driver alone
  Host,      // the callback is compiled for the CPU, for machines and tests without a GPU
};

// Returns the name as messages, reports and the command line write it: "lto", "program", "ptx", "indirect", "host".
GRAFT_API std::string_view name(Route route) noexcept;

struct RouteChoice {
  std::optional<Route> required = {};  // graft takes this route, or throws an Error
  std::vector<Route> forbidden = {};   // graft never takes these routes
};

}  // namespace graft
