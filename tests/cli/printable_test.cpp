// Tests that text of unknown origin is escaped before it is printed to a terminal.
#include "cli/output/printable.hpp"

#include <gtest/gtest.h>

#include "cli/output/printable_report.hpp"
#include "support/reports.hpp"

namespace graft::cli {
namespace {

// An imported kernel may have any name. Its name must not be able to move the terminal's cursor.
TEST(Printable, WhatIsNotPrintableIsEscaped) {
  EXPECT_EQ(printable("a b~"), "a b~");
  EXPECT_EQ(printable("a\nb\t\x1b[2J\xff"), "a\\nb\\t\\x1b[2J\\xff");
  EXPECT_EQ(printable("12345", 5), "12345");
  EXPECT_EQ(printable("123456", 5), "12345...");
  EXPECT_EQ(printable("1234\x01", 5), "1234...") << "the limit must not cut an escape sequence in two";
  EXPECT_EQ(printable("123\xc3\xa4", 4), "123...") << "the limit must not cut a UTF-8 character in two";
}

TEST(Printable, LinesStayInTextsOfManyLines) {
  EXPECT_EQ(visible("a\n\tb\n"), "a\n\tb\n");
  EXPECT_EQ(visible("a\r\nb\x1b"), "a\\x0d\nb\\x1b");
  EXPECT_EQ(visible(""), "");
  EXPECT_EQ(visible(std::string("\0", 1)), "\\x00");
}

TEST(Printable, EveryByteAloneIsFit) {
  for (int c = 0; c < 256; ++c) {
    const std::string text(1, static_cast<char>(c));
    const bool is_plain = (c >= 0x20 && c < 0x7f) || c == '\n' || c == '\t';
    EXPECT_EQ(visible(text) == text, is_plain) << c;
  }
}

TEST(Printable, CharactersThatControlAreEscapedAndOthersStay) {
  const std::pair<const char*, const char*> table[] = {
      {"\xc2\x80\xc2\x9b\xc2\x9f", "\\u0080\\u009b\\u009f"},  // the control characters C1
      {"\xc2\xa0\xc3\xa9\xdf\xbf", "\xc2\xa0\xc3\xa9\xdf\xbf"},
      {"\xd8\x9c\xe2\x80\x8e\xe2\x80\x8f", "\\u061c\\u200e\\u200f"},
      {"\xe2\x80\xa8\xe2\x80\xaa\xe2\x80\xae", "\\u2028\\u202a\\u202e"},
      {"\xe2\x81\xa6\xe2\x81\xa9", "\\u2066\\u2069"},
      // These code points are next to the ranges that are escaped, so they stay as they are.
      {"\xe2\x80\xa7\xe2\x80\xaf\xe2\x81\xa5", "\xe2\x80\xa7\xe2\x80\xaf\xe2\x81\xa5"},
      {"\xe6\x97\xa5\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf", "\xe6\x97\xa5\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf"},
      {"\xc0\x9b\xc1\xbf", "\\xc0\\x9b\\xc1\\xbf"},  // UTF-8 sequences longer than necessary
      {"\xe0\x80\x9b\xf0\x80\x80\x9b", "\\xe0\\x80\\x9b\\xf0\\x80\\x80\\x9b"},
      {"\xed\xa0\x80", "\\xed\\xa0\\x80"},  // a surrogate, which UTF-8 may not encode
      {"\xf4\x90\x80\x80\xf8\x88\x80\x80\x80", "\\xf4\\x90\\x80\\x80\\xf8\\x88\\x80\\x80\\x80"},
      {"\xc3", "\\xc3"},  // an incomplete sequence
      {"\xe2\x80", "\\xe2\\x80"},
      {"\xe2\x80x", "\\xe2\\x80x"},
  };
  for (const auto& [text, expected] : table) {
    EXPECT_EQ(visible(text), expected);
    EXPECT_EQ(printable(text), expected);
  }
}

TEST(Printable, FieldsOfAReportAreOneLineEach) {
  Report report = test::full_report();
  const auto lines = [](const Report& one) {
    const std::string text = one.to_text();
    return std::count(text.begin(), text.end(), '\n');
  };
  const auto expected = lines(report);
  EXPECT_EQ(printable(report).to_text(), report.to_text());
  report.kernel.name += "\nx";
  report.policy_reason += "\nx";
  report.toolkit += "\nx";
  report.notes[0] += "\nx";
  report.versions[0] = {"\nx", "\nx"};
  report.steps[0].name += "\nx";
  report.remaining_calls[0] += "\nx";
  report.cuda_helpers[0] += "\nx";
  report.routes_not_taken[0].reason += "\nx";
  report.kernel.signature = Signature({Role::Output, {ElementKind::Float, 4, 4}, "\nfloat"}, {});
  EXPECT_EQ(lines(printable(report)), expected);
}

TEST(Printable, AnErrorKeepsItsParts) {
  const Error plain(ErrorCode::LinkFailed,
                    {.message = "m", .remedy = "r", .log = "l\nl", .versions = {{"NVRTC", "13"}}});
  EXPECT_EQ(text_of(plain), plain.what());
  const Error forged(ErrorCode::LinkFailed,
                     {.message = "m\nx", .remedy = "r\nx", .log = "l\nl", .versions = {{"NVRTC", "13\nx"}}});
  EXPECT_EQ(text_of(forged), "graft: m\\nx [LinkFailed]\nl\nl\nWith: NVRTC 13\\nx\nWhat to do: r\\nx");
}

}  // namespace
}  // namespace graft::cli
