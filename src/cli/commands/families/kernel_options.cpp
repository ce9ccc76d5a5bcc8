#include "cli/commands/families/kernel_options.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/files.hpp"
#include "base/format.hpp"
#include "base/read_file.hpp"
#include "cli/commands/build_options.hpp"
#include "cli/commands/words.hpp"
#include "core/fail.hpp"
#include "families/own_kernels.hpp"
#include "graft/error.hpp"
#include "graft/kernel.hpp"

namespace graft::cli {
namespace {

using Given = std::span<const GivenOption>;

constexpr std::size_t kLongestHeader = std::size_t{1} << 26;

// "metric=l1.cu"
struct NamedValue {
  std::string name, value;
};

std::string problem_of_pair(const std::string& word) {
  const std::size_t equals = word.find('=');
  return equals == word.npos || equals == 0 || equals + 1 == word.size()
             ? base::format("`{}` is no pair: write NAME=VALUE, such as metric=l1.cu", word)
             : std::string();
}

NamedValue pair_of(const std::string& word) {
  if (const std::string problem = problem_of_pair(word); !problem.empty()) refuse(problem, "See graft --help.");
  const std::size_t equals = word.find('=');
  return {word.substr(0, equals), word.substr(equals + 1)};
}

std::vector<NamedValue> pairs_of(Given given, std::string_view option) {
  std::vector<NamedValue> pairs;
  for (const std::string& word : values_of(given, option)) pairs.push_back(pair_of(word));
  return pairs;
}

std::int64_t number_of(const std::string& word, const std::string& constant) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size())
    refuse(base::format("{} is no value of the constant {}", word, constant),
           base::format("Give integers: --constant {}=8,16.", constant));
  return number;
}

Inlining inlining_of(const NamedValue& pair) {
  const std::string problem = problem_of_choice("such wish", pair.value, {"automatic", "always", "never"});
  if (!problem.empty()) refuse(problem, "Write --inlining metric=never.");
  return pair.value == "always" ? Inlining::Always : pair.value == "never" ? Inlining::Never : Inlining::Automatic;
}

// The callback of a slot, with the entry and signature that are given for it.
SlotCallback callback_of(const NamedValue& slot, Given given) {
  Callback callback = callback_at(slot.value);
  for (const NamedValue& one : pairs_of(given, "--slot-entry"))
    if (one.name == slot.name) callback = callback.with_entry(one.value);
  for (const NamedValue& one : pairs_of(given, "--slot-signature"))
    if (one.name == slot.name) callback = callback.with_signature(one.value);
  return {slot.name, callback};
}

// Refuses what would be ignored.
void check_options(Given given) {
  const std::vector<NamedValue> slots = pairs_of(given, "--slot"), alone = pairs_of(given, "--for");
  if (!slots.empty() && !alone.empty())
    refuse("--slot and --for are given", "Give --for alone: it makes a pack of one callback.");
  if (alone.size() > 1) refuse("--for is given twice", "Make a pack for each slot.");
  for (const char* const option : {"--slot-entry", "--slot-signature"})
    for (const NamedValue& one : pairs_of(given, option))
      if (std::ranges::find(slots, one.name, &NamedValue::name) == slots.end() &&
          std::ranges::find(alone, one.name, &NamedValue::name) == alone.end())
        refuse(base::format("{} names the slot {}, for which no callback is given", option, one.name),
               "Spell the slot as in --slot or --for.");
}

KernelCode code_of(Given given) {
  KernelCode code = KernelCode::file(value_of(given, "--kernel"));
  for (const std::string& entry : values_of(given, "--kernel-entry")) code = code.with_entry(entry);
  for (const NamedValue& one : pairs_of(given, "--optional-slot")) code = code.with_optional(one.name, one.value);
  for (const NamedValue& one : pairs_of(given, "--inlining")) code = code.with_inlining(one.name, inlining_of(one));
  for (const std::string& slot : values_of(given, "--thread-words-in")) code = code.with_thread_words(slot);
  for (const NamedValue& one : pairs_of(given, "--constant")) {
    std::vector<std::int64_t> values;
    for (const std::string& word : split_at_commas(one.value)) values.push_back(number_of(word, one.name));
    code = code.with_constant(one.name, std::move(values));
  }
  return code;
}

class KernelJobOptions final : public JobOptions {
 public:
  std::vector<JobOption> options() const override {
    return {
        {.name = "--kernel",
         .help = "Code of kernels of your own (graft::Kernel), in place of a callback: source, LTO-IR, a fatbin or a "
                 "pack",
         .value_name = "FILE"},
        {"--kernel-entry", "Instance of a kernel's template to make: 'spmv<float, 8>' (repeatable)", "NAME", {}, true},
        {"--slot", "Callback for a slot of the kernel: metric=l1.cu, or source text (repeatable)", "NAME=CALLBACK",
         problem_of_pair, true},
        {"--slot-entry", "--entry of a slot's callback: metric=huber (repeatable)", "NAME=FUNCTION", problem_of_pair,
         true},
        {"--slot-signature", "--signature of a slot's callback: 'metric=float f(float, float)' (repeatable)",
         "NAME=DECLARATION", problem_of_pair, true},
        {"--for", "Callback to compile for one slot, in place of the kernel: metric=l1.cu", "NAME=CALLBACK",
         problem_of_pair},
        {"--optional-slot", "Slot that may stay empty, and the constant that says so: filter=has_filter (repeatable)",
         "NAME=CONSTANT", problem_of_pair, true},
        {"--constant", "Constant of the kernel: its value, and further values to compile ahead: tile=8,16 (repeatable)",
         "NAME=VALUES", problem_of_pair, true},
        {"--inlining", "How a slot's callbacks are inlined: metric=always, never or automatic (repeatable)",
         "NAME=WORD", problem_of_pair, true},
        {"--header", "Header that the kernel and its callbacks may include (repeatable)", "FILE", {}, true},
        {"--thread-words-in",
         "Slot whose callbacks may use barriers, thread indices, shared memory (repeatable)",
         "NAME",
         {},
         true},
    };
  }

  std::vector<JobPlace> places() const override { return {}; }
  const char* noun() const noexcept override { return "a kernel"; }
  const char* example() const noexcept override { return "graft precompile --kernel knn.cu --arch 75 -o knn.graft"; }
  bool is_described_by_its_pack() const noexcept override { return true; }

  std::string title(Given given) const override {
    const std::vector<std::string> alone = values_of(given, "--for");
    return alone.empty() ? value_of(given, "--kernel")
                         : base::format("{} for {}", pair_of(alone.front()).value, value_of(given, "--kernel"));
  }
  nlohmann::json description(Given given) const override {
    return {{"kind", "kernel"}, {"file", value_of(given, "--kernel")}};
  }
  nlohmann::json source(Given given) const override { return {{"kernel", value_of(given, "--kernel")}}; }

  std::vector<std::string> files(Given given) const override {
    std::vector<std::string> files = {value_of(given, "--kernel")};
    for (const char* const option : {"--slot", "--for"})
      for (NamedValue& one : pairs_of(given, option)) files.push_back(std::move(one.value));
    for (std::string& header : values_of(given, "--header")) files.push_back(std::move(header));
    return files;
  }

  std::vector<Header> headers(Given given) const override {
    std::vector<Header> headers;
    for (const std::string& file : values_of(given, "--header")) {
      base::FileContent text = base::read_file(file, kLongestHeader);
      if (!text)
        fail(ErrorCode::FileUnreadable, base::format("cannot read the header {}: {}", file, text.problem()),
             "Check that it exists, and that this user may read it.");
      headers.push_back({std::filesystem::path(file).filename().string(), std::move(*text)});
    }
    return headers;
  }

  families::Job job(Given given, const std::function<std::optional<Callback>(std::string_view)>&) const override {
    check_options(given);
    KernelCode code = code_of(given);
    for (const Header& header : headers(given)) code = code.with_header(header.name, header.text);
    const std::vector<std::string> alone = values_of(given, "--for");
    if (!alone.empty()) return families::job_of_callback_for_slot(code, callback_of(pair_of(alone.front()), given));
    KernelCallbacks callbacks;
    for (const NamedValue& slot : pairs_of(given, "--slot")) callbacks.slots.push_back(callback_of(slot, given));
    return families::job_of_own_kernels(code, callbacks);
  }
};

}  // namespace

const JobOptions& kernel_options() {
  static const KernelJobOptions one;
  return one;
}

}  // namespace graft::cli
