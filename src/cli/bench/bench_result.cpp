#include "cli/bench/bench_result.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/format.hpp"
#include "cli/output/printable.hpp"
#include "cli/output/printable_report.hpp"
#include "cli/output/size_text.hpp"

namespace graft::cli {
namespace {

using nlohmann::json;

constexpr double kGiga = 1e9, kMicro = 1e6;
constexpr int kPlotColumns = 50;

// "1,048,576"
std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

// Half of the range between the quartiles, as a share of the median.
double spread_share(const base::Spread& spread) {
  return spread.median > 0 ? spread.half_range() / spread.median : 0;
}

std::string row_line(const BenchRow& row) {
  if (row.is_wrong()) return base::format("{:>15} {:>11}  wrong results\n", grouped(row.items), size_text(row.bytes));
  return base::format("{:>15} {:>11} {:>12.2f} us {:>5.1f} % {:>8.1f} {:>10.1f} {:>6.2f}\n", grouped(row.items),
                      size_text(row.bytes), row.seconds.median * kMicro, 100 * spread_share(row.seconds),
                      row.speed() / kGiga, row.copy_speed() / kGiga, row.speed() / row.copy_speed());
}

std::string create_line(const Report& report) {
  std::vector<std::string> steps;
  for (const Report::Step& step : report.steps)
    steps.push_back(base::format("{} {:.2f}", printable(step.name), step.milliseconds));
  return base::format("create {:.2f} ms: {}\n", report.total_milliseconds(), base::join(steps, ", "));
}

std::string comparison_line(const BenchResult& result) {
  if (!result.unverified.empty())
    return base::format("not compared with the CPU route: {}\n", printable(result.unverified));
  std::uint64_t compared = 0, unlike = 0;
  for (const BenchRow& row : result.rows)
    if (row.comparison) {
      compared += row.comparison->compared;
      unlike += row.comparison->unlike;
    }
  return base::format("compared with the CPU route: {} elements, {} of them unlike\n", grouped(compared),
                      grouped(unlike));
}

json spread_json(const base::Spread& seconds) {
  return {{"median_us", seconds.median * kMicro},
          {"min_us", seconds.min * kMicro},
          {"q1_us", seconds.lower * kMicro},
          {"q3_us", seconds.upper * kMicro},
          {"max_us", seconds.max * kMicro}};
}

json row_json(const BenchRow& row) {
  json object = {{"count", row.items}, {"bytes", row.bytes}};
  if (row.comparison)
    object["comparison"] = {{"compared", row.comparison->compared}, {"unlike", row.comparison->unlike}};
  if (row.is_wrong()) return object;
  object.update({{"time", spread_json(row.seconds)},
                 {"gb_per_s", row.speed() / kGiga},
                 {"copy_time", spread_json(row.copy_seconds)},
                 {"copy_gb_per_s", row.copy_speed() / kGiga},
                 {"share_of_copy", row.speed() / row.copy_speed()}});
  return object;
}

}  // namespace

std::vector<std::string> problems_of(const BenchResult& result) {
  std::vector<std::string> problems;
  for (const BenchRow& row : result.rows)
    if (row.is_wrong())
      problems.push_back(base::format("of {} {}, {} of {} elements that were compared differ from the CPU route's",
                                      grouped(row.items), result.word, row.comparison->unlike,
                                      row.comparison->compared));
  return problems;
}

std::string table_of(const BenchResult& result) {
  const Report report = printable(result.reports.front());
  const std::string architecture =
      report.kernel.route == Route::Host ? "" : base::format(" for {}", report.kernel.architecture.sm());
  std::string text = base::format("{}: {}, {}{}, on {}\n", printable(result.title), report.kernel.signature.text(),
                                  name(report.kernel.route), architecture, printable(result.place));
  text += base::format("{:>15} {:>11} {:>15} {:>7} {:>8} {:>10} {:>6}\n", result.word, "bytes", "time", "spread",
                       "GB/s", "copy GB/s", "share");
  for (const BenchRow& row : result.rows) text += row_line(row);
  if (result.host_seconds.median > 0)
    text += base::format("host time of a call: {:.2f} us\n", result.host_seconds.median * kMicro);
  for (const Report& one : result.reports) text += create_line(one);
  return text + comparison_line(result);
}

std::string plot_of(const BenchResult& result) {
  double fastest = 0;
  for (const BenchRow& row : result.rows)
    if (!row.is_wrong()) fastest = std::max({fastest, row.speed(), row.copy_speed()});
  std::string text = base::format("\n{:>15} GB/s; # {}, . copy\n", "", printable(result.title));
  for (const BenchRow& row : result.rows) {
    if (row.is_wrong() || !(fastest > 0)) continue;
    const auto columns = [&](double speed) {
      return static_cast<std::size_t>(std::lround(speed / fastest * kPlotColumns));
    };
    std::string bar(columns(row.speed()), '#');
    bar.resize(std::max(bar.size(), columns(row.copy_speed())), '.');
    bar.resize(kPlotColumns, ' ');
    text += base::format("{:>15} {} {:.1f}\n", grouped(row.items), bar, row.speed() / kGiga);
  }
  return text;
}

json bench_json(const BenchResult& result) {
  json object = {{"title", result.title}, {"place", result.place}, {"unit", result.word}};
  object["rows"] = json::array();
  for (const BenchRow& row : result.rows) object["rows"].push_back(row_json(row));
  if (result.host_seconds.median > 0) object["host_time"] = spread_json(result.host_seconds);
  object["reports"] = json::array();
  for (const Report& report : result.reports) object["reports"].push_back(json::parse(report.to_json()));
  object["is_compared"] = result.unverified.empty();
  if (!result.unverified.empty()) object["why_not_compared"] = result.unverified;
  object["problems"] = problems_of(result);
  return object;
}

}  // namespace graft::cli
