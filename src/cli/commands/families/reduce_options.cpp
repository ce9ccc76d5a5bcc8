#include "cli/commands/families/reduce_options.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/format.hpp"
#include "cli/arrays/state_text.hpp"
#include "cli/commands/words.hpp"
#include "core/fail.hpp"
#include "families/reduce/job.hpp"
#include "families/reduce/kernels.hpp"
#include "graft/reduce.hpp"

namespace graft::cli {
namespace {

using Given = std::span<const GivenOption>;

constexpr const char* kAllKernels = "all";

constexpr std::array kWords = {base::Phrase{"ReduceCallbacks::initial", "--initial"}};

std::string problem_of_kernel(const std::string& word) {
  std::vector<std::string> names = families::reduce::all_methods();
  std::erase(names, std::string());
  names.emplace_back(kAllKernels);
  return problem_of_choice("kernel of reductions", word, names);
}

// Splits "f32=0". Returns nothing if the words are no number of such a type.
std::optional<Accumulator> initial_of(const std::string& words) {
  const std::size_t equals = words.find('=');
  if (equals == words.npos) return std::nullopt;
  try {
    const ElementType type = ElementType::named(words.substr(0, equals));
    const std::optional<base::Bytes> bytes = parse_number(std::string_view(words).substr(equals + 1), type);
    if (bytes) return Accumulator(*bytes, type);
  } catch (const Error&) {  // no such type
  }
  return std::nullopt;
}

std::string problem_of_initial(const std::string& words) {
  return initial_of(words) ? std::string() : base::format("`{}` is no type and number: write f32=0, or i64=1", words);
}

std::vector<std::string> methods_of(Given given) {
  std::vector<std::string> methods = {""};
  for (std::string& name : values_of(given, "--reduce-kernel")) {
    if (name == kAllKernels) return families::reduce::all_methods();
    if (std::ranges::find(methods, name) == methods.end()) methods.push_back(std::move(name));
  }
  return methods;
}

class ReduceJobOptions final : public JobOptions {
 public:
  std::vector<JobOption> options() const override {
    return {
        {"--combine",
         "Callback that combines two accumulators of a reduction (graft::Reduce), in place of a callback: "
         "a file or source text",
         "CALLBACK"},
        {"--initial", "Accumulator of results without elements: its type and value, as f32=0", "TYPE=NUMBER",
         problem_of_initial},
        {"--reduce-kernel",
         "Kernel of the reduction to build beside the first: tiny, short, long, chunks or columns for views, "
         "short_segments, long_segments, or all (repeatable)",
         "WORD", problem_of_kernel, true},
    };
  }

  std::vector<JobPlace> places() const override {
    return {
        {"map", "the map callback",
         "Callback that makes an accumulator of an element of the reduction: a file or source text"},
        {"combine", "the combine callback", ""},
        {"finish", "the finish callback",
         "Callback that makes the results of the reduction's last accumulator: a file or source text"},
    };
  }

  const char* noun() const noexcept override { return "a reduction"; }
  const char* example() const noexcept override {
    return "graft precompile --combine add.cu --map square.cu --arch 90 -o norm.graft";
  }

  std::string title(Given) const override { return "reduction"; }
  nlohmann::json description(Given given) const override {
    return {{"kind", "reduction"}, {"combine", value_of(given, "--combine")}};
  }
  nlohmann::json source(Given given) const override { return {{"combine", value_of(given, "--combine")}}; }

  std::span<const base::Phrase> words_of_options() const override { return kWords; }

  families::Job job(Given given,
                    const std::function<std::optional<Callback>(std::string_view)>& callback) const override {
    ReduceCallbacks callbacks = {
        .map = callback("map"), .combine = callback("combine").value(), .finish = callback("finish")};
    if (const std::string words = value_of(given, "--initial"); !words.empty()) callbacks.initial = initial_of(words);
    families::Job job = families::reduce::job_of(callbacks);
    job.methods = methods_of(given);
    return job;
  }
};

}  // namespace

const JobOptions& reduce_options() {
  static const ReduceJobOptions one;
  return one;
}

}  // namespace graft::cli
