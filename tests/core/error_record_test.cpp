// Tests how errors are written to bytes and read back. All fields of an error must be the same afterwards. If the bytes
// are damaged, the reader must return nothing, or an error with a valid code.
#include "core/error_record.hpp"

#include <gtest/gtest.h>

namespace graft {
namespace {

const Error kError(ErrorCode::CompileFailed,
                   {.message = "m\xff",
                    .remedy = "r",
                    .log = std::string("a\0b", 3),
                    .versions = {{"NVRTC", "13.0"}, {"nvJitLink", "13.1"}},
                    .diagnostics = {{"f.cu", 3, 9, Diagnostic::Severity::Warning, "w", "n", "s"},
                                    {"g.h", 0, 0, Diagnostic::Severity::Error, ""}}});

TEST(ErrorRecord, ComesBack) {
  const std::optional<Error> read = read_error(write_error(kError));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->code(), kError.code());
  EXPECT_EQ(read->message(), kError.message());
  EXPECT_EQ(read->remedy(), kError.remedy());
  EXPECT_EQ(read->log(), kError.log());
  EXPECT_EQ(read->versions(), kError.versions());
  EXPECT_EQ(read->diagnostics(), kError.diagnostics());
}

TEST(ErrorRecord, EveryCodeComesBackAndNoOther) {
  int code = 1;
  for (; name(static_cast<ErrorCode>(code)) != "Unknown"; ++code) {
    const std::optional<Error> read = read_error(write_error(Error(static_cast<ErrorCode>(code), {})));
    ASSERT_TRUE(read) << code;
    EXPECT_EQ(read->code(), static_cast<ErrorCode>(code));
  }
  EXPECT_GE(code, 24);
  for (const int none : {0, -1, code, 1000})
    EXPECT_FALSE(read_error(write_error(Error(static_cast<ErrorCode>(none), {})))) << none;
}

TEST(ErrorRecord, EveryCutIsNone) {
  const base::Bytes whole = write_error(kError);
  for (std::size_t size = 0; size < whole.size(); ++size) EXPECT_FALSE(read_error(std::span(whole).first(size)));
}

TEST(ErrorRecord, EveryChangedByteIsReadOrRefused) {
  const base::Bytes whole = write_error(kError);
  for (std::size_t i = 0; i < whole.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      base::Bytes changed = whole;
      changed[i] ^= std::byte{1} << bit;
      const std::optional<Error> read = read_error(changed);
      EXPECT_TRUE(!read || name(read->code()) != "Unknown");
    }
}

}  // namespace
}  // namespace graft
