// Tests packs of several callbacks: each callback makes the kernel that it makes alone, a request chooses one by its
// name and signature, and what cannot be chosen is refused with a list of what the pack has.
#include <gmock/gmock.h>

#include <set>

#include "families/kept_kernels.hpp"
#include "format/pack.hpp"
#include "scenarios/packs/packs.hpp"
#include "support/packs.hpp"

namespace graft::test {
namespace {

using testing::HasSubstr;

constexpr const char* kLibrary =
    "struct Gain { float factor; };\n"
    "namespace math { __device__ float relu(float x) { return x > 0 ? x : 0; } }\n"
    "namespace other { __device__ float clip(float x) { return x > 1 ? 1 : x; } }\n"
    "namespace math { __device__ float clip(float x) { return x < 1 ? 1 : x; } }\n"
    "__device__ float gain(float x, const Gain& g) { return g.factor * x; }\n"
    "__device__ float half_of(float x) { return x / 2; }\n"
    "__device__ double half_of(double x) { return x / 2; }\n"
    "template <class T> __device__ T scale(T x) { return 3 * x; }\n";

const Callback library = Callback::source(kLibrary, "library.cu");

std::vector<PackEntry> entries() {
  return {library.with_entry("math::relu"),
          library.with_entry("gain"),
          library.with_entry("scale<float>"),
          library.with_entry("scale<unsigned int>"),
          library.with_entry("half_of").with_signature("float(float)"),
          library.with_entry("half_of").with_signature("double(double)"),
          library.with_entry("math::clip"),
          library.with_entry("other::clip"),
          {formula("f32 x; f32 a => a * x^2"), "gamma"},
          {"[](float x) { return x + 1; }", "more"},
          {chain(library.with_entry("math::relu"), library.with_entry("scale<float>")), "relu then scale"}};
}

const Callback& pack() {
  static const Callback all = Callback::pack(precompile_several(entries(), {75, 90}), "library.graft");
  return all;
}

std::string bytes_of(const Image& image) {
  return std::string(base::as_text(image.bytes()));
}

std::string message_of(const Callback& callback, ErrorCode code, const Options& options = {}) {
  const Error error = error_of([&] { build(callback, Architecture(90), options); });
  EXPECT_EQ(error.code(), code) << error.what();
  EXPECT_FALSE(error.remedy().empty());
  return error.message();
}

TEST(PackEntries, MakeTheKernelsThatTheyMakeAlone) {
  for (const PackEntry& entry : entries()) {
    const std::string name = entry.name.empty() ? entry.callback.entry() : entry.name;
    SCOPED_TRACE(name);
    const Callback alone = Callback::pack(entry.callback.precompile({75, 90}));
    const Callback one = entry.callback.signature().empty()
                             ? pack().with_entry(name)
                             : pack().with_entry(name).with_signature(entry.callback.signature());
    const Image image = build(one, Architecture(90));
    const Image expected = build(alone, Architecture(90));
    EXPECT_EQ(image.signature().text(), expected.signature().text());
    EXPECT_EQ(image.report().kernel.name, expected.report().kernel.name);
    EXPECT_EQ(bytes_of(image), bytes_of(expected));
  }
}

TEST(PackEntries, TakeEveryRouteOfPacks) {
  for (const char* entry : {"gain", "scale<float>", "gamma"})
    for (const Route route : {Route::Lto, Route::Program, Route::Ptx, Route::Indirect}) {
      Options options = by(route);
      options.entry = entry;
      EXPECT_EQ(build(pack(), Architecture(90), options).report().kernel.route, route) << entry;
    }
}

TEST(PackEntries, AreChosenByAnySpellingOfTheName) {
  const auto kernel = [](const char* entry) {
    return build(pack().with_entry(entry), Architecture(90)).report().kernel.name;
  };
  for (const char* entry : {"scale<float>", "scale< float >", "::scale <float>", " scale\n<\tfloat>"})
    EXPECT_EQ(kernel(entry), "graft_transform_scale_float") << entry;
  for (const char* entry : {"scale<unsigned int>", "scale< unsigned  int >"})
    EXPECT_EQ(kernel(entry), "graft_transform_scale_unsigned_int") << entry;
  for (const char* entry : {"relu", "math::relu", "::math :: relu"})
    EXPECT_EQ(kernel(entry), "graft_transform_relu") << entry;
  EXPECT_EQ(kernel("relu then scale"), "graft_transform_relu_scale_float");
  Options options;
  options.entry = "gain";  // takes precedence, as everywhere
  EXPECT_EQ(build(pack().with_entry("gamma"), Architecture(90), options).report().kernel.name, "graft_transform_gain");
}

TEST(PackEntries, ThatAreNotThereAreRefusedWithAList) {
  const std::string list =
      "math::relu, gain, scale<float>, scale<unsigned int>, half_of, half_of, math::clip, other::clip, gamma, more, "
      "relu then scale";
  EXPECT_EQ(message_of(pack(), ErrorCode::AmbiguousEntry), "library.graft holds 11 callbacks: " + list);
  for (const char* entry : {"rela", "scale", "scale<double>", "scale<float", "::relu", "x::gain", "graft_formula", "{"})
    EXPECT_EQ(message_of(pack().with_entry(entry), ErrorCode::NoSuchEntry),
              "library.graft has no callback `" + std::string(entry) + "`; it holds " + list);
  const Error near = error_of([&] { build(pack().with_entry("gian"), Architecture(90)); });
  EXPECT_EQ(near.remedy(), "Did you mean `gain`? Name the callback in Options::entry.");
  EXPECT_THAT(message_of(pack().with_entry("clip"), ErrorCode::AmbiguousEntry),
              HasSubstr("has several `clip`: math::clip: float(float), other::clip: float(float)"));
  EXPECT_THAT(message_of(pack().with_entry("half_of"), ErrorCode::AmbiguousEntry),
              HasSubstr("has several `half_of`: half_of: float(float), half_of: double(double)"));
  EXPECT_THAT(message_of(pack().with_entry("half_of").with_signature("int(int)"), ErrorCode::SignatureMismatch),
              HasSubstr("has several `half_of`, none with the signature int(int): half_of: float(float)"));
  EXPECT_THAT(message_of(pack().with_entry("gain").with_signature("int(int)"), ErrorCode::SignatureMismatch),
              HasSubstr("has the signature float(float, const Gain&)"));
  // A message shows a name of any length and of any bytes.
  const Error error = error_of([&] { build(pack().with_entry(std::string(100'000, '\x01')), Architecture(90)); });
  EXPECT_EQ(error.code(), ErrorCode::NoSuchEntry);
  EXPECT_LT(error.message().size(), 400u);
  EXPECT_EQ(error.message().find('\x01'), std::string::npos);
}

TEST(PackEntries, APackOfOneIsThatOfPrecompile) {
  const std::vector<std::byte> alone = library.with_entry("gain").precompile({75});
  EXPECT_EQ(precompile_several({library.with_entry("gain")}, {75}), alone);
  EXPECT_EQ(precompile_several({library.with_entry("gain"), library.with_entry(" gain")}, {75}), alone);
  const Callback named = Callback::pack(precompile_several({{library.with_entry("gain"), "louder"}}, {75}));
  EXPECT_EQ(bytes_of(build(named, Architecture(75))), bytes_of(build(Callback::pack(alone), Architecture(75))));
  EXPECT_FALSE(build(named.with_entry("louder"), Architecture(75)).bytes().empty());
  EXPECT_EQ(message_of(named.with_entry("gain"), ErrorCode::NoSuchEntry),
            "callback.graft holds `louder`, but this request asks for `gain`");
}

TEST(PackEntries, AreInThePackOnce) {
  const Callback scale = library.with_entry("scale<float>");
  const auto read = families::read_pack(precompile_several(
      {scale, library.with_entry("scale< float >"), library.with_entry("gain"), scale, {scale, "scale<float>"}}, {75}));
  ASSERT_TRUE(read);
  EXPECT_EQ(families::titles_of(*read), "scale<float>, gain");
  const auto spelled =
      families::read_pack(precompile_several({library.with_entry("relu"), library.with_entry("math::relu")}, {75}));
  ASSERT_TRUE(spelled);
  EXPECT_EQ(families::titles_of(*spelled), "math::relu");
}

TEST(PackEntries, OfInstancesAreChosenByNameAndSignature) {
  const Callback scale("template <class T> __device__ T scale(T x) { return 3 * x; }");
  const auto instance = [&](const char* type) { return GenericCallback(scale).instance(types(type)); };
  const Callback one = Callback::pack(instance("f32").precompile({75}));
  EXPECT_EQ(build(one.with_entry("scale"), Architecture(75)).signature().text(), "float(float)");
  const Callback both = Callback::pack(precompile_several({instance("f32"), instance("f64")}, {75}));
  for (const char* signature : {"float(float)", "double(double)"})
    EXPECT_EQ(build(both.with_entry("scale").with_signature(signature), Architecture(75)).signature().text(),
              signature);
  EXPECT_EQ(message_of(both.with_entry("scale"), ErrorCode::AmbiguousEntry),
            "callback.graft has several `scale`: scale: float(float), scale: double(double)");
}

TEST(PackEntries, WhatCannotBeAPackIsRefused) {
  const auto message = [](const std::vector<PackEntry>& given, PrecompileFormat format = PrecompileFormat::Pack,
                          const Options& options = {}, ErrorCode code = ErrorCode::InvalidArgument) {
    const Error error = error_of([&] { precompile_several(given, {75}, format, options); });
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_FALSE(error.remedy().empty());
    return error.message();
  };
  const Callback gain = library.with_entry("gain"), other("__device__ float gain(float x) { return x; }");
  EXPECT_EQ(message({}), "no callback is given for a pack of several");
  EXPECT_EQ(message({gain, library.with_entry("relu")}, PrecompileFormat::LtoIr),
            "several callbacks cannot be precompiled to the format LTO-IR");
  Options options;
  options.entry = "gain";
  EXPECT_EQ(message({gain}, PrecompileFormat::Pack, options),
            "Options::entry names one function, but a pack of several callbacks has more");
  EXPECT_EQ(message({gain, {other.with_entry("gain"), "gain"}}), "two callbacks of the pack are called `gain`");
  const Callback another("__device__ float gain(float x) { return 2 * x; }");
  EXPECT_EQ(message({other, {another, "gain"}}), "two callbacks of the pack are called `gain`");  // after a compile
  for (const char* name : {"// one", "/* two */", "  "})
    EXPECT_EQ(message({{gain, name}, {other, "other"}}),
              "the name `" + std::string(name) + "` of a callback of the pack has nothing but blanks and comments");
  EXPECT_EQ(message({gain, Callback("[](float x) { return x; }")}),
            "callback.cu has no name by which it could be chosen in a pack of several");
  EXPECT_EQ(message({gain, formula("f32 x => x")}),
            "formula has no name by which it could be chosen in a pack of several");
  EXPECT_EQ(message({gain, pack().with_entry("gain").with_signature("float(float)")}),
            "library.graft is already a pack");
  EXPECT_THAT(message({gain, library.with_entry("absent")}, PrecompileFormat::Pack, {}, ErrorCode::NoSuchEntry),
              HasSubstr("library.cu has no function `absent`"));
  EXPECT_THAT(message({gain, library.with_entry("")}, PrecompileFormat::Pack, {}, ErrorCode::AmbiguousEntry),
              HasSubstr("defines several __device__ functions"));
}

TEST(PackEntries, HaveFinishedKernelsOfTheirOwn) {
  const Callback cubins = Callback::pack(precompile_several({library.with_entry("gain"), library.with_entry("relu")},
                                                            {80}, PrecompileFormat::PackWithCubins));
  for (const char* entry : {"gain", "relu"}) {
    const Report report = build(cubins.with_entry(entry), Architecture(80)).report();
    EXPECT_THAT(report.notes.at(0), HasSubstr("nothing was compiled or linked")) << entry;
  }
}

// Returns a pack of `count` callbacks, each with its own name, and with what a real one for two architectures says of
// itself. `code` stands for its code.
format::Pack many(std::size_t count, const base::Bytes& code) {
  static const std::vector<std::byte> real = library.with_entry("gain").precompile({75, 90});
  format::PackJob job = families::read_pack(real)->jobs.front();
  for (format::PackPart& part : job.kernels.front().parts) part.bytes = code;
  format::Pack all;
  for (std::size_t i = 0; i < count; ++i) {
    job.kernels.front().entry = "gain<Type" + std::to_string(i) + ">";
    all.jobs.push_back(job);
  }
  return all;
}

TEST(PackEntries, MayBeAThousand) {
  const base::Bytes code(100, std::byte{1});
  const base::Bytes bytes = families::write_pack(many(1000, code)).operator*();
  const Callback thousand = Callback::pack(bytes, "many.graft");
  const Error none = error_of([&] { build(thousand, Architecture(90)); });
  EXPECT_THAT(none.message(), HasSubstr("many.graft holds 1000 callbacks: gain<Type0>, "));
  EXPECT_THAT(none.message(), HasSubstr(", gain<Type19> and 980 others"));
  const Error found = error_of([&] { build(thousand.with_entry("gain<Type999>"), Architecture(90)); });
  EXPECT_EQ(found.code(), ErrorCode::ImageRefused) << found.what();  // `code` is none
  EXPECT_EQ(error_of([&] { build(thousand.with_entry("gain<Type1000>"), Architecture(90)); }).code(),
            ErrorCode::NoSuchEntry);
  EXPECT_EQ(families::write_pack(many(10'000, code)).error().message,
            "the pack's metadata is larger than 3145728 bytes");
}

// A forger may write names that no graft writes.
TEST(PackEntries, OfForgedNamesAreRefusedOrChosen) {
  const base::Bytes code(100, std::byte{1});
  format::Pack forged = many(2, code);
  forged.jobs[0].name = forged.jobs[1].name = "same";
  const Callback same = Callback::pack(families::write_pack(forged).operator*(), "forged.graft");
  EXPECT_EQ(message_of(same.with_entry("same"), ErrorCode::AmbiguousEntry),
            "forged.graft has several `same`: same: float(float, const Gain&), same: float(float, const Gain&)");
  forged.jobs[0].name = "a::same";  // the whole name comes before the end of another
  const Callback tail = Callback::pack(families::write_pack(forged).operator*(), "forged.graft");
  for (const char* entry : {"same", "::same", "a::same"}) message_of(tail.with_entry(entry), ErrorCode::ImageRefused);
  format::Pack alone = many(1, code);
  alone.jobs[0].name = std::string(100'000, '\x1b');
  const std::string other =
      message_of(Callback::pack(families::write_pack(alone).operator*(), "forged.graft").with_entry("gain"),
                 ErrorCode::NoSuchEntry);
  EXPECT_LT(other.size(), 200u);
  EXPECT_EQ(other.find('\x1b'), std::string::npos);
  format::Pack equal = many(100, code);
  for (format::PackJob& job : equal.jobs) job.name = "same";
  const Callback hundred = Callback::pack(families::write_pack(equal).operator*(), "forged.graft");
  EXPECT_THAT(message_of(hundred.with_entry("same"), ErrorCode::AmbiguousEntry), HasSubstr(" and 80 others"));
  forged.jobs[1].name = std::string(10'000, '\x1b') + "<(";
  const Callback strange = Callback::pack(families::write_pack(forged).operator*(), "forged.graft");
  const std::string message = message_of(strange, ErrorCode::AmbiguousEntry);
  EXPECT_LT(message.size(), 200u);
  EXPECT_EQ(message.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace graft::test
