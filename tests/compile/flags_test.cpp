// Tests how Options become command line flags of the compiler and the linker, and which option values are refused.
#include "compile/flags.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace graft::compile {
namespace {

struct Row {
  Options options;
  std::string compile;
  std::string link;
};

TEST(Flags, GoToCompilerAndLinker) {
  const std::string returns = " --diag-suppress=47 --diag-error=117,940 --device-int128";
  const std::string precise = " -fmad=true -ftz=false -prec-div=true -prec-sqrt=true";
  const std::string precise_link = " -fma=1 -ftz=0 -prec-div=1 -prec-sqrt=1";
  Options fast;
  fast.floating_point.fast_math = true;
  Options strict;
  strict.floating_point.contraction = false;
  Options loose;
  loose.floating_point = {false, true, true, false, false};
  const std::vector<Row> rows = {
      {{}, "-std=c++17" + precise + returns, precise_link},
      {{.standard = CppStandard::Cpp20}, "-std=c++20" + precise + returns, precise_link},
      {fast, "-std=c++17 -fmad=true -ftz=true -prec-div=false -prec-sqrt=false -use_fast_math" + returns,
       " -fma=1 -ftz=1 -prec-div=0 -prec-sqrt=0"},
      {strict, "-std=c++17 -fmad=false -ftz=false -prec-div=true -prec-sqrt=true" + returns,
       " -fma=0 -ftz=0 -prec-div=1 -prec-sqrt=1 -Xptxas=-fmad=false"},
      {loose, "-std=c++17 -fmad=true -ftz=true -prec-div=false -prec-sqrt=false" + returns,
       " -fma=1 -ftz=1 -prec-div=0 -prec-sqrt=0"},
      {{.line_info = true}, "-std=c++17" + precise + returns + " -lineinfo", precise_link + " -lineinfo"},
      {{.compiler_options = {"-w", "-diag-suppress=550,177"}},
       "-std=c++17" + precise + returns + " --diag-suppress=177 --diag-suppress=550 --disable-warnings",
       precise_link},
      // Defines become lines of the program text, not flags.
      {{.defines = {{"A"}, {"B", "2 + 3"}}}, "-std=c++17" + precise + returns, precise_link},
      {{.include_paths = {"a b", "/c"}}, "-std=c++17" + precise + returns + " -Ia b -I/c", precise_link},
      // The register limit becomes an attribute of the kernel, not a flag.
      {{.max_registers = 64}, "-std=c++17" + precise + returns, precise_link},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(fmt::format("{}", fmt::join(compile_flags(row.options, Architecture(90, 'a'), false), " ")),
              "-arch=compute_90a -dlto -rdc=true " + row.compile);
    EXPECT_EQ(fmt::format("{}", fmt::join(link_flags(row.options, Architecture(90, 'a')), " ")),
              "-arch=sm_90a -lto -verbose" + row.link);
  }
}

TEST(Flags, LeaveTexturesOutWhenMinimal) {
  const std::vector<std::string> flags = compile_flags({}, Architecture(75), true);
  EXPECT_EQ(flags.front(), "-arch=compute_75");
  EXPECT_THAT(flags, testing::Contains("--minimal"));
  EXPECT_THAT(compile_flags({}, Architecture(75), false), testing::Not(testing::Contains("--minimal")));
}

TEST(Flags, GoToLibnvvm) {
  Options options;
  options.floating_point = {false, false, true, true, false};
  options.line_info = true;
  EXPECT_THAT(nvvm_flags(options, Architecture(90)),
              testing::ElementsAre("-arch=compute_90", "-gen-lto", "-fma=0", "-ftz=1", "-prec-div=1", "-prec-sqrt=0",
                                   "-generate-line-info"));
}

}  // namespace
}  // namespace graft::compile
