// Tests FFTs that are made ahead of time, without a GPU: images of the host route, packs that the engine builds kernels
// from, and files that are not the kernels of one FFT.
#include "base/format.hpp"
#include "engine/engine_impl.hpp"
#include "engine/job_kernels.hpp"
#include "families/fft/fft_test.hpp"
#include "families/fft/job.hpp"
#include "families/fft/request.hpp"
#include "format/pack_set.hpp"
#include "graft/graft.hpp"
#include "support/errors.hpp"

namespace graft::test {
namespace {

using graft_fft::Complex;
using testing::HasSubstr;

constexpr const char* kLoad = "__device__ float2 load(short a, graft::Index i) { return make_float2(a, i % 3); }";
constexpr const char* kStore = "__device__ float store(float2 z, const float& s) { return (z.x + z.y) * s; }";
constexpr const char* kBetween = "[](float2 z, graft::Index k) { return k < 4 ? z : make_float2(0, 0); }";

Options on_host() {
  Options options;
  options.routes.required = Route::Host;
  return options;
}

std::vector<base::Bytes> packs_in(const base::Bytes& set) {
  std::vector<base::Bytes> packs;
  const auto read = format::read_pack_set(set);
  for (const auto pack : *read) packs.emplace_back(pack.begin(), pack.end());
  return packs;
}

std::string message_of_load(const base::Bytes& set) {
  const Error error = error_of([&] { Fft::load(set); });
  return base::format("{} [{}]", error.message(), name(error.code()));
}

TEST(FftAhead, BuildsTheKernelsOfBothDirections) {
  const std::vector<Image> images = build({.length = 65536, .precision = FftPrecision::F64}, {}, Architecture(90));
  ASSERT_EQ(images.size(), 4U);  // two kernels for each direction
  for (const Image& image : images) {
    EXPECT_EQ(image.report().kernel.family, "fft");
    EXPECT_EQ(image.report().kernel.name, "graft_fft");
    EXPECT_EQ(image.signature().text(), "double2(double2)");
    EXPECT_EQ(image.report().resources.local_bytes, 0);
    EXPECT_THAT(image.report().to_text(), HasSubstr("estimated from"));
  }
  const Image measured = build({.length = 1536}, {}, Architecture(90)).front();
  EXPECT_THAT(measured.report().to_text(), HasSubstr("table of measured plans"));
  EXPECT_THAT(measured.report().to_text(), HasSubstr("measured on an H200)"));
  EXPECT_THAT(build({.length = 1536}, {}, Architecture(80)).front().report().to_text(),
              HasSubstr("measured on an H200 and not on sm_80)"));
  EXPECT_EQ(build({.length = 8, .directions = FftDirections::Inverse}, {.load = kLoad}, Architecture(75)).size(), 1U);
}

TEST(FftAhead, ImagesOfTheHostRouteComputeWhatCreateDoes) {
  constexpr std::int64_t kLength = 100;
  const FftPlan plan = {.length = kLength, .scaling = FftScaling::Unitary, .has_strides = true};
  const FftCallbacks callbacks = {.load = kLoad, .store = kStore};
  const Fft made = Fft::create(plan, callbacks, on_host());
  const Fft loaded = Fft::load(build(plan, callbacks, Architecture(90), on_host()));
  EXPECT_EQ(loaded.plan().length, kLength);
  EXPECT_EQ(loaded.plan().precision, FftPrecision::F32);
  EXPECT_EQ(loaded.plan().directions, FftDirections::Both);
  EXPECT_EQ(loaded.plan().scaling, FftScaling::Unitary);
  EXPECT_TRUE(loaded.plan().has_strides);
  std::vector<short> in(5 * kLength);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<short>(i * 37 % 101);
  for (const Direction direction : {Direction::Forward, Direction::Inverse}) {
    std::vector<float> a(in.size()), b(in.size());
    made.execute(host, in, a, direction, {.state = 2.0F});
    loaded.execute(host, in, b, direction, {.state = 2.0F});
    EXPECT_EQ(a, b);
    EXPECT_NE(a, std::vector<float>(in.size()));
  }
}

TEST(FftAhead, CreateAsyncGivesTheFftOrTheError) {
  const std::shared_future<Fft> future = Fft::create_async({.length = 12}, {.store = kStore}, on_host());
  EXPECT_EQ(future.get().plan().length, 12);
  EXPECT_THAT(error_of([] { Fft::create_async({.length = 17}, {}, on_host()).get(); }).message(), HasSubstr("17"));
  Options entry = on_host();
  entry.entry = "f";
  EXPECT_THAT(error_of([&] { Fft::create_async({.length = 8}, {}, entry).get(); }).message(),
              HasSubstr("Options::entry"));
}

// The engine links the kernels of a pack without compiling the callbacks again, for the pack's own architectures and
// for newer ones.
TEST(FftAhead, PacksHoldAllKernels) {
  Engine engine;
  const FftPlan plan = {.length = 20000, .directions = FftDirections::Forward};
  const base::Bytes set =
      precompile(engine, plan, {.load = kLoad, .store = kStore}, {90, 75}, PrecompileFormat::PackWithCubins);
  const auto kernels = engine::JobKernels::of_pack("fft", set, 7);
  const FftPlan packed = families::fft::plan_of(kernels.job());
  EXPECT_EQ(packed.length, 20000);
  EXPECT_EQ(packed.batch, 7U);
  EXPECT_EQ(packed.directions, FftDirections::Forward);
  const auto built = [&](Architecture architecture, std::optional<Route> route = {}) {
    Options options;
    options.routes.required = route;
    std::vector<KernelSpec> specs;
    for (const Step& step : kernels.kernels_for(architecture).schedule.kernels) {
      const auto image = Engine::Impl::of(engine)->find_or_build({step, architecture, options});
      EXPECT_EQ(image->kernel().request, step.request);
      EXPECT_EQ(image->kernel().signature.text(), "float(short, const float&, graft::Index)");
      EXPECT_TRUE(image->report.inlined()) << image->report.to_text();
      specs.push_back(image->kernel());
    }
    return specs;
  };
  for (const auto& [wanted, made_for] : {std::pair(75, 75), {86, 75}, {90, 90}, {100, 90}, {120, 90}}) {
    const std::vector<KernelSpec> specs = built(wanted);
    EXPECT_EQ(specs.size(), 2U);
    for (const KernelSpec& spec : specs) {
      EXPECT_EQ(spec.architecture, Architecture(wanted));
      families::fft::KernelRequest request;
      EXPECT_EQ(read(spec, request), "");
      EXPECT_EQ(request.architecture, Architecture(made_for));
    }
  }
  for (const Route route : {Route::Lto, Route::Program})
    for (const KernelSpec& spec : built(100, route)) EXPECT_EQ(spec.route, route);
  EXPECT_THAT(
      error_of([&] {
        engine::JobKernels::of_pack("fft", precompile({.length = 8}, {}, {90}), 0).kernels_for(Architecture(89));
      }).message(),
      HasSubstr("were not made for sm_89"));
}

TEST(FftAhead, PacksOfClosedRequests) {
  Options closed;
  closed.closed.emplace();
  const base::Bytes set = precompile({.length = 8}, {.load = "[](float2 z) { return z; }"}, {90}, {}, closed);
  EXPECT_EQ(families::fft::plan_of(engine::JobKernels::of_pack("fft", set, 0).job()).length, 8);
  EXPECT_THAT(error_of([&] {
                precompile({.length = 8}, {.store = "#include \"/etc/passwd\"\n[](float2 z) { return z; }"}, {90}, {},
                           closed);
              }).message(),
              HasSubstr("refused in the closed mode"));
}

// A later version of graft may have another plan for a length. It must not launch a kernel as its own plan says.
TEST(FftAhead, KernelsOfAnotherPlanAreRefused) {
  families::fft::KernelRequest request;
  request.length = 1000;
  request.architecture = 90;
  base::Bytes record = write(request);
  families::fft::KernelRequest found;
  EXPECT_EQ(read(record, found), "");
  EXPECT_EQ(found, request);
  record.back() ^= std::byte{1};  // the fingerprint of the plan comes last
  EXPECT_EQ(read(record, found), "it was made for another plan of 1000 points, by another version of graft");
}

TEST(FftAhead, OtherBytesAreRefused) {
  const base::Bytes forward = precompile({.length = 16, .directions = FftDirections::Forward}, {}, {90});
  const base::Bytes longer = precompile({.length = 32, .directions = FftDirections::Inverse}, {}, {90});
  const base::Bytes two = precompile({.length = 32768, .directions = FftDirections::Forward}, {}, {90});
  const auto joined = [](std::vector<base::Bytes> packs) { return message_of_load(format::write_pack_set(packs)); };
  const std::vector<base::Bytes> parts = packs_in(two);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_THAT(message_of_load({}), HasSubstr("cannot be read as a pack"));
  EXPECT_THAT(message_of_load(base::Bytes(forward.begin(), forward.end() - 1)), HasSubstr("ends too early"));
  EXPECT_THAT(joined({packs_in(forward)[0], packs_in(longer)[0]}), HasSubstr("do not belong together"));
  EXPECT_THAT(joined({parts[0]}), HasSubstr("1 of the 2 kernels of `forward` for sm_90 are missing"));
  EXPECT_THAT(joined({parts[1], parts[1]}), HasSubstr("1 of the 2 kernels of `forward` for sm_90 are missing"));
  EXPECT_THAT(joined({Callback("[](float x) { return x; }").precompile({90})}),
              HasSubstr("is a kernel of the family elementwise, not fft"));
  base::Bytes damaged = forward;
  damaged[damaged.size() / 2] ^= std::byte{1};
  EXPECT_THAT(message_of_load(damaged), HasSubstr("damaged"));
  EXPECT_THAT(error_of([&] { Transform::create(Callback::pack(forward)); }).message(),
              HasSubstr("is the pack of an FFT, not of a callback"));
}

TEST(FftAhead, MistakesOfImagesAndFormats) {
  EXPECT_THAT(error_of([] { Fft::load(std::vector<Image>()); }).message(), HasSubstr("no image is given"));
  const Image image = build("[](float x) { return x; }", Architecture(90), on_host());
  EXPECT_THAT(error_of([&] { Fft::load({image}); }).message(), HasSubstr("of the family elementwise"));
  const auto refused = [](std::vector<Architecture> architectures, PrecompileFormat format) {
    return error_of([&] { precompile({.length = 8}, {}, architectures, format); }).message();
  };
  EXPECT_THAT(refused({90}, PrecompileFormat::Ptx), HasSubstr("cannot be precompiled to the format PTX"));
  EXPECT_THAT(refused({}, PrecompileFormat::Pack), HasSubstr("no architecture"));
  EXPECT_THAT(error_of([] { precompile({.length = 8}, {.between = kBetween}, {90}, {}, on_host()); }).message(),
              HasSubstr("of the host route"));
}

}  // namespace
}  // namespace graft::test
