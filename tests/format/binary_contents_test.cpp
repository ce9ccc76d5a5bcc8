// Tests read_binary_contents(), which lists a file's device code and functions, with files of all kinds that compilers
// wrote, and with damaged files.
#include "format/binary_contents.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "families/kept_kernels.hpp"
#include "format/pack.hpp"
#include "format/samples.hpp"
#include "support/packs.hpp"

namespace graft::format {
namespace {

std::string text(const Outcome<BinaryContents>& read) {
  if (!read) return read.error().message;
  constexpr const char* kWords[] = {"ptx", "cubin", "ltoir", "other"};
  std::string lines = fmt::format("{}\n", to_string(read->kind));
  for (const DeviceCode& code : read->code)
    lines += fmt::format("{} {}{}{}{}{}\n", kWords[static_cast<int>(code.kind)], code.architecture.sm(),
                         code.is_compressed ? " compressed" : "", code.is_relocatable ? "" : " linked",
                         code.kind == CodeKind::LtoIr ? " by " + code.producer.text() : "",
                         code.member.empty() ? "" : fmt::format(" in {}", code.member));
  if (read->functions_are_known || !read->functions.empty())
    lines += fmt::format("{}: {}\n", read->functions_are_known ? "functions" : "some functions",
                         fmt::join(read->functions, " "));
  return lines;
}

TEST(BinaryContents, OfWhatCompilersWrite) {
  struct Row {
    const char* name;
    const char* expected;
  };
  const Row rows[] = {
      {"callbacks.cu", "CUDA C++ source\n"},
      {"nvcc_75.ltoir", "LTO-IR\nltoir sm_75 by 13.0\n"},
      {"nvrtc_12_9_sm90.ltoir", "LTO-IR\nltoir sm_90 by 12.9\n"},
      {"nvcc_75.ptx",
       "PTX\nptx sm_75\n"
       "functions: _Z4reluf _ZN4math5scaleENS_7ComplexIfEERKNS_5ScaleERdy _ZN4math5twiceIfEET_S1_ c_relu\n"},
      {"nvcc_75.cubin",
       "cubin\ncubin sm_75\n"
       "functions: _Z4reluf _ZN4math5scaleENS_7ComplexIfEERKNS_5ScaleERdy _ZN4math5twiceIfEET_S1_ c_relu\n"},
      {"nvcc_120_linked.cubin", "cubin\ncubin sm_120 linked\nfunctions: \n"},
      {"nvrtc_12_9_sm90a.cubin", "cubin\ncubin sm_90a\nfunctions: _Z4reluf\n"},
      {"compressed.fatbin",
       "fatbin\nptx sm_75 compressed\ncubin sm_75 compressed\ncubin sm_100f compressed\n"
       "ltoir sm_90a compressed by 13.0\n"},
      {"plain.fatbin",
       "fatbin\nptx sm_75\ncubin sm_75\nptx sm_90a\n"
       "functions: _Z4reluf _ZN4math5scaleENS_7ComplexIfEERKNS_5ScaleERdy _ZN4math5twiceIfEET_S1_ c_relu\n"},
      {"plain_lto.fatbin", "fatbin\nltoir sm_75 by 13.0\n"},
      {"host.o", "object file\nfunctions: _Z9host_onlyv\n"},
      {"relocatable.o",
       "object file\ncubin sm_75 compressed\nptx sm_75 compressed\n"
       "some functions: _Z4reluf _ZN4math5scaleENS_7ComplexIfEERKNS_5ScaleERdy c_relu\n"},
      {"dlto.o",
       "object file\nptx sm_90 compressed\nltoir sm_90 compressed by 13.0\n"
       "some functions: _Z4reluf _ZN4math5scaleENS_7ComplexIfEERKNS_5ScaleERdy c_relu\n"},
      {"library.a",
       "archive\nptx sm_90 compressed in a_name_of_more_than_fifteen_letters.o\n"
       "ltoir sm_90 compressed by 13.0 in a_name_of_more_than_fifteen_letters.o\n"
       "some functions: _Z4reluf _Z9host_onlyv _ZN4math5scaleENS_7ComplexIfEERKNS_5ScaleERdy c_relu\n"},
  };
  for (const Row& row : rows) {
    const std::string bytes = sample(row.name);
    EXPECT_EQ(text(read_binary_contents(base::as_bytes(bytes))), row.expected) << row.name;
  }
}

TEST(BinaryContents, OfAPack) {
  PackedKernel kernel;
  kernel.spec.signature = Signature({Role::Output, {ElementKind::Float, 4, 4}, "float"}, {});
  const auto bytes = families::write_pack(test::pack_of(kernel));
  ASSERT_TRUE(bytes);
  EXPECT_EQ(text(read_binary_contents(*bytes)), "pack\n");
}

TEST(BinaryContents, DamageIsAnErrorOfItsKind) {
  EXPECT_EQ(text(read_binary_contents(base::as_bytes(sample("nvcc_75.ltoir").substr(0, 20)))),
            "the LTO-IR ends inside its header");
  EXPECT_EQ(text(read_binary_contents(base::as_bytes(sample("nvcc_75.ptx").substr(0, 400)))),
            "the PTX ends too early: expected closing parenthesis");
  EXPECT_EQ(text(read_binary_contents(base::as_bytes(sample("nvcc_75.cubin").substr(0, 400)))),
            "the ELF file ends before its section table");
  std::string archive = sample("library.a");
  const std::size_t fatbin = archive.find("\x50\xed\x55\xba");
  ASSERT_NE(fatbin, archive.npos);
  archive[fatbin + 15] = 127;
  const auto read = read_binary_contents(base::as_bytes(archive));
  ASSERT_FALSE(read);
  EXPECT_TRUE(read.error().message.starts_with("a_name_of_more_than_fifteen_letters.o: the fatbin ends"))
      << read.error().message;
}

TEST(BinaryContents, ALinkedProgramIsNoObject) {
  const auto self = base::read_file("/proc/self/exe");
  ASSERT_TRUE(self);
  EXPECT_EQ(text(read_binary_contents(base::as_bytes(*self))),
            "this is a linked program or library, not an object file");
}

TEST(BinaryContents, TakesDamage) {
  for (const std::string_view name : kSamples)
    read_damaged(sample(name), [](const Guarded& bytes) {
      const auto read = read_binary_contents(bytes.bytes());
      was_read(read);
    });
}

}  // namespace
}  // namespace graft::format
