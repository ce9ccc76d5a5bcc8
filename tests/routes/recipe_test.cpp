// Tests recipes. A recipe lists everything from which a kernel is made, and its hash tells whether two kernels are made
// from the same things. The recipe must contain every text and flag that is passed to a compiler or linker, and every
// byte of the recipe must change the hash.
#include "routes/recipe.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "graft/graft.hpp"
#include "support/errors.hpp"
#include "support/spy_nvrtc.hpp"

namespace graft::routes {
namespace {

const char* const kCallbacks[] = {
    "__device__ float relu(float x) { return x > 0 ? x : 0; }",
    "[](float x, double y) { return x * float(y); }",
    "struct P { float x, y; }; __device__ P turn(P p) { return {-p.y, p.x}; }",
    "struct S { float a; }; __device__ float scale(float x, const S& s) { return s.a * x; }",
    "struct Odd { char bytes[5]; }; __device__ Odd same(Odd o) { return o; }",
    "__device__ __half twice(__half x) { return __hadd(x, x); }",
    "__device__ float heavy(float x) {\n#pragma unroll\n  for (int i = 0; i < 100; ++i) x = fmaf(x, x, 1.0f);\n  "
    "return x; }",
};

Options by(Route route) {
  Options options;
  options.routes.required = route;
  options.floating_point.contraction = false;
  return options;
}

std::vector<std::string> contents(const std::vector<Ingredient>& recipe, std::string_view name) {
  std::vector<std::string> found;
  for (const Ingredient& one : recipe)
    if (one.name == name) found.push_back(one.content);
  return found;
}

TEST(Recipe, HasTheTextAndTheFlagsThatReachedTheCompiler) {
  const test::SpyToolkit spy;
  for (const Route route : {Route::Lto, Route::Program, Route::Ptx, Route::Indirect})
    for (const char* text : kCallbacks) {
      SCOPED_TRACE(testing::Message() << name(route) << ": " << text);
      spy.forget();
      Engine engine({.cuda_path = spy.path(), .cache = {.policy = CachePolicy::Off}});
      const Image image = build(engine, text, Architecture(90), by(route));
      const auto recipe = recipe_of({text}, by(route), image.report().kernel);
      EXPECT_THAT(contents(recipe, "text"), testing::Contains(image.report().source));
      const std::vector<std::string> flags = contents(recipe, "compile flag");
      const auto compiles = spy.compiles();
      ASSERT_FALSE(compiles.empty());
      for (const std::string& flag : compiles.back())
        if (!flag.starts_with("-I") && flag != "-no-cache") {  // -I and -no-cache do not change the kernel
          EXPECT_THAT(flags, testing::Contains(flag));
        }
      for (const Tuning::Decision& decision : image.report().kernel.tuning.decisions())
        EXPECT_THAT(contents(recipe, "tuning " + decision.name), testing::Contains(std::to_string(decision.value)));
      EXPECT_EQ(hash_of(recipe), recipe_hash({text}, by(route), image.report().kernel));
    }
}

TEST(Recipe, OfCompositionsAndCompiledCallbacksToo) {
  const Callback chained = chain(kCallbacks[0], kCallbacks[1]);
  const Image image = build(chained, Architecture(90), by(Route::Lto));
  const auto recipe = recipe_of(chained, by(Route::Lto), image.report().kernel);
  EXPECT_THAT(contents(recipe, "text"), testing::Contains(image.report().source));
  for (const char* block : {"block elementwise/transform.ltoir", "block elementwise/tile.ltoir"})
    EXPECT_EQ(contents(recipe, block).size(), 1u) << block;

  const auto ptx = Callback(kCallbacks[0]).precompile({75}, PrecompileFormat::Ptx);
  const Callback compiled = Callback::ptx(std::string(base::as_text(ptx))).with_signature("float relu(float)");
  const Image linked = build(compiled, Architecture(90), by(Route::Indirect));
  EXPECT_FALSE(contents(recipe_of(compiled, by(Route::Indirect), linked.report().kernel), "block").empty());

  const Callback pack = Callback::pack(Callback(kCallbacks[0]).precompile({75}));
  Options options;
  options.routes.required = Route::Lto;
  const Image packed = build(pack, Architecture(90), options);
  const auto of_pack = recipe_of(pack, options, packed.report().kernel);
  EXPECT_FALSE(contents(of_pack, "link flag").empty());
  EXPECT_EQ(contents(of_pack, "block elementwise/transform.ltoir").size(), 1u);
}

// A recipe omits what a disk key omits, because the following do not change the kernel: file names, include folders and
// the order of macros.
TEST(Recipe, HasNoNamesOfFiles) {
  const auto hash = [](const Callback& callback, const Options& options) {
    KernelSpec kernel{.name = "graft_transform_relu", .architecture = Architecture(90)};
    kernel.signature = Signature::of<float(float)>();
    return recipe_hash(callback, options, kernel);
  };
  Options here, there;
  here.include_paths = {"/home/a"};
  here.defines = {{"A", "1"}, {"B", "2"}};
  there.include_paths = {"/home/b", "/tmp"};
  there.defines = {{"B", "2"}, {"A", "1"}};
  const Callback one = Callback::source(kCallbacks[0], "/one/place.cu");
  const Callback two = Callback::source(kCallbacks[0], "/another/place.cu");
  EXPECT_EQ(hash(one, here).size(), 32u);
  EXPECT_EQ(hash(one, here), hash(two, there));
  EXPECT_EQ(hash(chain(one, one), here), hash(chain(two, two), there));
}

// Changes bytes of each ingredient: in its name, in its content, and at its end.
TEST(Recipe, EveryByteChangesTheHash) {
  const Image image = build(kCallbacks[0], Architecture(90), by(Route::Lto));
  const std::vector<Ingredient> recipe = recipe_of({kCallbacks[0]}, by(Route::Lto), image.report().kernel);
  for (const char* kind : {"text", "header graft/adapter.h", "header graft/contract.h", "compile flag", "link flag",
                           "block elementwise/transform.ltoir", "block elementwise/policy/body_0.ltoir",
                           "tuning vector_width", "kernel", "orders of routes", "limits"})
    EXPECT_FALSE(contents(recipe, kind).empty()) << kind;
  const std::string hash = hash_of(recipe);
  std::size_t changes = 0;
  for (std::size_t i = 0; i < recipe.size(); ++i) {
    const auto changed = [&](auto change) {
      std::vector<Ingredient> other = recipe;
      change(other[i]);
      ++changes;
      return hash_of(other) != hash;
    };
    const std::size_t size = recipe[i].content.size();
    for (std::size_t at = 0; at < size; at += std::max<std::size_t>(1, size / 16))
      EXPECT_TRUE(changed([&](Ingredient& one) { one.content[at] = static_cast<char>(one.content[at] ^ 1); }))
          << recipe[i].name << " " << at;
    EXPECT_TRUE(changed([](Ingredient& one) { one.content += '\n'; })) << recipe[i].name;
    EXPECT_TRUE(changed([](Ingredient& one) { one.name += 'x'; })) << recipe[i].name;
  }
  EXPECT_GT(changes, 300u);
  std::vector<Ingredient> fewer = recipe;
  fewer.pop_back();
  EXPECT_NE(hash_of(fewer), hash);
}

TEST(Recipe, FollowsTheDescription) {
  const Image image = build(kCallbacks[0], Architecture(90), by(Route::Lto));
  const KernelSpec& kernel = image.report().kernel;
  const std::string hash = recipe_hash({kCallbacks[0]}, by(Route::Lto), kernel);
  const auto of = [&](auto change) {
    KernelSpec other = kernel;
    change(other);
    return recipe_hash({kCallbacks[0]}, by(Route::Lto), other);
  };
  EXPECT_EQ(of([](KernelSpec&) {}), hash);
  EXPECT_NE(of([](KernelSpec& other) { other.architecture = Architecture(80); }), hash);
  EXPECT_NE(of([](KernelSpec& other) { other.route = Route::Program; }), hash);
  EXPECT_NE(of([](KernelSpec& other) { other.signature = Signature::of<double(double)>(); }), hash);
  EXPECT_EQ(of([](KernelSpec& other) { other.signature = Signature::of<void(float)>(); }).size(), 32u);
}

}  // namespace
}  // namespace graft::routes
