// Tests that no input is read without end. In version 0.1, `graft inspect /dev/zero` and `--state @/dev/zero` read
// until memory ran out, then failed with "std::bad_alloc".
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <string>

#include "cli/npy_files.hpp"
#include "cli/program.hpp"

namespace graft::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kScale = "__device__ float scale(float x, const float& s) { return s * x; }\n";

class EndlessInput : public testing::Test {
 protected:
  EndlessInput() {
    graft.write("scale.cu", kScale);
    graft.write("a.npy", npy("'<f4'", "(3,)", raw<float>({1, 2, 3})));
    graft.write("state", std::string("\x00\x00\x20\x40", 4));
  }
  // Limits the program to 2 GB of memory and 20 s, so that the program fails if it reads without end.
  Result run(const std::string& words) const { return graft.shell("ulimit -v 2000000; timeout 20 graft " + words); }
  void expect_refusal(const std::string& words, const std::string& reason, const std::string& code = "FileUnreadable") {
    SCOPED_TRACE(words);
    const Result result = run(words);
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr(reason));
    EXPECT_THAT(result.err, HasSubstr("[" + code + "]"));
    EXPECT_THAT(result.err, Not(HasSubstr("std::bad_alloc")));
  }
  void make_sparse(const std::string& name, std::uintmax_t bytes) const {
    graft.write(name, "");
    fs::resize_file(graft.path(name), bytes);
  }
  static std::string apply(const std::string& callback, const std::string& state = "2.5", const char* in = "a.npy") {
    return "apply " + callback + " --in " + in + " --out c.npy --route host --state " + state;
  }

  Program graft;
};

TEST_F(EndlessInput, DevicesAreNotRead) {
  for (const std::string& words :
       {std::string("inspect /dev/zero"), std::string("inspect /dev/zero --arch 90"), apply("/dev/zero"),
        apply("scale.cu", "@/dev/zero"), apply("scale.cu", "2.5", "/dev/zero"), std::string("cache import /dev/zero"),
        std::string("warm /dev/zero --arch 90"), std::string("precompile /dev/zero --arch 90 -o x"),
        std::string("cache explain /dev/zero --arch 90"), std::string("inspect /dev/null")})
    expect_refusal(words, "is a device");
  graft.write("list.txt", "/dev/zero --arch 90\n");
  const Result list = run("warm list.txt");
  EXPECT_EQ(list.exit_code, 1);
  EXPECT_THAT(list.err, HasSubstr("is a device"));
}

TEST_F(EndlessInput, FoldersAndSocketsAreNotRead) {
  fs::create_directory(graft.path("folder"));
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = graft.path("socket");
  ASSERT_LT(path.size(), sizeof address.sun_path);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  for (const auto& [name, reason] : {std::pair{"folder", "is a folder"}, {"socket", "is a socket"}}) {
    for (const std::string& words :
         {std::string("inspect ") + name, apply(name), apply("scale.cu", std::string("@") + name),
          std::string("cache import ") + name, std::string("warm ") + name})
      expect_refusal(words, reason);
  }
  ::close(socket);
}

TEST_F(EndlessInput, FilesOfMoreThanAnyUseAreNotRead) {
  make_sparse("big", (std::uintmax_t{1} << 30) + 1);
  expect_refusal("inspect big", "is larger than 1 GiB");
  expect_refusal(apply("big"), "is larger than 1 GiB");
  make_sparse("huge", (std::uintmax_t{4} << 30) + 1);
  expect_refusal("cache import huge", "is larger than 4 GiB");
  expect_refusal("warm huge", "is larger than ");
}

TEST_F(EndlessInput, AStateIsReadExactly) {
  EXPECT_EQ(run(apply("scale.cu", "@state")).exit_code, 0);
  EXPECT_EQ(elements<float>(graft.read("c.npy")).at(1), 5.0f);
  make_sparse("large", std::uintmax_t{1} << 40);
  expect_refusal(apply("scale.cu", "@large"), "has 4 bytes, and", "TypeMismatch");
  graft.write("short", "123");
  expect_refusal(apply("scale.cu", "@short"), "has 4 bytes, and 3 were given", "TypeMismatch");
  expect_refusal(apply("scale.cu", "@missing"), "No such file or directory");
}

TEST_F(EndlessInput, AListFromStandardInputEnds) {
  const Result endless = graft.shell("ulimit -v 2000000; timeout 20 graft warm - --arch 90 </dev/zero");
  EXPECT_EQ(endless.exit_code, 1);
  EXPECT_THAT(endless.err, HasSubstr("it is not text"));
  const Result folder = graft.shell("graft warm - --arch 90 <.");
  EXPECT_EQ(folder.exit_code, 1);
  EXPECT_THAT(folder.err, HasSubstr("Is a directory"));
}

// bash passes `<(command)` to the program as the path of a pipe.
TEST_F(EndlessInput, PipesAreRead) {
  for (const char* name : {"one", "two", "three", "four"}) ASSERT_EQ(::mkfifo(graft.path(name).c_str(), 0600), 0);
  const Result inspected = graft.shell("timeout 10 cat scale.cu >one & timeout 20 graft inspect one --arch 90");
  EXPECT_EQ(inspected.exit_code, 0) << inspected.err;
  EXPECT_THAT(inspected.out, HasSubstr("one: CUDA C++ source"));
  EXPECT_THAT(inspected.out, HasSubstr("program for sm_90"));
  const Result applied = graft.shell("timeout 10 cat scale.cu >two & timeout 10 cat state >three & timeout 20 graft " +
                                     apply("two", "@three"));
  EXPECT_EQ(applied.exit_code, 0) << applied.err;
  const Result endless =
      graft.shell("timeout 10 cat /dev/zero >four & ulimit -v 2000000; timeout 20 graft " + apply("scale.cu", "@four"));
  EXPECT_EQ(endless.exit_code, 1);
  EXPECT_THAT(endless.err, HasSubstr("has 4 bytes, and"));
}

TEST_F(EndlessInput, TooLittleMemoryIsSaidInWords) {
  // The files begin like an archive and like an export, because graft reads no file to its end that begins otherwise.
  make_sparse("large", 900'000'000);
  make_sparse("large.kernels", 900'000'000);
  graft.shell(
      "printf '!<arch>\\n' | dd of=large conv=notrunc; printf 'GRAFTEXP\\2\\0\\0\\0' | dd of=large.kernels "
      "conv=notrunc");
  for (const std::string& words :
       {std::string("inspect large"), std::string("cache import large.kernels"),
        std::string("precompile large --arch 90 -o x"), apply("large"),
        std::string("apply '[](graft::Index i) { return (float)i; }' --route host --out c.npy --count 1000000000000"),
        std::string(
            "apply '[](graft::Index i) { return (float)i; }' --route host --out c.npy --count 18446744073709551615")}) {
    SCOPED_TRACE(words);
    const Result result = graft.shell("ulimit -v 500000; graft " + words);
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr("not enough memory for "));
    EXPECT_THAT(result.err, Not(HasSubstr("std::")));
  }
  graft.write("b.npy", npy("'<f4'", "(300000000,)", ""));
  fs::resize_file(graft.path("b.npy"), fs::file_size(graft.path("b.npy")) + 1'200'000'000);
  const Result array = graft.shell("ulimit -v 500000; graft " + apply("scale.cu", "2.5", "b.npy"));
  EXPECT_EQ(array.exit_code, 1);
  EXPECT_THAT(array.err, HasSubstr("not enough memory for "));
}

}  // namespace
}  // namespace graft::test
