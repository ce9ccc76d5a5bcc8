// Tests Callback as a value, callbacks read from files, and the error that create throws on a machine without a GPU.
#include "graft/callback.hpp"

#include <gtest/gtest.h>

#include "base/bytes.hpp"
#include "base/files.hpp"
#include "graft/graft.hpp"
#include "support/errors.hpp"
#include "toolchain/driver.hpp"

namespace graft {
namespace {

TEST(CallbackValue, KeepsWhatItIsGiven) {
  const Callback plain = "text";
  EXPECT_EQ(plain.text(), "text");
  EXPECT_EQ(plain.name(), "callback.cu");
  EXPECT_EQ(plain.entry(), "");
  EXPECT_EQ(plain.signature(), "");
  const Callback full = Callback::source("text", "gain.cu").with_entry("f").with_signature(Signature::of<int(int)>());
  EXPECT_EQ(full.name(), "gain.cu");
  EXPECT_EQ(full.entry(), "f");
  EXPECT_EQ(full.signature(), "int(int)");
  const Callback other = full.with_entry("g");
  EXPECT_EQ(other.entry(), "g");
  EXPECT_EQ(other.signature(), "int(int)");
  EXPECT_EQ(full.entry(), "f");
}

TEST(CallbackFile, IsReadWhole) {
  const base::TemporaryFolder folder;
  const auto file = folder.path() / "gain.cu";
  const std::string text = "a\r\n\tb\n";
  ASSERT_TRUE(base::write_file(file, base::as_bytes(text)));
  const Callback callback = Callback::file(file);
  EXPECT_EQ(callback.form(), Form::Source);
  EXPECT_EQ(callback.text(), text);
  EXPECT_EQ(callback.name(), file.string());
}

// A callback file is recognised by its content and not by its name: every file here has the same name.
TEST(CallbackFile, IsToldByItsContent) {
  const base::TemporaryFolder folder;
  const auto file = folder.path() / "callback";
  struct Row {
    const char* sample;
    Form form;
  };
  for (const Row& row :
       {Row{"callbacks.cu", Form::Source}, Row{"nvcc_75.ltoir", Form::LtoIr},
        Row{"nvrtc_13_5_sm120.ltoir", Form::LtoIr}, Row{"plain.fatbin", Form::Fatbin},
        Row{"compressed.fatbin", Form::Fatbin}, Row{"nvcc_75.ptx", Form::Ptx}, Row{"nvcc_75.cubin", Form::Object},
        Row{"relocatable.o", Form::Object}, Row{"library.a", Form::Object}}) {
    const auto bytes = base::read_file(std::string(GRAFT_SOURCE_DIR "/tests/format/samples/") + row.sample);
    ASSERT_TRUE(bytes && base::write_file(file, base::as_bytes(*bytes))) << row.sample;
    const Callback callback = Callback::file(file);
    EXPECT_EQ(callback.form(), row.form) << row.sample;
    EXPECT_EQ(callback.text(), *bytes) << row.sample;
  }
  ASSERT_TRUE(base::write_file(file, base::as_bytes("target triple = \"nvptx64-nvidia-cuda\"\n")));
  EXPECT_EQ(Callback::file(file).form(), Form::Nvvm);
}

TEST(CallbackFile, ThatIsNoCallbackIsRefused) {
  const base::TemporaryFolder folder;
  const auto file = folder.path() / "callback.cu";
  struct Row {
    std::string bytes;
    std::string words;
  };
  for (const Row& row : {Row{"", "the file is empty"}, Row{std::string("a\0b", 3), "neither text nor any kind"},
                         Row{"\x89GRAFT\r\n", "the pack ends inside its header"}}) {
    ASSERT_TRUE(base::write_file(file, base::as_bytes(row.bytes)));
    const Error error = test::error_of([&] { Callback::file(file); });
    EXPECT_EQ(error.code(), ErrorCode::ImageRefused) << error.what();
    EXPECT_NE(error.message().find(file.string()), std::string::npos) << error.what();
    EXPECT_NE(error.message().find(row.words), std::string::npos) << error.what();
    EXPECT_FALSE(error.remedy().empty());
  }
}

TEST(CallbackFile, SaysWhenItCannotBeRead) {
  const base::TemporaryFolder folder;
  for (const auto& path : {folder.path() / "absent.cu", folder.path()}) {
    const Error error = test::error_of([&] { Callback::file(path); });
    EXPECT_EQ(error.code(), ErrorCode::FileUnreadable);
    EXPECT_NE(error.message().find(path.string()), std::string::npos) << error.what();
    EXPECT_FALSE(error.remedy().empty());
  }
}

// An application may cast any number to an enumeration.
TEST(Enumerators, ThatDoNotExistAreRefused) {
  const Callback callback = "__device__ float f(float x) { return x; }";
  Engine engine({.cache = {.policy = CachePolicy::MemoryOnly}});
  const auto expect_refusal = [](const char* what, const auto& call) {
    const Error error = test::error_of(call);
    EXPECT_EQ(error.code(), ErrorCode::InvalidArgument) << what << ": " << error.what();
    EXPECT_NE(error.message().find(std::string(what) + ", which is no enumerator"), std::string::npos) << error.what();
  };
  const auto expect_refused_options = [&](const char* what, const Options& options) {
    expect_refusal(what, [&] { build(engine, callback, Architecture(90), options); });
    expect_refusal(what, [&] { precompile(engine, callback, {90}, PrecompileFormat::Pack, options); });
    expect_refusal(what, [&] { Transform::create(engine, callback, options); });
    expect_refusal(what, [&] { Fft::create(engine, {.length = 8}, {}, options); });
    Options closed = options;
    closed.closed.emplace();
    expect_refusal(what, [&] { build(engine, callback, Architecture(90), closed); });
  };
  expect_refused_options("Options::standard is 18", {.standard = CppStandard(18)});
  expect_refused_options("Options::policy.body is 2", {.policy = {.body = Body(2)}});
  expect_refused_options("Options::routes.required is 5", {.routes = {.required = Route(5)}});
  expect_refused_options("Options::routes.forbidden is 77", {.routes = {.forbidden = {Route::Lto, Route(77)}}});
  expect_refusal("the format of graft::precompile is 6",
                 [&] { precompile(engine, callback, {90}, PrecompileFormat(6)); });
  expect_refusal("CacheOptions::policy is 5", [] { Engine({.cache = {.policy = CachePolicy(5)}}); });
  expect_refusal("the argument `libdevice` of Callback::nvvm is 2", [] { Callback::nvvm("ir", Libdevice(2)); });
}

TEST(TransformWithoutGpu, NamesTheHostRoute) {
  std::string why;
  if (toolchain::Driver::find(why) != nullptr) GTEST_SKIP() << "this machine has a CUDA driver";
  const Error error = test::error_of([] { Transform::create("__device__ float f(float x) { return x; }"); });
  EXPECT_EQ(error.code(), ErrorCode::NoDevice) << error.what();
  EXPECT_NE(error.remedy().find("graft::Route::Host"), std::string::npos) << error.what();
}

}  // namespace
}  // namespace graft
