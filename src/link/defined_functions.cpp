#include "link/defined_functions.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/format.hpp"
#include "core/fail.hpp"
#include "format/ptx.hpp"

namespace graft::link {

void check_defined(const base::Bytes& ptx, const std::string& title) {
  static constexpr std::array<std::string_view, 4> kSystem = {"vprintf", "__assertfail", "malloc", "free"};
  const auto read = format::read_ptx(base::as_text(ptx));
  if (!read) return;
  for (const format::PtxFunction& function : read->functions)
    if (!function.is_defined && std::ranges::find(kSystem, function.name) == kSystem.end())
      fail(ErrorCode::LinkFailed, base::format("{} calls `{}`, and nothing defines it", title, function.name),
           "Define every function that the callback calls in its source or its headers.");
}

}  // namespace graft::link
