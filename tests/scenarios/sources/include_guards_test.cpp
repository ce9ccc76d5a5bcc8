// Tests parts of a chain that have an include guard. In version 0.1, a part of a chain whose text has an include guard
// was refused, because graft took the lines of the guard for code, and #include lines must come before all code.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/compile.hpp"
#include "support/routes.hpp"

namespace graft::test {
namespace {

const std::string kGuarded =
    "// A helper.\n#ifndef HELPER_H\n#define HELPER_H\n#include <cmath>\n#include <cstdint>\n"
    "__device__ float twice(float x) { return 2 * x; }\n__device__ float thrice(float x) { return 3 * x; }\n#endif\n";

TEST(IncludeGuards, PartsOfAChainMayHaveGuards) {
  const Callback part = Callback::source(kGuarded, "helper.cuh");
  const Callback both = chain(part.with_entry("twice"), part.with_entry("thrice"));
  for (const Route route : kGpuRoutes)
    EXPECT_EQ(build(both, Architecture(90), by(route)).signature().text(), "float(float)") << name(route);
  const std::vector<float> in = {1, 2};
  std::vector<float> out(2);
  Transform::create(both, by(Route::Host)).execute(host, in, out);
  EXPECT_EQ(out, (std::vector<float>{6, 12}));
}

TEST(IncludeGuards, GuardsOfEveryFormStandInAChain) {
  const std::string body = "#include <cmath>\n#include <cstdint>\n__device__ float twice(float x) { return 2 * x; }\n";
  for (const std::string& text :
       {"#ifndef H\n#define H 1\n" + body + "#endif", "#if !defined(H)\n#define H\n" + body + "#endif",
        "#pragma once\n" + body, "// Twice.\n#pragma once\n#ifndef H\n#define H\n" + body + "#endif  // H\n",
        std::string("#ifndef H\n#define H\n#include <cmath>\n#define TWICE(x) \\\n  (2 * (x))\n#include <cstdint>\n"
                    "__device__ float twice(float x) { return TWICE(x); }\n#endif")}) {
    const Callback part = Callback::source(text, "twice.cuh");
    for (const Route route : kGpuRoutes)
      EXPECT_NO_THROW(build(chain(part, part), Architecture(90), by(route))) << name(route) << text;
  }
}

TEST(IncludeGuards, MessagesKeepTheirLines) {
  const Callback part = Callback::source(
      "#ifndef A\n#define A\n#include <cmath>\n__device__ float f(float x) { return y; }\n#endif", "guarded.cuh");
  const Error error = error_of([&] { build(chain(part, part), Architecture(90)); });
  ASSERT_FALSE(error.diagnostics().empty()) << error.what();
  EXPECT_EQ(error.diagnostics()[0].file, "guarded.cuh");
  EXPECT_EQ(error.diagnostics()[0].line, 4);
}

}  // namespace
}  // namespace graft::test
