// Tests reductions of views on a GPU: each kernel that serves a call makes the bits of the host route.
#include <cuda_runtime.h>
#include <gmock/gmock.h>

#include <deque>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "gpu/device.hpp"
#include "gpu/reductions.hpp"
#include "graft/graft.hpp"
#include "support/errors.hpp"
#include "support/random_reductions.hpp"

namespace graft::test {
namespace {

using testing::HasSubstr;

class GpuReduceViews : public Gpu {};

// An example of shapes that a kernel serves best.
CallShapes example_for(const std::string& kernel, const std::vector<ElementType>& in, const ElementType& out) {
  static constexpr std::int64_t kFew[] = {5000, 100}, kTwo[] = {5000, 2}, kMany[] = {3, 90000}, kOfRow[] = {5000, 1},
                                kOfLong[] = {3, 1}, kOfColumn[] = {1, 100};
  const std::int64_t* const from = kernel == "long" ? kMany : kernel == "tiny" ? kTwo : kFew;
  const std::int64_t* const to = kernel == "long" ? kOfLong : kernel == "columns" ? kOfColumn : kOfRow;
  std::vector<ArrayRef> inputs;
  for (const ElementType& type : in) inputs.push_back(ArrayRef::shaped(nullptr, type, 2, from, nullptr));
  return CallShapes(inputs, ArrayRef::shaped(nullptr, out, 2, to, nullptr));
}

// A reduction with one kernel for views on the GPU, and the same on the host.
class Both {
 public:
  Both(const ReduceCallbacks& callbacks, const std::string& kernel)
      : on_host_(Reduce::create(callbacks, without_contraction(Route::Host))), on_gpu_(on_host_) {
    Options options = without_contraction();
    in_ = on_host_.signature().inputs();
    out_ = on_host_.signature().outputs().front();
    options.shapes.push_back(example_for(kernel, in_, out_));
    on_gpu_ = Reduce::create(callbacks, options);
    kernel_ = "made by the kernel " + kernel;
  }

  // Returns whether the kernel served the call.
  bool check(const RandomReduction& reduction, std::mt19937& random) const {
    std::int64_t elements = 1, results = 1;
    for (const std::int64_t extent : reduction.call) elements *= extent;
    for (const std::int64_t extent : reduction.kept) results *= extent;
    if (elements == 0 || results == 0) return false;
    std::vector<std::vector<unsigned char>> memory;
    std::deque<DeviceArray<unsigned char>> on_device;
    std::vector<ArrayRef> in, in_on_device;
    for (std::size_t k = 0; k < in_.size(); ++k) {
      const RandomView& view = reduction.inputs[k];
      memory.emplace_back(static_cast<std::size_t>(view.memory) * in_[k].size);
      for (unsigned char& byte : memory.back()) byte = static_cast<unsigned char>(random() % 64);  // no NaN
      on_device.emplace_back(memory.back());
    }
    for (std::size_t k = 0; k < in_.size(); ++k) {
      in.push_back(reduction.inputs[k].ref(memory[k].data(), in_[k]));
      in_on_device.push_back(reduction.inputs[k].ref(on_device[k].data(), in_[k]));
    }
    std::vector<unsigned char> wanted(static_cast<std::size_t>(reduction.output.memory) * out_.size, 7);
    const DeviceArray<unsigned char> made{wanted};
    const ArrayRef to = reduction.output.ref(made.data(), out_);
    if (on_gpu_.describe_shapes(in_on_device, to).find(kernel_) == std::string::npos) return false;
    on_host_.execute(host, in, reduction.output.ref(wanted.data(), out_));
    on_gpu_.execute(nullptr, in_on_device, to);
    EXPECT_EQ(made.host(), wanted) << on_gpu_.describe_shapes(in_on_device, to);
    return true;
  }

  const Reduce& on_gpu() const { return on_gpu_; }

 private:
  Reduce on_host_, on_gpu_;
  std::vector<ElementType> in_;
  ElementType out_;
  std::string kernel_;
};

struct Subject {
  const char* what;
  ReduceCallbacks callbacks;
};

std::vector<Subject> subjects() {
  const Callback wide(
      "struct W { double of[8]; };\n"
      "__device__ W one(unsigned char x) { W w = {}; w.of[x & 7] = x; return w; }\n"
      "__device__ W join(W a, W b) { for (int i = 0; i < 8; ++i) a.of[i] += b.of[i] / 3; return a; }\n"
      "__device__ double sum(W a) { double s = 0; for (int i = 0; i < 8; ++i) s += a.of[i]; return s; }\n");
  const char* const less = "__device__ float f(float a, float b) { return a / 3 + b; }";
  return {
      {"f32", {.map = "__device__ float f(float x) { return x * x; }", .combine = less}},
      {"f32 and u8, with the index",
       {.map = "__device__ float f(float x, unsigned char y, graft::Index i) { return x * y + i; }", .combine = less}},
      {"i8",
       {.map = "__device__ int f(signed char x) { return x; }",
        .combine = "__device__ int f(int a, int b) { return a * 31 + b; }"}},
      {"i16", {.combine = "__device__ short f(short a, short b) { return a * 31 + b; }"}},
      {"f64", {.combine = "__device__ double f(double a, double b) { return a / 3 + b; }"}},
      {"large accumulators",
       {.map = wide.with_entry("one"), .combine = wide.with_entry("join"), .finish = wide.with_entry("sum")}},
  };
}

// `most`: elements along each dimension of random shapes.
void check(const std::string& kernel, std::int64_t most = 400) {
  std::mt19937 random(11);
  const std::vector<std::pair<Extents, unsigned>> large = {
      {{3, 3000}, 2},  {{9000, 3}, 1},   {{40000, 2}, 1},  {{2, 20011}, 2},  {{101, 3, 211}, 5}, {{70000}, 1},
      {{300, 70}, 2},  {{70, 300}, 1},   {{3000, 17}, 2},  {{17, 3000}, 1},  {{70000, 1}, 2},    {{300001, 2}, 2},
      {{2, 90001}, 1}, {{600, 9001}, 2}, {{9001, 600}, 1}, {{40001, 65}, 1}, {{5, 131, 257}, 2}, {{2, 65, 9000}, 4}};
  for (const Subject& subject : subjects()) {
    SCOPED_TRACE(subject.what);
    const Both both(subject.callbacks, kernel);
    const std::size_t inputs = both.on_gpu().signature().inputs().size();
    int served = 0;
    for (int i = 0; i < 300; ++i) {
      SCOPED_TRACE(i);
      const Extents call = random_shape(random, 4, most);
      served += both.check(random_reduction(call, random() % 16, inputs, random), random) ? 1 : 0;
      if (testing::Test::HasFailure()) return;
    }
    for (const auto& [call, axes] : large) {
      SCOPED_TRACE(testing::PrintToString(call));
      for (int i = 0; i < 3; ++i) served += both.check(random_reduction(call, axes, inputs, random), random) ? 1 : 0;
      if (testing::Test::HasFailure()) return;
    }
    EXPECT_GT(served, 100);
  }
}

TEST_F(GpuReduceViews, TinyResultsHaveTheBitsOfTheHostRoute) {
  check("tiny", 5);
}
TEST_F(GpuReduceViews, ShortResultsHaveTheBitsOfTheHostRoute) {
  check("short");
}
TEST_F(GpuReduceViews, LongResultsHaveTheBitsOfTheHostRoute) {
  check("long");
}
TEST_F(GpuReduceViews, ColumnsHaveTheBitsOfTheHostRoute) {
  check("columns");
}

// Rows that lie one behind the other, at any alignment, of one input and of two.
template <class T>
class Rows {
 public:
  explicit Rows(const ReduceCallbacks& callbacks)
      : on_host_(Reduce::create(callbacks, without_contraction(Route::Host))),
        on_gpu_(Reduce::create(callbacks, for_any_shape())),
        is_of_two_(on_host_.signature().inputs().size() == 2) {}

  void check(std::int64_t rows, std::int64_t length, std::size_t offset, const char* kernel) const {
    SCOPED_TRACE(testing::Message() << rows << " rows of " << length << " from " << offset);
    std::vector<T> x(static_cast<std::size_t>(rows * length) + offset);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(i * 7919 % 1009) / 7;
    std::vector<float> wanted(static_cast<std::size_t>(rows));
    const DeviceArray<T> values{x};
    const DeviceArray<float> made{wanted};
    run(on_host_, host, view(static_cast<const T*>(x.data()) + offset, {rows, length}), view(wanted.data(), {rows, 1}));
    const View<const T> from = view(static_cast<const T*>(values.data()) + offset, {rows, length});
    const View<float> to = view(made.data(), {rows, 1});
    if (*kernel != 0) {
      EXPECT_THAT(on_gpu_.describe_shapes(from, to), HasSubstr(std::string("made by the kernel ") + kernel));
    }
    run(on_gpu_, nullptr, from, to);
    ASSERT_EQ(made.host(), wanted);
  }

 private:
  static Options for_any_shape() {
    Options options = without_contraction();
    options.any_shape = true;
    return options;
  }

  template <class Where>
  void run(const Reduce& reduce, Where where, const View<const T>& from, const View<float>& to) const {
    if (is_of_two_) reduce.execute(where, inputs(from, from), to);
    else reduce.execute(where, from, to);
  }

  Reduce on_host_, on_gpu_;
  bool is_of_two_;
};

const char* const kThirds = "__device__ float f(float a, float b) { return a / 3 + b; }";

TEST_F(GpuReduceViews, RowsOneBehindTheOtherHaveTheBitsOfTheHostRoute) {
  const Rows<float> floats({.combine = kThirds});
  const Rows<double> doubles({.map = "__device__ float f(double x) { return x + 1; }", .combine = kThirds});
  const Rows<float> products({.map = "__device__ float f(float x, float y) { return x * y; }", .combine = kThirds});
  for (const std::int64_t rows : {2, 63, 1000, 3001})
    for (const std::int64_t length : {2, 3, 4, 5, 7, 8, 9, 12, 31, 33, 63, 65, 127, 128, 129, 300})
      for (const std::size_t offset : {0, 1, 2, 3}) {
        if (rows < 100 && length > 128) continue;  // another kernel may be faster
        ASSERT_NO_FATAL_FAILURE(floats.check(rows, length, offset,
                                             length <= 8     ? "tiny"
                                             : length <= 128 ? "short"
                                                             : ""));
        ASSERT_NO_FATAL_FAILURE(doubles.check(rows, length, offset, ""));
        ASSERT_NO_FATAL_FAILURE(products.check(rows, length, offset, ""));
      }
}

TEST_F(GpuReduceViews, RowsOfSeveralChunksHaveTheBitsOfTheHostRoute) {
  const Rows<float> floats({.combine = kThirds});
  const Rows<float> products({.map = "__device__ float f(float x, float y) { return x * y; }", .combine = kThirds});
  const std::int64_t shapes[][2] = {{600, 9001}, {520, 70000}, {1000, 16384}, {40, 300001}, {100, 140000}, {3, 300001}};
  for (const auto& [rows, length] : shapes)
    for (const std::size_t offset : {0, 1}) {
      ASSERT_NO_FATAL_FAILURE(floats.check(rows, length, offset, rows > 3 ? "chunks" : "long"));
      ASSERT_NO_FATAL_FAILURE(products.check(rows, length, offset, ""));
    }
}

// Offsets of `lengths` in turn, some of them replaced by a long one.
template <class T>
std::vector<T> offsets_of(std::size_t elements, std::vector<std::size_t> lengths, std::mt19937& random) {
  std::vector<T> offsets = {0};
  for (std::size_t at = 0, i = 0;; ++i) {
    at += random() % 500 == 0 ? 9000 : lengths[i % lengths.size()];
    if (at > elements) return offsets;
    offsets.push_back(static_cast<T>(at));
  }
}

template <class T>
void check_segments(const Reduce& on_host, const Reduce& on_gpu, std::vector<T> offsets, const std::vector<float>& x) {
  std::vector<float> wanted(offsets.size() - 1, 7);
  const DeviceArray<float> values{x}, made{wanted};
  const DeviceArray<T> places{offsets};
  on_host.execute_segments(host, x, offsets, wanted);
  on_gpu.execute_segments(nullptr, values, places, made);
  ASSERT_EQ(made.host(), wanted) << offsets.size() << " offsets";
}

TEST_F(GpuReduceViews, SegmentsHaveTheBitsOfTheHostRoute) {
  std::mt19937 random(5);
  std::vector<float> x(300001);
  for (float& value : x) value = static_cast<float>(random() % 1000) / 7;
  for (const bool has_initial : {false, true}) {
    ReduceCallbacks callbacks = {.map = "__device__ float f(float x, graft::Index i) { return x * x + i; }",
                                 .combine = "__device__ float f(float a, float b) { return a / 3 + b; }"};
    if (has_initial) callbacks.initial = 5.0f;
    const Reduce on_host = Reduce::create(callbacks, without_contraction(Route::Host));
    Reduce on_gpu = Reduce::create(callbacks, without_contraction());
    on_gpu.prepare_segments();
    for (const std::size_t length : {1, 2, 3, 4, 5, 8, 17, 33, 64, 130, 1000, 3000, 70000}) {
      ASSERT_NO_FATAL_FAILURE(check_segments(on_host, on_gpu, offsets_of<std::int32_t>(x.size(), {length}, random), x));
      ASSERT_NO_FATAL_FAILURE(
          check_segments(on_host, on_gpu, offsets_of<std::int64_t>(x.size(), {length, 0, 2 * length}, random), x));
      ASSERT_NO_FATAL_FAILURE(
          check_segments(on_host, on_gpu, offsets_of<std::uint32_t>(x.size(), {3 * length, 1}, random), x));
    }
    // Nothing is read outside of the inputs.
    const DeviceArray<float> values{x}, made{std::vector<float>(4, 7)};
    const DeviceArray<std::int64_t> wild{std::vector<std::int64_t>{-1000, 2, 1, std::int64_t{1} << 40, 0}};
    on_gpu.execute_segments(nullptr, values, wild, made);
    const float none = has_initial ? 5.0f : 7.0f;
    EXPECT_EQ(made.host()[1], none);
    EXPECT_EQ(made.host()[3], none);
    // No elements at all.
    const DeviceArray<float> one{std::vector<float>(1, 7)};
    if (has_initial) {
      on_gpu.execute(nullptr, {values.data(), 0}, one);
      EXPECT_EQ(one.host()[0], none);
    }
  }
}

// Callbacks get elements of the arrays alone, also in threads that have columns beyond the last.
TEST_F(GpuReduceViews, ColumnsThatDoNotExistReachNoCallback) {
  struct Table {
    const float* values;
  };
  Reduce sum = Reduce::create({.map = "struct T { const float* values; };\n"
                                      "__device__ float f(int x, const T& table) { return table.values[x]; }",
                               .combine = "__device__ float f(float a, float b) { return a + b; }"});
  std::vector<float> values(100);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  const DeviceArray<float> table{values};
  for (const std::int64_t columns : {3, 5, 130, 131}) {
    std::vector<int> x(static_cast<std::size_t>(columns * 200));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int>(i * 31 % 100);
    std::vector<float> wanted(static_cast<std::size_t>(columns));
    for (std::size_t i = 0; i < x.size(); ++i) wanted[i % wanted.size()] += static_cast<float>(x[i]);
    const DeviceArray<int> in{x};
    const DeviceArray<float> out{std::vector<float>(wanted.size())};
    const View<int> from = view(in.data(), {200, columns});
    const View<float> to = view(out.data(), {1, columns});
    sum.prepare_shapes(from, to);
    EXPECT_THAT(sum.describe_shapes(from, to), HasSubstr("made by the kernel columns"));
    sum.execute(nullptr, from, to, Table{table.data()});
    EXPECT_EQ(out.host(), wanted);
  }
}

// More accumulators of chunks than the workspace has room for.
TEST_F(GpuReduceViews, LargeAccumulatorsOfManyChunksStayInTheWorkspace) {
  const Callback wide(
      "struct W { double of[8]; };\n"
      "__device__ W one(unsigned char x) { W w = {}; w.of[x & 7] = x; return w; }\n"
      "__device__ W join(W a, W b) { for (int i = 0; i < 8; ++i) a.of[i] += b.of[i]; return a; }\n"
      "__device__ double sum(W a) { double s = 0; for (int i = 0; i < 8; ++i) s += a.of[i]; return s; }\n");
  Reduce sum = Reduce::create(
      {.map = wide.with_entry("one"), .combine = wide.with_entry("join"), .finish = wide.with_entry("sum")});
  constexpr std::int64_t kRows = 2'200'000, kColumns = 128;
  std::vector<unsigned char> x(kRows * kColumns);
  std::vector<double> wanted(kColumns);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<unsigned char>(i * 7919 >> 5);
    wanted[i % kColumns] += x[i];
  }
  const DeviceArray<unsigned char> in{x};
  const DeviceArray<double> out{std::vector<double>(kColumns)};
  const View<unsigned char> from = view(in.data(), {kRows, kColumns});
  const View<double> to = view(out.data(), {1, kColumns});
  sum.prepare_shapes(from, to);
  EXPECT_THAT(sum.describe_shapes(from, to), HasSubstr("made by the kernel columns"));
  sum.execute(nullptr, from, to);
  EXPECT_EQ(out.host(), wanted);
}

TEST_F(GpuReduceViews, NeedAKernelForTheirShapes) {
  const char* const add = "__device__ float add(float a, float b) { return a + b; }";
  Reduce sum = Reduce::create({.combine = add});
  const DeviceArray<float> x{std::vector<float>(12, 1)}, out{std::vector<float>(4)};
  const View<float> matrix = view(x.data(), {3, 4}), of_columns = view(out.data(), {1, 4});
  sum.execute(nullptr, matrix, view(out.data()));  // all elements are one dimension
  EXPECT_EQ(out.host()[0], 12);
  const Error error = error_of([&] { sum.execute(nullptr, matrix, of_columns); });
  EXPECT_EQ(error.code(), ErrorCode::NotPrepared);
  EXPECT_THAT(error.message(), HasSubstr("4 results of 3 elements each"));
  sum.prepare_shapes(matrix, of_columns);
  sum.execute(nullptr, matrix, of_columns);
  EXPECT_EQ(out.host(), std::vector<float>(4, 3));
}

}  // namespace
}  // namespace graft::test
