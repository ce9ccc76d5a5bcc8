// Whether a text could bring other text into a compile. Callback asks when it is made, and every create reads the
// answer: the working folder belongs to a request only if something can be included.
#pragma once

#include <string_view>

namespace graft {

// A fast check whether the text could include, import or embed anything. May answer yes wrongly, but never no.
bool can_include(std::string_view text);

}  // namespace graft
