// Lists the cells, which are the benchmark's measurements (cell.hpp): every operation at several counts up to the
// largest array, and selected operations with misaligned arrays.
#include "cell.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string_view>

#include "spread.hpp"

namespace graft::bench {
namespace {

constexpr std::size_t power(int exponent) {
  return std::size_t{1} << exponent;
}

std::string count_text(std::size_t count) {
  return std::has_single_bit(count) ? fmt::format("2^{}", std::countr_zero(count)) : fmt::format("{}", count);
}

// Returns element counts from small ones up to the largest array, without duplicates.
std::vector<std::size_t> all_counts(const Operation& operation, std::size_t largest_array) {
  const std::size_t largest = largest_array / operation.largest_element();
  std::vector<std::size_t> counts;
  for (const std::size_t count : {power(16), power(20), power(24), power(28)})
    if (count < largest) counts.push_back(count);
  counts.push_back(largest);
  return counts;
}

bool has_size(std::size_t count, Counts wanted) {
  const bool small = count <= power(20);
  return wanted == Counts::All || small == (wanted == Counts::Small);
}

// Returns whether the operation is also measured with misaligned arrays. Two operations are: mul, which has one input,
// and add, which has two. Both exist for every element size.
bool is_shifted(const Operation& operation) {
  return operation.name == "mul" || operation.name == "add";
}

}  // namespace

std::string Group::name() const {
  return fmt::format("{} {} {}{}", operation->name, operation->type, count_text(count),
                     about_alignment() ? " misaligned" : "");
}

std::vector<Group> choose_groups(const ThroughputOptions& options, std::size_t largest_array) {
  std::vector<Group> groups;
  const auto add = [&](Group group) {
    if (!has_size(group.count, options.counts)) return;
    if (!options.filter || std::regex_search(group.name(), *options.filter)) groups.push_back(std::move(group));
  };
  for (const Operation& operation : operations()) {
    const std::vector<std::size_t> counts = all_counts(operation, largest_array);
    if (options.part != Part::Misaligned)
      for (const std::size_t count : counts) add({&operation, count, {Alignment::Aligned}});
    if (options.part != Part::Aligned && is_shifted(operation))
      for (const std::size_t count : counts)
        if (count == power(24) || count == counts.back())
          add({&operation, count, {Alignment::Aligned, Alignment::Alike, Alignment::Unlike}});
  }
  return groups;
}

double Timing::gigabytes_per_second() const {
  return usable() ? bytes / spread_of(seconds).median * 1e-9 : 0;
}

const Timing* GroupResult::find(std::string_view contender, Alignment alignment) const {
  for (const Timing& timing : timings)
    if (timing.contender == contender && timing.alignment == alignment) return &timing;
  return nullptr;
}

std::string GroupResult::cell_name(Alignment alignment) const {
  std::string text = fmt::format("{} {} {}", group.operation->name, group.operation->type, count_text(group.count));
  return group.about_alignment() ? fmt::format("{} {}", text, bench::name(alignment)) : text;
}

}  // namespace graft::bench
