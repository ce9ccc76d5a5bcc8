#include "cli/fft/fft_bench.hpp"

#include <CLI/CLI.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "cli/fft/fft_subject.hpp"

namespace graft::cli {
namespace {

constexpr const char* kDirectionsOption = "--directions";

Direction direction_of(const BuildRequest& request) {
  return value_of(request.job_options, kDirectionsOption) == "inverse" ? Direction::Inverse : Direction::Forward;
}

// Of a real FFT, one side has the frequencies 0 to half of the last dimension.
FftItems items_of(const BuildRequest& request) {
  const nlohmann::json description = request.asked_job()->description(request.job_options);
  std::vector<std::uint64_t> extents;
  if (description.contains("shape")) extents = description.at("shape").get<std::vector<std::uint64_t>>();
  else extents = {description.at("length").get<std::uint64_t>()};
  const auto product = [&] {
    return std::accumulate(extents.begin(), extents.end(), std::uint64_t{1}, std::multiplies<>());
  };
  FftItems items = {product(), product(), direction_of(request)};
  const bool is_real = value_of(request.job_options, "--kind") == "real";
  if (!is_real || !value_of(request.job_options, "--between").empty()) return items;
  extents.back() = extents.back() / 2 + 1;
  (items.direction == Direction::Forward ? items.out : items.in) = product();
  return items;
}

class FftBench final : public JobBench {
 public:
  void complete(BuildRequest& request) const override {
    const std::string directions = value_of(request.job_options, kDirectionsOption);
    if (directions == "both")
      throw CLI::ValidationError("--directions: graft bench measures one direction, forward (the default) or inverse");
    if (directions.empty()) request.job_options.push_back({kDirectionsOption, "forward"});
  }
  std::uint64_t first_count() const noexcept override { return 1; }
  std::unique_ptr<const Subject> load(const BuildRequest& request, const std::vector<Image>& images, int device,
                                      std::uint64_t most_items, const base::Bytes& state) const override {
    require_known_arrays(images.front());
    return fft_subject(images, device, most_items, state, items_of(request));
  }
};

}  // namespace

const JobBench& fft_bench() {
  static const FftBench one;
  return one;
}

}  // namespace graft::cli
