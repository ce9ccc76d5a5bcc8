// Tests that a request reaches the child process that builds it as it was given. In version 0.1, graft sent a request
// to its child process as the words of a command line, and `-I ""` and `-D ""` swallowed the option that followed. For
// example, `precompile --no-contraction -I ""` contracted operations and exited with 0. `--include=` swallowed the next
// option when the user's own command line was parsed. Values near 128 KiB, the system's limit for one argument, failed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "cli/npy_files.hpp"
#include "cli/program.hpp"
#include "graft/graft.hpp"
#include "support/errors.hpp"

namespace graft::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kScaledSum = "__device__ float gain(float x) { return 3 * x + 1; }\n";

class RequestsAsData : public testing::Test {
 protected:
  RequestsAsData() {
    graft.write("gain.cu", kScaledSum);
    graft.write("a.npy", npy("'<f4'", "(3,)", raw<float>({1, 2, 3})));
  }
  // Runs a command line from a script file. The command line may be longer than the system's limit for one argument.
  Result run_long(const std::string& words) const {
    graft.write("long.sh", "graft " + words);
    return graft.shell("sh ./long.sh");
  }

  Program graft;
};

TEST_F(RequestsAsData, AnEmptyFolderOrDefineIsWrongUsage) {
  struct Row {
    const char* words;
    const char* error;
  };
  const char* const folder = "-I has an empty folder: is a variable unset?";
  const char* const define = "-D has an empty name: is a variable unset?";
  for (const Row& row : {
           Row{"precompile gain.cu --arch 90 --no-contraction -o x -I \"$UNSET\"", folder},
           Row{"precompile gain.cu --arch 90 --no-contraction -o x -D ''", define},
           Row{"precompile gain.cu --arch 90 --fast-math -o x --include ''", folder},
           Row{"apply gain.cu --in a.npy --out x --route host --std 20 -I ''", folder},
           Row{"apply gain.cu --in a.npy --out x --route host --std 20 -D '' --fast-math", define},
           Row{"inspect gain.cu --arch 90 -I '' --fast-math", folder},
           Row{"inspect gain.cu --arch 90 -D =1", define},
           Row{"inspect gain.cu --arch 90 -I . -I '' -I .", folder},
           Row{"cache explain gain.cu --arch 90 -I ''", folder},
       }) {
    SCOPED_TRACE(row.words);
    const Result run = graft.run(row.words);
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_EQ(run.out, "");
    EXPECT_THAT(run.err, HasSubstr(row.error));
    EXPECT_FALSE(graft.has("x"));
  }
}

// A shell turns --include="$UNSET" into `--include=`.
TEST_F(RequestsAsData, AnEmptyValueBehindAnEqualsSignIsWrongUsage) {
  for (const char* words :
       {"inspect gain.cu --arch 90 --include= --fast-math", "precompile gain.cu --arch 90 -o x --define= --fast-math",
        "apply gain.cu --in a.npy --out x --entry= --route host", "cache list --callback= --json"}) {
    SCOPED_TRACE(words);
    const Result run = graft.run(words);
    EXPECT_EQ(run.exit_code, 2) << run.out;
    EXPECT_THAT(run.err, HasSubstr("has an empty value: is a variable unset?"));
    EXPECT_FALSE(graft.has("x"));
  }
}

TEST_F(RequestsAsData, EmptyValuesOfOtherOptionsAreWrongUsage) {
  for (const char* words : {"inspect gain.cu --arch ''", "inspect gain.cu --route ''", "inspect gain.cu --entry ''",
                            "inspect gain.cu --arch 90 --forbid-route ''", "inspect ''", "cache list --name ''",
                            "precompile gain.cu --arch '' -o x", "precompile gain.cu --arch 90 -o ''"}) {
    SCOPED_TRACE(words);
    const Result run = graft.run(words);
    EXPECT_EQ(run.exit_code, 2) << run.out;
    EXPECT_THAT(run.err, HasSubstr("is a variable unset?"));
  }
}

TEST_F(RequestsAsData, LinesOfAListAreToldToo) {
  graft.write("list.txt", "gain.cu --arch 90 -I '' --fast-math\ngain.cu --arch 90 --define= --fast-math\n");
  const Result run = graft.run("warm list.txt");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, HasSubstr("list.txt:1: "));
  EXPECT_THAT(run.err, HasSubstr("-I has an empty folder"));
  EXPECT_THAT(run.err, HasSubstr("list.txt:2: "));
}

// The longest argument that the system accepts has 131,071 bytes.
TEST_F(RequestsAsData, LongValuesArrive) {
  const auto padded = [](const std::string& word) {
    return "'" + word + std::string(131'071 - word.size(), ' ') + "'";
  };
  const Result run =
      run_long("inspect '[](int x) { static_assert(MY_N == 7); return x; }' --arch 90 --std 20 -D " + padded("MY_N=7"));
  EXPECT_EQ(run.exit_code, 0) << run.err.substr(0, 500);
  EXPECT_THAT(run.out, HasSubstr("program for sm_90"));
  const Result precompiled =
      run_long("precompile gain.cu --arch 90 -o gain.graft --no-contraction -D " + padded("MY_N=7"));
  EXPECT_EQ(precompiled.exit_code, 0) << precompiled.err.substr(0, 500);
  const Result text = run_long("inspect --arch 90 --std 20 " + padded("[](int x) { return x; }"));
  EXPECT_EQ(text.exit_code, 0) << text.err.substr(0, 500);
}

// A list file for `graft warm` may contain sources of several megabytes.
TEST_F(RequestsAsData, SourceTextsOfMegabytesArrive) {
  graft.write("list.txt", "'[](float x) { /*" + std::string(3'000'000, 'x') + "*/ return x; }' --arch 90\n");
  const Result run = graft.run("warm list.txt");
  EXPECT_EQ(run.exit_code, 0) << run.err.substr(0, 500);
  EXPECT_EQ(run.out, "built 1 kernel; already cached: 0\n");
}

TEST_F(RequestsAsData, FoldersAndDefinesOfAnySpellingReachTheCompiler) {
  int number = 0;
  for (const std::string folder : {"-odd", "--std", "new\nline", "[a,b]", "a,b", " ", "#", "\"quoted\"", "=", "\xff"}) {
    SCOPED_TRACE(folder);
    std::filesystem::create_directory(graft.path(folder));
    graft.write(folder + "/value.h", "#define VALUE " + std::to_string(++number) + "\n");
    const Result run = graft.shell(
        "graft apply '#include \"value.h\"\n__device__ float f(float x) { return x + VALUE + PLUS; }' -I '" + folder +
        "' -D 'PLUS= (-1\t+ 1) ' -D 'MY_TEXT=\"[x,y]\"' --route host --in a.npy --out c.npy");
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(elements<float>(graft.read("c.npy")).at(0), static_cast<float>(1 + number));
  }
}

TEST_F(RequestsAsData, TheLibraryRefusesAnEmptyFolder) {
  Options options;
  options.include_paths = {"/usr/include", ""};
  for (const auto& call :
       {+[](const Options& given) { build(kScaledSum, Architecture(90), given); },
        +[](const Options& given) { Callback(kScaledSum).precompile({Architecture(90)}, {}, given); }}) {
    const Error error = error_of([&] { call(options); });
    EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
    EXPECT_THAT(error.message(), HasSubstr("a folder in Options::include_paths is empty"));
  }
}

// An option with an invalid value must give exit code 2, as docs/cli.md says.
TEST_F(RequestsAsData, WordsWithoutMeaningAreWrongUsage) {
  for (const char* words :
       {"inspect gain.cu --arch foo", "apply gain.cu --in a.npy --out x --arch 9x", "inspect gain.cu --route magic",
        "inspect gain.cu --forbid-route magic", "inspect gain.cu --max-registers 7", "cache list --arch zz",
        "inspect gain.cu --max-registers 1000", "precompile gain.cu --arch soon -o x",
        "precompile gain.cu --arch 75,9x -o x", "cache explain gain.cu --arch foo", "warm list.txt --arch 90,"}) {
    SCOPED_TRACE(words);
    const Result run = graft.run(words);
    EXPECT_EQ(run.exit_code, 2) << run.err;
    EXPECT_EQ(run.out, "");
  }
}

}  // namespace
}  // namespace graft::test
