// Tests that graft recognises damaged library files before it passes them to the dynamic loader.
#include "toolchain/library_file.hpp"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <functional>

#include "toolchain/fixtures.hpp"
#include "toolchain/loader_path.hpp"
#include "toolchain/shared_library.hpp"

namespace graft::toolchain {
namespace {
namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

class LibraryFileTest : public testing::Test {
 protected:
  LibraryFileTest() {
    make_library(good(), "extern \"C\" int answer() { return 42; }");
    bytes_ = base::read_file(good()).value_or("");
  }
  fs::path good() const { return folder_.path() / "good.so"; }
  fs::path write(const std::string& bytes) const {
    const fs::path file = folder_.path() / "bad.so";
    EXPECT_TRUE(base::write_file(file, base::as_bytes(bytes)));
    return file;
  }
  // Writes a copy of the good library with a changed ELF header and returns its path.
  fs::path with_header(const std::function<void(Elf64_Ehdr&)>& change) const {
    std::string bytes = bytes_;
    Elf64_Ehdr header;
    std::memcpy(&header, bytes.data(), sizeof header);
    change(header);
    std::memcpy(bytes.data(), &header, sizeof header);
    return write(bytes);
  }

  base::TemporaryFolder folder_;
  std::string bytes_;
};

TEST_F(LibraryFileTest, AWholeOneHasNoFault) {
  EXPECT_EQ(fault_of_library(good()), "");
  fs::create_symlink(good(), folder_.path() / "link.so");
  EXPECT_EQ(fault_of_library(folder_.path() / "link.so"), "");
  EXPECT_EQ(fault_of_library(real_nvrtc().path()), "");
  EXPECT_EQ(fault_of_library(real_nvjitlink().path()), "");
}

TEST_F(LibraryFileTest, OneThatIsCutOffIsSaidToBe) {
  // The offset at which the last loaded segment ends. Only data that the loader does not map follows in the file.
  std::uint64_t end = 0;
  Elf64_Ehdr header;
  std::memcpy(&header, bytes_.data(), sizeof header);
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, bytes_.data() + header.e_phoff + static_cast<std::size_t>(i) * sizeof segment,
                sizeof segment);
    if (segment.p_type == PT_LOAD) end = std::max<std::uint64_t>(end, segment.p_offset + segment.p_filesz);
  }
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{4}, std::size_t{63}, std::size_t{64},
                                 std::size_t{200}, bytes_.size() / 2, static_cast<std::size_t>(end - 1)}) {
    const fs::path file = write(bytes_.substr(0, size));
    EXPECT_THAT(fault_of_library(file), MatchesRegex(file.string() +
                                                     " is cut off: .* ends at byte [0-9]+, but the "
                                                     "file has only " +
                                                     std::to_string(size) + " bytes"))
        << size;
    EXPECT_FALSE(SharedLibrary::open(file).is_open());
  }
  EXPECT_EQ(fault_of_library(write(bytes_.substr(0, end))), "");
}

TEST_F(LibraryFileTest, OtherFilesAreSaidToBeNone) {
  EXPECT_THAT(fault_of_library(write("#!/bin/sh\n")), HasSubstr("is not a shared library"));
  EXPECT_THAT(fault_of_library(write(std::string(5000, 'x'))), HasSubstr("is not a shared library"));
  EXPECT_THAT(fault_of_library(folder_.path()), HasSubstr("is not a regular file"));
  ASSERT_EQ(::mkfifo((folder_.path() / "pipe.so").c_str(), 0600), 0);
  EXPECT_THAT(fault_of_library(folder_.path() / "pipe.so"), HasSubstr("is not a regular file"));
  for (const auto& change : std::vector<std::function<void(Elf64_Ehdr&)>>{
           [](Elf64_Ehdr& header) { header.e_ident[EI_CLASS] = ELFCLASS32; },
           [](Elf64_Ehdr& header) { header.e_ident[EI_DATA] = ELFDATA2MSB; },
           [](Elf64_Ehdr& header) { header.e_machine = EM_S390; },
           [](Elf64_Ehdr& header) { header.e_type = ET_REL; },
           [](Elf64_Ehdr& header) { header.e_phentsize = 32; },
       })
    EXPECT_THAT(fault_of_library(with_header(change)), HasSubstr("is not a shared library for this machine"));
}

TEST_F(LibraryFileTest, NumbersThatOverflowAreCutOffToo) {
  for (const std::uint64_t offset : {~std::uint64_t{0}, ~std::uint64_t{0} - 100, std::uint64_t{1} << 63})
    EXPECT_THAT(fault_of_library(with_header([&](Elf64_Ehdr& header) { header.e_phoff = offset; })),
                HasSubstr("is cut off"));
}

TEST_F(LibraryFileTest, WhatCannotBeOpenedIsLeftToTheLoader) {
  EXPECT_EQ(fault_of_library("/no/such/library.so"), "");
  EXPECT_THAT(SharedLibrary::open("/no/such/library.so").failure(),
              AllOf(HasSubstr("/no/such/library.so"), HasSubstr("No such file")));
}

TEST_F(LibraryFileTest, AnOpenedOneIsTheFile) {
  const SharedLibrary library = SharedLibrary::open(good());
  ASSERT_TRUE(library.is_open()) << library.failure();
  int (*answer)() = nullptr;
  ASSERT_TRUE(library.load(answer, "answer"));
  EXPECT_EQ(answer(), 42);
  EXPECT_EQ(library.failure(), "");
}

TEST(LoaderPath, HasTheSystemsFolders) {
  const auto folders = loader_search_path();
  EXPECT_TRUE(std::ranges::any_of(folders, [](const fs::path& f) { return fs::exists(f / "libc.so.6"); }));
  for (const fs::path& folder : cached_folders({"libc.so.6"})) EXPECT_TRUE(folder.is_absolute()) << folder;
}

TEST(SharedLibrary, OfASonameIsTheOneThatIsLoaded) {
  const SharedLibrary library = SharedLibrary::open("libc.so.6");
  ASSERT_TRUE(library.is_open()) << library.failure();
  void* (*find)(const char*) = nullptr;
  EXPECT_TRUE(library.load(find, "strlen"));
  EXPECT_THAT(SharedLibrary::open("libno-such-library.so.7").failure(), Not(HasSubstr("relative")));
  EXPECT_TRUE(SharedLibrary::open_by_loader("libc.so.6").is_open());
}

}  // namespace
}  // namespace graft::toolchain
