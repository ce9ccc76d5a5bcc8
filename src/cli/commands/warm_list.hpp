// Parses the list of `graft warm`: text with one callback per line, followed by options of `graft inspect`.
//
//     # kernels of the demo
//     relu.cu --arch 75,90
//     filters/gain.cu --entry gain -D WIDTH=4      # without --arch: the value of `graft warm --arch` applies
//     '[](float x) { return 2 * x; }' --fast-math
//
// Words are separated by spaces, and quoted and escaped as in a shell: 'literal text', "with \" and \\", \#. A # at the
// beginning of a word starts a comment, which ends with the line.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands/build_options.hpp"

namespace graft::cli {

// One kernel to build, from one callback and for one architecture.
struct WarmItem {
  int line = 0;  // counted from 1
  BuildRequest request;

  // Whether the kernel is made by a tuning file, and not by graft's own rules alone (warm_tunings.hpp).
  bool is_tuned() const noexcept { return request.tuning != nullptr; }
};

struct WarmList {
  std::vector<WarmItem> items;
  struct Problem {
    int line = 0;
    std::string text;
  };
  std::vector<Problem> problems;  // one for each invalid line; such a line adds no item, and the other lines stay valid
};

// Parses the text of a list. `architectures` ("75,90") applies to lines without --arch. If `architectures` is empty,
// each line without --arch is a problem.
WarmList parse_warm_list(std::string_view text, const std::string& architectures);

// Splits one line into words. Returns nothing if the line ends inside a quote or after a backslash.
std::optional<std::vector<std::string>> split_words(std::string_view line);

}  // namespace graft::cli
