// Measures transforms of arrays of any shape (graft/view.hpp): rows with a pitch, rows and columns that repeat,
// transposed inputs, permutations. Each case is compared with the same transform of dense arrays of one dimension, or
// with cudaMemcpy where elements change their order, with a kernel as CuPy writes it, with cub::DeviceTransform over a
// counting iterator, and where it applies with cudaMemcpy2D.
//
// A speed is in bytes that must move: an input counts once for each of its elements, however often it is repeated. The
// results are compared with those of the kernel like CuPy's, also between the elements of the output.
//
// With --create, measures instead how long the kernels take to make, in multiples of the kernel for dense arrays. With
// --host, measures how long execute takes on the host.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <graft/graft.hpp>
#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "cuda_check.hpp"
#include "flags.hpp"
#include "main.hpp"
#include "record.hpp"
#include "spread.hpp"
#include "statistics.hpp"
#include "strided.hpp"
#include "ways.hpp"

namespace graft::bench {
namespace {

using Extents = std::vector<std::int64_t>;

// An operation, as graft and a person know it. The types are those of its arrays, the output last.
struct Subject {
  Operation operation;
  const char* source;
  std::vector<ElementType> types;
};
Subject subject_of(Operation operation) {
  const ElementType f32 = element_type<float>(), f16 = {ElementKind::Float, 2, 2}, f64 = element_type<double>(),
                    u8 = element_type<unsigned char>();
  switch (operation) {
    case Operation::Twice:
      return {operation, "__device__ float twice(float x) { return 2 * x; }", {f32, f32}};
    case Operation::TwiceHalf:
      return {operation, "__device__ __half twice(__half x) { return __float2half(2 * __half2float(x)); }", {f16, f16}};
    case Operation::GeluHalf:
      return {operation,
              "__device__ __half gelu(__half h) { const float x = __half2float(h); return __float2half(0.5f * x * "
              "(1.0f + erff(x * 0.70710678f))); }",
              {f16, f16}};
    case Operation::InvertByte:
      return {operation, "__device__ unsigned char invert(unsigned char x) { return ~x; }", {u8, u8}};
    case Operation::NegateDouble:
      return {operation, "__device__ double negate(double x) { return -x; }", {f64, f64}};
    case Operation::Triad:
      return {
          operation, "__device__ float triad(float a, float b, float c) { return a * b + c; }", {f32, f32, f32, f32}};
    case Operation::Add:
      return {operation, "__device__ float add(float a, float b) { return a + b; }", {f32, f32, f32}};
    case Operation::Multiply:
      return {operation, "__device__ float multiply(float a, float b) { return a * b; }", {f32, f32, f32}};
    case Operation::Unpack:
      break;
  }
  return {Operation::Unpack, "__device__ float unpack(unsigned char x) { return x * (1.0f / 255); }", {u8, f32}};
}

// An array of a case: its strides in the dimensions of the call, and where the call's first element is in its memory.
struct Layout {
  Extents strides;
  std::int64_t first = 0;
};

enum class Against { Flat, Store, Copy };
const char* name(Against against) {
  return against == Against::Flat ? "flat" : against == Against::Store ? "flat store" : "cudaMemcpy";
}

struct Case {
  std::string name;
  Operation operation;
  Extents shape;
  std::vector<Layout> arrays;
  Against against = Against::Flat;
  double goal = 0;            // of the speed it is compared with; 0: there is none
  double goal_like_cupy = 0;  // of the kernel like CuPy's
  double least_of_bytes = 1;  // what share of the bytes that move the arrays' elements are, because sectors are whole
  double most_over_flat_us = 0;  // the microseconds that a call may take longer; 0: there is no such goal
};

Extents dense(const Extents& shape) {
  Extents strides(shape.size(), 1);
  for (std::size_t d = shape.size() - 1; d-- > 0;) strides[d] = strides[d + 1] * shape[d + 1];
  return strides;
}

// The strides of a dense array of which dimension `order[d]` is dimension d of the call.
Extents permuted(const Extents& shape, const std::vector<std::size_t>& order) {
  Extents array(shape.size()), strides(shape.size());
  for (std::size_t d = 0; d < shape.size(); ++d) array[order[d]] = shape[d];
  const Extents of_array = dense(array);
  for (std::size_t d = 0; d < shape.size(); ++d) strides[d] = of_array[order[d]];
  return strides;
}

std::vector<Case> cases() {
  constexpr std::int64_t m = 8192, n = 8192, rows = 16384, columns = 16000, pitch = 16384;
  const Layout matrix{{n, 1}}, halves{{pitch, 1}};
  std::vector<Case> all = {
      {"f32, pitched rows", Operation::Twice, {m, n}, {{{n + 8, 1}}, {{n + 8, 1}}}, Against::Flat, 0.96},
      {"f32, a row repeats", Operation::Triad, {m, n}, {matrix, {{0, 1}}, matrix, matrix}, Against::Flat, 0.96},
      {"f32, a column repeats", Operation::Triad, {m, n}, {matrix, {{1, 0}}, matrix, matrix}, Against::Flat, 0.96},
      {"f32, outer product", Operation::Multiply, {2 * m, n}, {{{1, 0}}, {{0, 1}}, matrix}, Against::Store, 0.90},
      {"f16, heads (b, s, h, d) to (b, h, s, d)",
       Operation::TwiceHalf,
       {16, 32, 4096, 64},
       {{{4096 * 32 * 64, 64, 32 * 64, 1}}, {dense({16, 32, 4096, 64})}},
       Against::Flat,
       0.94},
      {"f32, [1:-1, 1:-1]", Operation::Twice, {m - 2, n - 2}, {{{n, 1}, n + 1}, {{n - 2, 1}}}, Against::Flat, 0.95},
      {"f16, odd pitch",
       Operation::TwiceHalf,
       {rows - 2, pitch - 3},
       {{{pitch - 1, 1}, pitch}, {{pitch - 3, 1}}},
       Against::Flat,
       0.90},
      {"u8, odd pitch",
       Operation::InvertByte,
       {rows - 2, pitch - 3},
       {{{pitch - 1, 1}, pitch}, {{pitch - 3, 1}}},
       Against::Flat,
       0.85},
      {"f32, reversed", Operation::Twice, {m, n}, {{{-n, -1}, m * n - 1}, matrix}, Against::Flat, 0.95},
      {"f16, pitched rows", Operation::TwiceHalf, {rows, columns}, {halves, halves}, Against::Flat, 0.96},
      {"f16, gelu of pitched rows", Operation::GeluHalf, {rows, columns}, {halves, halves}, Against::Flat, 0.92},
      {"f32, every second column", Operation::Twice, {m, n}, {{{2 * n, 2}}, matrix}, Against::Flat, 0.95, 0, 1.5},
      {"f32, transposed", Operation::Twice, {m, n}, {{{1, m}}, matrix}, Against::Copy, 0.92},
      {"f64, transposed", Operation::NegateDouble, {m, n}, {{{1, m}}, matrix}, Against::Copy, 0.92},
      {"f16, transposed", Operation::TwiceHalf, {rows, n}, {{{1, rows}}, matrix}, Against::Copy, 0.90},
      {"u8, transposed", Operation::InvertByte, {rows, rows}, {{{1, rows}}, {{rows, 1}}}, Against::Copy, 0.85},
      {"f32, a + transposed b", Operation::Add, {m, n}, {matrix, {{1, m}}, matrix}, Against::Flat},
      {"u8 to f32, pixels to planes",
       Operation::Unpack,
       {3, 8192, 10240},
       {{{1, 3 * 10240, 3}}, {dense({3, 8192, 10240})}},
       Against::Copy,
       0.86},
      {"u8 to f32, planes to pixels",
       Operation::Unpack,
       {8192, 10240, 3},
       {{{10240, 1, 8192 * 10240}}, {dense({8192, 10240, 3})}},
       Against::Copy},
      {"f32, rows of 3 with pitch 4", Operation::Twice, {1 << 24, 3}, {{{4, 1}}, {{4, 1}}}, Against::Flat, 0, 1.1},
      {"f32, rows of 5 with pitch 7", Operation::Twice, {1 << 24, 5}, {{{7, 1}}, {{5, 1}}}, Against::Flat, 0, 1.1},
      {"f32, 5 dimensions, odd",
       Operation::Add,
       {37, 5, 1, 130, 2},
       {{{5 * 130 * 2, 0, 7, 2, 1}}, {{0, 1, 0, 5, 0}}, {{1, 37, 0, 37 * 5 * 2, 37 * 5}}},
       Against::Flat,
       0.5},
  };
  for (const std::int64_t side : {32, 256, 1024}) {
    Case pitched = {fmt::format("f32, {0} x {0}, pitched", side), Operation::Twice, {side, side}, {}};
    pitched.arrays = {{{side + 8, 1}}, {{side, 1}}};
    pitched.most_over_flat_us = 1;
    all.push_back(pitched);
    Case transposed = pitched;
    transposed.name = fmt::format("f32, {0} x {0}, transposed", side);
    transposed.arrays = {{{1, side}}, {{side, 1}}};
    all.push_back(transposed);
  }
  // Twelve of the 24 orders of four dimensions, other than those that are the same, drawn once.
  std::vector<std::vector<std::size_t>> orders;
  std::vector<std::size_t> order = {0, 1, 2, 3};
  while (std::ranges::next_permutation(order).found) orders.push_back(order);
  std::ranges::shuffle(orders, std::minstd_rand(20261127));
  const Extents shape = {96, 80, 72, 128};
  for (std::size_t i = 0; i < 12; ++i)
    all.push_back({fmt::format("{}, permutation ({})", i % 2 == 0 ? "f32" : "f64", fmt::join(orders[i], ", ")),
                   i % 2 == 0 ? Operation::Twice : Operation::NegateDouble,
                   shape,
                   {{permuted(shape, orders[i])}, {dense(shape)}},
                   Against::Copy,
                   0.75});
  return all;
}

// A case with its memory, which holds random numbers.
class Arrays {
 public:
  Arrays(const Case& its_case, const Subject& subject) : case_(its_case), subject_(subject) {
    count_ = 1;
    for (const std::int64_t extent : case_.shape) count_ *= extent;
    for (std::size_t k = 0; k < case_.arrays.size(); ++k) {
      const Layout& layout = case_.arrays[k];
      std::int64_t last = layout.first, distinct = 1;
      for (std::size_t d = 0; d < case_.shape.size(); ++d) {
        if (layout.strides[d] > 0) last += layout.strides[d] * (case_.shape[d] - 1);
        if (layout.strides[d] != 0) distinct *= case_.shape[d];
      }
      const std::size_t size = subject.types[k].size;
      bytes_.push_back(static_cast<std::size_t>(std::max(last + 1, count_)) * size);
      moved_ += static_cast<double>(distinct) * static_cast<double>(size);
      flat_ += static_cast<double>(count_) * static_cast<double>(size);
      memory_.push_back(allocate(bytes_.back()));
      fill(k);
    }
    expected_ = allocate(bytes_.back());
  }

  double moved_bytes() const { return moved_ * case_.least_of_bytes; }
  double flat_bytes() const { return flat_; }
  double output_bytes() const { return static_cast<double>(count_) * subject_.types.back().size; }

  ArrayRef view(std::size_t k) const {
    return ArrayRef::shaped(at(k, memory_[k]), subject_.types[k], static_cast<std::uint32_t>(case_.shape.size()),
                            case_.shape.data(), case_.arrays[k].strides.data());
  }
  ArrayRef flat(std::size_t k) const { return {memory_[k].get(), static_cast<std::size_t>(count_), subject_.types[k]}; }
  template <class Of>
  std::vector<ArrayRef> inputs(Of of) const {
    std::vector<ArrayRef> all;
    for (std::size_t k = 0; k + 1 < case_.arrays.size(); ++k) all.push_back(of(k));
    return all;
  }
  std::size_t output() const { return case_.arrays.size() - 1; }

  // The call of a peer. The expected results have memory of their own.
  StridedCall strided(bool writes_expected) const {
    StridedCall call{.rank = static_cast<int>(case_.shape.size()), .count = static_cast<unsigned>(count_)};
    for (std::size_t d = 0; d < case_.shape.size(); ++d) call.extents[d] = static_cast<unsigned>(case_.shape[d]);
    for (std::size_t k = 0; k < case_.arrays.size(); ++k) {
      call.arrays[k].pointer = at(k, k == output() && writes_expected ? expected_ : memory_[k]);
      std::ranges::copy(case_.arrays[k].strides, call.arrays[k].strides);
    }
    return call;
  }

  void clear() const {
    check(cudaMemset(memory_.back().get(), 0xab, bytes_.back()));
    check(cudaMemset(expected_.get(), 0xab, bytes_.back()));
  }
  void verify() const {
    std::vector<std::byte> got(bytes_.back()), expected(bytes_.back());
    check(cudaMemcpy(got.data(), memory_.back().get(), got.size(), cudaMemcpyDeviceToHost));
    check(cudaMemcpy(expected.data(), expected_.get(), expected.size(), cudaMemcpyDeviceToHost));
    if (got != expected) throw std::runtime_error(fmt::format("{}: the results differ", case_.name));
  }
  void* copy_of_output() const { return expected_.get(); }
  const void* output_memory() const { return memory_.back().get(); }

 private:
  void* at(std::size_t k, const DeviceBytes& memory) const {
    return static_cast<std::byte*>(memory.get()) + case_.arrays[k].first * subject_.types[k].size;
  }
  // Small whole numbers of the type, which every operation computes without rounding differently.
  void fill(std::size_t k) const {
    std::vector<std::byte> bytes(bytes_[k]);
    std::minstd_rand random(static_cast<unsigned>(k) + 1);
    const auto numbers = [&]<class T>(T, auto convert) {
      for (std::size_t i = 0; i + sizeof(T) <= bytes.size(); i += sizeof(T)) {
        const T value = convert(random() >> 8);
        std::memcpy(bytes.data() + i, &value, sizeof(T));
      }
    };
    switch (subject_.types[k].size) {
      case 1:
        numbers(std::uint8_t{}, [](auto r) { return static_cast<std::uint8_t>(r); });
        break;
      case 2:
        numbers(std::uint16_t{}, [](auto r) { return static_cast<std::uint16_t>(0x3000 + r % 0x1000); });
        break;
      case 4:
        numbers(float{}, [](auto r) { return static_cast<float>(r % 256); });
        break;
      default:
        numbers(double{}, [](auto r) { return static_cast<double>(r % 65536); });
    }
    check(cudaMemcpy(memory_[k].get(), bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
  }

  const Case& case_;
  const Subject& subject_;
  std::int64_t count_;
  double moved_ = 0, flat_ = 0;
  std::vector<std::size_t> bytes_;
  std::vector<DeviceBytes> memory_;
  DeviceBytes expected_;
};

// The speeds of one case, in GB/s: graft's first, then the one that the goal is about.
std::vector<Way> ways_of(const Case& one, const Subject& subject, const Arrays& arrays) {
  Transform transform = Transform::create(subject.source);
  const auto of_views = [&](std::size_t k) { return arrays.view(k); };
  const auto of_flat = [&](std::size_t k) { return arrays.flat(k); };
  const auto views = arrays.inputs(of_views);
  const std::vector<ArrayRef> to = {arrays.view(arrays.output())};
  transform.prepare_shapes(views, to);
  const StridedCall expected = arrays.strided(true), call = arrays.strided(false);
  arrays.clear();
  transform.execute(nullptr, views, to);
  run_like_cupy(nullptr, one.operation, expected);
  arrays.verify();

  std::vector<Way> ways = {
      {"graft", [=](cudaStream_t stream) { transform.execute(stream, views, to); }, arrays.moved_bytes()}};
  if (one.against == Against::Flat)
    ways.push_back({"flat",
                    [=, in = arrays.inputs(of_flat), out = arrays.flat(arrays.output())](cudaStream_t stream) {
                      transform.execute(stream, in, {out});
                    },
                    arrays.flat_bytes()});
  if (one.against == Against::Store) {
    const Transform store = Transform::create("__device__ float store(graft::Index i) { return (float)i.value; }");
    ways.push_back({"flat store",
                    [=, out = arrays.flat(arrays.output())](cudaStream_t stream) { store.execute(stream, {}, {out}); },
                    arrays.output_bytes()});
  }
  if (one.against == Against::Copy)
    ways.push_back({"cudaMemcpy",
                    [&arrays](cudaStream_t stream) {
                      check(cudaMemcpyAsync(arrays.copy_of_output(), arrays.output_memory(),
                                            static_cast<std::size_t>(arrays.output_bytes()), cudaMemcpyDeviceToDevice,
                                            stream));
                    },
                    2 * arrays.output_bytes()});
  ways.push_back(
      {"like CuPy", [=](cudaStream_t stream) { run_like_cupy(stream, one.operation, call); }, arrays.moved_bytes()});
  if (one.arrays.back().strides == dense(one.shape) && one.arrays.back().first == 0)
    ways.push_back({"cub::DeviceTransform", [=](cudaStream_t stream) { run_cub(stream, one.operation, call); },
                    arrays.moved_bytes()});
  // What copies such rows without changing them.
  const Layout &in = one.arrays.front(), &out = one.arrays.back();
  if (one.arrays.size() == 2 && one.shape.size() == 2 && in.strides[1] == 1 && out.strides[1] == 1) {
    const std::size_t size = subject.types.front().size;
    ways.push_back({"cudaMemcpy2D",
                    [=](cudaStream_t stream) {
                      check(cudaMemcpy2DAsync(call.arrays[1].pointer, static_cast<std::size_t>(out.strides[0]) * size,
                                              call.arrays[0].pointer, static_cast<std::size_t>(in.strides[0]) * size,
                                              static_cast<std::size_t>(one.shape[1]) * size,
                                              static_cast<std::size_t>(one.shape[0]), cudaMemcpyDeviceToDevice,
                                              stream));
                    },
                    arrays.moved_bytes()});
  }
  return ways;
}

// Prints one line for a case: graft's speed, and its ratio to each other way. Returns the same figures.
nlohmann::json print_and_record(const Case& one, const std::vector<Way>& ways) {
  nlohmann::json row = {{"case", one.name}, {"shape", one.shape}};
  const double graft = summarize(ways.front().speeds).median;
  fmt::print("{:<42}{:>7.0f}", one.name, graft);
  bool is_reached = true;
  for (const Way& way : ways) {
    row["ways"][way.name] = {{"speed", spread(way.speeds, "GB/s")}};
    if (&way == &ways.front()) continue;
    const double to_it = speed_ratio(ways.front(), way);
    row["ways"][way.name]["graft_to_it"] = to_it;
    fmt::print("  {} {:.3f}", way.name, to_it);
    const double goal = way.name == "like CuPy"         ? std::max(one.goal_like_cupy, 1.0)
                        : way.name == name(one.against) ? one.goal
                                                        : 1.0;
    row["ways"][way.name]["goal"] = goal;
    row["ways"][way.name]["reached"] = to_it >= goal;
    is_reached = is_reached && to_it >= goal;
  }
  if (one.most_over_flat_us != 0) {
    const double over = microseconds(ways[0]) - microseconds(ways[1]);
    row["over_flat"] = {{"us", over}, {"goal", one.most_over_flat_us}, {"reached", over <= one.most_over_flat_us}};
    is_reached = is_reached && over <= one.most_over_flat_us;
    fmt::print("  {:.2f} us, {:.2f} over flat", microseconds(ways[0]), over);
  }
  fmt::print("{}\n", is_reached ? "" : "   below a goal");
  return row;
}

void run_throughput(const Arguments& arguments, nlohmann::json& record) {
  double logarithms = 0;
  int permutations = 0;
  for (const Case& one : cases()) {
    const Subject subject = subject_of(one.operation);
    const Arrays arrays(one, subject);
    std::vector<Way> ways = ways_of(one, subject, arrays);
    if (arrays.moved_bytes() < 32e6) repeat_in_graph(ways, 100);
    measure(ways, arguments.samples);
    record["cases"].push_back(print_and_record(one, ways));
    if (one.name.find("permutation") == std::string::npos) continue;
    logarithms += std::log(record["cases"].back()["ways"]["cudaMemcpy"]["graft_to_it"].get<double>());
    ++permutations;
  }
  const double mean = std::exp(logarithms / permutations);
  fmt::print("permutations, geometric mean of the ratios to cudaMemcpy: {:.3f}\n", mean);
  record["permutations"] = {{"geometric_mean", mean}, {"goal", 0.88}, {"reached", mean >= 0.88}};
}

// ---- create ----

double milliseconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

void run_create(const Arguments& arguments, nlohmann::json& record) {
  struct Row {
    const char* name;
    Operation operation;
    Extents shape;
    std::vector<Layout> arrays;
    bool any_shape;
    double goal;
  };
  const Layout matrix{{512, 1}}, transposed{{1, 512}};
  const std::vector<Row> rows = {
      {"f32, rows", Operation::Twice, {512, 512}, {{{520, 1}}, matrix}, false, 1.4},
      {"f32, any_shape", Operation::Twice, {512, 512}, {matrix, matrix}, true, 3.3},
      {"f32, transposed", Operation::Twice, {512, 512}, {transposed, matrix}, false, 2.5},
      {"f64, transposed", Operation::NegateDouble, {512, 512}, {transposed, matrix}, false, 2.5},
      {"f16, transposed", Operation::TwiceHalf, {512, 512}, {transposed, matrix}, false, 2.5},
      {"u8, transposed", Operation::InvertByte, {512, 512}, {transposed, matrix}, false, 3.0},
  };
  Engine engine({.cache = {.policy = CachePolicy::Off}});
  for (const Row& row : rows) {
    const Subject subject = subject_of(row.operation);
    std::vector<double> flat, ratios;
    const auto view = [&](std::size_t k) {
      return ArrayRef::shaped(nullptr, subject.types[k], 2, row.shape.data(), row.arrays[k].strides.data());
    };
    for (int i = -1; i < arguments.samples; ++i) {
      Options options;
      options.any_shape = row.any_shape;
      std::optional<Transform> made;
      const double alone = milliseconds_of([&] { Transform::create(engine, subject.source); });
      const double first = milliseconds_of([&] { made = Transform::create(engine, subject.source, options); });
      const std::vector<ArrayRef> in = {view(0)}, out = {view(1)};
      const double added = row.any_shape ? 0 : milliseconds_of([&] { made->prepare_shapes(in, out); });
      if (i < 0) continue;
      flat.push_back(alone);
      ratios.push_back((row.any_shape ? first : added) / alone);
    }
    const double ratio = summarize(ratios).median;
    fmt::print("{:<20} flat {:>6.1f} ms, {:.2f} of flat, goal {:.1f}{}\n", row.name, summarize(flat).median, ratio,
               row.goal, ratio <= row.goal ? "" : "   missed");
    record["create"].push_back({{"case", row.name},
                                {"flat", spread(flat, "ms")},
                                {"ratio_to_flat", ratio},
                                {"goal", row.goal},
                                {"reached", ratio <= row.goal}});
  }
}

// ---- host ----

void run_host(const Arguments& arguments, nlohmann::json& record) {
  const DeviceBytes from = allocate(1 << 20), to = allocate(1 << 20);
  float* const a = static_cast<float*>(from.get());
  float* const b = static_cast<float*>(to.get());
  Options options;
  options.any_shape = true;
  Transform twice = Transform::create("__device__ float twice(float x) { return 2 * x; }", options);
  const auto square = view(a, {32, 32}, {1, 32});
  const auto square_to = view(b, {32, 32});
  twice.prepare_shapes(square, square_to);
  struct Row {
    const char* name;
    std::function<void()> call;
    double goal;
    std::vector<double> times = {};
  };
  std::vector<Row> rows = {
      {"flat",
       [&] {
         twice.execute(nullptr, {a, 256}, {b, 256});
       },
       0},
      {"views, flat",
       [&] {
         twice.execute(nullptr, view(a, {16, 16}), view(b, {16, 16}));
       },
       0},
      {"rank 2",
       [&] {
         twice.execute(nullptr, view(a, {16, 16}, {20, 1}), view(b, {16, 16}));
       },
       1.3},
      {"rank 4",
       [&] {
         twice.execute(nullptr, view(a, {4, 4, 4, 4}, {840, 210, 42, 2}), view(b, {4, 4, 4, 4}));
       },
       1.5},
      {"transposed", [&] { twice.execute(nullptr, square, square_to); }, 0},
  };
  constexpr int kCalls = 500;  // as many as a stream takes without waiting
  for (int i = -3; i < arguments.samples; ++i)
    for (Row& row : rows) {
      check(cudaDeviceSynchronize());
      const double time = milliseconds_of([&] {
        for (int call = 0; call < kCalls; ++call) row.call();
      });
      if (i >= 0) row.times.push_back(time * 1000 / kCalls);
    }
  check(cudaDeviceSynchronize());
  const double flat = summarize(rows.front().times).median;
  for (const Row& row : rows) {
    const double median = summarize(row.times).median;
    fmt::print("{:<14}{:>7.2f} us, {:.2f} of flat\n", row.name, median, median / flat);
    record["host"].push_back({{"call", row.name}, {"time", spread(row.times, "us")}, {"ratio_to_flat", median / flat}});
    if (row.goal != 0) record["host"].back()["goal"] = {{"ratio", row.goal}, {"reached", median <= row.goal * flat}};
  }
}

}  // namespace

int run(int argc, char** argv) {
  const bool creates = take_flag(argc, argv, "--create"), is_host = take_flag(argc, argv, "--host");
  const std::string name = creates ? "shapes_create" : is_host ? "shapes_host" : "shapes";
  const Arguments arguments = parse_arguments(argc, argv, name, 7);
  check(cudaFree(nullptr));
  nlohmann::json record = environment(arguments);
  record["benchmark"] = name;
  (creates ? run_create : is_host ? run_host : run_throughput)(arguments, record);
  write_record(arguments, record);
  return 0;
}

}  // namespace graft::bench
