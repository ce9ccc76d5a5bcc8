// Tests which values of Options graft refuses before it runs any compiler or linker.
#include "compile/option_check.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "support/errors.hpp"

namespace graft::compile {
namespace {

TEST(OptionCheck, RefusesValuesThatNoToolTakes) {
  const std::vector<std::pair<Options, std::string>> rows = {
      {{.max_registers = 15}, "Options::max_registers is 15"},
      {{.max_registers = 256}, "Options::max_registers is 256"},
      {{.max_registers = -1}, "Options::max_registers is -1"},
      {{.compiler_options = {"--maxrregcount=32"}},
       "`--maxrregcount=32` in Options::compiler_options is set by a member of Options"},
      {{.defines = {{""}}}, "a define in Options::defines has no name"},
      {{.defines = {{"N", "1\nint a;"}}},
       "the value of `N` in Options::defines has a line end or another control character: 1?int a;"},
      {{.defines = {{"\nN", "1"}}}, "`?N` in Options::defines is not the name of a macro"},
      {{.headers = {{"", "int a;"}}}, "a header in Options::headers has no name"},
      {{.headers = {{"a.h", "int a;"}, {"b.h", ""}, {"a.h", "int a;"}}},
       "two headers in Options::headers have the name \"a.h\""},
      {{.headers = {{"graft/adapter.h", ""}}},
       "the header \"graft/adapter.h\" in Options::headers would replace one of graft's own"},
  };
  for (const auto& [options, message] : rows) {
    const Error error = test::error_of([&options = options] { check_options(options); });
    EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
    EXPECT_EQ(error.message(), message);
    EXPECT_FALSE(error.remedy().empty());
  }
  EXPECT_NO_THROW(check_options({.defines = {{"TWICE(x)", "(2 * (x))"}}}));
  EXPECT_NO_THROW(check_options({.compiler_options = {"-w", "--diag-error=177"}}));
  for (const int registers : {0, 16, 255}) EXPECT_NO_THROW(check_options({.max_registers = registers}));
}

}  // namespace
}  // namespace graft::compile
