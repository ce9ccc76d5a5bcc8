// Tests the texts that graft's values have in streams and formats.
#include "graft/ostream.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "graft/fmt.hpp"
#include "graft/format.hpp"
#include "graft/graft.hpp"

namespace graft {
namespace {

template <class T>
std::string streamed(const T& value) {
  std::ostringstream stream;
  stream << value;
  return stream.str();
}

TEST(Ostream, ValuesAreWrittenAsInReports) {
  EXPECT_EQ(streamed(Route::Program), "program");
  EXPECT_EQ(streamed(Architecture(90, 'a')), "sm_90a");
  EXPECT_EQ(streamed(Signature::of<float(float, int&)>()), "float(float, int&)");
  EXPECT_EQ(streamed(element_type<float>()), "float");
  EXPECT_EQ(streamed(Form::LtoIr), "LTO-IR");
  EXPECT_EQ(streamed(ErrorCode::CompileFailed), "CompileFailed");
}

TEST(Ostream, FmtFormatsThemAsStrings) {
  EXPECT_EQ(fmt::format("{}", Route::Host), "host");
  EXPECT_EQ(fmt::format("{:>8}|", Route::Host), "    host|");
  EXPECT_EQ(fmt::format("{:.2}", Architecture(120)), "sm");
  EXPECT_EQ(fmt::format("{}", Signature::of<float(float)>()), "float(float)");
  EXPECT_EQ(fmt::format("{} {}", element_type<double>(), ErrorCode::Overlap), "double Overlap");
}

#ifdef __cpp_lib_format
TEST(Ostream, StdFormatsThemAsStrings) {
  EXPECT_EQ(std::format("{:>8}|", Route::Host), "    host|");
  EXPECT_EQ(std::format("{} {}", Architecture(120), Signature::of<float(float)>()), "sm_120 float(float)");
}
#endif

// A number is no Architecture, although it converts to one, and an enum without names is printed by nobody.
enum class Nameless {};
static_assert(detail::HasText<Route> && detail::HasText<Signature>);
static_assert(!detail::HasText<int> && !detail::HasText<Nameless> && !detail::HasText<FftPlan>);

}  // namespace
}  // namespace graft
