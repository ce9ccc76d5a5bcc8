// Tests the texts that graft's values have in streams and formats.
#include "graft/ostream.hpp"

#include <gtest/gtest.h>

#include <concepts>
#include <sstream>
#include <string_view>
#include <type_traits>

#include "graft/fmt.hpp"
#include "graft/format.hpp"
#include "graft/graft.hpp"

// An application whose enums have a function `name` too, and that writes and formats all of these in its own way.
namespace application {

using namespace graft;

enum class Colour { Red };
std::string_view name(Colour /*colour*/) {
  return "red";
}

template <class T>
concept Named = std::is_enum_v<T> && requires(T value) {
  { name(value) } -> std::convertible_to<std::string_view>;
} && !requires(T value) {
  graft::name(value);
};

template <Named T>
std::ostream& operator<<(std::ostream& out, T value) {
  return out << '<' << name(value) << '>';
}

std::string written() {
  std::ostringstream stream;
  stream << Colour::Red << Route::Host;
  return stream.str();
}

}  // namespace application

template <application::Named T>
struct fmt::formatter<T, char> : fmt::formatter<std::string_view, char> {
  template <class Context>
  auto format(T value, Context& context) const {
    return fmt::formatter<std::string_view, char>::format(name(value), context);
  }
};

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
  EXPECT_EQ(streamed(Diagnostic::Severity::Note), "note");
  EXPECT_EQ(streamed(PrecompileFormat::PackWithCubins), name(PrecompileFormat::PackWithCubins));
  EXPECT_EQ(streamed(LogKind::MemoryHit), name(LogKind::MemoryHit));
  EXPECT_EQ(streamed(LogSeverity::Debug), name(LogSeverity::Debug));
}

TEST(Ostream, EnumsOfApplicationsAreTheirOwn) {
  EXPECT_EQ(application::written(), "<red>host");
  EXPECT_EQ(fmt::format("{} {}", application::Colour::Red, Route::Host), "red host");
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
static_assert(!detail::HasText<application::Colour>);
static_assert(!detail::HasText<int> && !detail::HasText<Nameless> && !detail::HasText<FftPlan>);

}  // namespace
}  // namespace graft
