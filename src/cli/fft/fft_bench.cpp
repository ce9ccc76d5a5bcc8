#include "cli/fft/fft_bench.hpp"

#include <CLI/CLI.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "cli/arrays/array_run.hpp"
#include "cli/bench/subject.hpp"
#include "graft/fft.hpp"

namespace graft::cli {
namespace {

constexpr const char* kDirectionsOption = "--directions";

// The points of an FFT on the side of the input and of the output.
struct Points {
  std::uint64_t in = 0, out = 0;
};

Direction direction_of(const BuildRequest& request) {
  return value_of(request.job_options, kDirectionsOption) == "inverse" ? Direction::Inverse : Direction::Forward;
}

// Of a real FFT, one side has the frequencies 0 to half of the last dimension.
Points points_of(const BuildRequest& request) {
  const nlohmann::json description = request.asked_job()->description(request.job_options);
  std::vector<std::uint64_t> extents;
  if (description.contains("shape")) extents = description.at("shape").get<std::vector<std::uint64_t>>();
  else extents = {description.at("length").get<std::uint64_t>()};
  const auto product = [&] {
    return std::accumulate(extents.begin(), extents.end(), std::uint64_t{1}, std::multiplies<>());
  };
  Points points = {product(), product()};
  const bool is_real = value_of(request.job_options, "--kind") == "real";
  if (!is_real || !value_of(request.job_options, "--between").empty()) return points;
  extents.back() = extents.back() / 2 + 1;
  (direction_of(request) == Direction::Forward ? points.out : points.in) = product();
  return points;
}

class FftSubject final : public Subject {
 public:
  FftSubject(const BuildRequest& request, const std::vector<Image>& images, int device, std::uint64_t batch,
             base::Bytes state, const Points& points)
      : Subject(images.front().signature(), points.in, points.out),
        first_(images.front()),
        direction_(direction_of(request)),
        engine_(engine_without_cache()),
        fft_(Fft::load(engine_, images, batch, loading_options(images.front(), device))),
        state_(std::move(state)) {}

  bool makes_sums() const noexcept override { return true; }
  std::string word() const override { return "FFTs"; }

  std::function<void()> call(CUstream_st* stream, const std::vector<std::byte*>& pointers,
                             std::uint64_t items) const override {
    const bool is_on_host = first_.report().kernel.route == Route::Host;
    FftLaunch launch;
    launch.batch = items;
    launch.state = state_ref_of(first_, state_);
    return [this, is_on_host, stream, launch, in = refs(pointers, items, false), out = refs(pointers, items, true)] {
      if (is_on_host) fft_.execute(host, in, out, direction_, launch);
      else fft_.execute(stream, in, out, direction_, launch);
    };
  }

 private:
  Image first_;
  Direction direction_;
  Engine engine_;
  Fft fft_;
  base::Bytes state_;
};

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
    return std::make_unique<FftSubject>(request, images, device, most_items, state, points_of(request));
  }
};

}  // namespace

const JobBench& fft_bench() {
  static const FftBench one;
  return one;
}

}  // namespace graft::cli
