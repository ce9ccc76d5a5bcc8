// Refuses enumerators that an application made with a cast, for example of a number from a file or from another
// language. Code behind this check can rely on the enumerators that a header names.
#pragma once

#include <string_view>
#include <type_traits>

#include "base/format.hpp"
#include "core/fail.hpp"

namespace graft {

// Throws Error(InvalidArgument) if the number of `value` is not one from 0 to that of `last`. `what` names the value in
// the message.
template <class Enum>
requires std::is_enum_v<Enum>
void check_enumerator(Enum value, Enum last, std::string_view what) {
  const auto number = static_cast<long long>(value), most = static_cast<long long>(last);
  if (number >= 0 && number <= most) [[likely]]
    return;
  refuse(base::format("{} is {}, which is no enumerator", what, number),
         "Pass one of the enumerators that the header names.");
}

}  // namespace graft
