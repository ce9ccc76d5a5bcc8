// Tests serves(), which says whether a callback binary that was compiled for one architecture can be used for another
// architecture.
#include "core/serves.hpp"

#include <gtest/gtest.h>

namespace graft {
namespace {

struct Row {
  Architecture made_for;  // the architecture for which the callback binary was compiled
  Architecture wanted;    // the architecture of the kernel that needs the callback binary
  bool as_text;           // expected result for LTO-IR or PTX compiled for made_for
  bool as_machine_code;   // expected result for relocatable machine code
};

constexpr Row kRows[] = {
    {{75}, {75}, true, true},
    {{75}, {80}, true, false},
    {{75}, {121}, true, false},
    {{80}, {75}, false, false},
    {{80}, {86}, true, true},
    {{80}, {89}, true, true},
    {{86}, {80}, false, false},
    {{89}, {90}, true, false},
    {{100}, {103}, true, true},
    {{103}, {100}, false, false},
    {{103}, {120}, true, false},
    {{120}, {121}, true, true},
    {{121}, {120}, false, false},
    // LTO-IR and PTX for an architecture without a suffix can be used for the same or a later architecture with a
    // suffix. Machine code cannot.
    {{90}, {90, 'a'}, true, false},
    {{80}, {90, 'a'}, true, false},
    {{100}, {100, 'f'}, true, false},
    {{100}, {103, 'a'}, true, false},
    {{120}, {103, 'f'}, false, false},
    // Code for an architecture with the suffix 'a' can be used only for exactly this architecture.
    {{90, 'a'}, {90, 'a'}, true, true},
    {{90, 'a'}, {90}, false, false},
    {{90, 'a'}, {100}, false, false},
    {{90, 'a'}, {100, 'a'}, false, false},
    {{100, 'a'}, {100, 'f'}, false, false},
    {{120, 'a'}, {121, 'a'}, false, false},
    // Code for an architecture with the suffix 'f' can be used for this architecture and for later architectures with
    // the same major version (10.x or 12.x).
    {{100, 'f'}, {100, 'f'}, true, true},
    {{100, 'f'}, {100}, true, true},
    {{100, 'f'}, {100, 'a'}, true, true},
    {{100, 'f'}, {103}, true, true},
    {{100, 'f'}, {103, 'f'}, true, true},
    {{103, 'f'}, {100}, false, false},
    {{100, 'f'}, {120}, false, false},
    {{100, 'f'}, {120, 'f'}, false, false},
    {{120, 'f'}, {121}, true, true},
    {{120, 'f'}, {100}, false, false},
};

TEST(Serves, ByNumberSuffixAndKind) {
  for (const Row& row : kRows) {
    EXPECT_EQ(serves(row.made_for, row.wanted), row.as_text) << row.made_for.sm() << " for " << row.wanted.sm();
    EXPECT_EQ(serves(row.made_for, row.wanted, true), row.as_machine_code)
        << "machine code of " << row.made_for.sm() << " for " << row.wanted.sm();
  }
}

}  // namespace
}  // namespace graft
