// Tests that each floating-point option is in each kernel. NVRTC keeps a cache of its own inside the driver's compute
// cache, and the key of NVRTC's cache ignores the option `-ftz`. In version 0.1, a kernel with the option, which should
// flush subnormals to zero, was therefore identical to a kernel that had been compiled earlier without it. NVRTC's
// cache exists only on machines with a driver, so this test needs a GPU. The test switches each floating-point option
// off, on and off again in one process, on every route, with graft's caches off and the driver's cache on, and compares
// results and machine code.
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <regex>

#include "gpu/device.hpp"
#include "support/routes.hpp"

namespace graft::test {
namespace {

constexpr std::size_t kCount = 1 << 16;

std::string output_of(const std::string& command) {
  std::string text;
  FILE* const pipe = popen(command.c_str(), "r");
  char buffer[4096];
  while (pipe != nullptr && std::fgets(buffer, sizeof buffer, pipe) != nullptr) text += buffer;
  if (pipe != nullptr) pclose(pipe);
  return text;
}

// Returns the disassembly of the image, or an empty text if nvdisasm is missing.
std::string machine_code(const Image& image) {
  const char* const wanted = std::getenv("GRAFT_NVDISASM");
  char file[] = "/tmp/graft-floating-point-XXXXXX";
  const int descriptor = mkstemp(file);
  if (descriptor < 0) return {};
  ::close(descriptor);
  const auto* const bytes = reinterpret_cast<const char*>(image.bytes().data());
  std::ofstream(file, std::ios::binary).write(bytes, static_cast<std::streamsize>(image.bytes().size()));
  const std::string text =
      output_of(fmt::format("{} -c {} 2>/dev/null", wanted == nullptr ? "nvdisasm" : wanted, file));
  std::remove(file);
  return text;
}

std::size_t count_of(const std::string& text, const std::string& pattern) {
  const std::regex wanted(pattern);
  return static_cast<std::size_t>(
      std::distance(std::sregex_iterator(text.begin(), text.end(), wanted), std::sregex_iterator()));
}

// Describes one option: a callback whose results the option changes, the range of the callback's inputs, and the
// machine instructions that tell a kernel with the option from one without it.
struct Case {
  const char* name;
  const char* source;
  std::function<void(FloatingPoint&)> change;
  float low;
  float high;
  const char* only_changed;   // pattern found only in the machine code with the option; may be empty
  const char* only_ordinary;  // pattern found only in the machine code without the option; may be empty
};

const Case kCases[] = {
    {"flush_to_zero", "__device__ float f(float x, float y) { return x * y; }",
     [](FloatingPoint& fp) { fp.flush_to_zero = true; }, 1e-20f, 1e-19f, R"(FMUL\.FTZ)", R"(FMUL )"},
    {"contraction_off", "__device__ float f(float x, float y) { return x * y - y; }",
     [](FloatingPoint& fp) { fp.contraction = false; }, 1.0f, 2.0f, R"(FADD)", R"(FFMA)"},
    {"approximate_division", "__device__ float f(float x, float y) { return x / y; }",
     [](FloatingPoint& fp) { fp.precise_division = false; }, 1.0f, 1e6f, "", R"(FCHK)"},
    {"approximate_square_root", "__device__ float f(float x, float y) { return sqrtf(x + y); }",
     [](FloatingPoint& fp) { fp.precise_square_root = false; }, 1.0f, 1e6f, R"(MUFU\.SQRT)", R"(MUFU\.RSQ)"},
    {"fast_math", "__device__ float f(float x, float y) { return sinf(x) * y; }",
     [](FloatingPoint& fp) { fp.fast_math = true; }, 1.0f, 1e4f, R"(MUFU\.SIN)", ""},
};

class GpuFloatingPoint : public Gpu {
 protected:
  GpuFloatingPoint() : x_(random_numbers<float>(kCount, 1, 0, 1)), y_(random_numbers<float>(kCount, 2, 0, 1)) {}

  std::vector<float> results(const Case& one, const Transform& transform) const {
    const auto scaled = [&](std::vector<float> values) {
      for (float& value : values) value = one.low + value * (one.high - one.low);
      return values;
    };
    const DeviceArray<float> x(scaled(x_));
    const DeviceArray<float> y(scaled(y_));
    const DeviceArray<float> out(random_bytes<float>(kCount, 3));
    transform.execute(nullptr, graft::inputs(x, y), out);
    return out.host();
  }

  Transform made(const Case& one, Route route, bool is_changed) {
    Options options;
    options.routes.required = route;
    if (is_changed) one.change(options.floating_point);
    return Transform::create(engine_, one.source, options);
  }

  void try_one(const Case& one, Route route) {
    SCOPED_TRACE(fmt::format("{} on {}", one.name, name(route)));
    const Transform ordinary = made(one, route, false);
    const Transform changed = made(one, route, true);
    const Transform again = made(one, route, false);
    const std::vector<float> expected = results(one, ordinary);
    EXPECT_TRUE(same_bytes(results(one, again), expected));
    const std::vector<float> others = results(one, changed);
    std::size_t different = 0;
    for (std::size_t i = 0; i < kCount; ++i) different += others[i] != expected[i];
    EXPECT_GT(different, 0u) << "the option changed no result";
    RecordProperty(fmt::format("{}_{}", one.name, name(route)), static_cast<int>(different));
    if (std::string_view(one.name) == "flush_to_zero") {
      for (std::size_t i = 0; i < kCount; ++i) {
        ASSERT_NE(expected[i], 0.0f);
        ASSERT_EQ(others[i], 0.0f);
      }
    }
    look_at_code(one, ordinary.image(), changed.image());
  }

  static void look_at_code(const Case& one, const Image& ordinary, const Image& changed) {
    const std::string without = machine_code(ordinary);
    const std::string with = machine_code(changed);
    if (without.empty() || with.empty()) {
      ADD_FAILURE() << "nvdisasm was not found: set GRAFT_NVDISASM to its path";
      return;
    }
    if (*one.only_changed != '\0') {
      EXPECT_GT(count_of(with, one.only_changed), 0u);
      EXPECT_EQ(count_of(without, one.only_changed), 0u);
    }
    if (*one.only_ordinary != '\0') {
      EXPECT_GT(count_of(without, one.only_ordinary), 0u);
      EXPECT_EQ(count_of(with, one.only_ordinary), 0u);
    }
  }

  // Caching is off, so that every create compiles a new kernel.
  Engine engine_{{.cuda_path = {}, .host_compiler = {}, .cache = {.policy = CachePolicy::Off}}};

 private:
  std::vector<float> x_;
  std::vector<float> y_;
};

TEST_F(GpuFloatingPoint, EachFloatingPointOptionIsInEachKernel) {
  for (const Case& one : kCases)
    for (const Route route : kGpuRoutes) try_one(one, route);
}

}  // namespace
}  // namespace graft::test
