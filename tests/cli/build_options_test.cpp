// Tests what the library is asked for when the command line asks for a kernel.
#include "cli/commands/build_options.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "graft/error.hpp"
#include "graft/formula.hpp"
#include "support/errors.hpp"

namespace graft::cli {
namespace {

TEST(BuildRequest, OptionsAreTheLibrarys) {
  BuildRequest request;
  request.entry = "f";
  request.defines = {"A", "B=2"};
  request.no_contraction = request.approximate_division = request.allow_thread_words = true;
  request.route = "host";
  request.forbidden_routes = {"lto"};
  request.architecture = "sm_90a";
  const Options options = request.options();
  EXPECT_EQ(options.entry, "f");
  EXPECT_EQ(options.defines.at(0).value, "1");
  EXPECT_EQ(options.defines.at(1).name, "B");
  EXPECT_EQ(options.defines.at(1).value, "2");
  EXPECT_FALSE(options.floating_point.contraction);
  EXPECT_FALSE(options.floating_point.precise_division);
  EXPECT_TRUE(options.allow_thread_words);
  EXPECT_TRUE(options.floating_point.precise_square_root);
  EXPECT_EQ(options.routes.required, Route::Host);
  EXPECT_EQ(options.routes.forbidden, std::vector{Route::Lto});
  EXPECT_EQ(options.architecture, Architecture(90, 'a'));
}

TEST(BuildRequest, UnknownWordsAreRefused) {
  BuildRequest request;
  request.route = "magic";
  EXPECT_EQ(test::error_of([&] { request.options(); }).code(), ErrorCode::InvalidArgument);
}

TEST(BuildRequest, TextOrFile) {
  BuildRequest request;
  request.callback = "[](float x) { return 2 * x; }";
  EXPECT_EQ(request.step().callback.text(), request.callback);
  request.callback = "no_such_file.cu";
  EXPECT_EQ(test::error_of([&] { request.step(); }).code(), ErrorCode::FileUnreadable);
}

// The text of --formula may be a stranger's. It names no file, although a file of this name may exist.
TEST(BuildRequest, AFormulaNamesNoFile) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "formula_names_no_file";
  std::filesystem::create_directories(folder);
  const std::string planted = (folder / "a=>b").string();
  std::ofstream(planted) << "__device__ float f(float x) { return x; }";
  for (const char* option : {"-e", "--formula"}) {
    const BuildRequest request = BuildRequest::from_words({option, planted});
    EXPECT_TRUE(request.is_text());
    EXPECT_TRUE(request.is_formula());
    EXPECT_TRUE(request.callbacks().empty());
    EXPECT_EQ(test::error_of([&] { request.step(); }).code(), ErrorCode::InvalidArgument);
  }
  const BuildRequest file = BuildRequest::from_words({planted});
  EXPECT_FALSE(file.is_text());
  EXPECT_EQ(file.step().callback.text(), "__device__ float f(float x) { return x; }");
  std::filesystem::remove_all(folder);
  EXPECT_EQ(BuildRequest::from_words({"-e", "f32 x => 2 * x"}).read_callback(), formula("2 * x", "f32 x"));
}

// Source text may hold the arrow of a formula with its variables.
TEST(BuildRequest, SourceWithAnArrowIsSource) {
  for (const char* text : {"// a => b\n__device__ float f(float x) { return x; }",
                           "[](int x) { return (x <=> 2) < 0; }", "/* => */ [](float x) { return x; }"}) {
    const BuildRequest request = BuildRequest::from_words({text});
    EXPECT_TRUE(request.is_text()) << text;
    EXPECT_FALSE(request.is_formula()) << text;
    EXPECT_EQ(request.read_callback().text(), text);
  }
  EXPECT_TRUE(BuildRequest::from_words({"f32 x;\n f32 a_1 => a_1 * x"}).is_formula());
}

}  // namespace
}  // namespace graft::cli
