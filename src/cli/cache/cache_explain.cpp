// `graft cache explain` shows why a kernel was not found in the cache. It prints the cache key of a request (a callback
// with its options and architecture) field by field, and the fields in which the keys of cache entries differ from this
// key.
//
// The command compiles nothing, because the key is made from the request alone (plan/key.hpp). In its output "here" is
// the request, and "there" is the cache entry.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/bytes.hpp"
#include "base/format.hpp"
#include "cli/cache/cache_entries.hpp"
#include "cli/cache/cache_place.hpp"
#include "cli/cache/command_cache.hpp"
#include "cli/commands/build_options.hpp"
#include "cli/commands/devices.hpp"
#include "cli/output/output.hpp"
#include "cli/output/printable.hpp"
#include "core/fail.hpp"
#include "engine/engine_impl.hpp"
#include "engine/taken_options.hpp"
#include "families/registry.hpp"
#include "format/key_fields.hpp"

namespace graft::cli {
namespace {

using nlohmann::json;

constexpr std::size_t kShown = 60;  // at most this many bytes of a value are printed

struct ExplainRequest {
  BuildRequest build;
  // The beginning of a cache entry's name: compare only with the entries whose names begin so. If empty, compare with
  // all entries whose callback has the same source.
  std::string entry;
  bool as_json = false;
};

// The result of the comparison, which the command prints.
struct Explanation {
  plan::DiskKey key;
  std::vector<format::KeyField> fields;  // of the key
  std::vector<store::EntryInfo> entries;
  std::vector<store::Comparison> comparisons;
  std::vector<std::string> problems;

  const store::EntryInfo& entry(const std::string& name) const {
    // The entry must be readable, because a damaged entry may have the same name in another folder.
    return *std::ranges::find_if(entries,
                                 [&](const store::EntryInfo& info) { return info.name == name && info.entry; });
  }
};

Architecture architecture_of(const BuildRequest& build) {
  if (!build.architecture.empty()) return Architecture::parse(build.architecture);
  std::string why;
  const std::vector<Device> devices = find_devices(why);
  if (devices.empty())
    fail(ErrorCode::NoDevice,
         base::format("--arch is not given, and there is no GPU to take the architecture from: {}", why),
         "Give the architecture of the key, for example --arch 90.");
  return devices[0].architecture;
}

plan::DiskKey key_of(const BuildRequest& build) {
  const Options options = build.options();
  if (options.routes.required == Route::Host)
    refuse("kernels of the host route are kept in memory only, and have no key", "Leave --route host out.");
  const Step step = build.step();
  Engine engine;
  return Engine::Impl::of(engine)->cache().key_of(
      {step, architecture_of(build), engine::TakenOptions(step.callback, options).get()});
}

// Returns the words of the request of a kernel (Family::words_on), or the request itself if this graft cannot read it.
std::vector<std::string> words_on_request(const std::vector<format::KeyField>& fields, const std::string& request) {
  const auto name = std::ranges::find(fields, "family", &format::KeyField::tag);
  const families::Family* const family = families::find(name == fields.end() ? kElementwise : name->value);
  std::vector<std::string> words;
  if (family != nullptr) words = family->words_on(base::as_bytes(request));
  return words.empty() ? std::vector{request} : words;
}

// Returns the fields of a key, with one field for each word of the request.
std::vector<format::KeyField> readable(std::string_view key) {
  const auto fields = format::parse_key(key).value_or(std::vector<format::KeyField>());
  std::vector<format::KeyField> result;
  for (const format::KeyField& field : fields) {
    const bool is_request = field.tag == "request";
    for (std::string& value : is_request ? words_on_request(fields, field.value) : std::vector{field.value})
      result.push_back({field.tag, std::move(value)});
  }
  return result;
}

Explanation examine(const ExplainRequest& request) {
  Explanation result;
  result.key = key_of(request.build);
  result.entries = read_entries(store::Store(cache_place()), result.problems);
  result.fields = readable(result.key.text);
  result.comparisons = store::explain(result.entries, result.key.text, request.entry);
  for (store::Comparison& comparison : result.comparisons)
    comparison.differences = format::compare_keys(result.fields, readable(result.entry(comparison.name).entry->key));
  if (!request.entry.empty() && result.comparisons.empty())
    refuse(base::format("no usable cache entry has a name that starts with {}", request.entry),
           "Run graft cache list to see the names.");
  return result;
}

std::string shown(const std::string& value) {
  const std::string text = printable(value, kShown);
  return text.ends_with("...") ? base::format("{} ({} bytes)", text, value.size()) : text;
}

// Returns one line for a field that differs. If a value is long, the line shows its bytes from the first difference on.
std::string line_on_difference(const format::KeyDifference& difference) {
  const auto side = [](const std::optional<std::string>& value, std::size_t from) {
    return value ? printable(std::string_view(*value).substr(from), kShown) : std::string("nothing");
  };
  const auto& [tag, here, there] = difference;
  std::size_t from = 0;
  if (here && there && std::max(here->size(), there->size()) > kShown)
    from = static_cast<std::size_t>(std::ranges::mismatch(*here, *there).in1 - here->begin());
  const std::string where = from == 0 ? "" : base::format(" from byte {} on", from);
  return base::format("  {}{}: here {}, there {}\n", tag, where, side(here, from), side(there, from));
}

std::string text_on(const Explanation& explanation, const store::Comparison& comparison) {
  const store::EntryInfo& entry = explanation.entry(comparison.name);
  if (!comparison.differences.empty()) {
    std::string text =
        base::format("{} ({} for {}) differs:\n", printable(short_name(entry)), printable(callback_name(entry), kShown),
                     entry.entry->report.kernel.architecture.sm());
    for (const format::KeyDifference& difference : comparison.differences) text += line_on_difference(difference);
    return text;
  }
  return base::format(
      "{} is the kernel of this request: {}\n{}", printable(short_name(entry)), printable(entry.file.string()),
      entry.entry->tools.empty() ? ""
                                 : "  It was built by a fallback route because tools were missing, and is "
                                   "used only while the same tools are installed.\n");
}

std::string text_on(const Explanation& explanation) {
  std::string text = base::format("name {}\n", explanation.key.hash.hex());
  for (const format::KeyField& field : explanation.fields)
    text += base::format("  {:<14}{}\n", field.tag, shown(field.value));
  for (const std::string& reason : explanation.key.memory_only)
    text += base::format("The kernel is kept in memory only, because {}.\n", printable(reason));
  for (const store::Comparison& comparison : explanation.comparisons) text += text_on(explanation, comparison);
  if (explanation.comparisons.empty()) text += "No kernel of this callback is in the cache.\n";
  return text;
}

json value_of(const std::optional<std::string>& value) {
  return value ? json(*value) : json();
}

json object_of(const Explanation& explanation) {
  json object = {{"name", explanation.key.hash.hex()},
                 {"memory_only", explanation.key.memory_only},
                 {"found", false},
                 {"fields", json::array()},
                 {"entries", json::array()},
                 {"problems", explanation.problems}};
  for (const format::KeyField& field : explanation.fields)
    object["fields"].push_back({{"field", field.tag}, {"value", field.value}});
  for (const store::Comparison& comparison : explanation.comparisons) {
    json differences = json::array();
    for (const auto& [tag, here, there] : comparison.differences)
      differences.push_back({{"field", tag}, {"here", value_of(here)}, {"there", value_of(there)}});
    json entry = json_of(explanation.entry(comparison.name));
    entry["differences"] = std::move(differences);
    entry["depends_on_tools"] = !explanation.entry(comparison.name).entry->tools.empty();
    object["entries"].push_back(std::move(entry));
    if (comparison.differences.empty()) object["found"] = true;
  }
  return object;
}

// Explains each kernel of a job, or of a callback that has several.
void explain_kernels(ExplainRequest request) {
  const JobOptions* const job = request.build.asked_job();
  request.build.architecture = std::to_string(architecture_of(request.build).number);
  const int kernels = request.build.kernel_count();
  std::string text;
  json object =
      job != nullptr ? job->description(request.build.job_options) : json{{"callback", request.build.title()}};
  object["kernels"] = json::array();
  std::vector<std::string> problems;
  for (int& kernel = request.build.kernel; kernel < kernels; ++kernel) {
    const Explanation explanation = examine(request);
    text += base::format("kernel {} of {}: {}", kernel + 1, kernels, text_on(explanation));
    object["kernels"].push_back(object_of(explanation));
    problems = explanation.problems;  // those of reading the cache, the same each time
  }
  if (request.as_json) print_json(object);
  else print(text);
  fail_if_any(problems);
}

void explain(const ExplainRequest& request) {
  if (request.build.asked_job() != nullptr || !request.build.shapes.empty()) return explain_kernels(request);
  const Explanation explanation = examine(request);
  if (request.as_json) print_json(object_of(explanation));
  else print(text_on(explanation));
  fail_if_any(explanation.problems);
}

}  // namespace

void add_cache_explain(CLI::App& cache) {
  auto request = std::make_shared<ExplainRequest>();
  CLI::App* const command = cache.add_subcommand(
      "explain", "Show a request's cache key, and how it differs from the cached kernels of the same callback");
  add_request_options(*command, request->build, "CALLBACK");
  add_job_options(*command, request->build, "CALLBACK");
  add_shapes_option(*command, request->build);
  command->add_option("--name", request->entry,
                      "Compare only with the entry whose name starts with this text, whatever its callback");
  command->add_flag("--json", request->as_json, "Print the key and the differences as JSON");
  command->callback([request] { explain(*request); });
}

}  // namespace graft::cli
