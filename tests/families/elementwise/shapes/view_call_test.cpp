// Tests what a call with views launches on a GPU, with a runner that only notes it: that arrays which lie in memory
// like one dimension are launched as such, which kernel others want and get, and what is refused.
#include "families/elementwise/shapes/view_call.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "families/elementwise/elementwise.hpp"
#include "families/elementwise/geometries.hpp"
#include "families/elementwise/shapes/shape_class.hpp"
#include "families/job.hpp"
#include "support/errors.hpp"

namespace graft::test {
namespace {

class Notes final : public families::Runner {
 public:
  const void* constants(unsigned) override { return nullptr; }
  void* workspace(std::size_t) override { return nullptr; }
  void launch(const families::Launch& launch) override {
    kernel = launch.kernel;
    grid = launch.grid.blocks;
    items = launch.items;
    all_items += items;
    ++launches;
    const auto* const bytes = static_cast<const std::byte*>(launch.parameter);
    parameter.assign(bytes, bytes + (grid == 0 ? 0 : launch.parameter_bytes));
  }

  unsigned kernel = 0;
  unsigned grid = 0;
  unsigned long long items = 0;
  unsigned launches = 0;
  unsigned long long all_items = 0;
  std::vector<std::byte> parameter;
};

using Arrays = std::vector<ArrayRef>;

// A caller with the kernels of these methods.
template <class F>
std::unique_ptr<const families::Caller> caller_of(const std::vector<std::string>& methods) {
  std::vector<KernelSpec> specs;
  for (const std::string& method : methods) {
    KernelSpec& kernel = specs.emplace_back();
    kernel.name = "graft_transform_f";
    kernel.signature = Signature::of<F>();
    kernel.request = elementwise::request_of(elementwise::kernel_of(method).value());
    kernel.tuning.set("vector_width", 4);
  }
  std::vector<const KernelSpec*> kernels;
  for (const KernelSpec& kernel : specs) kernels.push_back(&kernel);
  return elementwise::family().caller({}, {}, kernels);
}

template <class F>
Notes launched(const Arrays& in, const Arrays& out, const std::vector<std::string>& methods = {""}) {
  Notes notes;
  caller_of<F>(methods)->call({in, out, nullptr, {}}, notes);
  return notes;
}

template <class T = float>
View<T> at(std::uintptr_t address, std::initializer_list<detail::Extent> shape,
           std::initializer_list<detail::Extent> strides) {
  return view(reinterpret_cast<T*>(address), shape, strides);
}

TEST(ViewCall, LaunchesOneDimensionAsSuch) {
  struct Row {
    const char* what;
    View<float> in, out;
    std::uintptr_t first_in, first_out;
    std::size_t count;
  };
  for (const Row& row : {
           Row{"dense", at(0x1000, {4, 6}, {6, 1}), at(0x2000, {4, 6}, {6, 1}), 0x1000, 0x2000, 24},
           Row{"column-major", at(0x1000, {4, 6}, {1, 4}), at(0x2000, {4, 6}, {1, 4}), 0x1000, 0x2000, 24},
           Row{"backwards", at(0x105c, {4, 6}, {-6, -1}), at(0x205c, {4, 6}, {-6, -1}), 0x1000, 0x2000, 24},
           Row{"one element of a row", at(0x1000, {1, 1}, {9, 7}), at(0x2000, {1, 1}, {5, 3}), 0x1000, 0x2000, 1},
       }) {
    SCOPED_TRACE(row.what);
    const Notes views = launched<float(float)>({row.in}, {row.out});
    const Notes flat =
        launched<float(float)>({array_at<float>(row.first_in, row.count)}, {array_at<float>(row.first_out, row.count)});
    EXPECT_EQ(views.grid, flat.grid);
    EXPECT_EQ(views.items, row.count);
    EXPECT_EQ(views.parameter, flat.parameter);
  }
}

TEST(ViewCall, LaunchesNothingWithoutElements) {
  const Notes notes = launched<float(float)>({at(0, {0, 6}, {6, 1})}, {at(0, {0, 6}, {6, 1})});
  EXPECT_EQ(notes.grid, 0u);
  EXPECT_EQ(notes.items, 0u);
}

TEST(ViewCall, NamesTheFormForWhichThereIsNoKernel) {
  const auto row = at(0x1000, {6}, {1});
  const auto pitched = at(0x2000, {4, 6}, {8, 1});
  const Error error = error_of([&] { launched<float(float, float)>({row, pitched}, {at(0x3000, {4, 6}, {6, 1})}); });
  EXPECT_EQ(error.code(), ErrorCode::NotPrepared);
  EXPECT_THAT(error.message(), testing::HasSubstr("graft_transform_f (float(float, float))"));
  EXPECT_THAT(error.message(), testing::HasSubstr("rank 2: input 0 contiguous, input 1 contiguous"));
  const Error indexed = error_of([&] {
    launched<float(float, Index)>({at(0x1000, {4, 6}, {1, 4})}, {at(0x2000, {4, 6}, {1, 4})});
  });
  EXPECT_EQ(indexed.code(), ErrorCode::NotPrepared);
}

// The memory of the arrays does not matter, so there is none.
View<float> shaped(std::initializer_list<detail::Extent> shape, std::initializer_list<detail::Extent> strides) {
  return at(0, shape, strides);
}

TEST(ViewCall, WantsTheKernelThatServesItBest) {
  struct Row {
    const char* what;
    View<float> a, b, out;
    std::string method;
  };
  const auto dense = shaped({64, 48}, {48, 1}), columns = shaped({64, 48}, {1, 64}), row = shaped({48}, {1});
  for (const Row& call : {
           Row{"dense", dense, dense, dense, ""},
           Row{"columns all", columns, columns, columns, ""},
           Row{"empty", shaped({0, 4}, {4, 1}), shaped({0, 4}, {1, 9}), shaped({0, 4}, {4, 1}), ""},
           Row{"a row for all", dense, row, dense, "strided"},
           Row{"strided input", shaped({64, 48}, {96, 2}), row, dense, "strided"},
           Row{"short rows", shaped({64, 6}, {8, 1}), shaped({6}, {1}), shaped({64, 6}, {6, 1}), "strided"},
           Row{"strided output", dense, row, shaped({64, 48}, {96, 2}), "strided"},
           Row{"first transposed", columns, dense, dense, "transposed 1"},
           Row{"second transposed", row, columns, dense, "transposed 2"},
           Row{"both transposed", columns, shaped({64, 48}, {1, 100}), dense, "transposed 3"},
           Row{"transposed output", columns, dense, columns, "transposed 2"},
           Row{"transposed, a gap in rows of the output", columns, dense, shaped({64, 48}, {50, 1}), "transposed 1"},
           Row{"too narrow", shaped({8, 48}, {1, 8}), row, shaped({8, 48}, {48, 1}), "strided"},
           Row{"too flat", shaped({64, 8}, {1, 64}), shaped({8}, {1}), shaped({64, 8}, {8, 1}), "strided"},
           // Along different dimensions: that of more inputs, or the inner of two.
           Row{"permuted", shaped({20, 30, 40}, {1, 20, 600}), shaped({20, 30, 40}, {40, 1, 1200}),
               shaped({20, 30, 40}, {1200, 40, 1}), "transposed 2"},
       }) {
    SCOPED_TRACE(call.what);
    const std::string method =
        caller_of<float(float, float)>({""})->method_for({Arrays{call.a, call.b}, Arrays{call.out}, nullptr, {}});
    EXPECT_EQ(method, call.method);
  }
  EXPECT_EQ(
      error_of([&] {
        caller_of<float(float, float)>({""})->method_for({Arrays{dense, shaped({9}, {1})}, Arrays{dense}, nullptr, {}});
      }).code(),
      ErrorCode::CountMismatch);
}

TEST(ViewCall, GetsTheFastestKernelThatServesIt) {
  const auto a = at(0x100000, {64, 48}, {1, 64}), b = at(0x200000, {64, 48}, {1, 64});
  const auto dense = at(0x300000, {64, 48}, {48, 1}), out = at(0x400000, {64, 48}, {48, 1});
  const auto spread = at(0x500000, {64, 48}, {96, 2});
  const std::vector<std::string> all = {"", "transposed 1", "strided", "transposed 3", "transposed 2"};
  using F = float(float, float);
  const auto got = [&](const std::vector<std::string>& methods, const View<float>& first, const View<float>& second,
                       const View<float>& to) {
    return methods[launched<F>({first, second}, {to}, methods).kernel];
  };
  EXPECT_EQ(got(all, a, b, out), "transposed 3");
  EXPECT_EQ(got(all, a, dense, out), "transposed 1");
  EXPECT_EQ(got(all, dense, b, out), "transposed 2");
  EXPECT_EQ(got({"", "transposed 1", "strided"}, a, b, out), "transposed 1");  // the second is read with strides
  EXPECT_EQ(got({"", "transposed 3", "strided"}, a, dense, out), "strided");
  EXPECT_EQ(got(all, dense, at(0x200000, {48}, {1}), out), "strided");
  EXPECT_EQ(got(all, dense, b, spread), "strided");
  EXPECT_EQ(got(all, dense, dense, out), "");
  EXPECT_EQ(launched<F>({a, b}, {out}, all).grid, 1u);  // 64 by 48, in tiles of 64 by 64
  EXPECT_EQ(launched<F>({at(0x100000, {65, 130}, {1, 65}), at(0x200000, {130}, {1})},
                        {at(0x400000, {65, 130}, {130, 1})}, all)
                .grid,
            6u);
}

// A row has threads for its units, and one thread for each element beside them. Rows that begin anywhere may have one
// unit less.
TEST(ViewCall, DividesRowsIntoUnitsAndSingleElements) {
  struct Row {
    const char* what;
    int width;
    View<float> in, out;
    unsigned threads;
  };
  for (const Row& call : {
           Row{"whole units", 4, at(0x1000, {10, 48}, {50, 1}), at(0x10000, {10, 48}, {48, 1}), 10 * 12},
           Row{"a rest", 4, at(0x1000, {10, 51}, {60, 1}), at(0x10000, {10, 51}, {52, 1}), 10 * (12 + 3)},
           Row{"an odd pitch", 4, at(0x1000, {10, 51}, {60, 1}), at(0x10000, {10, 51}, {51, 1}), 10 * (12 + 3 + 4)},
           Row{"another beginning", 4, at(0x1000, {10, 48}, {50, 1}), at(0x10004, {10, 48}, {52, 1}), 10 * (12 + 4)},
           Row{"short rows", 4, at(0x1000, {10, 7}, {8, 1}), at(0x10000, {10, 7}, {7, 1}), 10 * 7},
           Row{"many units", 4, at(0x1000, {1024, 8192}, {8200, 1}), at(0x10000000, {1024, 8192}, {8192, 1}),
               1024 * 2048},
           Row{"many units of a row", 4, at(0x1000, {8192}, {1}), at(0x10000000, {1024, 8192}, {8192, 1}), 1024 * 512},
           Row{"many short rows", 4, at(0x1000, {65536, 128}, {132, 1}), at(0x10000000, {65536, 128}, {128, 1}),
               65536 * 32},
           Row{"very many short rows", 4, at(0x1000, {1000001, 7}, {8, 1}), at(0x10000000, {1000001, 7}, {8, 1}),
               250001 * 7},
           Row{"a strided output", 4, at(0x1000, {10, 48}, {50, 1}), at(0x10000, {10, 48}, {96, 2}), 10 * 48},
           // With a heavy callback, a thread handles one element at a time.
           Row{"a rolled kernel", 1, at(0x1000, {10, 48}, {50, 1}), at(0x10000, {10, 48}, {48, 1}), 10 * 48},
       }) {
    SCOPED_TRACE(call.what);
    KernelSpec flat, strided;
    flat.signature = strided.signature = Signature::of<float(float)>();
    strided.request = elementwise::request_of(elementwise::ShapeClass::Strided);
    if (call.width == 1) strided.tuning.set("body", GRAFT_BODY_ROLLED);
    else strided.tuning.set("vector_width", call.width);
    const KernelSpec* const kernels[] = {&flat, &strided};
    Notes notes;
    elementwise::family().caller({}, {}, kernels)->call({Arrays{call.in}, Arrays{call.out}, nullptr, {}}, notes);
    EXPECT_EQ(notes.kernel, 1u);
    EXPECT_EQ(notes.grid, (call.threads + 255) / 256);
    EXPECT_EQ(reinterpret_cast<const graft_launch*>(notes.parameter.data())->count, call.threads);
  }
}

// Kernels count threads in 32 bits.
TEST(ViewCall, OfManyThreadsTakesSeveralLaunches) {
  constexpr std::int64_t kMany = std::int64_t{1} << 31;
  struct Row {
    const char* what;
    View<float> in, out;
    unsigned launches;
    std::uintptr_t last_out;
  };
  for (const Row& call : {
           Row{"short rows", at(0x1000, {4 * kMany, 2}, {0, 0}), at(0x10000, {4 * kMany, 2}, {3, 1}), 4,
               0x10000 + 3ull * kMany * 3 * 4},
           Row{"one long row", at(0x1000, {4 * kMany}, {0}), at(0x10000, {4 * kMany}, {1}), 2,
               0x10000 + 2ull * kMany * 4},
           Row{"half of it", at(0x1000, {2 * kMany}, {0}), at(0x10000, {2 * kMany}, {1}), 1, 0x10000},
       }) {
    SCOPED_TRACE(call.what);
    const Notes notes = launched<float(float)>({call.in}, {call.out}, {"", "strided"});
    EXPECT_EQ(notes.launches, call.launches);
    EXPECT_EQ(notes.all_items, call.out.shape[0] * (call.out.rank == 2 ? call.out.shape[1] : 1));
    std::uintptr_t pointers[2];
    std::memcpy(pointers, notes.parameter.data() + sizeof(graft_launch), sizeof pointers);
    EXPECT_EQ(pointers[1], call.last_out);
  }
}

TEST(ShapeClass, MethodsAndRequestsNameKernels) {
  using elementwise::KernelShapes;
  using elementwise::ShapeClass;
  for (const KernelShapes& kernel :
       {KernelShapes(), KernelShapes(ShapeClass::Strided), KernelShapes(ShapeClass::Transposed, 1),
        KernelShapes(ShapeClass::Transposed, 0xffff)}) {
    EXPECT_EQ(elementwise::kernel_of(elementwise::method_of(kernel)), kernel) << elementwise::method_of(kernel);
    EXPECT_EQ(elementwise::kernel_of(elementwise::request_of(kernel)), kernel) << elementwise::method_of(kernel);
  }
  for (const char* const method :
       {"flat", "stride", "strided ", "transposed", "transposed ", "transposed 0", "transposed 01", "transposed -1",
        "transposed 1 ", "transposed 65536", "transposed 4294967297"})
    EXPECT_EQ(elementwise::kernel_of(std::string_view(method)), std::nullopt) << method;
  for (const KernelShapes& kernel :
       {KernelShapes(ShapeClass::Strided, 1), KernelShapes(ShapeClass::Transposed, 0),
        KernelShapes(ShapeClass::Transposed, 0x10000), KernelShapes(static_cast<ShapeClass>(3))})
    EXPECT_EQ(elementwise::kernel_of(elementwise::request_of(kernel)), std::nullopt) << kernel.inputs;
}

TEST(ShapeClass, TilesFitIntoSharedMemory) {
  using elementwise::in_tiles;
  struct Odd {
    float x, y, z;
  };
  const Signature floats = Signature::of<float(float, float, float, float)>();  // 16 KiB each
  EXPECT_EQ(in_tiles(floats, 15, 0), 3u);
  EXPECT_EQ(in_tiles(floats, 12, 0), 12u);
  EXPECT_EQ(in_tiles(floats, 12, 20'000), 4u);  // dynamic shared memory
  EXPECT_EQ(in_tiles(floats, 12, 40'000), 0u);
  EXPECT_EQ(in_tiles(Signature::of<float(double, double, double, double)>(), 15, 0), 15u);
  EXPECT_EQ(in_tiles(Signature::of<float(Odd, float)>(), 3, 0), 2u);
  EXPECT_EQ(in_tiles(floats, 0x10000, 0), 0u);
  EXPECT_EQ(elementwise::edge_of_tiles(Signature::of<float(unsigned char, float)>(), 1), 128u);
  EXPECT_EQ(elementwise::edge_of_tiles(Signature::of<float(unsigned char, float)>(), 3), 64u);
  EXPECT_EQ(elementwise::edge_of_tiles(Signature::of<float(unsigned char, double)>(), 3), 32u);
}

}  // namespace
}  // namespace graft::test
