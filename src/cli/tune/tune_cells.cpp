#include "cli/tune/tune_cells.hpp"

#include <span>
#include <utility>

#include "base/format.hpp"
#include "core/step.hpp"
#include "families/elementwise/measured.hpp"
#include "families/registry.hpp"
#include "graft/callback.hpp"

namespace graft::cli {
namespace {

// A sum of so many inputs: arithmetic for which memory does not wait.
TuneCell sum_cell(std::string_view name, std::string_view type, int inputs) {
  static constexpr std::string_view kInputNames[] = {"a", "b", "c"};
  const std::span names(kInputNames, static_cast<std::size_t>(inputs));
  std::vector<std::string> parameters;
  for (const std::string_view one : names) parameters.push_back(base::format("{} {}", type, one));
  return {base::format("{}, {}", name, base::counted(inputs, "input")),
          base::format("__device__ {} f({}) {{ return {}; }}", type, base::join(parameters, ", "),
                       inputs == 1 ? std::string("a + a") : base::join(names, " + "))};
}

TuneCell conversion_cell(std::string_view from_name, std::string_view from, std::string_view to_name,
                         std::string_view to) {
  return {base::format("{} to {}", from_name, to_name),
          base::format("__device__ {1} f({0} x) {{ return static_cast<{1}>(x); }}", from, to)};
}

std::vector<TuneCell> new_cells() {
  std::vector<TuneCell> cells;
  struct Type {
    std::string_view name, text;
  };
  constexpr Type kU8{"u8", "unsigned char"}, kI16{"i16", "short"}, kF16{"f16", "__half"}, kF32{"f32", "float"},
      kF64{"f64", "double"}, kC64{"c64", "graft::complex<double>"};
  for (const Type& type : {kU8, kI16, kF16, kF32, kF64, kC64})
    for (const int inputs : {1, 2, 3}) cells.push_back(sum_cell(type.name, type.text, inputs));
  constexpr std::pair<Type, Type> kConversions[] = {{kU8, kF32},  {kF32, kU8},  {kF16, kF32},
                                                    {kF32, kF16}, {kF32, kF64}, {kF64, kF32}};
  for (const auto& [from, to] : kConversions) cells.push_back(conversion_cell(from.name, from.text, to.name, to.text));
  cells.push_back({"RGB to gray",
                   "struct Rgb { unsigned char r, g, b; };\n"
                   "__device__ unsigned char f(Rgb p) { return 0.299f * p.r + 0.587f * p.g + 0.114f * p.b + 0.5f; }"});
  cells.push_back(
      {"RGB to RGB", "struct Rgb { unsigned char r, g, b; };\n__device__ Rgb f(Rgb p) { return {p.b, p.g, p.r}; }"});
  cells.push_back({"three f32 to three f32",
                   "struct Vector { float x, y, z; };\n"
                   "__device__ Vector f(Vector v) { return {2 * v.x, 2 * v.y, 2 * v.z}; }"});
  cells.push_back({"f16 gelu",
                   "__device__ __half f(__half x) { const float v = __half2float(x); "
                   "return __float2half(0.5f * v * (1.0f + erff(v * 0.70710678f))); }"});
  cells.push_back({"f32 gelu", "__device__ float f(float x) { return 0.5f * x * (1.0f + erff(x * 0.70710678f)); }"});
  cells.push_back({"f64 erf", "__device__ double f(double x) { return erf(x); }"});
  cells.push_back({"f32 pow", "__device__ float f(float x, float y) { return powf(x, y); }"});
  cells.push_back({"f32 fill", "__device__ float f(graft::Index) { return 1.5f; }"});
  cells.push_back({"f64 fill", "__device__ double f(graft::Index) { return 1.5; }"});
  return cells;
}

std::string sizes_text(const std::vector<int>& sizes) {
  return sizes.empty() ? std::string("nothing") : base::format("{}", base::join(sizes, ", "));
}

}  // namespace

const std::vector<TuneCell>& tune_cells() {
  static const std::vector<TuneCell> cells = new_cells();
  return cells;
}

format::MeasuredKind kind_of(const TuneCell& cell) {
  const Options options;
  const Callback callback(cell.source);
  const codegen::SourceProgram program = families::prepare_program({callback}, options);
  const Signature signature = families::of(kElementwise).shown_signature(program, options).value();
  return elementwise::measured_kind(signature, program.scan.mentions_long_math).value();
}

std::string text_of(const format::MeasuredKind& kind) {
  return base::format("{} to {} bytes{}{}", sizes_text(kind.inputs), sizes_text(kind.outputs),
                      kind.short_integers ? ", integers" : "", kind.long_math ? ", long math" : "");
}

}  // namespace graft::cli
