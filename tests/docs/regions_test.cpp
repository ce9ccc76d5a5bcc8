// Tests how regions are cut out of example files.
#include "docs/regions.hpp"

#include <gtest/gtest.h>

namespace graft::test {
namespace {

TEST(Regions, AreCutWithoutIndentation) {
  const auto regions = regions_of("a\n  // [one]\n  b\n\n    c\n  // [/one]\nd\n# [two]\ne\n# [/two]\n");
  EXPECT_EQ(regions, (std::map<std::string, std::string>{{"one", "b\n\n  c\n"}, {"two", "e\n"}}));
}

TEST(Regions, AreJoinedOfPieces) {
  const auto regions = regions_of("// [a]\n#include <x>\n\n// [/a]\nhidden\n  // [a]\n  x();\n  // [/a]\n");
  EXPECT_EQ(regions.at("a"), "#include <x>\n\nx();\n");
}

TEST(Regions, WithMarksOutOfPlaceAreRefused) {
  for (const char* text :
       {"// [a]\n", "// [/a]\n", "// [a]\n// [b]\n", "// [a]\n// [/b]\n", "// [a]\n// [/a]\n// [/a]\n"})
    EXPECT_THROW(regions_of(text), std::runtime_error) << text;
}

TEST(Regions, OtherCommentsAreText) {
  EXPECT_EQ(regions_of("// [a]\n// x[0]\n// [b] c\nx[0]\n// [/a]\n").at("a"), "// x[0]\n// [b] c\nx[0]\n");
}

}  // namespace
}  // namespace graft::test
