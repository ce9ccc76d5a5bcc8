// Puts the rows of all kinds together, compares outputs with references, and prints the table as
// docs/tables/callbacks.md shows it.
#include "scenarios/callbacks/table.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <regex>

#include "support/errors.hpp"

namespace graft::test::table {
namespace {

bool is_close(double found, double expected, const Numbers& numbers, const Tolerance& tolerance) {
  if (std::isnan(expected)) return std::isnan(found);
  if (std::isinf(expected)) return found == expected;
  const double relative = numbers.are_integers ? 0 : tolerance.relative;
  return std::fabs(found - expected) <= relative * std::fabs(expected) + tolerance.absolute;
}

std::string numbers_of(const std::byte* element, std::size_t size, const Numbers& numbers) {
  std::string text;
  for (std::size_t at = 0; at < size; at += numbers.read != nullptr ? numbers.size : 1)
    text += numbers.read != nullptr ? fmt::format(" {:.9g}", numbers.read(element + at))
                                    : fmt::format(" {:02x}", static_cast<unsigned>(element[at]));
  return text;
}

}  // namespace

std::string difference(const Column& expected, const std::vector<std::byte>& found, const Tolerance& tolerance) {
  const std::size_t size = expected.type.size;
  const bool by_number = !tolerance.is_exact() && expected.numbers.read != nullptr;
  for (std::size_t at = 0; at < expected.bytes.size(); at += size) {
    const std::byte *want = expected.bytes.data() + at, *got = found.data() + at;
    bool same = std::memcmp(want, got, size) == 0;
    if (!same && by_number) {
      same = true;
      for (std::size_t k = 0; k < size; k += expected.numbers.size)
        same &= is_close(expected.numbers.read(got + k), expected.numbers.read(want + k), expected.numbers, tolerance);
    }
    if (!same)
      return fmt::format("element {}:{}, expected{}", at / size, numbers_of(got, size, expected.numbers),
                         numbers_of(want, size, expected.numbers));
  }
  return {};
}

Callback Row::callback() const {
  const Callback source = Callback::source(text);
  return entry_point.empty() ? source : source.with_entry(entry_point);
}

Options Row::options_for(Route route) const {
  Options options;
  options.routes.required = route;
  options.standard = cpp_standard;
  if (route == Route::Host && needs_toolkit_folder) options.include_paths = {GRAFT_TOOLKIT_HEADERS};
  return options;
}

const Refusal* Row::refusal_on(Route route) const {
  for (const Refusal& refusal : refusals)
    if (std::ranges::find(refusal.routes, route) != refusal.routes.end()) return &refusal;
  return nullptr;
}

const std::vector<Row>& all_rows() {
  static const Table table = [] {
    Table all;
    for (const auto add : {add_activations, add_special_functions, add_colours, add_random_numbers, add_hashes,
                           add_quantisations, add_halves, add_complex_numbers, add_look_ups, add_dates, add_geometry,
                           add_bit_tricks, add_integers, add_structs, add_forms})
      add(all);
    return all;
  }();
  return table.rows();
}

std::string without_versions(std::string signature) {
  return std::regex_replace(signature, std::regex("::__[0-9]+::"), "::");
}

void expect_refused(const Refusal& refusal, const std::function<void()>& make) {
  const Error error = error_of(make);
  EXPECT_FALSE(error.remedy().empty());
  EXPECT_EQ(error.code(), refusal.code) << error.what();
  EXPECT_NE((error.message() + '\n' + error.log()).find(refusal.says), std::string::npos) << error.what();
  EXPECT_NE(error.remedy().find(refusal.remedy), std::string::npos) << error.what();
}

std::string page() {
  std::string text, kind;
  for (const Row& row : all_rows()) {
    if (row.kind != kind) {
      kind = row.kind;
      text += fmt::format("\n## {}\n\n| callback | signature | lto | program | ptx | indirect | host |\n", kind);
      text += "|---|---|---|---|---|---|---|\n";
    }
    text += fmt::format("| {} | `{}` |", row.name, row.signature);
    for (const Route route : kRoutes) {
      const Refusal* const refusal = row.refusal_on(route);
      text += fmt::format(" {} |", refusal == nullptr ? "yes" : name(refusal->code));
    }
    text += '\n';
  }
  return text;
}

}  // namespace graft::test::table
