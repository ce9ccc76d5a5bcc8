// Tests that graft refuses a pack and names the reason if the pack is damaged, has another format version, or was built
// with other options than the request states.
#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/files.hpp"
#include "core/fields.hpp"
#include "families/kept_kernels.hpp"
#include "format/compressed_pack.hpp"
#include "format/pack.hpp"
#include "fuzz/sealed.hpp"
#include "scenarios/packs/packs.hpp"
#include "support/cubins.hpp"
#include "support/packs.hpp"
#include "support/records.hpp"

namespace graft::test {
namespace {

const std::vector<std::byte>& whole() {
  static const std::vector<std::byte> bytes = Callback(kTriple).precompile({80});
  return bytes;
}

std::vector<std::byte> with(std::size_t at, int value) {
  std::vector<std::byte> bytes = whole();
  bytes.at(at) = static_cast<std::byte>(value);
  return bytes;
}

std::vector<std::byte> of_graft_01() {
  const std::string text = base::read_file(GRAFT_SOURCE_DIR "/tests/format/golden/v1.graft").value();
  const auto bytes = base::as_bytes(text);
  return {bytes.begin(), bytes.end()};
}

TEST(BadPacks, AreRefusedWhenTheyAreGiven) {
  struct Row {
    std::vector<std::byte> bytes;
    std::string words;
    std::string remedy;
  };
  const std::vector<std::byte> cut(whole().begin(), whole().end() - 1);
  const Row rows[] = {
      {{}, "callback.graft cannot be read as a pack: this is not a pack", "again"},
      {cut, "the pack is cut off after", "again"},
      {with(8, 5), "format version 5, but this graft reads only versions 2 to 4", "newer graft"},
      {of_graft_01(), "callback.graft cannot be read as a pack: it was made by graft 0.1", "Precompile again"},
      {with(whole().size() / 2, static_cast<int>(whole()[whole().size() / 2]) ^ 1), "its checksum does not match",
       "again"},
  };
  for (const Row& row : rows) {
    const Error error = error_of([&] { Callback::pack(row.bytes); });
    EXPECT_EQ(error.code(), ErrorCode::ImageRefused) << error.what();
    EXPECT_NE(error.message().find(row.words), std::string::npos) << error.what();
    EXPECT_NE(error.remedy().find(row.remedy), std::string::npos) << error.what();
  }
}

// The pack must not be called damaged, since the user would copy it again and again.
TEST(BadPacks, CompressedOnesAreRefusedByABuildWithoutZstd) {
  const base::Bytes pack = whole();
  EXPECT_EQ(format::is_compressed_pack(pack), format::has_zstd());
  const base::Bytes plain = [] {
    const format::WithoutZstd without;
    return Callback(kTriple).precompile({80});
  }();
  EXPECT_FALSE(format::is_compressed_pack(plain));
  EXPECT_EQ(base::as_text(build(Callback::pack(pack), Architecture(80)).bytes()),
            base::as_text(build(Callback::pack(plain), Architecture(80)).bytes()));
  const format::WithoutZstd without;
  EXPECT_FALSE(build(Callback::pack(plain), Architecture(80)).bytes().empty());
  if (!format::is_compressed_pack(pack)) return;
  const Error error = error_of([&] { Callback::pack(pack); });
  EXPECT_EQ(error.code(), ErrorCode::ImageRefused);
  EXPECT_EQ(
      error.message(),
      "callback.graft cannot be read as a pack: it is compressed with zstd, which this build of graft does not have");
  EXPECT_NE(error.remedy().find("GRAFT_ZSTD"), std::string::npos) << error.remedy();
}

// Returns a pack with a signature that graft would refuse to write. The pack has a correct checksum.
base::Bytes forged(const Signature& signature) {
  using namespace records;
  format::PackedKernel kernel;
  kernel.spec.signature = Signature({Role::Output, {ElementKind::Float, 4, 4}, "float"}, {});
  const base::Bytes good = families::write_pack(pack_of(kernel)).operator*();
  constexpr std::size_t kHeader = 24;
  constexpr std::size_t kChecksum = 16;
  std::string metadata(base::as_text(std::span(good).subspan(kHeader, good.size() - kHeader - kChecksum)));
  const base::Bytes whole = base::write_record(signature);
  constexpr std::size_t kSize = 4;
  set(kRecord / field(1) / item(0) / field(3) / item(0) / field(3) / field(5),
      std::string(base::as_text(whole).substr(kSize)))(metadata);
  return fuzz::pack_around(base::as_bytes(metadata));
}

// A correct checksum does not show that the content is valid. graft must check the signature before a launch uses it.
TEST(BadPacks, OfASignatureThatNoCallbackHasAreRefused) {
  const ElementType real{ElementKind::Float, 4, 4};
  const ElementType large{ElementKind::Class, 4096, 4};
  const Parameter result{Role::Output, real, "float"};
  const Signature signatures[] = {
      Signature(result, {{Role::State, large, "const S&"}}),
      Signature(result, {{Role::Input, large, "S"}}),
      Signature(result, std::vector<Parameter>(17, {Role::Input, real, "float"})),
      Signature(result, std::vector<Parameter>(8, {Role::Output, real, "float&"})),
      Signature({Role::None, {}, "void"}, {}),
  };
  for (const Signature& signature : signatures) {
    format::PackedKernel kernel;
    kernel.spec.signature = signature;
    EXPECT_FALSE(families::write_pack(pack_of(kernel)));
    const base::Bytes bytes = forged(signature);
    const Error error = error_of([&] { Callback::pack(bytes); });
    EXPECT_EQ(error.code(), ErrorCode::ImageRefused) << error.what();
    EXPECT_NE(error.message().find("no callback can have its signature"), std::string::npos) << error.what();
  }
}

TEST(BadPacks, ForNewerArchitecturesSayWhatTheyHold) {
  const Error error = error_of([] { build(Callback::pack(whole()), Architecture(75)); });
  EXPECT_EQ(error.code(), ErrorCode::ImageRefused) << error.what();
  EXPECT_NE(error.message().find("callback.graft holds nothing for sm_75, only"), std::string::npos) << error.what();
  EXPECT_NE(error.message().find("ltoir for sm_80"), std::string::npos) << error.what();
}

TEST(BadPacks, OptionsThatAreNotThePacksAreRefused) {
  struct Row {
    std::string words;
    void (*change)(Options&);
    ErrorCode code = ErrorCode::InvalidArgument;
  };
  const Row rows[] = {
      {"built with floating_point.contraction on, but this request asks for contraction off",
       [](Options& o) { o.floating_point.contraction = false; }},
      {"built with floating_point.fast_math off, but this request asks for fast_math on",
       [](Options& o) { o.floating_point.fast_math = true; }},
      {"built with floating_point.flush_to_zero off, but this request asks for flush_to_zero on",
       [](Options& o) { o.floating_point.flush_to_zero = true; }},
      {"built with floating_point.precise_division on, but this request asks for precise_division off",
       [](Options& o) { o.floating_point.precise_division = false; }},
      {"built with floating_point.precise_square_root on, but this request asks for precise_square_root off",
       [](Options& o) { o.floating_point.precise_square_root = false; }},
      {"built with max_registers=0, but this request asks for 64", [](Options& o) { o.max_registers = 64; }},
      {"built with shared_bytes=0, but this request asks for 128", [](Options& o) { o.shared_bytes = 128; }},
      {"built with standard=C++17, but this request asks for C++20",
       [](Options& o) { o.standard = CppStandard::Cpp20; }},
      {"built with line_info=false, but this request asks for true", [](Options& o) { o.line_info = true; }},
      {"built with compiler_options=none, but this request asks for --diag-error=20 --disable-warnings",
       [](Options& o) {
         o.compiler_options = {"-w", "--diag-error=20"};
       }},
      {"Options::defines comes too late",
       [](Options& o) {
         o.defines.push_back({"A", "1"});
       }},
      {"Options::headers comes too late",
       [](Options& o) {
         o.headers.push_back({"a.h", ""});
       }},
      {"Options::include_paths comes too late", [](Options& o) { o.include_paths.emplace_back("/"); }},
      {"Options::baked_state comes too late", [](Options& o) { o.bake(1.0f); }},
      {"holds `triple`, but this request asks for `other`", [](Options& o) { o.entry = "other"; },
       ErrorCode::NoSuchEntry},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.words);
    Options options;
    row.change(options);
    const Error error = error_of([&] { build(Callback::pack(whole()), Architecture(90), options); });
    EXPECT_EQ(error.code(), row.code) << error.what();
    EXPECT_NE(error.message().find(row.words), std::string::npos) << error.what();
    EXPECT_FALSE(error.remedy().empty());
  }
}

TEST(BadPacks, OptionsThatThePackWasMadeWithAreTaken) {
  Options options;
  options.floating_point.contraction = false;
  options.max_registers = 64;
  options.shared_bytes = 4096;
  options.standard = CppStandard::Cpp20;
  options.compiler_options = {"-w"};
  options.defines.push_back({"FACTOR", "3"});
  const Callback source("__device__ float f(float x) { return FACTOR * x; }");
  const Callback pack = packed(source, {80}, PrecompileFormat::Pack, options);
  options.defines.clear();
  for (const Route route : {Route::Lto, Route::Program, Route::Ptx, Route::Indirect}) {
    Options wanted = options;
    wanted.routes.required = route;
    const Report report = build(pack, Architecture(80), wanted).report();
    EXPECT_EQ(report.kernel.route, route);
    EXPECT_EQ(report.kernel.compiler_options, std::vector<std::string>{"--disable-warnings"});
  }
  options.shared_bytes = 128;
  const Error error = error_of([&] { build(pack, Architecture(80), options); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument) << error.what();
  EXPECT_NE(error.message().find("built with shared_bytes=4096, but this request asks for 128"), std::string::npos)
      << error.what();
}

// A kernel of a pack must be launched with the amount of shared memory for which the pack was made. With less, its
// callbacks would write beyond the end of the shared memory.
TEST(BadPacks, ARequestThatSaysNothingGetsThePacksSharedMemory) {
  Options options;
  options.shared_bytes = 4096;
  const Callback stages(Stages{.load =
                                   "__device__ float load(void* data, unsigned long long i, void*, void* shared) {\n"
                                   "  static_cast<float*>(shared)[1] = static_cast<float*>(data)[i];\n"
                                   "  return static_cast<float*>(shared)[1];\n}"});
  for (const PrecompileFormat format : {PrecompileFormat::Pack, PrecompileFormat::PackWithCubins}) {
    const Callback pack = packed(stages, {80}, format, options);
    for (const Architecture architecture : {Architecture(80), Architecture(90)})
      EXPECT_EQ(build(pack, architecture).report().kernel.shared_bytes, 4096) << architecture.sm();
  }
}

TEST(BadPacks, DefaultOptionsSayNothingAgainstThePacks) {
  const Callback source("__device__ float f(float x) { return x * x + x; }");
  Options options;
  options.floating_point.contraction = false;
  options.line_info = true;
  const Callback pack = packed(source, {80}, PrecompileFormat::Pack, options);
  for (const Route route : {Route::Lto, Route::Program, Route::Ptx, Route::Indirect}) {
    SCOPED_TRACE(name(route));
    Options asked;
    asked.routes.required = route;
    Options same = options;
    same.routes.required = route;
    EXPECT_EQ(base::as_text(build(pack, Architecture(80), asked).bytes()),
              base::as_text(build(pack, Architecture(80), same).bytes()));
  }
  const Callback contradicting = pack.with_floating_point({.fast_math = true});
  EXPECT_EQ(error_of([&] { build(contradicting, Architecture(80)); }).code(), ErrorCode::InvalidArgument);
}

TEST(BadPacks, AreNoPartsOfCompositions) {
  const Callback pack = Callback::pack(whole());
  const Error error = error_of([&] { chain(pack, pack); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(error.message(), "callback.graft is a pack, and a pack cannot be part of a composition");
  EXPECT_EQ(error_of([&] { Callback(Stages{.load = pack}); }).code(), ErrorCode::InvalidArgument);
}

TEST(BadPacks, AnotherSignatureIsRefused) {
  const Callback pack = Callback::pack(whole());
  EXPECT_EQ(build(pack.with_signature(Signature::of<float(float)>()), Architecture(90)).report().kernel.route,
            Route::Lto);
  EXPECT_EQ(build(pack.with_signature("float triple(float)"), Architecture(90)).report().kernel.route, Route::Lto);
  for (const Callback& other : {pack.with_signature(Signature::of<float(double)>()), pack.with_signature("int(float)"),
                                pack.with_signature("Unknown(float)")}) {
    const Error error = error_of([&] { build(other, Architecture(90)); });
    EXPECT_EQ(error.code(), ErrorCode::SignatureMismatch) << error.what();
    EXPECT_NE(error.message().find("has the signature float(float)"), std::string::npos) << error.what();
  }
}

// The checksums are right, but the finished kernel is code of another architecture, of another kernel, or no code.
TEST(BadPacks, WithAFinishedKernelThatIsAnotherAreRefused) {
  Engine engine;
  const base::Bytes whole = precompile(engine, kTriple, {80, 90}, PrecompileFormat::PackWithCubins);
  const format::Outcome<format::Pack> read = families::read_pack(whole);
  ASSERT_TRUE(read);
  const auto cubin_for = [&](format::Pack& pack, Architecture architecture) -> std::span<const std::byte>& {
    std::vector<format::PackPart>& parts = only_kernel(pack).parts;
    const auto found = std::ranges::find_if(parts, [&](const format::PackPart& part) {
      return part.kind == format::PackPartKind::Cubin && part.architecture == architecture;
    });
    if (found == parts.end()) throw std::runtime_error("the pack has no such kernel");
    return found->bytes;
  };
  format::Pack pack = *read;
  KernelSpec renamed = only_kernel(pack).spec;
  renamed.name += "_2";
  renamed.architecture = Architecture(90);
  const base::Bytes other_kernel = cubin(0, renamed), header = lone_header({90});
  const std::pair<std::span<const std::byte>, std::string> rows[] = {
      {cubin_for(pack, Architecture(80)), "its image is for sm_80, but the kernel is for sm_90"},
      {other_kernel, "its image does not contain " + only_kernel(pack).spec.name},
      {header, "its image does not contain " + only_kernel(pack).spec.name},
  };
  for (const auto& [bytes, words] : rows) {
    format::Pack forged = *read;
    cubin_for(forged, Architecture(90)) = bytes;
    const base::Bytes file = families::write_pack(forged).operator*();
    const Error error = error_of([&] { build(engine, Callback::pack(file), Architecture(90)); });
    EXPECT_EQ(error.code(), ErrorCode::ImageRefused) << error.what();
    EXPECT_NE(error.message().find("its finished kernel for sm_90 is none: " + words), std::string::npos)
        << error.what();
  }
  EXPECT_FALSE(build(engine, Callback::pack(whole), Architecture(90)).bytes().empty());
}

}  // namespace
}  // namespace graft::test
