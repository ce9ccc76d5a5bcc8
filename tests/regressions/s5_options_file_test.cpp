// S5: on the host route, "-I @file" made the compiler read options from the file. g++ passes the include folder's name
// to cc1plus as a separate argument, and cc1plus takes an argument that begins with @ as the name of a file of options.
#include <gtest/gtest.h>

#include <string>

#include "cli/program.hpp"

namespace graft {
namespace {

const char* const kSource =
    "#ifdef INJECTED\n"
    "__device__ float f(float x) { return INJECTED * x; }\n"
    "#endif\n";

TEST(S5, AnIncludeFolderIsNoFileOfOptions) {
  const test::Program program;
  program.write("callback.cu", kSource);
  program.write("options", "inc -DINJECTED=7");
  const test::Result result = program.run("inspect callback.cu --route host -I @options");
  EXPECT_NE(result.exit_code, 0) << result.out;
}

TEST(S5, AFolderWhoseNameBeginsSoIsAFolder) {
  const test::Program program;
  program.write("callback.cu", "#include \"k.h\"\n__device__ float f(float x) { return K * x; }\n");
  ASSERT_EQ(program.shell("mkdir @inc && echo '#define K 2' > @inc/k.h").exit_code, 0);
  const test::Result result = program.run("inspect callback.cu --route host -I @inc");
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

TEST(S5, ADefineIsNoFileOfOptions) {
  const test::Program program;
  program.write("callback.cu", kSource);
  program.write("options=1", "GRAFT_UNUSED=1 -DINJECTED=7");
  const test::Result result = program.run("inspect callback.cu --route host -D @options");
  EXPECT_NE(result.exit_code, 0) << result.out;
}

}  // namespace
}  // namespace graft
