// Reads the file with nlohmann-json, which takes any text, and then takes each member (tuning_members.hpp).
#include "format/tuning_file.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "base/format.hpp"
#include "core/option_table.hpp"
#include "format/tuning_members.hpp"

namespace graft::format {
namespace {

using nlohmann::json;

constexpr int kDeepestTuning = 5;           // the file, a list of rows, a row, a list, a list in it
constexpr std::size_t kMostSizes = 24;      // of the arrays of a callback; graft::Transform has no more
constexpr int kMostElementBytes = 4096;     // more than any element has
constexpr std::size_t kLongestName = 256;   // of a GPU, in bytes; the driver gives no longer one
constexpr std::size_t kLongestFamily = 32;  // name of a family, in bytes
constexpr int kOldestArchitecture = 50, kNewestArchitecture = 999;

std::vector<int> sizes_in(Members& members, const char* name) {
  const std::vector<std::int64_t> sizes = members.numbers(name, {kMostSizes, 1, kMostElementBytes});
  return {sizes.begin(), sizes.end()};
}

// Reads a member of MeasuredPolicy, with the bounds of its row in the table of options.
template <class Value>
void read_policy_member(Members& members, const OptionRow<MeasuredPolicy, Value>& row, MeasuredPolicy& policy,
                        const std::string& where, Problem& problem) {
  const std::string name(row.name);
  const std::int64_t number = members.number(name.c_str(), row.least, row.most);
  if (!row.has_choice(number)) problem.note(base::format("`{}` of {} is {}", name, where, number));
  policy.*row.member = static_cast<Value>(number);
}

MeasuredRow read_row(const json& object, const std::string& where, Problem& problem) {
  Members members(object, where, problem);
  MeasuredRow row;
  row.kind = {.inputs = sizes_in(members, "inputs"),
              .outputs = sizes_in(members, "outputs"),
              .short_integers = members.flag("short_integers"),
              .long_math = members.flag("long_math")};
  for_each_option<MeasuredPolicy>(
      [&](const auto& option) { read_policy_member(members, option, row.policy, where, problem); });
  members.refuse_others();
  if (row.kind.outputs.empty()) problem.note(where + " has no outputs");
  return row;
}

std::vector<MeasuredRow> read_rows(const json& rows, Problem& problem) {
  std::vector<MeasuredRow> found;
  if (!rows.is_array() || rows.size() > static_cast<std::size_t>(kMostRowsOfTuning)) {
    problem.note(base::format("`elementwise` is no list of at most {} rows", kMostRowsOfTuning));
    return found;
  }
  std::set<MeasuredKind> kinds;
  for (std::size_t i = 0; i < rows.size() && !problem.exists(); ++i) {
    const std::string where = base::format("row {} of `elementwise`", i + 1);
    found.push_back(read_row(rows[i], where, problem));
    if (!kinds.insert(found.back().kind).second) problem.note(where + " is of the same kind as an earlier one");
  }
  return found;
}

bool is_name_of_family(const std::string& name) {
  return name.size() <= kLongestFamily &&
         std::ranges::all_of(name, [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
}

// Keeps what is left of the file's members, if they are lists of rows.
FurtherRows read_further_rows(const json& file, Members& members, Problem& problem) {
  FurtherRows found;
  for (const std::string& name : members.others()) {
    if (!is_name_of_family(name) || !file.at(name).is_array()) continue;
    const json& rows = members.take(name.c_str());
    std::vector<std::string>& kept = found[name];
    if (rows.size() > static_cast<std::size_t>(kMostRowsOfTuning) || !std::ranges::all_of(rows, &json::is_object)) {
      problem.note(base::format("`{}` is no list of at most {} rows", name, kMostRowsOfTuning));
      continue;
    }
    for (const json& row : rows) kept.push_back(text_of(row));
  }
  return found;
}

// Returns nothing if the text is not JSON, or nested too deeply.
std::optional<json> parse(std::string_view text) {
  bool is_too_deep = false;
  const auto check_depth = [&](int depth, json::parse_event_t, json&) {
    is_too_deep = is_too_deep || depth > kDeepestTuning;
    return !is_too_deep;
  };
  json parsed = json::parse(text.begin(), text.end(), check_depth, false);
  if (is_too_deep || parsed.is_discarded()) return std::nullopt;
  return parsed;
}

json row_json(const MeasuredRow& row) {
  json object = {{"inputs", row.kind.inputs},
                 {"outputs", row.kind.outputs},
                 {"short_integers", row.kind.short_integers},
                 {"long_math", row.kind.long_math}};
  for_each_option<MeasuredPolicy>(
      [&](const auto& option) { object[std::string(option.name)] = row.policy.*option.member; });
  return object;
}

// The member with a list of rows, behind another member.
std::string rows_text(std::string_view name, const std::vector<std::string>& rows) {
  std::string text = base::format(",\n  \"{}\": [", name);
  for (std::size_t i = 0; i < rows.size(); ++i) base::append(text, "{}    {}", i == 0 ? "\n" : ",\n", rows[i]);
  return text + (rows.empty() ? "]" : "\n  ]");
}

}  // namespace

Outcome<TuningFile> read_tuning_file(std::string_view text) {
  const auto is_too_large = [](std::string_view one) { return one.size() > kLargestTuningFile; };
  const FormatError too_large = {Flaw::Damaged, base::format("a tuning file has at most {} bytes", kLargestTuningFile),
                                 0};
  if (is_too_large(text)) return too_large;
  const std::optional<json> parsed = parse(text);
  if (!parsed) return FormatError{Flaw::Unknown, "it is no JSON of a tuning file", 0};
  Problem problem;
  Members members(*parsed, "the tuning file", problem);
  const std::int64_t version = members.number("graft_tuning", 1, std::numeric_limits<int>::max());
  if (!problem.exists() && version > kTuningVersion)
    return FormatError{Flaw::Newer, base::format("a later graft wrote it: its version is {}", version), 0};
  TuningFile file;
  file.gpu.name = members.text("gpu", kLongestName);
  file.gpu.memory_clock_khz = static_cast<int>(members.number("memory_clock_khz", 0, std::numeric_limits<int>::max()));
  file.architecture = static_cast<int>(members.number("architecture", kOldestArchitecture, kNewestArchitecture));
  file.elementwise = read_rows(members.take("elementwise"), problem);
  file.further = read_further_rows(*parsed, members, problem);
  members.refuse_others();
  if (problem.exists()) return FormatError{Flaw::Damaged, problem.what(), 0};
  if (is_too_large(write_tuning_file(file))) return too_large;  // a number may be longer in graft's own spelling
  return file;
}

std::string write_tuning_file(const TuningFile& file) {
  std::vector<std::string> rows;
  for (const MeasuredRow& row : file.elementwise) rows.push_back(text_of(row_json(row)));
  std::string text =
      base::format("{{\n  \"graft_tuning\": {},\n  \"gpu\": {},\n  \"architecture\": {},\n  \"memory_clock_khz\": {}{}",
                   kTuningVersion, text_of(file.gpu.name), file.architecture, file.gpu.memory_clock_khz,
                   rows_text("elementwise", rows));
  for (const auto& [family, further] : file.further) text += rows_text(family, further);
  return text + "\n}\n";
}

std::string tuning_file_name(const TunedGpu& gpu) {
  std::string name = gpu.name.substr(0, kLongestName / 2);
  const auto is_plain = [](unsigned char c) { return std::isalnum(c) != 0 && c < 0x80; };
  for (char& c : name)
    if (!is_plain(static_cast<unsigned char>(c))) c = '_';
  return base::format("{}_{}.json", name, gpu.memory_clock_khz);
}

}  // namespace graft::format
