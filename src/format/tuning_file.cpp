// Reads the file with nlohmann-json, which takes any text, and then takes each member by name, type and bounds. A
// member that was not taken is unknown.
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

namespace graft::format {
namespace {

using nlohmann::json;

constexpr int kDeepestTuning = 4;          // the file, a list of rows, a row, a list of sizes
constexpr std::size_t kMostSizes = 24;     // of the arrays of a callback; graft::Transform has no more
constexpr int kMostElementBytes = 4096;    // more than any element has
constexpr std::size_t kLongestName = 256;  // of a GPU, in bytes; the driver gives no longer one
constexpr int kOldestArchitecture = 50, kNewestArchitecture = 999;

// The first problem that was found, as a clause. Readers go on after it, with defaults.
class Problem {
 public:
  void note(std::string what) {
    if (what_.empty()) what_ = std::move(what);
  }
  bool exists() const { return !what_.empty(); }
  const std::string& what() const { return what_; }

 private:
  std::string what_;
};

// The members of one JSON object, each taken once.
class Members {
 public:
  Members(const json& object, std::string where, Problem& problem)
      : object_(object), where_(std::move(where)), problem_(problem) {
    if (!object.is_object()) problem_.note(where_ + " is no object");
  }

  const json& take(const char* name) {
    static const json kNothing;
    taken_.insert(name);
    const auto found = object_.is_object() ? object_.find(name) : object_.end();
    if (object_.is_object() && found != object_.end()) return *found;
    problem_.note(base::format("{} has no member `{}`", where_, name));
    return kNothing;
  }
  std::int64_t number(const char* name, std::int64_t least, std::int64_t most) {
    return number_in(take(name), base::format("`{}` of {}", name, where_), least, most, problem_);
  }
  bool flag(const char* name) {
    const json& value = take(name);
    if (!value.is_boolean()) problem_.note(base::format("`{}` of {} is neither true nor false", name, where_));
    return value.is_boolean() && value.get<bool>();
  }
  std::string text(const char* name, std::size_t longest) {
    const json& value = take(name);
    const std::string* const text = value.get_ptr<const std::string*>();
    if (text == nullptr || text->empty() || text->size() > longest) {
      problem_.note(base::format("`{}` of {} is no text of 1 to {} bytes", name, where_, longest));
      return {};
    }
    return *text;
  }
  std::vector<int> sizes(const char* name) {
    const json& value = take(name);
    std::vector<int> found;
    if (!value.is_array() || value.size() > kMostSizes) {
      problem_.note(base::format("`{}` of {} is no list of at most {} sizes", name, where_, kMostSizes));
      return found;
    }
    for (const json& size : value)
      found.push_back(static_cast<int>(
          number_in(size, base::format("a size in `{}` of {}", name, where_), 1, kMostElementBytes, problem_)));
    return found;
  }
  // Call it last.
  void refuse_others() {
    if (!object_.is_object()) return;
    for (const auto& [name, value] : object_.items())
      if (!taken_.contains(name)) problem_.note(base::format("{} has a member that graft does not know", where_));
  }

  static std::int64_t number_in(const json& value, const std::string& what, std::int64_t least, std::int64_t most,
                                Problem& problem) {
    const bool is_small = value.is_number_integer() &&
                          !(value.is_number_unsigned() &&
                            value.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()});
    const std::int64_t number = is_small ? value.get<std::int64_t>() : 0;
    if (is_small && number >= least && number <= most) return number;
    problem.note(base::format("{} is no integer from {} to {}", what, least, most));
    return least;
  }

 private:
  const json& object_;
  std::string where_;
  Problem& problem_;
  std::set<std::string> taken_;
};

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
  row.kind = {.inputs = members.sizes("inputs"),
              .outputs = members.sizes("outputs"),
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

}  // namespace

Outcome<TuningFile> read_tuning_file(std::string_view text) {
  if (text.size() > kLargestTuningFile)
    return FormatError{Flaw::Damaged, base::format("a tuning file has at most {} bytes", kLargestTuningFile), 0};
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
  members.refuse_others();
  if (problem.exists()) return FormatError{Flaw::Damaged, problem.what(), 0};
  return file;
}

std::string write_tuning_file(const TuningFile& file) {
  const auto text_of = [](const json& value) { return value.dump(-1, ' ', true, json::error_handler_t::replace); };
  std::string text = base::format(
      "{{\n  \"graft_tuning\": {},\n  \"gpu\": {},\n  \"architecture\": {},\n  \"memory_clock_khz\": {},\n"
      "  \"elementwise\": [",
      kTuningVersion, text_of(file.gpu.name), file.architecture, file.gpu.memory_clock_khz);
  const char* before = "\n    ";
  for (const MeasuredRow& row : file.elementwise) {
    text += before + text_of(row_json(row));
    before = ",\n    ";
  }
  return text + (file.elementwise.empty() ? "]\n}\n" : "\n  ]\n}\n");
}

std::string tuning_file_name(const TunedGpu& gpu) {
  std::string name = gpu.name.substr(0, kLongestName / 2);
  const auto is_plain = [](unsigned char c) { return std::isalnum(c) != 0 && c < 0x80; };
  for (char& c : name)
    if (!is_plain(static_cast<unsigned char>(c))) c = '_';
  return base::format("{}_{}.json", name, gpu.memory_clock_khz);
}

}  // namespace graft::format
