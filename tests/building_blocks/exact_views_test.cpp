// Tests that the text of exact kernels for arrays of any shape (exact_views.hpp), run on the CPU, computes the same
// bytes as the host route, moves aligned words, and accesses no other memory.
#include "families/elementwise/shapes/exact_views.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "exact_array.hpp"
#include "families/elementwise/elementwise.hpp"
#include "families/registry.hpp"
#include "graft/graft.hpp"
#include "kernel_on_host.hpp"
#include "routes/attempts.hpp"
#include "support/random_views.hpp"

namespace graft::test {
namespace {

using elementwise::KernelShapes;
using elementwise::ShapeClass;

struct Kernel {
  KernelSpec spec;
  std::unique_ptr<KernelOnHost> on_host;  // null for the flat kernel
};

// Writes the first program that the route `program` would compile, which needs no compiler.
Kernel make(const Callback& callback, const KernelShapes& made_for) {
  const Options options;
  const Step step(callback, kElementwise, elementwise::request_of(made_for));
  const codegen::SourceProgram program = families::prepare_program(step, options);
  const routes::Attempt attempt = routes::Attempts(program, Architecture(90), Route::Program, options).next().value();
  EXPECT_EQ(attempt.kind, routes::Attempt::Exact);
  Kernel kernel{attempt.decided.value().kernel, nullptr};
  if (made_for != ShapeClass::Flat)
    kernel.on_host = std::make_unique<KernelOnHost>(attempt.code.text, kernel.spec.name);
  return kernel;
}

// A transform with kernels that run on the CPU.
class Subject final : private families::Runner {
 public:
  Subject(const std::string& source, const std::vector<KernelShapes>& kernels) {
    for (const KernelShapes& made_for : kernels) kernels_.push_back(make(source, made_for));
    std::vector<const KernelSpec*> specs;
    for (const Kernel& kernel : kernels_) specs.push_back(&kernel.spec);
    caller_ = elementwise::family().caller({}, {}, specs);
  }

  const Signature& signature() const { return kernels_.front().spec.signature; }
  const KernelOnHost& kernel(std::size_t i) const { return *kernels_[i].on_host; }

  // Returns how many launches there were of kernels for views.
  int call(const families::Arguments& arguments) {
    launches_ = 0;
    caller_->call(arguments, *this);
    return launches_;
  }

 private:
  const void* constants(unsigned) override { return nullptr; }
  void* workspace(std::size_t) override { return nullptr; }
  void launch(const families::Launch& launch) override {
    if (kernels_[launch.kernel].on_host == nullptr) return;
    kernels_[launch.kernel].on_host->run(launch);
    ++launches_;
  }

  std::vector<Kernel> kernels_;
  std::unique_ptr<const families::Caller> caller_;
  int launches_ = 0;
};

constexpr const char* kSources[] = {
    "__device__ float twice(float x) { return 2 * x; }",
    "__device__ float add(float a, float b) { return a + b; }",
    "__device__ unsigned char mix(unsigned char a, unsigned char b) { return a * 3 + b; }",
    "__device__ short less(short a, signed char b) { return a - b; }",
    "__device__ double scaled(double x, const float& s) { return s * x; }",
    "__device__ float unpack(unsigned char x) { return x; }",
    "__device__ double wide(unsigned char x, short y) { return x + y; }",
    "__device__ unsigned long long numbered(unsigned int x, graft::Index i) { return x + 1000 * i.value; }",
    "__device__ unsigned long long placed(unsigned int x, graft::Position<3> p) {\n"
    "  return x + 1000ull * (p[0] + 1000ull * (p[1] + 1000ull * p[2]));\n"
    "}",
    "__device__ void move(graft::InOut<float> x, float v, const float& dt) { x += dt * v; }",
    "__device__ float both(float x, short& half, double& more) { half = x > 1 ? 1 : -7; more = x; return -x; }",
    "__device__ graft::Store some(float x, float& y) { y = x; return graft::Store(x > 1e-20f); }",
    "__device__ graft::Store narrow(unsigned char x, unsigned char& y) { y = x; return graft::Store(x % 3 != 0); }",
    "__device__ graft::complex<float> turn(graft::complex<float> z) { return {-z.im, z.re}; }",
    "struct Pair { float a, b; }; __device__ Pair swap(Pair p) { return {p.b, p.a}; }",
    "struct Four { unsigned char c[4]; }; __device__ Four turn(Four x) { return {{x.c[3], x.c[2], x.c[1], x.c[0]}}; }",
    "struct Rgb { unsigned char r, g, b; }; __device__ Rgb turn(Rgb x) { return {x.b, x.r, x.g}; }",
    "__device__ float4 scale(float4 v, float s) { return {v.x * s, v.y * s, v.z * s, v.w * s}; }",
    "__device__ bool above(bool b, float x) { return b && x > 1e-30f; }",
};

struct Array {
  RandomView view;
  ElementType type;
  std::unique_ptr<blocks::ExactArray> memory;

  ArrayRef ref() const { return view.ref(memory->data(), type); }
  ArrayRef ref(const std::vector<std::byte>& other) const { return view.ref(other.data(), type); }
};

// The bytes are below 100, so that no number is NaN, and those of a bool are 0 or 1.
Array random_array(RandomView view, const ElementType& type, std::mt19937& random) {
  Array array{std::move(view), type, nullptr};
  const std::size_t bytes = static_cast<std::size_t>(array.view.memory) * type.size;
  array.memory = std::make_unique<blocks::ExactArray>(bytes, type.alignment * (random() % 5));
  const unsigned most = type.kind == ElementKind::Bool ? 2 : 100;
  for (std::size_t i = 0; i < bytes; ++i) array.memory->data()[i] = static_cast<std::byte>(random() % most);
  return array;
}

// Calls the subject and the host route with the views of random elements, and compares the outputs' memory.
int check(Subject& subject, const Transform& on_host, const std::vector<RandomView>& views, std::mt19937& random) {
  const Signature& signature = subject.signature();
  std::vector<Array> inputs, outputs;
  for (const ElementType& type : signature.inputs()) inputs.push_back(random_array(views[inputs.size()], type, random));
  for (const ElementType& type : signature.outputs())
    outputs.push_back(random_array(views[inputs.size() + outputs.size()], type, random));
  std::vector<ArrayRef> in, out, expected_out;
  std::vector<std::vector<std::byte>> expected;
  for (const Array& input : inputs) in.push_back(input.ref());
  for (const Array& output : outputs) {
    out.push_back(output.ref());
    expected.push_back(output.memory->copy());
    expected_out.push_back(output.ref(expected.back()));
  }
  const float state = 0.75f;
  const bool has_state = signature.state().has_value();
  if (has_state) on_host.execute(host, in, expected_out, state);
  else on_host.execute(host, in, expected_out);
  const int launches =
      subject.call({in, out, has_state ? &state : nullptr, has_state ? element_type<float>() : ElementType()});
  for (std::size_t k = 0; k < outputs.size() && launches > 0; ++k) {
    EXPECT_EQ(outputs[k].memory->copy(), expected[k]) << "output " << k;
    EXPECT_TRUE(outputs[k].memory->front_is_intact());
  }
  return launches;
}

Transform on_host(const char* source) {
  return Transform::create(source, {.routes = {.required = Route::Host}});
}

TEST(ExactViews, StridedTextDoesWhatTheHostRouteDoes) {
  std::mt19937 random(20261127);
  for (const char* const source : kSources) {
    SCOPED_TRACE(source);
    Subject subject(source, {ShapeClass::Flat, ShapeClass::Strided});
    const Transform reference = on_host(source);
    const std::size_t inputs = subject.signature().inputs().size(), outputs = subject.signature().outputs().size();
    int launches = 0;
    for (int round = 0; round < 60 && !testing::Test::HasFailure(); ++round) {
      Extents call = random_shape(random, 6, 100);
      if (!call.empty() && random() % 2 == 0) call.back() = 1 + static_cast<std::int64_t>(random() % 90);
      std::vector<RandomView> views;
      for (std::size_t k = 0; k < inputs + outputs; ++k) views.push_back(random_view(call, k >= inputs, random));
      launches += check(subject, reference, views, random);
    }
    EXPECT_GT(launches, 20);
    EXPECT_TRUE(subject.kernel(1).was_aligned());
  }
}

// An array whose last two dimensions lie in memory in one order or the other, perhaps with a gap.
RandomView matrix(const Extents& call, bool is_turned, std::mt19937& random) {
  RandomView view{call, Extents(call.size())};
  const std::int64_t inner = is_turned ? call[1] : call[2], pitch = inner + (random() % 2 == 0 ? 0 : random() % 9);
  view.strides = {pitch * (is_turned ? call[2] : call[1]), is_turned ? 1 : pitch, is_turned ? pitch : 1};
  for (std::size_t d = 0; d < 3; ++d) view.memory += (call[d] - 1) * view.strides[d];
  return view;
}

TEST(ExactViews, TransposedTextDoesWhatTheHostRouteDoes) {
  std::mt19937 random(20261128);
  for (const char* const source : kSources) {
    SCOPED_TRACE(source);
    const Signature signature = make(source, ShapeClass::Flat).spec.signature;
    const std::uint32_t in_tiles = elementwise::in_tiles(signature, ~0u, 0);
    if (in_tiles == 0) continue;
    Subject subject(source, {ShapeClass::Flat, {ShapeClass::Transposed, in_tiles}});
    const Transform reference = on_host(source);
    for (int round = 0; round < 8 && !testing::Test::HasFailure(); ++round) {
      const Extents call = {2, 16 + static_cast<std::int64_t>(random() % 130),
                            16 + static_cast<std::int64_t>(random() % 130)};
      std::vector<RandomView> views;
      for (std::size_t k = 0; k < signature.inputs().size() + signature.outputs().size(); ++k)
        views.push_back(matrix(call, (in_tiles >> k & 1) != 0 && k < signature.inputs().size(), random));
      EXPECT_EQ(check(subject, reference, views, random), 1);
    }
    EXPECT_TRUE(subject.kernel(1).was_aligned());
  }
}

// Threads of large calls handle several units of a row, or several elements of the second dimension.
TEST(ExactViews, ThreadsOfLargeCallsDoSeveralThings) {
  std::mt19937 random(20261129);
  for (const char* const source : {kSources[0], kSources[7]}) {
    SCOPED_TRACE(source);
    Subject subject(source, {ShapeClass::Flat, ShapeClass::Strided});
    const Transform reference = on_host(source);
    const RandomView scalar{{}, {}}, wide{{2051, 4100}, {4100, 1}, 0, 2051 * 4100};
    EXPECT_EQ(check(subject, reference, {scalar, wide}, random), 1);
    const RandomView narrow{{700003, 3}, {4, 1}, 0, 700003 * 4}, dense{{700003, 3}, {3, 1}, 0, 700003 * 3};
    EXPECT_EQ(check(subject, reference, {narrow, dense}, random), 1);
    EXPECT_TRUE(subject.kernel(1).was_aligned());
  }
}

}  // namespace
}  // namespace graft::test
