#include "cli/commands/families/fft_options.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/format.hpp"
#include "base/phrases.hpp"
#include "cli/commands/words.hpp"
#include "cli/fft/fft_bench.hpp"
#include "cli/fft/fft_tuner.hpp"
#include "cli/tune/job_tuner.hpp"
#include "core/fail.hpp"
#include "families/fft/job.hpp"
#include "graft/fft.hpp"

namespace graft::cli {
namespace {

using Given = std::span<const GivenOption>;

template <class Value, std::size_t Count>
using NamedValues = std::array<std::pair<const char*, Value>, Count>;
constexpr NamedValues<FftPrecision, 2> kPrecisions = {{{"f32", FftPrecision::F32}, {"f64", FftPrecision::F64}}};
constexpr NamedValues<FftKind, 2> kKinds = {{{"complex", FftKind::Complex}, {"real", FftKind::Real}}};
constexpr NamedValues<FftDirections, 3> kDirections = {
    {{"both", FftDirections::Both}, {"forward", FftDirections::Forward}, {"inverse", FftDirections::Inverse}}};
constexpr NamedValues<FftStorage, 3> kStorages = {
    {{"same", FftStorage::Same}, {"f16", FftStorage::F16}, {"bf16", FftStorage::BF16}}};
constexpr NamedValues<FftScaling, 3> kScalings = {
    {{"none", FftScaling::None}, {"by-length", FftScaling::ByLength}, {"unitary", FftScaling::Unitary}}};

// Whole phrases stand before the names in them.
constexpr std::array kOptions = {
    base::Phrase{"Set FftPlan::length, or FftPlan::shape for several dimensions", "Give --fft 4096, or --fft 512x512"},
    base::Phrase{"Make FFTs with graft::Fft.", "Make FFTs with --fft."},
    base::Phrase{"FftCallbacks::inverse has the callbacks", "--inverse-load and --inverse-store are the callbacks"},
    base::Phrase{"Give all callbacks as FftCallbacks::load, between and store",
                 "Give all callbacks with --load, --between and --store"},
    base::Phrase{"as FftCallbacks::inverse, or set FftPlan::directions to Forward or Inverse",
                 "with --inverse-load and --inverse-store, or give --directions forward or --directions inverse"},
    base::Phrase{"Give load, between and store in one graft::FftCallbacks", "Give --load, --between and --store"},
    base::Phrase{"graft::FftCallbacks", "--fft (--load, --store)"},
    base::Phrase{"FftPlan::storage_in or storage_out asks", "--storage, --storage-in or --storage-out asks"},
    base::Phrase{"Use FftPrecision::F32", "Use --precision f32"},
    base::Phrase{"FftPlan::precision is F64", "--precision is f64"},
    base::Phrase{"Leave FftPlan::directions unset", "Leave --directions out"},
    base::Phrase{"Leave FftPlan::storage_in unset", "Leave --storage and --storage-in out"},
    base::Phrase{"Leave FftPlan::storage_out unset", "Leave --storage and --storage-out out"},
    base::Phrase{"FftPlan::storage_in", "--storage-in"},
    base::Phrase{"FftPlan::storage_out", "--storage-out"},
    base::Phrase{"FftPlan::has_strides", "--strides"},
    base::Phrase{"FftPlan::has_long_arrays", "--long-arrays"},
    base::Phrase{"FftPlan::directions", "--directions"},
    base::Phrase{"FftPlan::precision", "--precision"},
    base::Phrase{"FftPlan::scaling", "--scaling"},
    base::Phrase{"FftPlan::shape", "--fft"},
    base::Phrase{"FftPlan::length", "--fft"},
    base::Phrase{"FftPlan::kind", "--kind"},
};

template <const auto& kWords>
std::string problem_of_word(const std::string& word) {
  std::vector<std::string> names;
  for (const auto& [known, value] : kWords) names.emplace_back(known);
  return problem_of_choice("such value", word, names);
}

// Returns the value of a given option, or the first of `words` if the option is not given.
template <class Value, std::size_t Count>
Value chosen(Given given, const char* option, const NamedValues<Value, Count>& words) {
  const std::string word = value_of(given, option, words.front().first);
  const auto found = std::ranges::find(words, word, [](const auto& one) { return std::string_view(one.first); });
  if (found == words.end())
    refuse(base::format("`{}` is no value of {}", word, option), "See graft precompile --help.");
  return found->second;
}

constexpr std::size_t kMostDigits = 9;  // all such numbers are ints

bool is_length(std::string_view word) {
  return !word.empty() && word.size() <= kMostDigits && word.find_first_not_of("0123456789") == word.npos &&
         std::stoi(std::string(word)) > 0;
}

// The extents of "512x512". Empty if the word is none.
std::vector<std::int64_t> extents_in(std::string_view word) {
  std::vector<std::int64_t> extents;
  for (bool is_last = false; !is_last;) {
    const std::size_t end = word.find('x');
    is_last = end == word.npos;
    const std::string_view extent = word.substr(0, end);
    if (!is_length(extent)) return {};
    extents.push_back(std::stoi(std::string(extent)));
    if (!is_last) word.remove_prefix(end + 1);
  }
  return extents;
}

std::string problem_of_length(const std::string& word) {
  return extents_in(word).empty() ? base::format("{} is no length of an FFT", word) : std::string();
}

std::vector<std::int64_t> extents_of(Given given) {
  const std::string word = value_of(given, "--fft");
  if (const std::string problem = problem_of_length(word); !problem.empty())
    refuse(problem, "Give it as --fft 4096, or several dimensions as --fft 512x512.");
  return extents_in(word);
}

// The length, or the dimensions if there are several.
nlohmann::json json_of(const std::vector<std::int64_t>& extents) {
  return extents.size() > 1 ? nlohmann::json(extents) : nlohmann::json(extents.front());
}

FftStorage storage_of(Given given, const char* option) {
  return chosen(given, value_of(given, option).empty() ? "--storage" : option, kStorages);
}

class FftJobOptions final : public JobOptions {
 public:
  std::vector<JobOption> options() const override {
    return {
        {"--fft", "Length of an FFT (graft::Fft) to compile in place of a callback, or its dimensions as 512x512", "N",
         problem_of_length},
        {"--kind", "Kind of the FFT: complex or real (default: complex)", "WORD", problem_of_word<kKinds>},
        {"--precision", "Precision of the FFT: f32 or f64 (default: f32)", "WORD", problem_of_word<kPrecisions>},
        {"--storage", "What the FFT's arrays hold: same (numbers of its precision), f16 or bf16 (default: same)",
         "WORD", problem_of_word<kStorages>},
        {"--storage-in", "The same, of the input alone", "WORD", problem_of_word<kStorages>},
        {"--storage-out", "The same, of the output alone", "WORD", problem_of_word<kStorages>},
        {"--directions", "Directions of the FFT: both, forward or inverse (default: both)", "WORD",
         problem_of_word<kDirections>},
        {"--scaling",
         "What the FFT's results are scaled by: none, by-length (1/N, inverse only) or unitary (1/sqrt(N)) "
         "(default: none)",
         "WORD", problem_of_word<kScalings>},
        {"--strides", "Let the FFT be executed with strides other than 1", ""},
        {"--long-arrays", "Let the FFT be executed on arrays of more than 2^32 elements", ""},
    };
  }

  std::vector<JobPlace> places() const override {
    return {
        {"load", "the load callback", "Load callback of the FFT: a file or source text"},
        {"between", "the callback between",
         "Callback between an FFT and its inverse in one kernel: a file or source text"},
        {"store", "the store callback", "Store callback of the FFT: a file or source text"},
        {"inverse-load", "the load callback of the inverse",
         "Load callback of the inverse direction, if it is another: a file or source text"},
        {"inverse-store", "the store callback of the inverse",
         "Store callback of the inverse direction, if it is another: a file or source text"},
    };
  }

  const char* noun() const noexcept override { return "an FFT"; }
  const char* example() const noexcept override { return "graft precompile --fft 4096 --arch 90 -o fft.graft"; }

  std::string title(Given given) const override {
    if (chosen(given, "--kind", kKinds) == FftKind::Real)
      return base::format("real FFT of {} numbers", value_of(given, "--fft"));
    return base::format("FFT of {} points", value_of(given, "--fft"));
  }
  nlohmann::json description(Given given) const override {
    const std::vector<std::int64_t> extents = extents_of(given);
    return {{"kind", "FFT"}, {extents.size() > 1 ? "shape" : "length", json_of(extents)}};
  }
  nlohmann::json source(Given given) const override { return {{"fft", json_of(extents_of(given))}}; }

  const JobBench* bench() const noexcept override { return &fft_bench(); }
  const JobTuner* tuner() const noexcept override { return &fft_tuner(); }
  std::span<const base::Phrase> words_of_options() const override { return kOptions; }

  families::Job job(Given given,
                    const std::function<std::optional<Callback>(std::string_view)>& callback) const override {
    std::vector<std::int64_t> extents = extents_of(given);
    const bool has_shape = extents.size() > 1;
    const FftPlan plan = {.length = has_shape ? 0 : extents.front(),
                          .precision = chosen(given, "--precision", kPrecisions),
                          .directions = chosen(given, "--directions", kDirections),
                          .scaling = chosen(given, "--scaling", kScalings),
                          .has_strides = !value_of(given, "--strides").empty(),
                          .has_long_arrays = !value_of(given, "--long-arrays").empty(),
                          .shape = has_shape ? std::move(extents) : std::vector<std::int64_t>(),
                          .kind = chosen(given, "--kind", kKinds),
                          .storage_in = storage_of(given, "--storage-in"),
                          .storage_out = storage_of(given, "--storage-out")};
    FftCallbacks callbacks = {
        .load = callback("load"), .between = callback("between"), .store = callback("store"), .inverse = {}};
    if (FftSideCallbacks inverse = {.load = callback("inverse-load"), .store = callback("inverse-store")};
        inverse.load || inverse.store)
      callbacks.inverse = std::move(inverse);
    return families::fft::job_of(plan, callbacks);
  }
};

}  // namespace

const JobOptions& fft_options() {
  static const FftJobOptions one;
  return one;
}

}  // namespace graft::cli
