#include "cli/output/size_text.hpp"

#include <array>
#include <charconv>
#include <ctime>
#include <limits>
#include <utility>

#include "base/format.hpp"

namespace graft::cli {

std::optional<std::chrono::seconds> parse_age(std::string_view text) {
  constexpr std::array<std::pair<char, std::int64_t>, 4> kUnits = {
      {{'s', 1}, {'m', 60}, {'h', 60 * 60}, {'d', 24 * 60 * 60}}};
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [unit, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || number < 0 || end - unit != 1) return std::nullopt;
  for (const auto& [letter, seconds] : kUnits)
    if (*unit == letter && number <= std::numeric_limits<int>::max() / seconds)
      return std::chrono::seconds(number * seconds);
  return std::nullopt;
}

std::string size_text(std::uint64_t bytes) {
  constexpr std::array kUnits = {"KiB", "MiB", "GiB"};
  if (bytes < 1024) return base::format("{} bytes", bytes);
  double size = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; size >= 1024 && unit + 1 < kUnits.size(); ++unit) size /= 1024;
  return base::format("{:.1f} {}", size, kUnits[unit]);
}

std::string kernels_text(std::uint64_t count) {
  return base::format("{} {}", count, count == 1 ? "kernel" : "kernels");
}

std::string time_text(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), size};
}

}  // namespace graft::cli
