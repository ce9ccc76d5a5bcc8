// Formats a cell as a line of text and as JSON, and computes the ratios that both show.
#include "report.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include "contender.hpp"

namespace graft::bench {
namespace {

constexpr std::array kPeers = {kByHand, kCub, kThrust, kMemcpy, kGraftWithPolicy};

std::optional<Ratio> ratio(const Timing* graft, const Timing* other) {
  if (!graft || !other || !graft->usable() || !other->usable()) return std::nullopt;
  return ratio_of(spread_of(graft->seconds), graft->bytes, spread_of(other->seconds), other->bytes);
}

nlohmann::json to_json(const Timing& timing) {
  nlohmann::json row;
  if (timing.wrong != 0) row["wrong"] = timing.wrong;
  if (!timing.error.empty()) row["error"] = timing.error;
  if (!timing.usable()) return row;
  const Spread spread = spread_of(timing.seconds);
  const auto speed = [&](double seconds) { return rounded(timing.bytes / seconds * 1e-9); };
  row["gbs"] = speed(spread.median);
  row["min_gbs"] = speed(spread.max);
  row["max_gbs"] = speed(spread.min);
  row["quartiles_gbs"] = {speed(spread.upper), speed(spread.lower)};
  row["us"] = rounded(spread.median * 1e6);
  return row;
}

nlohmann::json to_json(const Ratio& ratio) {
  return {{"ratio", rounded(ratio.value)}, {"spread", rounded(ratio.spread)}};
}

nlohmann::json cell(const GroupResult& result, Alignment alignment) {
  const Group& group = result.group;
  nlohmann::json row = {{"cell", result.cell_name(alignment)},
                        {"operation", group.operation->name},
                        {"type", group.operation->type},
                        {"count", group.count},
                        {"alignment", name(alignment)},
                        {"part", group.about_alignment() ? "misaligned" : "aligned"},
                        {"array_bytes", group.largest_array()},
                        {"bytes", group.bytes()},
                        {"batch", result.batch}};
  for (const Timing& timing : result.timings)
    if (timing.alignment == alignment) row["contenders"][timing.contender] = to_json(timing);
  for (const std::string_view peer : kPeers)
    if (const auto found = against(result, peer, alignment)) row["ratios"][std::string(peer)] = to_json(*found);
  if (alignment != Alignment::Aligned)
    if (const auto found = against_aligned(result, alignment)) row["ratios"]["aligned"] = to_json(*found);
  return row;
}

void print_cell(const GroupResult& result, Alignment alignment) {
  const Timing* graft = result.find(kGraft, alignment);
  fmt::print("{:<30}{:>9.2f}{:>6}{:>8.0f} ", result.cell_name(alignment),
             static_cast<double>(result.group.largest_array()) / (1 << 20), result.batch,
             graft ? graft->gigabytes_per_second() : 0);
  for (const std::string_view peer : kPeers) {
    if (const auto found = against(result, peer, alignment))
      fmt::print("{:>8.3f} ±{:.3f}", found->value, found->spread);
    else if (result.find(peer, alignment)) fmt::print("{:>15}", "failed");
    else if (peer != kGraftWithPolicy) fmt::print("{:>15}", "-");
  }
  if (alignment != Alignment::Aligned)
    if (const auto found = against_aligned(result, alignment)) fmt::print("  aligned:{:>6.3f}", found->value);
  fmt::print("\n");
}

}  // namespace

std::optional<Ratio> against(const GroupResult& result, std::string_view peer, Alignment alignment) {
  return ratio(result.find(kGraft, alignment), result.find(peer, alignment));
}

std::optional<Ratio> against_aligned(const GroupResult& result, Alignment alignment) {
  return ratio(result.find(kGraft, alignment), result.find(kGraft, Alignment::Aligned));
}

void print_header() {
  fmt::print("{:<30}{:>9}{:>6}{:>8}   graft's speed over that of", "cell", "MiB", "batch", "GB/s");
  for (const std::string_view peer : kPeers)
    if (peer != kGraftWithPolicy) fmt::print(" {}{}", peer, peer == kMemcpy ? "" : ",");
  fmt::print("\n");
}

void print(const GroupResult& result) {
  for (const Alignment alignment : result.group.alignments) print_cell(result, alignment);
  for (const std::string& failure : failures(result)) fmt::print("  FAILED {}\n", failure);
  std::fflush(stdout);
}

std::vector<std::string> failures(const GroupResult& result) {
  std::vector<std::string> lines;
  for (const Timing& timing : result.timings) {
    const std::string who = fmt::format("{}: {}", result.cell_name(timing.alignment), timing.contender);
    if (timing.wrong != 0) lines.push_back(fmt::format("{}: {} wrong elements", who, timing.wrong));
    else if (!timing.error.empty()) lines.push_back(fmt::format("{}: {}", who, timing.error));
  }
  return lines;
}

void add_cells(nlohmann::json& cells, const GroupResult& result) {
  for (const Alignment alignment : result.group.alignments) cells.push_back(cell(result, alignment));
}

double rounded(double value) {
  return std::strtod(fmt::format("{:.5g}", value).c_str(), nullptr);
}

void write_in_rows(const Arguments& arguments, const nlohmann::json& record) {
  if (arguments.out.empty()) return;
  std::ofstream file(arguments.out);
  const char* separator = "{\n";
  for (const auto& [key, value] : record.items()) {
    file << separator << "  " << nlohmann::json(key).dump() << ": ";
    separator = ",\n";
    if (!value.is_array() || value.empty()) {
      file << value.dump();
      continue;
    }
    for (std::size_t i = 0; i < value.size(); ++i) file << (i == 0 ? "[\n    " : ",\n    ") << value[i].dump();
    file << "\n  ]";
  }
  file << "\n}\n";
  if (!file.flush()) throw std::runtime_error("cannot write " + arguments.out);
  fmt::print("written: {}\n", arguments.out);
}

}  // namespace graft::bench
