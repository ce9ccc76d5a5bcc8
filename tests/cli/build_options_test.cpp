// Tests what the library is asked for when the command line asks for a kernel.
#include "cli/commands/build_options.hpp"

#include <gtest/gtest.h>

#include "graft/error.hpp"
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

}  // namespace
}  // namespace graft::cli
