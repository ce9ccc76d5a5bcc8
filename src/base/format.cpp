#define FMT_HEADER_ONLY  // Compiles fmt's code into this file. No other file of the library contains fmt's code.
#include "base/format.hpp"

#include <fmt/format.h>

namespace graft::base {

std::string format_arguments(std::string_view text, fmt::format_args arguments) {
  return fmt::vformat({text.data(), text.size()}, arguments);
}

}  // namespace graft::base
