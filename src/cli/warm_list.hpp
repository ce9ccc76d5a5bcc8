// The list that `graft warm` works through: text, one callback a line, written as behind `graft inspect`.
//
//     # kernels of the demo
//     relu.cu --arch 75,90
//     filters/gain.cu --entry gain -D WIDTH=4      # without --arch: those of the command line
//     '[](float x) { return 2 * x; }' --fast-math
//
// Words are separated by spaces, quoted and escaped as a shell's: 'as it is', "with \" and \\", \#. A # where a word
// could begin makes the rest of the line a comment.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/build_request.hpp"

namespace graft::cli {

// One kernel to be made: of one callback, for one architecture.
struct WarmItem {
  int line = 0;  // counted from 1
  BuildRequest request;
};

struct WarmList {
  std::vector<WarmItem> items;
  struct Problem {
    int line = 0;
    std::string text;
  };
  std::vector<Problem> problems;  // lines that mean nothing; the others are good all the same
};

// `architectures` are for the lines without their own: "75,90", or empty where each line has to name its own.
WarmList parse_warm_list(std::string_view text, const std::string& architectures);

// The words of one line. Nothing where a quote is not closed.
std::optional<std::vector<std::string>> split_words(std::string_view line);

}  // namespace graft::cli
