// Tests chains of callbacks from graft's own callback files. In version 0.1, three of the seven ready-made callback
// files could not be part of a chain. graft compiles each part of a chain in a namespace of its own. These three files
// contain a namespace graft, which became a nested namespace and hid graft::complex and graft::Index.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "support/compile.hpp"
#include "support/host_bytes.hpp"
#include "support/rotation.hpp"
#include "support/routes.hpp"

namespace graft::test {
namespace {

struct Function {
  const char* file;
  const char* entry;
};

constexpr const char* kFiles[] = {"arithmetic", "activations", "complex", "conversion", "finance", "image", "windows"};

// One or more functions of each file. Their types are chosen so that the output of one function is often the input of a
// function in another file, because the tests make a chain of each such pair.
constexpr Function kFunctions[] = {
    {"arithmetic", "affine<float>"},     {"arithmetic", "add<float>"},       {"activations", "gelu<float>"},
    {"complex", "magnitude<float>"},     {"complex", "from_polar<float>"},   {"complex", "complex_scale<float>"},
    {"conversion", "float_to_half"},     {"conversion", "half_to_float"},    {"conversion", "quantize<signed char>"},
    {"finance", "black_scholes<float>"}, {"image", "srgb_to_linear<float>"}, {"image", "gray_bt601"},
    {"image", "linear_to_srgb8"},        {"windows", "hann<float>"},
};

Callback callback(const Function& function) {
  return Callback::file(std::string(GRAFT_SOURCE_DIR) + "/callbacks/" + function.file + ".cuh")
      .with_entry(std::string("graft::callbacks::") + function.entry);
}

// Returns whether the outputs of `first` have the types of the first inputs of `second`.
bool fit(const Signature& first, const Signature& second) {
  const std::vector<ElementType>& given = first.outputs();
  const std::vector<ElementType>& taken = second.inputs();
  return given.size() <= taken.size() && std::equal(given.begin(), given.end(), taken.begin());
}

const Signature& signature(const Function& function) {
  static std::vector<Signature> all;
  if (all.empty())
    for (const Function& each : kFunctions) all.push_back(signature_of(callback(each)));
  return all[static_cast<std::size_t>(&function - kFunctions)];
}

struct Pair {
  const Function* first;
  const Function* second;
};

// Returns one pair for each file that can follow `file`. A file can follow if one of its functions takes the types that
// a function of `file` returns.
std::vector<Pair> pairs_behind(const char* file) {
  std::vector<Pair> pairs;
  for (const std::string second : kFiles)
    for (const Function& a : kFunctions)
      for (const Function& b : kFunctions)
        if (a.file == std::string(file) && b.file == second && fit(signature(a), signature(b)) &&
            (pairs.empty() || pairs.back().second->file != second))
          pairs.push_back({&a, &b});
  return pairs;
}

constexpr std::size_t kCount = 5;

// Returns inputs that every function in kFunctions accepts: floats in (0, 1) and small integers.
ByteArray numbers(const ElementType& type, unsigned seed) {
  ByteArray bytes(type.size * kCount);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>((seed + 7 * i) % 60);
  const bool is_float = type.kind == ElementKind::Float || type.kind == ElementKind::Complex;
  for (std::size_t i = 0; is_float && type.size >= 4 && i < bytes.size() / 4; ++i) {
    const float value = 0.25f + 0.03125f * static_cast<float>((seed + i) % 20);
    std::memcpy(bytes.data() + 4 * i, &value, 4);
  }
  return bytes;
}

// Returns a state for a function in kFunctions, with 0.5f in every four bytes. This is a valid value of each state: the
// states consist of floats, or of an element count and a flag, for which the bits of 0.5f are a large number and true.
ByteArray state_of(const Signature& signature) {
  ByteArray bytes(signature.state() ? signature.state()->size : 0);
  for (std::size_t at = 0; at + 4 <= bytes.size(); at += 4) {
    const float value = 0.5f;
    std::memcpy(bytes.data() + at, &value, 4);
  }
  return bytes;
}

class ReadyFilesInChains : public testing::TestWithParam<const char*> {};

TEST_P(ReadyFilesInChains, LinkInFrontOfEachOther) {
  for (const Pair& pair : rows_in_turn(pairs_behind(GetParam()), 3)) {
    SCOPED_TRACE(testing::Message() << pair.first->entry << ", " << pair.second->file << ": " << pair.second->entry);
    const Report report = build(chain(callback(*pair.first), callback(*pair.second)), Architecture(90)).report();
    EXPECT_EQ(report.kernel.route, Route::Lto);
  }
}

// On the host, a chain must compute the same values as its parts do when they run one after the other.
TEST_P(ReadyFilesInChains, ComputeAsTheirPartsDo) {
  for (const Pair& pair : rows_in_turn(pairs_behind(GetParam()), 3)) {
    SCOPED_TRACE(testing::Message() << pair.first->entry << ", " << pair.second->file << ": " << pair.second->entry);
    const HostBytes first(callback(*pair.first));
    const HostBytes second(callback(*pair.second));
    const HostBytes both(chain(callback(*pair.first), callback(*pair.second)));
    std::vector<ByteArray> inputs;
    for (const ElementType& type : both.signature().inputs())
      inputs.push_back(numbers(type, static_cast<unsigned>(inputs.size())));
    const std::size_t own = first.signature().inputs().size();
    ByteArray state = state_of(first.signature());
    const ByteArray second_state = state_of(second.signature());
    std::vector<ByteArray> handed =
        first.run({inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(own)}, state, kCount);
    handed.insert(handed.end(), inputs.begin() + static_cast<std::ptrdiff_t>(own), inputs.end());
    state.insert(state.end(), second_state.begin(), second_state.end());
    EXPECT_EQ(both.run(inputs, state, kCount), second.run(handed, second_state, kCount));
  }
}

INSTANTIATE_TEST_SUITE_P(Files, ReadyFilesInChains, testing::ValuesIn(kFiles),
                         [](const auto& row) { return std::string(row.param); });

TEST(ReadyFilesInChains, EachFileIsPartOfSomePair) {
  for (const std::string file : kFiles) {
    bool stands_behind = false;
    for (const char* first : kFiles)
      for (const Pair& pair : pairs_behind(first)) stands_behind |= pair.second->file == file;
    EXPECT_TRUE(stands_behind) << file;
    EXPECT_FALSE(pairs_behind(file.c_str()).empty()) << file;
  }
}

// Each text is a part of a chain, and most of them have a namespace graft of their own. However a text opens this
// namespace, names such as graft::Index must still mean graft's own types in the text.
TEST(ReadyFilesInChains, ANamespaceGraftOfThePartsOwnSeesGraftsNames) {
  const char* texts[] = {
      "namespace graft::mine {\n__device__ float f(float x, graft::Index i) { return x + i; }\n}",
      "namespace graft { namespace mine {\n__device__ float f(float x, Index i) { return x + i; }\n} }",
      "namespace graft { inline namespace v1 { struct P { float v; }; } }\n"
      "__device__ float f(float x, ::graft::Index i) { return graft::P{x}.v + i; }",
      "#define OPEN namespace graft {\nOPEN\n__device__ float f(float x, graft::Index i) { return x + i; }\n}",
      "__device__ float f(float x, graft::Index i) { return graft::norm(graft::complex<float>(x, 0)) + i; }",
  };
  for (const char* text : texts) {
    SCOPED_TRACE(text);
    const std::string entry = std::string(text).find("mine") != std::string::npos   ? "graft::mine::f"
                              : std::string(text).find("OPEN") != std::string::npos ? "graft::f"
                                                                                    : "f";
    const Callback part = Callback(text).with_entry(entry);
    for (const Route route : {Route::Lto, Route::Host})
      EXPECT_EQ(build(chain(part, part), Architecture(90), by(route)).signature().text(), "float(float, graft::Index)");
  }
}

}  // namespace
}  // namespace graft::test
