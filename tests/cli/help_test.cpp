// Tests the help: `graft help`, its examples, all of which are run, and the suggestions for misspelt words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "cli/commands.hpp"
#include "cli/npy_files.hpp"
#include "cli/output/option_words.hpp"
#include "cli/program.hpp"
#include "core/option_table.hpp"

namespace graft::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::vector<std::string> examples_in(const std::string& help) {
  std::vector<std::string> examples;
  std::istringstream lines(help.substr(std::min(help.find("\nExamples:\n"), help.size())));
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("  ")) examples.push_back(line.substr(2));
  return examples;
}

TEST(Help, EveryExampleWorks) {
  const Program graft;
  graft.write("relu.cu", "__device__ float relu(float x) { return x > 0.0f ? x : 0.0f; }\n");
  graft.write("axpy.cu",
              "struct Scale { float a; };\n"
              "__device__ float axpy(float x, float y, const Scale& s) { return s.a * x + y; }\n");
  graft.write("knn.cu",
              "__device__ float metric(float a, float b);\n"
              "extern \"C\" __global__ void knn(float* x) { *x = metric(*x, 1); }\n");
  graft.write("square.cu", "__device__ float square(float x) { return x * x; }\n");
  graft.write("add.cu", "__device__ float add(float a, float b) { return a + b; }\n");
  graft.write("m.npy", npy("'<f4'", "(2, 2)", raw<float>({1, 2, 3, 4})));
  graft.write("kernels.txt", "relu.cu\naxpy.cu --arch 75\n");
  graft.write("a.npy", npy("'<f4'", "(3,)", raw<float>({1, -2, 3})));
  graft.write("b.npy", npy("'<f4'", "(3,)", raw<float>({10, 20, 30})));
  for (const char* command : kCommands) {
    const std::vector<std::string> examples = examples_in(graft.run(std::string("help ") + command).out);
    EXPECT_FALSE(examples.empty()) << command;
    for (const std::string& example : examples) {
      const Result run = graft.shell(example);
      EXPECT_EQ(run.exit_code, 0) << example << '\n' << run.err;
    }
  }
}

TEST(Help, HasEachFlagOfTheTableOfOptions) {
  const std::string help = Program().run("help precompile").out + Program().run("help inspect").out;
  for_each_named_option([&](const std::string& name, const OptionFacts& row) {
    EXPECT_THAT(help, HasSubstr(std::string(row.flag))) << name;
  });
}

TEST(Help, TheCommandPrintsWhatTheOptionPrints) {
  const Program graft;
  for (const char* command : kCommands) {
    const Result by_command = graft.run(std::string("help ") + command);
    EXPECT_EQ(by_command.exit_code, 0);
    EXPECT_EQ(by_command.out, graft.run(std::string(command) + " --help").out) << command;
    EXPECT_EQ(by_command.out, graft.run(std::string("--help ") + command).out) << command;
    EXPECT_EQ(by_command.out, graft.run(std::string("-h ") + command).out) << command;
  }
}

TEST(Help, OptionsAreShownAsTheyAreGiven) {
  const Program graft;
  const std::string apply = graft.run("help apply").out;
  EXPECT_THAT(apply, HasSubstr("--in FILE"));
  EXPECT_THAT(apply, HasSubstr("--out FILE (required)"));
  EXPECT_THAT(apply, HasSubstr("--define NAME[=VALUE]"));
  for (const char* command : kCommands) {
    const std::string help = graft.run(std::string("help ") + command).out;
    EXPECT_THAT(help, Not(HasSubstr("TEXT ..."))) << command;
    EXPECT_THAT(help, Not(HasSubstr(" VALUE ("))) << command;  // every option says what its value is
  }
}

struct Misspelt {
  const char* words;
  const char* meant;
};

TEST(Help, MisspeltWordsGetASuggestion) {
  const Program graft;
  for (const auto& [words, meant] : {Misspelt{"inspct x.cu", "`inspect`"},
                                     {"cahce list", "`cache`"},
                                     {"cache lst", "`list`"},
                                     {"help cach", "`cache`"},
                                     {"--help cach", "`cache`"},
                                     {"-h cache stat", "`stats`"},
                                     {"version", "`--version`"},
                                     {"-v", "`--version`"},
                                     {"help cache stat", "`stats`"},
                                     {"inspect x.cu --ach 90", "`--arch`"},
                                     {"inspect x.cu --fastmath", "`--fast-math`"},
                                     {"inspect x.cu -arch 90", "`--arch`"},
                                     {"doctor --jsn", "`--json`"},
                                     {"warm --job 3 x", "`--jobs`"},
                                     {"inspect x.cu --route lot", "`lto`"},
                                     {"inspect x.cu --forbid-route hots", "`host`"},
                                     {"cache list --route progam", "`program`"},
                                     {"precompile x.cu --arch 90 --format fatbn -o y", "`fatbin`"},
                                     {"inspect --fft 8 --precision f23", "`f32`"},
                                     {"inspect --fft 8 --directions foward", "`forward`"}}) {
    const Result run = graft.run(words);
    EXPECT_EQ(run.exit_code, 2) << words;
    EXPECT_THAT(run.out, IsEmpty()) << words;
    EXPECT_THAT(run.err, HasSubstr(std::string("Did you mean ") + meant + "?")) << words;
  }
  EXPECT_THAT(graft.run("nonsense").err, Not(HasSubstr("Did you mean")));
  EXPECT_THAT(graft.run("inspect --utterly-different x").err, Not(HasSubstr("Did you mean")));
}

TEST(Help, AnInvalidArchitectureIsWrongUsageEverywhere) {
  const Program graft;
  graft.write("relu.cu", "__device__ float relu(float x) { return x > 0.0f ? x : 0.0f; }\n");
  for (const char* words :
       {"inspect relu.cu --arch foo", "apply relu.cu --in a --out b --arch foo", "precompile relu.cu --arch foo -o x",
        "precompile relu.cu --arch 90,foo -o x", "warm relu.cu --arch foo", "cache list --arch zz",
        "cache export x --arch zz", "cache explain relu.cu --arch foo", "inspect relu.cu --arch 1000"}) {
    const Result run = graft.run(words);
    EXPECT_EQ(run.exit_code, 2) << words;
    EXPECT_THAT(run.err, HasSubstr("is not a GPU architecture")) << words;
  }
}

TEST(Help, WithJsonWrongUsageIsJsonToo) {
  const Program graft;
  for (const char* words :
       {"inspct --json", "inspect --json", "inspect x.cu --jsn --json", "cache list --json --arch zz"}) {
    const Result run = graft.run(words);
    EXPECT_EQ(run.exit_code, 2) << words;
    const auto error = nlohmann::json::parse(run.out).at("error");
    EXPECT_EQ(error.at("code"), "WrongUsage");
    EXPECT_EQ(error.at("exit_code"), 2);
    EXPECT_FALSE(error.at("message").get<std::string>().empty());
    EXPECT_THAT(error.at("remedy"), HasSubstr("--help"));
    EXPECT_EQ(error.at("log"), "");
  }
}

TEST(Help, RemediesNameOptions) {
  const Program graft;
  graft.write("two.cu", "__device__ float f(float x) { return x; }\n__device__ float g(float x) { return x; }\n");
  const Result several = graft.run("inspect two.cu --json");
  EXPECT_EQ(several.exit_code, 1);
  EXPECT_THAT(several.err, HasSubstr("--entry"));
  EXPECT_THAT(several.err, Not(HasSubstr("Options::")));
  EXPECT_THAT(nlohmann::json::parse(several.out).at("error").at("remedy"), HasSubstr("--entry"));
  EXPECT_THAT(graft.run("inspect two.cu --entry ff").err, HasSubstr("--entry"));
}

// Every message of the library that names a member which has an option is rewritten, also those that are written in the
// future.
TEST(Help, NoMessageOfTheLibraryNamesAMemberThatHasAnOption) {
  const std::regex member(
      "Options::(entry|defines|include_paths|compiler_options|standard|architecture|max_registers|"
      "line_info|floating_point|allow_thread_words|closed|routes)\\b|Callback::with_(signature|"
      "entry|link_input)");
  int members = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(GRAFT_SOURCE_DIR "/src")) {
    const std::string path = file.path().string();
    if (file.path().extension() != ".cpp" || path.find("/src/cli/") != path.npos) continue;
    std::istringstream lines(base::read_file(path).value_or(""));
    for (std::string line; std::getline(lines, line);) {
      if (line.find('"') == line.npos || line.find("//") < line.find('"') || !std::regex_search(line, member)) continue;
      ++members;
      EXPECT_FALSE(std::regex_search(cli::in_option_words(line), member)) << path << ": " << line;
    }
  }
  EXPECT_GT(members, 30);
}

}  // namespace
}  // namespace graft::test
