// A request as a message and back: what a child process builds is what its parent was asked for.
#include "cli/build_request.hpp"

#include <gtest/gtest.h>

#include "graft/error.hpp"
#include "support/errors.hpp"

namespace graft::cli {
namespace {

BuildRequest through_a_message(const BuildRequest& request) {
  return read_request(write_request(request));
}

TEST(BuildRequest, ComesBack) {
  BuildRequest request;
  request.callback = "-strange \"name\"\n.cu";
  request.architecture = "90a";
  request.entry = "-odd=entry, really";
  request.signature = "struct S { float a; };\nfloat f(float, const S&)";
  request.route = "program";
  request.forbidden_routes = {"lto", "ptx"};
  request.defines = {"A", "B=1=2", "C=[x]"};
  request.includes = {"a folder", "-another"};
  request.standard = 20;
  request.max_registers = 64;
  request.line_info = request.fast_math = request.flush_to_zero = true;
  EXPECT_EQ(through_a_message(request), request);
}

TEST(BuildRequest, EveryFlagHasItsOwnMeaning) {
  BuildRequest request;
  request.callback = "x";
  using Flag = bool BuildRequest::*;
  for (const Flag flag :
       {&BuildRequest::line_info, &BuildRequest::fast_math, &BuildRequest::no_contraction, &BuildRequest::flush_to_zero,
        &BuildRequest::approximate_division, &BuildRequest::approximate_square_root, &BuildRequest::closed}) {
    BuildRequest one = request;
    one.*flag = true;
    EXPECT_TRUE(through_a_message(one).*flag);
    EXPECT_EQ(through_a_message(one), one);
    EXPECT_FALSE(one == request);
  }
}

TEST(BuildRequest, OptionsAreTheLibrarys) {
  BuildRequest request;
  request.entry = "f";
  request.defines = {"A", "B=2"};
  request.no_contraction = request.approximate_division = true;
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
  EXPECT_EQ(request.read_callback().text(), request.callback);
  request.callback = "no_such_file.cu";
  EXPECT_EQ(test::error_of([&] { request.read_callback(); }).code(), ErrorCode::FileUnreadable);
}

}  // namespace
}  // namespace graft::cli
