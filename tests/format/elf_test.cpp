// Tests the reader of ELF files: architecture, sections and functions. The reader must refuse damaged files and name
// the reason.
#include "format/elf.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/samples.hpp"

namespace graft::format {
namespace {

std::string text(const ElfFile& file) {
  std::string lines = fmt::format("{} {} {}\n", file.is_cubin() ? "cubin" : "host", file.architecture().sm(),
                                  file.is_relocatable ? "relocatable" : "linked");
  for (const ElfFunction& f : file.functions)
    lines += fmt::format("{} {}{}\n", f.name, f.size, f.is_kernel ? " kernel" : "");
  return lines;
}

TEST(Elf, CubinsSayArchitectureAndFunctions) {
  struct Row {
    const char* name;
    const char* expected;
  };
  const Row rows[] = {
      {"nvcc_75.cubin",
       "cubin sm_75 relocatable\n_ZN4math5twiceIfEET_S1_ 128\n_ZN4math5scaleENS_7ComplexIfEERKNS_5ScaleERdy 256\n"
       "_Z6kernelPf 128 kernel\nc_relu 640\n_Z4reluf 128\n"},
      {"nvcc_120_linked.cubin", "cubin sm_120 linked\n_Z6kernelPf 256 kernel\n"},
      {"nvrtc_12_9_sm90a.cubin", "cubin sm_90a relocatable\n_Z4reluf 256\n"},
  };
  for (const Row& row : rows) {
    const std::string bytes = sample(row.name);
    const auto read = read_elf(base::as_bytes(bytes));
    ASSERT_TRUE(read) << row.name << ": " << read.error().message;
    EXPECT_EQ(text(*read), row.expected);
  }
}

TEST(Elf, HostObjectsHaveSectionsAndFunctions) {
  const std::string bytes = sample("host.o");
  const auto read = read_elf(base::as_bytes(bytes));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_FALSE(read->is_cubin());
  EXPECT_TRUE(read->is_relocatable);
  ASSERT_EQ(read->functions.size(), 1u);
  EXPECT_EQ(read->functions[0].name, "_Z9host_onlyv");
  EXPECT_THAT(read->sections, testing::Contains(testing::Field(&ElfSection::name, ".text")));
}

TEST(Elf, IsRefusedWithItsReason) {
  struct Row {
    std::size_t offset;
    char value;
    Flaw flaw;
    const char* message;
  };
  const Row rows[] = {
      {1, 'e', Flaw::Unknown, "this is not an ELF file"},
      {EI_CLASS, 1, Flaw::Unfit, "the ELF file is not 64-bit little-endian"},
      {EI_DATA, 2, Flaw::Unfit, "the ELF file is not 64-bit little-endian"},
      {offsetof(Elf64_Ehdr, e_shoff) + 7, 127, Flaw::Truncated, "the ELF file ends before its section table"},
      {offsetof(Elf64_Ehdr, e_shnum) + 1, 127, Flaw::Truncated, "the ELF file ends inside its section table"},
      {offsetof(Elf64_Ehdr, e_shentsize), 1, Flaw::Damaged, "the ELF file's section headers have an impossible size"},
      {offsetof(Elf64_Ehdr, e_shstrndx) + 1, 127, Flaw::Damaged,
       "the ELF file's section name table (e_shstrndx) is not one of its sections"},
  };
  for (const Row& row : rows) {
    std::string bytes = sample("nvcc_75.cubin");
    bytes[row.offset] = row.value;
    const auto read = read_elf(base::as_bytes(bytes));
    ASSERT_FALSE(read) << row.message;
    EXPECT_EQ(read.error().flaw, row.flaw) << row.message;
    EXPECT_EQ(read.error().message, row.message);
  }
  const auto cut = read_elf(base::as_bytes(sample("nvcc_75.cubin").substr(0, 40)));
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().flaw, Flaw::Truncated);
}

TEST(Elf, TakesDamage) {
  for (const char* name : {"nvcc_75.cubin", "nvrtc_12_9_sm90a.cubin", "host.o"})
    read_damaged(sample(name), [](const Guarded& bytes) {
      const auto read = read_elf(bytes.bytes());
      if (!was_read(read)) return;
      for (const ElfFunction& function : read->functions) EXPECT_TRUE(is_inside(function.name, bytes.text()));
      for (const ElfSection& section : read->sections) {
        EXPECT_TRUE(is_inside(section.name, bytes.text()));
        EXPECT_TRUE(is_inside(base::as_text(section.bytes), bytes.text()));
      }
    });
}

}  // namespace
}  // namespace graft::format
