// Tests the ready-made callbacks by their names (Callback::ready_made), and the names by which a callback's text
// includes their files: neither needs a file on disk or an option.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <vector>

#include "base/files.hpp"
#include "reflect/callback/ready_made.hpp"
#include "support/errors.hpp"
#include "support/rotation.hpp"
#include "tests/callbacks/ready_functions.hpp"

namespace graft::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kIncluding = R"(
#include <graft/callbacks/arithmetic.cuh>
#include <graft/callbacks/activations.cuh>
__device__ float twice_relu(float x, const graft::callbacks::Scale<float>& s) {
  return graft::callbacks::axpy<float>(graft::callbacks::relu<float>(x), 1, s);
}
)";

const std::vector<float> kNumbers = {-2, -1, 0.5f, 3};

std::vector<float> run(const Callback& callback, const StateRef& state = {}, const Options& options = Options::cpu()) {
  std::vector<float> out(kNumbers.size());
  Transform::create(callback, options).execute(host, kNumbers, out, state);
  return out;
}

TEST(ReadyMadeByName, IsTheFilesTextWithTheEntry) {
  const Callback hann = Callback::ready_made("hann<float>");
  EXPECT_EQ(hann.entry(), "graft::callbacks::hann<float>");
  EXPECT_EQ(hann.name(), "graft/callbacks/windows.cuh");
  EXPECT_EQ(hann.text(), base::read_file(std::filesystem::path(GRAFT_SOURCE_DIR "/callbacks/windows.cuh")).value());
  EXPECT_EQ(Callback::ready_made("graft::callbacks::hann<float>"), hann);
  EXPECT_EQ(Callback::ready_made(std::string("::graft::callbacks::hann<float>")), hann);
  EXPECT_EQ(Callback::ready_made("gray_bt601").entry(), "graft::callbacks::gray_bt601");
}

TEST(ReadyMadeByName, FindsEveryFunctionOfEveryFile) {
  std::map<std::string, std::string> files;
  for (const base::EmbeddedFile& file : reflect::ready_made_files())
    for (const std::string& name : reflect::ready_made_names(file.text)) {
      EXPECT_TRUE(files.emplace(name, file.name).second) << name << " is in two files";
      EXPECT_EQ(Callback::ready_made(name).name(), file.name) << name;
    }
  EXPECT_GT(files.size(), 150U);
  const std::vector<ReadyFunction> all = ready_functions();
  ASSERT_FALSE(all.empty());
  for (const ReadyFunction& function : all)
    EXPECT_EQ(files[function.name], "graft/callbacks/" + function.file + ".cuh") << function.name;
}

TEST(ReadyMadeByName, RunsOnTheHost) {
  struct Scale {
    float a;
  };
  EXPECT_EQ(run(Callback::ready_made("relu<float>")), (std::vector<float>{0, 0, 0.5f, 3}));
  EXPECT_EQ(run(chain(Callback::ready_made("relu<float>"), "[](float x) { return 2 * x; }")),
            (std::vector<float>{0, 0, 1, 6}));
  EXPECT_EQ(run(kIncluding, Scale{2}), (std::vector<float>{1, 1, 2, 7}));
}

TEST(ReadyMadeByName, UnknownNamesAreRefusedWithNearOnes) {
  const auto remedy = [](const char* name) {
    const Error error = error_of([&] { Callback::ready_made(name); });
    EXPECT_EQ(error.code(), ErrorCode::NoSuchEntry);
    EXPECT_THAT(error.message(), HasSubstr("there is no ready-made callback"));
    return error.remedy();
  };
  EXPECT_THAT(remedy("hanning<float>"), HasSubstr("Did you mean hamming, hann?"));
  EXPECT_THAT(remedy("gray_bt61"), HasSubstr("Did you mean gray_bt601"));
  EXPECT_THAT(remedy("real_rows"), testing::AllOf(HasSubstr("load_real_rows"), HasSubstr("store_real_rows")));
  for (const char* const name :
       {"", "<float>", "detail::weighted<float>", "xyzzy_plugh", "graft::callbacks::", "\n", "#"})
    EXPECT_THAT(remedy(name), Not(HasSubstr("detail"))) << name;
  EXPECT_LT(remedy(std::string(100'000, 'a').c_str()).size(), 1'000U);
  EXPECT_EQ(error_of([] { Callback::ready_made(static_cast<const char*>(nullptr)); }).code(),
            ErrorCode::InvalidArgument);
}

TEST(ReadyMadeByName, FilesAreIncludedOnEveryRoute) {
  std::size_t turn = 0;
  for (const Route route : {Route::Lto, Route::Program, Route::Ptx, Route::Indirect}) {
    if (!is_turn_of(0, turn++, 2)) continue;
    SCOPED_TRACE(std::string(name(route)) + ", " + rotation_text());
    Options options;
    options.routes.required = route;
    const Image image = build(kIncluding, Architecture(90), options);
    EXPECT_EQ(image.report().kernel.route, route);
    EXPECT_EQ(image.signature().text(), "float(float, const graft::callbacks::Scale<float>&)");
  }
}

// A file that includes NVIDIA's headers for half, a part of a chain, an entry in the included file, and a header of the
// user's that includes one.
TEST(ReadyMadeByName, FilesAreIncludedByEveryText) {
  const Callback entry =
      Callback("#include <graft/callbacks/conversion.cuh>\n").with_entry("graft::callbacks::quantize<unsigned char>");
  struct Quantization {
    float scale;
    int zero_point;
  };
  std::vector<unsigned char> bytes(kNumbers.size());
  Transform::create(entry, Options::cpu()).execute(host, kNumbers, bytes, Quantization{0.5f, 5});
  EXPECT_EQ(bytes, (std::vector<unsigned char>{1, 3, 6, 11}));
  EXPECT_EQ(build(entry, Architecture(90)).signature().text(),
            "unsigned char(float, const graft::callbacks::Quantization&)");

  struct Scale {
    float a;
  };
  const Callback chained = chain("[](float x) { return x + 1; }", kIncluding);
  EXPECT_EQ(run(chained, Scale{1}), (std::vector<float>{1, 1, 2.5f, 5}));
  EXPECT_EQ(build(chained, Architecture(90)).signature().inputs().size(), 1U);

  Options with_header = Options::cpu();
  with_header.headers = {{"mine.h", "#include <graft/callbacks/activations.cuh>\n"}};
  const Callback text = "#include \"mine.h\"\n__device__ float f(float x) { return graft::callbacks::relu<float>(x); }";
  EXPECT_EQ(run(text, {}, with_header), (std::vector<float>{0, 0, 0.5f, 3}));
  with_header.routes = {};
  EXPECT_EQ(build(text, Architecture(90), with_header).signature().text(), "float(float)");
}

TEST(ReadyMadeByName, AbsentFilesAreRefused) {
  const Callback absent = "#include <graft/callbacks/absent.cuh>\n__device__ float f(float x) { return x; }";
  EXPECT_EQ(error_of([&] { build(absent, Architecture(90)); }).code(), ErrorCode::CompileFailed);
  EXPECT_EQ(error_of([&] { run(absent); }).code(), ErrorCode::CompileFailed);
}

}  // namespace
}  // namespace graft::test
