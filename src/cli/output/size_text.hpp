// Converts between values and the texts that people read and write: ages, byte counts, counts of kernels, times.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace graft::cli {

// Parses "90s", "15m", "12h" or "30d". Returns nothing for any other text, and for more than 68 years.
std::optional<std::chrono::seconds> parse_age(std::string_view text);

// Returns a number of bytes as text: "812 bytes", "5.1 KiB", "1.0 GiB".
std::string size_text(std::uint64_t bytes);

// Returns a number of kernels as text: "1 kernel", "2 kernels".
std::string kernels_text(std::uint64_t count);

// Returns a time as text, in UTC: "2026-11-21T14:30:05Z".
std::string time_text(std::chrono::system_clock::time_point time);

}  // namespace graft::cli
