// Puts folders, pipes, sockets, devices, links and huge files where the program expects ordinary files. The program
// must not wait for these objects, crash, or read or write the targets of links. After the objects are removed, the
// program must work as before.
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include "cli/npy_files.hpp"
#include "graft/graft.hpp"
#include "scenarios/attacks/sandbox.hpp"
#include "toolchain/installation.hpp"

namespace graft::attacks {
namespace {

struct Odd {
  const char* name;
  std::function<void(const fs::path&)> make;
};

void make_socket(const fs::path& path) {
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  // Binds the socket by a relative name, because the path of a temporary folder may be too long for a socket address.
  const fs::path before = fs::current_path();
  fs::current_path(path.parent_path());
  const std::string name = path.filename();
  std::copy(name.begin(), name.end(), address.sun_path);
  EXPECT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0) << name;
  fs::current_path(before);
  ::close(socket);
}

void make_file(const fs::path& path, std::uintmax_t size) {
  ASSERT_TRUE(base::write_file(path, {}));
  fs::resize_file(path, size);
}

const Odd kPipe = {"a pipe", [](const fs::path& at) { ASSERT_EQ(::mkfifo(at.c_str(), 0600), 0); }};

// Objects that are no regular files.
const std::vector<Odd>& no_files() {
  static const std::vector<Odd> all = {
      {"an empty folder", [](const fs::path& at) { fs::create_directory(at); }},
      {"a folder with a file",
       [](const fs::path& at) {
         fs::create_directory(at);
         make_file(at / "precious", 1);
       }},
      {"a folder with folders", [](const fs::path& at) { fs::create_directories(at / "a" / "precious"); }},
      {"a socket", make_socket},
      {"a link to /dev/zero", [](const fs::path& at) { fs::create_symlink("/dev/zero", at); }},
      {"a link to /dev/full", [](const fs::path& at) { fs::create_symlink("/dev/full", at); }},
      {"a link to nothing", [](const fs::path& at) { fs::create_symlink("no/where", at); }},
      {"a link to itself", [](const fs::path& at) { fs::create_symlink(at.filename(), at); }},
      {"a link to a folder", [](const fs::path& at) { fs::create_symlink("..", at); }},
  };
  return all;
}

const std::vector<Odd>& odd_objects() {
  static const std::vector<Odd> all = [] {
    std::vector<Odd> objects = no_files();
    objects.push_back({"a file that nobody may read", [](const fs::path& at) {
                         make_file(at, 10);
                         fs::permissions(at, fs::perms::none);
                       }});
    objects.push_back({"a file of 1 TiB", [](const fs::path& at) { make_file(at, std::uintmax_t{1} << 40); }});
    objects.push_back({"an empty file", [](const fs::path& at) { make_file(at, 0); }});
    return objects;
  }();
  return all;
}

std::vector<Odd> with_pipe(std::vector<Odd> objects = odd_objects()) {
  objects.push_back(kPipe);
  return objects;
}

class OddObjects : public Sandbox {
 protected:
  fs::path versioned() const {
    for (const auto& one : fs::directory_iterator(cache())) return one.path();
    return {};
  }
  void put_in_place(const Odd& odd, const fs::path& place) {
    fs::remove_all(place);
    odd.make(place);
  }
  void start_anew() {
    fs::remove_all(cache());
    ASSERT_EQ(run("cache import good.kernels").exit_code, 0);
  }
};

TEST_F(OddObjects, InPlaceOfTheCachesFiles) {
  const fs::path temporary = versioned() / (entry().stem().string() + ".1-1-1.tmp");
  for (const fs::path& place : {cache(), versioned(), entry(), versioned() / "locks", temporary})
    for (const Odd& odd : with_pipe()) {
      SCOPED_TRACE(fmt::format("{} in place of {}", odd.name, place.filename().string()));
      start_anew();
      put_in_place(odd, place);
      for (const char* words :
           {"cache list --json", "cache stats", "cache prune --max-bytes 1", "cache import good.kernels",
            "cache export --all all.kernels", "cache verify", "cache clear", "cache import good.kernels"})
        attack(words);
      EXPECT_EQ(attack("cache dir").exit_code, 0);
    }
  start_anew();
  EXPECT_EQ(attack("cache verify").exit_code, 0);
  print_counts();
}

// The cache cannot be used because of an odd object in it, but the request must still succeed.
TEST_F(OddObjects, UnderARequest) {
  for (const fs::path& place : {cache(), versioned(), entry(), versioned() / "locks"})
    for (const Odd& odd : with_pipe()) {
      if (!is_long() && std::string_view(odd.name).find("file") != std::string_view::npos) continue;
      SCOPED_TRACE(fmt::format("{} in place of {}", odd.name, place.filename().string()));
      start_anew();
      put_in_place(odd, place);
      EXPECT_EQ(attack("inspect gain.cu --arch 90 --json").exit_code, 0);
    }
  print_counts();
}

// This test uses no pipe, because a program that is given a pipe as input rightly waits for its input.
TEST_F(OddObjects, InPlaceOfCallbacksPacksAndLists) {
  write("a.npy", test::npy("'<f4'", "(3,)", test::raw<float>({1, 2, 3})));
  for (const Odd& odd : odd_objects()) {
    SCOPED_TRACE(odd.name);
    put_in_place(odd, path("odd"));
    for (const char* words :
         {"inspect odd", "inspect odd --arch 90 --json", "precompile odd --arch 75 -o out", "cache import odd",
          "cache explain odd --arch 90", "apply odd --in a.npy --out out --route host",
          "apply gain.cu --in odd --out out --route host", "cache export --callback odd out"})
      EXPECT_NE(attack(words).exit_code, 0) << words;
    attack("warm odd --arch 90");
  }
  print_counts();
}

TEST_F(OddObjects, InPlaceOfHeadersAndTheirFolders) {
  write("includes.cu", "#include \"folder/odd.h\"\n__device__ float gain(float x) { return 3 * x; }\n");
  for (const Odd& odd : with_pipe()) {
    SCOPED_TRACE(odd.name);
    const bool is_endless = std::string_view(odd.name) == "a pipe" || std::string_view(odd.name) == "a file of 1 TiB";
    for (const char* place : {"include/folder/odd.h", "include/folder", "include"}) {
      fs::remove_all(path("include"));
      fs::create_directories(fs::path(path(place)).parent_path());
      odd.make(path(place));
      const bool is_header = std::string_view(place).ends_with(".h");
      for (const char* words : {"inspect includes.cu --arch 90 --json -I include",
                                "precompile includes.cu --arch 75 -I include -o out.graft"}) {
        const test::Result result = attack(words);
        EXPECT_EQ(result.exit_code, is_header && is_endless ? 1 : result.exit_code) << words;
        EXPECT_EQ(result.err.find("cannot be read to its end") != result.err.npos, is_header && is_endless)
            << result.err;
      }
      // gain.cu includes no header, so an odd object among the headers must have no effect.
      EXPECT_EQ(attack("inspect gain.cu --arch 90 --json -I include").exit_code, 0);
      if (is_long()) attack("inspect includes.cu --route host -I include");
    }
  }
  print_counts();
}

// If the user names a pipe as the output, the program opens the pipe and waits for its reader, as the user intended.
TEST_F(OddObjects, InPlaceOfOutputFiles) {
  for (const Odd& odd : odd_objects()) {
    SCOPED_TRACE(odd.name);
    put_in_place(odd, path("out"));
    const fs::file_type before = fs::symlink_status(path("out")).type();
    const test::Result result = attack("cache export --all out");
    EXPECT_EQ(fs::symlink_status(path("out")).type(), before) << "the program replaced the object `out`";
    const bool is_written = result.exit_code == 0;
    EXPECT_TRUE(!is_written || !fs::is_regular_file(path("out")) ||
                graft_.read("work/out") == graft_.read("work/good.kernels"));
    EXPECT_FALSE(is_written && fs::is_directory(path("out")));
  }
  EXPECT_FALSE(fs::exists(path("no")));
  print_counts();
}

TEST_F(OddObjects, InPlaceOfTheTemporaryFolder) {
  for (const Odd& odd : with_pipe()) {
    SCOPED_TRACE(odd.name);
    put_in_place(odd, path("tmp"));
    attack("precompile gain.cu --arch 75 -o out.pack", "TMPDIR=\"$PWD/tmp\"");
    if (!is_long()) continue;
    attack("inspect gain.cu --route host", "TMPDIR=\"$PWD/tmp\"");
  }
  print_counts();
}

TEST_F(OddObjects, InPlaceOfAToolkitsLibraries) {
  using toolchain::Installation;
  const auto all = toolchain::find_installations({}, toolchain::real_world());
  const Installation* const own = toolchain::choose_installation(all, 0);
  ASSERT_NE(own, nullptr);
  const std::initializer_list<fs::path Installation::*> libraries = {&Installation::nvrtc, &Installation::builtins,
                                                                     &Installation::nvjitlink};
  for (const auto replaced : libraries)
    for (const Odd& odd : with_pipe()) {
      SCOPED_TRACE(fmt::format("{} in place of {}", odd.name, (own->*replaced).filename().string()));
      fs::remove_all(path("toolkit"));
      fs::create_directory(path("toolkit"));
      for (const auto library : libraries) {
        const fs::path place = fs::path(path("toolkit")) / (own->*library).filename();
        if (library == replaced) odd.make(place);
        else fs::create_symlink(fs::canonical(own->*library), place);
      }
      attack("precompile gain.cu --arch 75 --cubin -o out.pack", "GRAFT_CUDA_PATH=\"$PWD/toolkit\"");
    }
  fs::remove_all(path("toolkit"));
  for (const Odd& odd : with_pipe()) {
    SCOPED_TRACE(odd.name);
    put_in_place(odd, path("toolkit"));
    EXPECT_EQ(attack("precompile gain.cu --arch 75 -o out.pack", "GRAFT_CUDA_PATH=\"$PWD/toolkit\"").exit_code, 1);
  }
  print_counts();
}

// In version 0.1, if a folder had the file name of a cache entry, graft could neither read nor replace the entry, so
// every process built its kernel again.
class OddEntries : public OddObjects {
 protected:
  OddEntries() {
    fs::remove_all(cache());
    request();
    place_ = entry();
  }
  Report request() const {
    EngineOptions options;
    options.cache.policy = CachePolicy::ReadWrite;
    options.cache.folder = cache();
    options.cache.layers.emplace();
    Engine engine(options);
    return build(engine, "__device__ float twice(float x) { return 2 * x; }", Architecture(90)).report();
  }
  static std::string notes(const Report& report) { return fmt::format("{}", fmt::join(report.notes, "\n")); }

  // Puts each object that is no file in place of the entry, and calls `check`. graft must not delete the files in the
  // folders.
  template <class Check>
  void for_each_object(Check check) {
    for (const Odd& odd : with_pipe(no_files())) {
      SCOPED_TRACE(odd.name);
      put_in_place(odd, place_);
      check();
    }
    std::size_t found = 0;
    for (const auto& one : fs::recursive_directory_iterator(versioned())) found += one.path().filename() == "precious";
    EXPECT_EQ(found, 2u);
  }

  fs::path place_;
};

TEST_F(OddEntries, TheNextKernelIsKept) {
  for_each_object([&] {
    const Report first = request();
    EXPECT_FALSE(first.from_cache);
    EXPECT_THAT(notes(first), testing::HasSubstr(place_.string() + " is not a regular file"));
    const Report second = request();
    EXPECT_TRUE(second.from_cache) << notes(second);
    EXPECT_THAT(second.notes, testing::IsEmpty());
  });
}

TEST_F(OddEntries, VerifyMakesRoom) {
  for_each_object([&] {
    const test::Result first = graft_.run("cache verify");
    EXPECT_EQ(first.out, place_.string() + ": it is not a regular file; removed\n");
    EXPECT_EQ(first.exit_code, 0) << first.err;
    EXPECT_FALSE(fs::exists(fs::symlink_status(place_)));
    EXPECT_EQ(graft_.run("cache verify").out, "");
  });
}

TEST_F(OddEntries, ClearMakesRoom) {
  for_each_object([&] {
    const test::Result result = graft_.run("cache clear");
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_FALSE(fs::exists(fs::symlink_status(place_)));
  });
}

}  // namespace
}  // namespace graft::attacks
