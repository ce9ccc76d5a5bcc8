// Compares reductions of rows and columns with cub::DeviceSegmentedReduce, which takes rows by their offsets, and with
// the reduction of all elements to one result, which has to read as much.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <graft/graft.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "cub_reduce.hpp"
#include "cuda_check.hpp"
#include "graft/reduce.hpp"
#include "main.hpp"
#include "record.hpp"
#include "spread.hpp"
#include "ways.hpp"

namespace graft::bench {
namespace {

constexpr long long kFloats = 1LL << 26;

class Sweep {
 public:
  explicit Sweep(const Arguments& arguments) : arguments_(arguments) {
    fill_for(Reduction::SquaresF32, in_memory_.get(), kFloats);
    // A kernel that serves every shape, whose bits those of the others must have.
    static constexpr std::int64_t kFrom[] = {3, 90000}, kTo[] = {3, 1};
    Options options;
    options.floating_point.contraction = false;  // else bits may depend on the kernel
    options.shapes.emplace_back(ArrayRef::shaped(nullptr, element_type<float>(), 2, kFrom, nullptr),
                                ArrayRef::shaped(nullptr, element_type<float>(), 2, kTo, nullptr));
    long_ = Reduce::create(callbacks(), options);
    options.shapes.clear();
    options.any_shape = true;
    reduce_ = Reduce::create(callbacks(), options);
    reduce_.prepare_segments();
  }

  void run(nlohmann::json& record) {
    for (const long long length : {3, 4, 7, 16, 33, 64, 100, 256, 1000, 1024, 4096, 65536, 1 << 20, 1 << 24})
      record["rows"].push_back(rows(length));
    for (const long long floats : {1LL << 24, 1LL << 25}) record["stored"].push_back(stored(floats));
    const long long shapes[][2] = {{8192, 8192}, {64, 1 << 20}, {65536, 1000}, {1 << 20, 64}, {1 << 24, 4}};
    for (const auto& [down, across] : shapes) record["columns"].push_back(columns(down, across));
  }

 private:
  static ReduceCallbacks callbacks() {
    return {.map = "__device__ float square(float x) { return x * x; }",
            .combine = "__device__ float add(float a, float b) { return a + b; }"};
  }

  nlohmann::json rows(long long length) {
    const long long number = kFloats / length;
    fill_offsets(offsets_, number, length);
    const View<const float> from = view(in_, {number, length});
    const View<float> to = view(out_, {number, 1});
    std::vector<Way> ways = ways_for(from, to, static_cast<double>(number * length) * sizeof(float));
    ways.push_back({"cub",
                    [=, this](cudaStream_t stream) {
                      std::size_t bytes = kWorkspace;
                      cub_segments(stream, in_, other_, number, offsets_, workspace_.get(), bytes);
                    },
                    ways.front().bytes});
    verify(ways.back(), number, 1e-3f, "CUB");
    if (cub_has_rows()) {
      rows_by_size_ = {"cub_rows",
                       [=, this](cudaStream_t stream) {
                         std::size_t bytes = kWorkspace;
                         cub_rows(stream, in_, other_, number, static_cast<int>(length), workspace_.get(), bytes);
                       },
                       ways.front().bytes};
      verify(rows_by_size_, number, 1e-3f, "CUB for rows of one size");
    }
    ways.push_back({"segments",
                    [=, this](cudaStream_t stream) {
                      reduce_.execute_segments(stream, {in_, static_cast<std::size_t>(number * length)},
                                               Inputs(offsets_, static_cast<std::size_t>(number + 1)),
                                               {other_, static_cast<std::size_t>(number)});
                    },
                    ways.front().bytes});
    if (groups_of(length) <= 2048) verify(ways.back(), number, 0, "the kernel for segments");
    if (cub_has_rows()) ways.push_back(rows_by_size_);
    return measured(fmt::format("rows of {}", length), ways, from, to);
  }

  // A transform and the sum of its results in one pass, beside the transform alone.
  nlohmann::json stored(long long floats) {
    static const char* const kGate = "x / (1 + expf(-x))";
    static const Transform alone =
        Transform::create(fmt::format("__device__ float silu(float x) {{ return {}; }}", kGate));
    static const Reduce both =
        Reduce::create({.map = fmt::format("__device__ float silu(float x, float& y) {{ y = {}; return y; }}", kGate),
                        .combine = "__device__ float add(float a, float b) { return a + b; }"});
    const auto count = static_cast<std::size_t>(floats);
    const DeviceBytes y = allocate(count * sizeof(float));
    auto* const to = static_cast<float*>(y.get());
    auto* const sum = static_cast<float*>(one_.get());
    const double bytes = 2.0 * static_cast<double>(count) * sizeof(float);
    std::vector<Way> ways = {{"both",
                              [=, this](cudaStream_t stream) {
                                both.execute(stream, {in_, count}, outputs(std::span(sum, 1), std::span(to, count)));
                              },
                              bytes},
                             {"transform",
                              [=, this](cudaStream_t stream) {
                                alone.execute(stream, {in_, count}, {to, count});
                              },
                              bytes}};
    measure(ways, arguments_.samples);
    const double ratio = 1 / speed_ratio(ways[0], ways[1]);
    fmt::print("silu of {} floats: with its sum {:.2f} us, alone {:.2f} us, time {:.3f} of it\n", floats,
               microseconds(ways[0]), microseconds(ways[1]), ratio);
    return {{"floats", floats},
            {"both", spread(ways[0].speeds, "GB/s")},
            {"transform", spread(ways[1].speeds, "GB/s")},
            {"time_of_transform", ratio}};
  }

  static long long groups_of(long long length) { return (length + 3) / 4; }

  nlohmann::json columns(long long down, long long across) {
    const View<const float> from = view(in_, {down, across});
    const View<float> to = view(out_, {1, across});
    std::vector<Way> ways = ways_for(from, to, static_cast<double>(down * across) * sizeof(float));
    return measured(fmt::format("columns of {} x {}", down, across), ways, from, to);
  }

  // The reduction, which must have the bits of the other kernel, and that of all elements to one result.
  std::vector<Way> ways_for(const View<const float>& from, const View<float>& to, double bytes) {
    const auto run = [=, this](cudaStream_t stream) { reduce_.execute(stream, from, to); };
    const auto whole = [=, this](cudaStream_t stream) {
      reduce_.execute(stream, {in_, static_cast<std::size_t>(bytes) / sizeof(float)},
                      {static_cast<float*>(one_.get()), 1});
    };
    run(nullptr);
    View<float> elsewhere = to;
    elsewhere.pointer = other_;
    const Way other{"", [=, this](cudaStream_t stream) { long_.execute(stream, from, elsewhere); }, 0};
    verify(other, to.shape[0] * to.shape[1], 0, "the kernel for long results");
    return {{"graft", run, bytes}, {"whole", whole, bytes}};
  }

  void verify(const Way& way, long long count, float tolerance, const char* what) {
    way.run(nullptr);
    std::vector<float> a(static_cast<std::size_t>(count)), b(a.size());
    check(cudaMemcpy(a.data(), out_, a.size() * sizeof(float), cudaMemcpyDeviceToHost));
    check(cudaMemcpy(b.data(), other_, b.size() * sizeof(float), cudaMemcpyDeviceToHost));
    for (std::size_t i = 0; i < a.size(); ++i)
      if (!(std::abs(a[i] - b[i]) <= tolerance * std::abs(b[i])))
        throw std::runtime_error(fmt::format("result {} of {}: {}, but {} has {}", i, count, a[i], what, b[i]));
  }

  nlohmann::json measured(const std::string& name, std::vector<Way>& ways, const View<const float>& from,
                          const View<float>& to) {
    measure(ways, arguments_.samples);
    nlohmann::json record = {{"case", name}, {"served", reduce_.describe_shapes(from, to)}};
    std::string line = fmt::format("{:<28}", name);
    for (const Way& way : ways) {
      record[way.name] = spread(way.speeds, "GB/s");
      line += fmt::format(" {} {:9.2f} us {:5.0f} GB/s;", way.name, microseconds(way), summarize(way.speeds).median);
    }
    record["graft_to_whole"] = speed_ratio(ways[0], ways[1]);
    line += fmt::format(" of whole {:.3f}", speed_ratio(ways[0], ways[1]));
    if (ways.size() > 2) {
      record["graft_to_cub"] = speed_ratio(ways[0], ways[2]);
      record["segments_to_cub"] = speed_ratio(ways[3], ways[2]);
      line += fmt::format(", cub/graft {:.3f}, cub/segments {:.3f}", speed_ratio(ways[0], ways[2]),
                          speed_ratio(ways[3], ways[2]));
    }
    if (ways.size() > 4) {
      record["graft_to_cub_rows"] = speed_ratio(ways[0], ways[4]);
      line += fmt::format(", cub_rows/graft {:.3f}", speed_ratio(ways[0], ways[4]));
    }
    fmt::print("{}   {}\n", line, reduce_.describe_shapes(from, to));
    return record;
  }

  static constexpr std::size_t kWorkspace = std::size_t{64} << 20;

  const Arguments& arguments_;
  Way rows_by_size_;
  static constexpr std::size_t kMostResults = kFloats / 3 + 2;
  DeviceBytes in_memory_ = allocate(kFloats * sizeof(float)), out_memory_ = allocate(kMostResults * sizeof(float)),
              other_memory_ = allocate(kMostResults * sizeof(float)), one_ = allocate(sizeof(float)),
              offset_memory_ = allocate(kMostResults * sizeof(long long)), workspace_ = allocate(kWorkspace);
  const float* in_ = static_cast<const float*>(in_memory_.get());
  float *out_ = static_cast<float*>(out_memory_.get()), *other_ = static_cast<float*>(other_memory_.get());
  long long* offsets_ = static_cast<long long*>(offset_memory_.get());
  Reduce long_ = Reduce::create(callbacks()), reduce_ = long_;
};

}  // namespace

int run(int argc, char** argv) {
  const Arguments arguments = parse_arguments(argc, argv, "reduce_views", 15);
  nlohmann::json record = environment(arguments);
  record["benchmark"] = "reduce_views";
  record["cub"] = cub_version();
  Sweep(arguments).run(record);
  write_record(arguments, record);
  return 0;
}

}  // namespace graft::bench
