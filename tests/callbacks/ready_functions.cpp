// The folder is read at run time, because a test on a GPU machine runs from a copy of the checkout.
#include "tests/callbacks/ready_functions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>

#include "reflect/callback/scan.hpp"
#include "tests/callbacks/families.hpp"

namespace graft::test {
namespace {

namespace fs = std::filesystem;
namespace own = graft::callbacks;

constexpr std::string_view kNamespace = "graft::callbacks::";
// Callbacks of FFTs have pointers in their states, or cuFFT's shape. Tests of their own run them.
// So do those of the parts of reductions.
constexpr std::array<std::string_view, 3> kWithTestsOfTheirOwn = {"fft", "dct", "reduce"};

fs::path folder() {
  const fs::path root = fs::read_symlink("/proc/self/exe").parent_path().parent_path().parent_path();
  for (const fs::path& candidate : {fs::path(GRAFT_SOURCE_DIR), root})
    if (fs::exists(candidate / "callbacks" / "arithmetic.cuh")) return candidate / "callbacks";
  throw std::runtime_error("no folder callbacks/ in " GRAFT_SOURCE_DIR " or " + root.string());
}

// The template arguments for the templates that have other parameters than one floating-point type, or that also serve
// other types.
const std::map<std::string, std::vector<std::string>>& special_arguments() {
  static const std::vector<std::string> any = {"float", "double", "int", "unsigned char", "graft::complex<float>"};
  static const std::vector<std::string> real = {"float", "double", "int"};
  static const std::vector<std::string> half = {"float", "double", "__half", "__nv_bfloat16"};
  static const std::vector<std::string> bytes = {"signed char", "unsigned char"};
  static const std::map<std::string, std::vector<std::string>> all = {
      {"add", any},
      {"subtract", any},
      {"multiply", any},
      {"divide", {"float", "double", "int", "graft::complex<float>"}},
      {"multiply_add", real},
      {"minimum", real},
      {"maximum", real},
      {"axpy", real},
      {"affine", real},
      {"clamp", real},
      {"relu", half},
      {"leaky_relu", half},
      {"gelu", half},
      {"quantize", bytes},
      {"dequantize", bytes},
      {"saturate", {"signed char, float", "unsigned char, float", "int, double"}},
      {"saturate_integer", {"unsigned char, int", "signed char, int", "short, unsigned int"}},
  };
  return all;
}

std::vector<std::string> entries_of(const std::string& name, bool is_template) {
  const std::string qualified = std::string(kNamespace) + name;
  if (!is_template) return {qualified};
  const auto found = special_arguments().find(name);
  std::vector<std::string> entries;
  for (const std::string& arguments :
       found != special_arguments().end() ? found->second : std::vector<std::string>{"float", "double"})
    entries.push_back(fmt::format("{}<{}>", qualified, arguments));
  return entries;
}

void add_functions_of(const fs::path& file, std::vector<ReadyFunction>& all) {
  const Callback text = Callback::file(file.string());
  const reflect::SourceScan scan = reflect::scan(text.text());
  if (scan.uncertain) throw std::runtime_error(file.string() + ": macros may hide functions of this file");
  std::set<std::string> seen;
  for (const reflect::FunctionFound& function : scan.functions) {
    if (!function.is_device || !function.name.starts_with(kNamespace)) continue;
    const std::string name = function.name.substr(kNamespace.size());
    if (name.starts_with("detail::") || !seen.insert(name).second) continue;
    for (const std::string& entry : entries_of(name, function.is_template))
      all.push_back({file.stem().string(), name, entry, text.with_entry(entry)});
  }
}

// The values of the states, by the type's name without qualification by graft ("Scale<float>").
class States {
 public:
  States() {
    for_type<float>();
    for_type<double>();
    add(own::Scale<int>{3});
    add(own::Affine<int>{3, 5});
    add(own::Range<int>{10, 40});
    add(own::Slope<__half>{__half(0.5f)});
    add(own::Slope<__nv_bfloat16>{__nv_bfloat16(0.5f)});
    add(own::Window{7, 1});
    add(own::Quantization{0.125f, 3});
    add(kPhilox);
    add(own::Int4Scale{0.25f});
  }

  const ByteArray& of(const std::string& name) const {
    const auto found = values_.find(name);
    if (found == values_.end())
      throw std::runtime_error("the state " + name + " has no value in tests/callbacks/ready_functions.cpp: add one");
    return found->second;
  }

 private:
  static constexpr own::Philox kPhilox = {0x123456789abcdefull, 42};

  template <class T>
  void for_type() {
    add(own::Scale<T>{T(0.5)});
    add(own::Affine<T>{T(0.5), T(0.25)});
    add(own::Range<T>{T(0.375), T(0.625)});
    add(own::Ramp<T>{T(0.25), T(0.03125)});
    add(own::Slope<T>{T(0.5)});
    add(own::PolyRelu<T>{{T(0.125), T(0.5), T(-0.25), T(0.0625)}});
    add(own::Kaiser<T>{7, 0, T(8), T(0.0023388372502)});
    add(own::Elu<T>{T(0.75)});
    add(own::ComplexScale<T>{T(-0.75)});
    add(own::Gamma<T>{T(2.25)});
    add(own::Market<T>{T(0.03125), T(0.25)});
    add(own::Noise<T>{kPhilox, T(0.125)});
    add(own::Dropout<T>{kPhilox, T(0.25)});
    add(own::Huber<T>{T(0.25)});
    add(own::Minkowski<T>{T(1.5)});
    add(own::LennardJones<T>{T(0.5), T(0.75)});
    add(own::Coulomb<T>{T(0.5)});
    add(own::Yukawa<T>{T(0.5), T(2)});
    add(own::Morse<T>{T(0.5), T(1.5), T(0.25)});
    add(own::Harmonic<T>{T(0.5), T(0.25)});
    add(own::Decay<T>{T(0.5), T(1.5), T(0.25)});
    add(own::Peak<T>{T(0.5), T(0.25), T(0.75)});
    add(own::Growth<T>{T(0.5), T(1.5), T(0.25)});
    add(own::Saturation<T>{T(0.5), T(0.25)});
    add(own::PowerLaw<T>{T(0.5), T(1.5)});
  }
  template <class S>
  void add(const S& state) {
    ByteArray bytes(sizeof state);
    std::memcpy(bytes.data(), static_cast<const void*>(&state), sizeof state);
    values_[std::string(without_scope(graft::detail::type_name<S>()))] = bytes;
  }

 public:
  // A chain's parts have namespaces of their own: "graft_text_1::graft::callbacks::Scale<float>" is "Scale<float>".
  static std::string_view without_scope(std::string_view type) {
    const std::size_t at = type.find(kNamespace);
    return at == std::string_view::npos ? type : type.substr(at + kNamespace.size());
  }

 private:
  std::map<std::string, ByteArray> values_;
};

// The size of the components of which an element consists: a graft::complex<float> has two of 4 bytes. A class with
// more than one component of its alignment, such as LinearRgb, consists of numbers, and other classes (Srgb8, Rgba8) of
// bytes.
struct Components {
  std::size_t size;
  bool is_float;
};
Components components(const ElementType& type) {
  switch (type.kind) {
    case ElementKind::Float:
    case ElementKind::Bfloat:
      return {type.size, true};
    case ElementKind::Complex:
      return {type.size / 2, true};
    case ElementKind::Class:
      if (type.alignment >= 4 && type.size > type.alignment) return {type.alignment, true};
      return {1, false};
    default:
      return {type.size, false};
  }
}

void put(std::byte* to, std::size_t size, bool is_float, ElementKind kind, std::size_t n) {
  const double number = 0.25 + 0.03125 * static_cast<double>(n % 20);
  const std::uint64_t integer = 1 + n % 60;
  if (!is_float) {
    std::memcpy(to, &integer, size);
  } else if (kind == ElementKind::Bfloat) {
    const __nv_bfloat16 value(static_cast<float>(number));
    std::memcpy(to, static_cast<const void*>(&value), size);
  } else if (size == 2) {
    const __half value(static_cast<float>(number));
    std::memcpy(to, static_cast<const void*>(&value), size);
  } else if (size == 4) {
    const auto value = static_cast<float>(number);
    std::memcpy(to, &value, size);
  } else {
    std::memcpy(to, &number, size);
  }
}

bool is_nan(const std::byte* at, std::size_t size, ElementKind kind) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, at, size);
  const int exponent = size == 8 ? 11 : size == 4 || kind == ElementKind::Bfloat ? 8 : 5;
  const int fraction = static_cast<int>(size) * 8 - 1 - exponent;
  const std::uint64_t magnitude = bits & ((std::uint64_t(1) << (size * 8 - 1)) - 1);
  return magnitude > ((std::uint64_t(1) << exponent) - 1) << fraction;
}

}  // namespace

std::vector<ReadyFunction> ready_functions() {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder())) {
    const bool is_text = entry.path().extension() == ".cuh" || entry.path().extension() == ".cu";
    if (is_text && std::ranges::find(kWithTestsOfTheirOwn, entry.path().stem().string()) == kWithTestsOfTheirOwn.end())
      files.push_back(entry.path());
  }
  std::ranges::sort(files);
  std::vector<ReadyFunction> all;
  for (const fs::path& file : files) add_functions_of(file, all);
  return all;
}

bool fits(const Signature& first, const Signature& second) {
  const std::vector<ElementType>& given = first.outputs();
  const std::vector<ElementType>& taken = second.inputs();
  return given.size() <= taken.size() && std::equal(given.begin(), given.end(), taken.begin());
}

std::vector<Pair> covering_pairs(const std::vector<Signature>& signatures, std::size_t round) {
  const std::size_t count = signatures.size();
  std::vector<Pair> pairs;
  std::set<std::size_t> seconds;
  const auto add = [&](std::size_t first, std::size_t second) {
    seconds.insert(second);
    pairs.emplace_back(first, second);
  };
  // The positions after `i`, in an order that depends on the round.
  const auto other = [&](std::size_t i, std::size_t k) { return (i + 1 + 17 * round + k) % count; };
  for (std::size_t first = 0; first < count; ++first) {
    std::vector<std::size_t> fitting;
    for (std::size_t k = 0; k < count; ++k)
      if (fits(signatures[first], signatures[other(first, k)])) fitting.push_back(other(first, k));
    const auto unused = std::ranges::find_if(fitting, [&](std::size_t second) { return !seconds.contains(second); });
    if (!fitting.empty()) add(first, unused != fitting.end() ? *unused : fitting.front());
  }
  for (std::size_t second = 0; second < count; ++second)
    for (std::size_t k = 0; k < count && !seconds.contains(second); ++k)
      if (fits(signatures[other(second, k)], signatures[second])) add(other(second, k), second);
  return pairs;
}

ByteArray some_elements(const ElementType& type, std::size_t count, std::size_t seed) {
  const Components parts = components(type);
  ByteArray bytes(type.size * count);
  for (std::size_t i = 0; i < bytes.size() / parts.size; ++i)
    put(bytes.data() + i * parts.size, parts.size, parts.is_float, type.kind, seed + 7 * i);
  return bytes;
}

ByteArray some_state(const Signature& signature) {
  static const States states;
  for (const Parameter& parameter : signature.parameters()) {
    if (parameter.role != Role::State) continue;
    std::string name(States::without_scope(parameter.spelling));
    if (name.ends_with('&')) name.pop_back();
    ByteArray bytes = states.of(name);
    if (bytes.size() != parameter.type.size)
      throw std::runtime_error("the value of the state " + name + " is too short");
    return bytes;
  }
  return {};
}

ByteArray joined_states(const Signature& first, const Signature& second) {
  ByteArray joined = some_state(first);
  if (!second.state()) return joined;
  const ByteArray more = some_state(second);
  if (joined.empty()) return more;
  const auto align = [&](std::size_t alignment) {
    joined.resize((joined.size() + alignment - 1) / alignment * alignment);
  };
  align(second.state()->alignment);
  joined.insert(joined.end(), more.begin(), more.end());
  align(std::max(first.state()->alignment, second.state()->alignment));
  return joined;
}

Comparison compare(const ElementType& type, const ByteArray& a, const ByteArray& b) {
  const Components parts = components(type);
  Comparison found;
  if (a.size() != b.size()) return {.equal = false, .all_nan = false};
  for (std::size_t at = 0; at < a.size(); at += parts.size) {
    const bool a_is_nan = parts.is_float && is_nan(a.data() + at, parts.size, type.kind);
    const bool b_is_nan = parts.is_float && is_nan(b.data() + at, parts.size, type.kind);
    found.all_nan &= a_is_nan;
    if ((a_is_nan && b_is_nan) || std::memcmp(a.data() + at, b.data() + at, parts.size) == 0) continue;
    if (found.equal) found.at = at;
    found.equal = false;
  }
  return found;
}

}  // namespace graft::test
