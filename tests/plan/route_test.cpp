// The choice of a route as a table: what is asked and which tools there are in, route and reasons out.
#include "plan/route.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace graft::plan {
namespace {

constexpr unsigned kNvrtc = 1;
constexpr unsigned kLinker = 2;
constexpr unsigned kHostCompiler = 4;
constexpr unsigned kAll = kNvrtc | kLinker | kHostCompiler;

ToolState state(bool available, const char* why_not) {
  return {available, available ? "" : why_not};
}

Tools tools(unsigned present) {
  return {state((present & kNvrtc) != 0, "no NVRTC"), state((present & kLinker) != 0, "no nvJitLink"),
          state((present & kHostCompiler) != 0, "no C++ compiler")};
}

// "host; not lto: the caller forbids it"
std::string text(const RouteDecision& decision) {
  std::string out(decision.route ? name(*decision.route) : "none");
  for (const Report::RouteNotTaken& other : decision.not_taken)
    out += fmt::format("; not {}: {}", name(other.route), other.reason);
  return out;
}

struct Row {
  RouteChoice choice;
  unsigned present;
  std::string expected;
};

TEST(RouteChoice, IsTheFirstThatCanWork) {
  const std::string on_cpu = "; not host: it runs on the CPU, and only when it is required";
  const std::string no_such = ": this version of graft does not have it";
  const std::vector<Row> rows = {
      {{}, kAll, "lto"},
      {{}, kNvrtc | kLinker, "lto"},
      {{}, kLinker | kHostCompiler, "none; not lto: no NVRTC" + on_cpu},
      {{}, kNvrtc | kHostCompiler, "none; not lto: no nvJitLink" + on_cpu},
      {{}, kHostCompiler, "none; not lto: no NVRTC" + on_cpu},
      {{}, 0, "none; not lto: no NVRTC" + on_cpu},
      {{.required = Route::Lto}, kAll, "lto"},
      {{.required = Route::Lto}, kHostCompiler, "none; not lto: no NVRTC; not host: the caller requires lto"},
      {{.required = Route::Lto}, kNvrtc, "none; not lto: no nvJitLink; not host: the caller requires lto"},
      {{.required = Route::Host}, kAll, "host; not lto: the caller requires host"},
      {{.required = Route::Host}, kHostCompiler, "host; not lto: the caller requires host"},
      {{.required = Route::Host},
       kNvrtc | kLinker,
       "none; not lto: the caller requires host; not host: no C++ compiler"},
      {{.forbidden = {Route::Lto}}, kAll, "none; not lto: the caller forbids it" + on_cpu},
      {{.forbidden = {Route::Host}}, kAll, "lto"},
      {{.forbidden = {Route::Host}}, 0, "none; not lto: no NVRTC; not host: the caller forbids it"},
      {{.forbidden = {Route::Program, Route::Ptx}}, kAll, "lto"},
      {{.forbidden = {Route::Lto, Route::Host}},
       kAll,
       "none; not lto: the caller forbids it; not host: the caller forbids it"},
      {{.required = Route::Lto, .forbidden = {Route::Lto}},
       kAll,
       "none; not lto: the caller forbids it; not host: the caller requires lto"},
      {{.required = Route::Host, .forbidden = {Route::Host}},
       kAll,
       "none; not lto: the caller requires host; not host: the caller forbids it"},
      {{.required = Route::Program}, kAll, "none; not program" + no_such},
      {{.required = Route::Ptx}, kAll, "none; not ptx" + no_such},
      {{.required = Route::Indirect}, 0, "none; not indirect" + no_such},
  };
  for (const Row& row : rows) EXPECT_EQ(text(choose_route(row.choice, tools(row.present))), row.expected);
}

TEST(RouteChoice, NamesRoutes) {
  EXPECT_EQ(name(Route::Lto), "lto");
  EXPECT_EQ(name(Route::Program), "program");
  EXPECT_EQ(name(Route::Ptx), "ptx");
  EXPECT_EQ(name(Route::Indirect), "indirect");
  EXPECT_EQ(name(Route::Host), "host");
}

}  // namespace
}  // namespace graft::plan
