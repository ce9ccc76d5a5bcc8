// Tests that the ready-made callbacks of FFTs are inlined into kernels for GPUs, and that callbacks/README.md lists
// them.
#include <fstream>
#include <set>
#include <sstream>

#include "reflect/callback/scan.hpp"
#include "support/rotation.hpp"
#include "tests/callbacks/fft_callbacks.hpp"

namespace graft::test {
namespace {

template <class T>
std::vector<FftCallbacks> combinations() {
  const auto fft = [](const char* entry) { return ready<T>("fft", entry); };
  const auto windows = [](const char* entry) { return ready<T>("windows", entry); };
  const Callback real = fft("real_to_complex<{}>");
  return {
      {.load = chain(fft("int16_to_real<{}>"), windows("hann<{}>"), real), .store = fft("power_in_decibels<{}>")},
      {.load = fft("int16_to_complex<{}>"),
       .store = chain(ready<T>("complex", "squared_magnitude<{}>"), fft("to_decibels<{}>"))},
      {.load = chain(fft("iq16_to_complex<{}>"), windows("kaiser<graft::complex<{}>>")),
       .store = ready<T>("complex", "magnitude<{}>")},
      {.load = windows("blackman<graft::complex<{}>>"), .store = fft("cross_phase<{}>")},
      {.load = fft("load_real_rows<{}>"),
       .between = fft("filter_spectrum<{0}, graft::complex<{0}>>"),
       .store = fft("store_real_rows<{}>")},
      {.load = chain(fft("zero_padded<{}>"), real),
       .between = fft("filter_spectrum<{0}, {0}>"),
       .store = chain(fft("real_part<{}>"), fft("keep_first<{}>"))},
      {.load = fft("load_rows<{}>"), .between = fft("phase_correlate<{}>"), .store = fft("store_rows<{}>")},
  };
}

Image built(const FftCallbacks& callbacks, Route route, bool is_double) {
  Options options;
  options.routes.required = route;
  const FftPlan plan = {.length = 256,
                        .precision = is_double ? FftPrecision::F64 : FftPrecision::F32,
                        .directions = FftDirections::Forward};
  return build(plan, callbacks, Architecture(90), options).front();
}

template <class T>
class FftReadyMade : public testing::Test {};
TYPED_TEST_SUITE(FftReadyMade, Reals);

TYPED_TEST(FftReadyMade, IsInlinedOnTheRoutesForGpus) {
  std::size_t turn = 0;
  for (const FftCallbacks& callbacks : combinations<TypeParam>()) {
    if (!is_turn_of(0, turn++, 3)) continue;
    for (const Route route : {Route::Lto, Route::Program}) {
      if (sizeof(TypeParam) == 8 && route == Route::Lto) continue;  // the same machine code, to save time
      SCOPED_TRACE(fmt::format("combination {} by {}, {}", turn, name(route), rotation_text()));
      const Image image = built(callbacks, route, sizeof(TypeParam) == 8);
      EXPECT_EQ(image.report().resources.local_bytes, 0) << image.report().to_text();
      EXPECT_EQ(image.report().resources.spill_store_bytes, 0U) << image.report().to_text();
      EXPECT_EQ(image.report().remaining_calls, std::vector<std::string>());
    }
  }
}

std::string text_of(const std::string& file) {
  std::ifstream stream(GRAFT_SOURCE_DIR "/callbacks/" + file);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

TEST(FftReadyMade, StandsInTheReadme) {
  constexpr std::string_view kScope = "graft::callbacks::";
  const std::string readme = text_of("README.md");
  const reflect::SourceScan found = reflect::scan(text_of("fft.cuh"));
  EXPECT_FALSE(found.uncertain);
  std::size_t count = 0;
  for (const reflect::FunctionFound& function : found.functions) {
    const std::string name = function.name.substr(kScope.size());
    if (!function.is_device || name.starts_with("detail::")) continue;
    ++count;
    EXPECT_NE(readme.find("\n| `" + name), std::string::npos) << name;
  }
  EXPECT_GE(count, 15U);
}

}  // namespace
}  // namespace graft::test
