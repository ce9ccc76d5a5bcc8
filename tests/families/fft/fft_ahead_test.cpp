// Tests FFTs that are made ahead of time, without a GPU: images of the host route, packs that the engine builds kernels
// from, and files that are not the kernels of one FFT.
#include "base/files.hpp"
#include "base/format.hpp"
#include "engine/engine_impl.hpp"
#include "engine/job_ahead.hpp"
#include "engine/job_kernels.hpp"
#include "families/fft/fft_test.hpp"
#include "families/fft/job.hpp"
#include "families/fft/request.hpp"
#include "families/kept_kernels.hpp"
#include "format/pack.hpp"
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

std::string message_of_load(const base::Bytes& pack) {
  const Error error = error_of([&] { Fft::load(pack); });
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
  EXPECT_THAT(error_of([] { Fft::create_async({.length = 37 << 17}, {}, on_host()).get(); }).message(),
              HasSubstr("37"));
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
  const base::Bytes pack =
      precompile(engine, plan, {.load = kLoad, .store = kStore}, {90, 75}, PrecompileFormat::PackWithCubins);
  const auto kernels = engine::JobKernels::of_pack("fft", pack, 7);
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
  const base::Bytes pack = precompile({.length = 8}, {.load = "[](float2 z) { return z; }"}, {90}, {}, closed);
  EXPECT_EQ(families::fft::plan_of(engine::JobKernels::of_pack("fft", pack, 0).job()).length, 8);
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
  EXPECT_THAT(message_of_load({}), HasSubstr("cannot be read as a pack"));
  EXPECT_THAT(message_of_load(base::Bytes(forward.begin(), forward.end() - 1)), HasSubstr("is cut off after"));
  EXPECT_THAT(message_of_load(Callback("[](float x) { return x; }").precompile({90})),
              HasSubstr("is a kernel of the family elementwise, not fft"));
  base::Bytes damaged = forward;
  damaged[damaged.size() / 2] ^= std::byte{1};
  EXPECT_THAT(message_of_load(damaged), HasSubstr("damaged"));
  const Error error = error_of([&] { Transform::create(Callback::pack(forward, "f.graft")); });
  EXPECT_EQ(error.message(), "f.graft is the pack of an FFT, not of a callback");
  EXPECT_EQ(error.remedy(), "Load it with graft::Fft::load.");
}

// These packs were put together from the kernels of good ones.
TEST(FftAhead, KernelsThatAreNotThoseOfOneFftAreRefused) {
  const base::Bytes forward = precompile({.length = 16, .directions = FftDirections::Forward}, {}, {90});
  const base::Bytes longer = precompile({.length = 131072, .directions = FftDirections::Forward}, {}, {90});
  const format::Pack one = *families::read_pack(forward), two = *families::read_pack(longer);
  const std::vector<format::PackedKernel>& kernels = two.jobs.at(0).kernels;
  ASSERT_EQ(kernels.size(), 2U);
  const auto of = [&](const format::Pack& like, std::vector<format::PackedKernel> chosen) {
    format::Pack pack = like;
    pack.jobs[0].kernels = std::move(chosen);
    return message_of_load(*format::write_pack(pack));
  };
  EXPECT_THAT(of(one, {one.jobs[0].kernels[0], kernels[0]}), HasSubstr("graft_fft does not belong to its job"));
  EXPECT_THAT(of(two, {kernels[0]}), HasSubstr("1 of the 2 kernels of `forward` for sm_90 are missing"));
  EXPECT_THAT(of(two, {kernels[1], kernels[1]}), HasSubstr("1 of the 2 kernels of `forward` for sm_90 are missing"));
  EXPECT_THAT(of(two, {kernels[0], kernels[1], kernels[1]}), HasSubstr("1 of the kernels for sm_90 do not belong"));
}

TEST(FftAhead, OneOfThePacksJobsIsLoaded) {
  const auto job_in = [](const base::Bytes& pack) { return families::read_pack(pack)->jobs.at(0); };
  const base::Bytes first = precompile({.length = 8, .directions = FftDirections::Forward}, {}, {90});
  const base::Bytes second = precompile({.length = 16, .directions = FftDirections::Forward}, {}, {90});
  const base::Bytes third = Callback("__device__ float f(float x) { return x; }").precompile({90});
  const base::Bytes mixed = *families::write_pack({{job_in(third), job_in(second)}});
  EXPECT_EQ(families::fft::plan_of(engine::JobKernels::of_pack("fft", mixed, 0).job()).length, 16);
  const Error error = error_of([&] { Callback::pack(mixed, "m.graft"); });
  EXPECT_EQ(error.message(), "m.graft is a pack of 2 jobs, not of a callback: f, an FFT of 16 points");
  EXPECT_THAT(message_of_load(*families::write_pack({{job_in(first), job_in(second)}})),
              HasSubstr("of the 2 jobs of the pack, 2 are of the family fft: an FFT of 8 points, an FFT of 16 points"));
}

// graft no longer writes version 2 of packs. The program graft wrote this file: precompile --fft 2 --arch 75.
TEST(FftAhead, PacksOfVersion2AreLoaded) {
  const std::string file = base::read_file(GRAFT_SOURCE_DIR "/tests/format/golden/pack_2_set.graft").value();
  const auto kernels = engine::JobKernels::of_pack("fft", base::as_bytes(file), 0);
  EXPECT_EQ(families::fft::plan_of(kernels.job()).length, 2);
  EXPECT_EQ(families::fft::plan_of(kernels.job()).directions, FftDirections::Both);
  Engine engine;
  const std::vector<Image> images = engine::build(Engine::Impl::of(engine), kernels, Architecture(90), {});
  ASSERT_EQ(images.size(), 2U);
  for (const Image& image : images) {
    EXPECT_EQ(image.report().kernel.route, Route::Lto);
    EXPECT_EQ(image.report().kernel.tuning, Tuning());
    EXPECT_THAT(image.report().shape, HasSubstr("2 points"));
  }
  const Error error = error_of([&] { Callback::pack(base::as_bytes(file)); });
  EXPECT_EQ(error.message(), "callback.graft is the pack of an FFT, not of a callback");
}

TEST(FftAhead, MistakesOfImagesAndFormats) {
  EXPECT_THAT(error_of([] { Fft::load(std::vector<Image>()); }).message(), HasSubstr("no image is given"));
  const Image image = build("[](float x) { return x; }", Architecture(90), on_host());
  EXPECT_THAT(error_of([&] { Fft::load({image}); }).message(), HasSubstr("of the family elementwise"));
  const auto of = [](std::int64_t length, FftDirections directions, const FftCallbacks& callbacks) {
    return build(FftPlan{.length = length, .directions = directions}, callbacks, Architecture(90), on_host()).front();
  };
  const Image forward = of(8, FftDirections::Forward, {});
  const auto message_beside_forward = [&](const Image& other) {
    return error_of([&] { Fft::load(std::vector<Image>{forward, other}); }).message();
  };
  EXPECT_THAT(message_beside_forward(of(16, FftDirections::Inverse, {})), HasSubstr("do not belong together"));
  // Each direction may have callbacks of its own, but its kernels have the same.
  const auto kernels_of = [](const FftCallbacks& callbacks) {
    return build(FftPlan{.length = 131072, .directions = FftDirections::Forward}, callbacks, Architecture(90),
                 on_host());
  };
  std::vector<Image> kernels = kernels_of({});
  kernels.back() = kernels_of({.store = kStore}).back();
  EXPECT_THAT(error_of([&] { Fft::load(kernels); }).message(), HasSubstr("has other callbacks than"));
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
