#include "link/ptx_frame.hpp"

#include <charconv>

namespace graft::link {
namespace {

// Whether the declaration at `at` belongs to a kernel. Compilers declare local memory first in a function's body, so
// the nearest .entry or .func in front of a declaration begins the function to which it belongs.
bool is_in_kernel(std::string_view ptx, std::size_t at) {
  const std::size_t kernel = ptx.rfind(".entry ", at);
  const std::size_t function = ptx.rfind(".func ", at);
  return kernel != std::string_view::npos && (function == std::string_view::npos || function < kernel);
}

}  // namespace

std::uint64_t ptx_frame_bytes(std::string_view ptx) {
  constexpr std::string_view kDepot = "__local_depot";
  std::uint64_t bytes = 0;
  for (std::size_t at = ptx.find(kDepot); at != std::string_view::npos; at = ptx.find(kDepot, at + 1)) {
    const std::size_t name_end = ptx.find_first_not_of("0123456789", at + kDepot.size());
    // the name is used here and not declared
    if (name_end == std::string_view::npos || ptx[name_end] != '[') continue;
    if (!is_in_kernel(ptx, at)) continue;
    std::uint64_t size = 0;
    std::from_chars(ptx.data() + name_end + 1, ptx.data() + ptx.size(), size);
    bytes += size;
  }
  return bytes;
}

}  // namespace graft::link
