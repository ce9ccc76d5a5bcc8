// An array of arrays as an argument compiled, but failed at run time with the advice to do what the user had
// already done. This test compiles each mistake with the host compiler and expects that the compiler fails with graft's
// own message. tests/structure/arrays has more cases.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/files.hpp"
#include "compile/toolbox.hpp"
#include "toolchain/timed_process.hpp"

namespace graft {
namespace {

struct Mistake {
  std::string code;
  std::string words;
};

constexpr const char* kBefore = R"(#include <array>
#include <span>
#include <vector>
#include <graft/graft.hpp>
struct Given {
  const graft::Transform& t;
  CUstream_st* stream;
  std::vector<float> in, out;
  graft::DeviceArray<float> x, y;
  std::vector<graft::ArrayRef> arrays;
  std::vector<graft::DeviceArray<float>> device_arrays;
  std::span<const graft::ArrayRef> some;
  std::vector<std::span<float>> spans;
  std::vector<std::span<const float, 4>> rows;
  struct Row {
    const float* begin;
    std::size_t count;
  };
  std::vector<Row> own_rows;
  std::array<graft::HostInputs, 2>& lists;
};
)";

std::string program(const std::vector<Mistake>& mistakes) {
  std::string text = kBefore;
  int number = 0;
  for (const Mistake& mistake : mistakes)
    text += fmt::format("void mistake_{}([[maybe_unused]] Given& g) {{ {}; }}\n", ++number, mistake.code);
  return text;
}

std::string words_of_compiler(const std::string& text) {
  const base::TemporaryFolder folder;
  const std::string file = (folder.path() / "program.cpp").string();
  EXPECT_TRUE(base::write_file(file, base::as_bytes(text)));
  const compile::Toolbox tools({}, {}, 0);
  std::string why;
  const auto compiler = tools.host_compiler(why);
  if (compiler == nullptr) throw std::runtime_error(why);
  return toolchain::run_process({compiler->path().string(), "-std=c++20", "-fsyntax-only", "-fno-diagnostics-color",
                                 "-I" GRAFT_SOURCE_DIR "/include", file},
                                {"LC_ALL=C"})
      .output;
}

// Counts the errors in the compiler's output that contain these words.
int errors_with(const std::string& words, const std::string& output) {
  int number = 0;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);)
    number += line.find("error: ") != line.npos && line.find(words) != line.npos;
  return number;
}

// Each mistake instantiates a different template, because a compiler reports an error in an instance only once.
TEST(ArraysOfArrays, ArraysOfArraysDoNotCompile) {
  const std::string no_elements = "graft: this is an array of arrays";
  const std::string no_mixture = "graft: pass ArrayRefs directly to execute, as inputs and as outputs";
  const std::vector<Mistake> mistakes = {
      {"g.t.execute(graft::host, graft::outputs(g.x), g.out)",
       "graft: use graft::inputs(...) of arrays in host memory"},
      {"g.t.execute(graft::host, graft::host_outputs(g.in), g.out)",
       "graft: use graft::inputs(...) of arrays in host memory"},
      {"g.t.execute(graft::host, g.in, graft::inputs(g.x))", "graft: use graft::outputs(...) of arrays in host memory"},
      {"g.t.execute(graft::host, g.in, graft::host_inputs(g.out))",
       "graft: use graft::outputs(...) of arrays in host memory"},
      {"g.t.execute(g.stream, graft::host_inputs(g.in), g.y)", "graft: inputs are device arrays"},
      {"g.t.execute(g.stream, graft::outputs(g.x), g.y)", "graft: use graft::inputs(...) here"},
      {"g.t.execute(g.stream, g.x, graft::host_outputs(g.out))", "graft: outputs are device arrays"},
      {"g.t.execute(g.stream, g.x, graft::inputs(g.y))", "graft: use graft::outputs(...) for"},
      {"graft::inputs(graft::inputs(g.x), g.y)", "graft: graft::inputs takes the arrays themselves"},
      {"graft::outputs(graft::inputs(g.x), g.y)", "graft: graft::outputs takes the arrays themselves"},
      {"graft::host_inputs(graft::inputs(g.x), g.in)", "graft: graft::host_inputs takes the arrays themselves"},
      {"graft::host_outputs(graft::outputs(g.x), g.in)", "graft: graft::host_outputs takes the arrays themselves"},
      {"graft::device(graft::inputs(g.x))", "graft: graft::device takes one array"},
      {"g.t.execute(graft::host, g.in, g.arrays)", no_mixture},
      {"g.t.execute(g.stream, g.some, g.y)", no_mixture},
      {"g.t.execute(graft::host, {g.device_arrays.data(), 2}, g.out)", no_elements},
      {"g.t.execute(graft::host, graft::host_inputs(g.in, g.lists), g.out)", no_elements},
      {"g.t.execute(graft::host, g.spans, g.out)", no_elements},
      {"g.t.execute(g.stream, graft::device(g.rows), g.y)", no_elements},
  };
  const std::string output = words_of_compiler(program(mistakes));
  std::map<std::string, int> expected;
  for (const Mistake& mistake : mistakes) ++expected[mistake.words];
  for (const auto& [words, times] : expected) EXPECT_GE(errors_with(words, output), times) << words << "\n" << output;
}

TEST(ArraysOfArrays, TheSameWithTheRightWordsCompiles) {
  EXPECT_EQ(
      words_of_compiler(program({
          {"g.t.execute(graft::host, graft::host_inputs(g.in, g.in), graft::host_outputs(g.out))", ""},
          {"g.t.execute(g.stream, graft::inputs(g.x, g.y), graft::outputs(g.x, g.y))", ""},
          {"g.t.execute(graft::host, graft::inputs(g.x, g.in), graft::outputs(g.x, g.out))", ""},
          {"graft::Inputs in = graft::inputs(g.x); graft::Inputs copy = in; g.t.execute(g.stream, copy, g.y)", ""},
          {"graft::Outputs out = graft::outputs(g.x); graft::Outputs copy = out; copy = out", ""},
          {"graft::HostInputs in = g.in; graft::HostInputs copy = in; copy = in", ""},
          {"g.t.execute(graft::host, g.own_rows, g.out)", ""},
          {"g.t.execute(graft::host, g.some, g.arrays)", ""},
          {"graft::HostOutputs out = g.in; graft::HostOutputs copy = out; copy = out", ""},
      })),
      "");
}

}  // namespace
}  // namespace graft
