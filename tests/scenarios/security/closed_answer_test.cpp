// Tests of sentence 23 of docs/security.md: graft reads the answer of the child process as bytes of anybody.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <string>

#include "core/image_data.hpp"
#include "engine/child_message.hpp"
#include "scenarios/security/closed.hpp"

namespace graft::test {
namespace {

using testing::HasSubstr;

// Changes the number of registers of the kernel that a cubin contains: the records {4, 0x2f, 8, 0, symbol, number} of
// its section .nv.info.
void set_registers(base::Bytes& cubin, std::uint32_t number) {
  constexpr std::array kRecord = {std::byte{4}, std::byte{0x2f}, std::byte{8}, std::byte{0}};
  for (auto at = cubin.begin();; ++at) {
    at = std::search(at, cubin.end(), kRecord.begin(), kRecord.end());
    if (at == cubin.end()) return;
    std::memcpy(&*at + 8, &number, sizeof number);
  }
}

TEST(Security, S23_AnAnswerOfAnotherSignatureIsRefused) {
  Engine engine(no_cache());
  const base::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "answer";
  ASSERT_TRUE(base::write_file(
      file, engine::write_answer({.image = *Image::Data::of(build(engine, kFormula, kArchitecture, closed()))})));
  const Callback declared = Callback(kFormula).with_signature(Signature::of<double(double)>());
  const Error error = error_of_closed(declared, closed(), Double("cat " + file.string() + " >&4").engine());
  EXPECT_THAT(error.message(), HasSubstr("but double(double) was declared"));
}

// Whatever message the child process sends, graft accepts at most a kernel for the requested architecture and its
// limits.
TEST(Security, S23_AnAnswerIsReadAsBytesOfAnybody) {
  const base::TemporaryFolder folder;
  const auto answered = [&](const base::Bytes& answer) {
    const std::filesystem::path file = folder.path() / "answer";
    EXPECT_TRUE(base::write_file(file, answer));
    const Error error = error_of_closed(kFormula, closed(), Double("cat " + file.string() + " >&4").engine());
    EXPECT_EQ(error.code(), ErrorCode::CompileFailed);
    return error.message();
  };
  Engine engine(no_cache());
  const Image::Data good = *Image::Data::of(build(engine, kFormula, kArchitecture, closed()));
  engine::Answer answer{.image = good};
  const base::Bytes whole = engine::write_answer(answer);
  EXPECT_THAT(answered({whole.begin(), whole.end() - 1}), HasSubstr("cannot be read"));
  EXPECT_THAT(answered(base::Bytes(100, std::byte{0x81})), HasSubstr("cannot be read"));

  answer.image->report.kernel.route = Route::Host;
  EXPECT_THAT(answered(engine::write_answer(answer)), HasSubstr("is not a kernel for sm_90"));
  answer.image = good;
  answer.image->report.kernel.architecture = Architecture(80);
  EXPECT_THAT(answered(engine::write_answer(answer)), HasSubstr("is not a kernel for sm_90"));
  answer.image = good;
  answer.image->bytes.assign(500, std::byte{1});
  EXPECT_THAT(answered(engine::write_answer(answer)), HasSubstr("holds no machine code for sm_90"));
  answer.image = good;
  set_registers(answer.image->bytes, 200);  // the report still says fewer
  EXPECT_THAT(answered(engine::write_answer(answer)),
              HasSubstr("needs 200 registers, but Closed::max_registers allows 128"));
  answer.image = good;
  answer.image->is_from_disk = true;
  EXPECT_THAT(answered(engine::write_answer(answer)), HasSubstr("is a kernel from a cache"));
  answer.image = good;
  Parameter named = good.kernel().signature.parameters().front();
  named.spelling = std::string(100'000, 'a');
  answer.image->report.kernel.signature = Signature(good.kernel().signature.result(), {named});
  EXPECT_THAT(answered(engine::write_answer(answer)), HasSubstr("its types have names of 100005 bytes"));
  EXPECT_THAT(answered(engine::write_answer({.bytes = base::Bytes(3)})), HasSubstr("holds no kernel"));
}

// The message of precompile when the child answers with these bytes, or "" if it takes them.
std::string message_of_precompile(const base::Bytes& bytes, PrecompileFormat format, Architecture architecture,
                                  int max_registers = 128) {
  const base::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "answer";
  EXPECT_TRUE(base::write_file(file, engine::write_answer({.bytes = bytes})));
  const Double child("cat " + file.string() + " >&4");
  Engine engine(child.engine());
  try {
    EXPECT_EQ(precompile(engine, kFormula, {architecture}, format, closed({.max_registers = max_registers})), bytes);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::CompileFailed);
    return error.message();
  }
  return "";
}

TEST(Security, S23_WhatPrecompileReturnsIsReadAsBytesOfAnybody) {
  struct Row {
    PrecompileFormat format;
    const char* words;
  };
  Engine engine(no_cache());
  for (const auto& [format, words] :
       {Row{PrecompileFormat::Pack, "holds no pack"}, Row{PrecompileFormat::PackWithCubins, "holds no pack"},
        Row{PrecompileFormat::LtoIr, "holds no LTO-IR for sm_90"}, Row{PrecompileFormat::Fatbin, "holds no fatbin"},
        Row{PrecompileFormat::Ptx, "holds no PTX for sm_90"},
        Row{PrecompileFormat::Cubin, "holds no machine code for sm_90"}}) {
    SCOPED_TRACE(name(format));
    const base::Bytes good = precompile(engine, kFormula, {kArchitecture}, format, closed());
    EXPECT_EQ(message_of_precompile(good, format, kArchitecture), "");
    const auto nonsense = base::as_bytes("XXXXXXX");
    EXPECT_THAT(message_of_precompile({nonsense.begin(), nonsense.end()}, format, kArchitecture), HasSubstr(words));
    EXPECT_THAT(message_of_precompile({}, format, kArchitecture), HasSubstr("the answer of the child process"));
    EXPECT_THAT(message_of_precompile(good, format, Architecture(80)), HasSubstr("sm_"));
  }
  const base::Bytes pack = precompile(engine, kFormula, {kArchitecture}, PrecompileFormat::PackWithCubins, closed());
  EXPECT_THAT(message_of_precompile(pack, PrecompileFormat::PackWithCubins, kArchitecture, 64),
              HasSubstr("kernels have no bound on registers"));
}

}  // namespace
}  // namespace graft::test
