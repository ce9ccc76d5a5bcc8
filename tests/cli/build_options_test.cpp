// Tests the message by which a parent process sends a build request to a child: the child must read exactly the request
// that the parent wrote.
#include "cli/commands/build_options.hpp"

#include <gtest/gtest.h>

#include "graft/error.hpp"
#include "support/errors.hpp"

namespace graft::cli {
namespace {

BuildRequest through_a_message(const BuildRequest& request) {
  return read_request(write_request(request)).value();
}

// Returns a request in which every field except the flags differs from its default.
BuildRequest example() {
  BuildRequest request;
  request.callback = "-strange \"name\"\n.cu";
  request.content = std::string("\0\xff", 2);
  request.architecture = "90a";
  request.entry = "-odd=entry, really";
  request.signature = "struct S { float a; };\nfloat f(float, const S&)";
  request.route = "program";
  request.forbidden_routes = {"lto", "ptx"};
  request.defines = {"A", "B=1=2", "C=[x]"};
  request.includes = {"a folder", "-another"};
  request.compiler_options = {"--diag-suppress=177", "-w"};
  request.link_inputs = {"curves.a", "-odd name"};
  request.standard = 20;
  request.max_registers = -64;  // invalid on purpose: a request may be sent before it is checked
  return request;
}

TEST(BuildRequest, ComesBack) {
  EXPECT_EQ(through_a_message(example()), example());
  EXPECT_EQ(through_a_message({}), BuildRequest{});
}

// `content` is the callback file's content. A file that was read and is empty must stay distinct from a file that was
// not read yet.
TEST(BuildRequest, ContentMayBeMissingOrEmpty) {
  BuildRequest request = example();
  for (const std::optional<std::string>& content : {std::optional<std::string>(), std::optional<std::string>("")}) {
    request.content = content;
    EXPECT_EQ(through_a_message(request), request);
  }
}

TEST(BuildRequest, EveryCutIsNone) {
  base::Bytes whole = write_request(example());
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(read_request(std::span(whole).first(size))) << size;
  whole.push_back(std::byte{0});
  EXPECT_FALSE(read_request(whole));
}

// Changes each byte of a message. If the reader accepts the changed message, then the request that it reads must be the
// same after it is written and read again.
TEST(BuildRequest, EveryChangedByteIsReadOrRefused) {
  const base::Bytes whole = write_request(example());
  std::size_t reads = 0;
  for (std::size_t i = 0; i < whole.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      base::Bytes changed = whole;
      changed[i] ^= std::byte{1} << bit;
      const std::optional<BuildRequest> read = read_request(changed);
      if (!read) continue;
      ++reads;
      EXPECT_EQ(through_a_message(*read), *read) << i;
    }
  EXPECT_GT(reads, 0u);
}

TEST(BuildRequest, EveryFlagHasItsOwnMeaning) {
  BuildRequest request;
  request.callback = "x";
  using Flag = bool BuildRequest::*;
  for (const Flag flag :
       {&BuildRequest::libdevice, &BuildRequest::line_info, &BuildRequest::fast_math, &BuildRequest::no_contraction,
        &BuildRequest::flush_to_zero, &BuildRequest::approximate_division, &BuildRequest::approximate_square_root,
        &BuildRequest::closed, &BuildRequest::allow_thread_words}) {
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
