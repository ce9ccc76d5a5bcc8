// Makes random edits in a tree of headers: folders, links, "..", files that hide other files, and edits while a kernel
// is being built. After every edit, graft's kernel, which may come from the cache, must match the kernel that an engine
// without a cache compiles from the edited headers.
//
// The headers define the size of the callback's state. The signature states this size, so it shows which versions of
// the headers were compiled.
//
//     GRAFT_HEADER_ROUNDS     number of rounds, default 100, or 300 in a long run (support/rotation.hpp)
//     GRAFT_HEADER_SEED       seed of the random numbers, default GRAFT_TEST_ROUND
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iterator>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/files.hpp"
#include "base/hash.hpp"
#include "graft/graft.hpp"
#include "support/compile.hpp"
#include "support/headers.hpp"
#include "support/rotation.hpp"
#include "support/sweep.hpp"

namespace graft {
namespace {

namespace fs = std::filesystem;

class Random {
 public:
  explicit Random(unsigned seed) : numbers_(seed) {}
  int below(int end) { return std::uniform_int_distribution<int>(0, end - 1)(numbers_); }
  bool one_in(int times) { return below(times) == 0; }
  template <class List>
  const auto& of(const List& list) {
    return *std::next(std::begin(list), below(static_cast<int>(std::size(list))));
  }
  std::string of(std::initializer_list<const char*> list) {
    return *std::next(list.begin(), below(static_cast<int>(list.size())));
  }

 private:
  std::mt19937 numbers_;
};

// The tree of headers and the edits on it. An edit can be undone, so that earlier states of the tree return.
class Tree {
 public:
  explicit Tree(unsigned seed) : random_(seed) {
    for (const char* folder : kFolders) folder_.make_folder(folder);
    folder_.link("current", "v0");
    folder_.link("first/link", "../v0/sub");
    folder_.link("base/link", "../common");
    for (const char* folder : {"base", "base/sub", "common"})
      for (const char* name : kLeaves) folder_.write(std::string(folder) + '/' + name, leaf_text(name));
    for (const char* folder : {"base", "v0", "v1"}) folder_.write(std::string(folder) + "/top.h", top_text());
  }

  const std::string root() const { return folder_.path(); }

  std::vector<std::string> include_paths() const {
    return {"first", folder_.path("current"), folder_.path("current/../second"), folder_.path("base")};
  }

  void take_back() {
    if (const auto undo = std::exchange(undo_, nullptr)) undo();
  }

  void change() {
    if (undo_ && random_.one_in(4)) return take_back();
    switch (random_.below(10)) {
      case 0:
      case 1:
      case 2:
        return write();
      case 3:
        return write_with_old_times();
      case 4:
        return replace();
      case 5:
        return remove();
      case 6:
        return link_file();
      case 7:
        return switch_folder();
      case 8:
        return touch();
      default:
        return come_and_go();
    }
  }

 private:
  static constexpr const char* kFolders[] = {"first", "first/sub", "second", "v0",   "v0/sub",
                                             "v1",    "v1/sub",    "common", "base", "base/sub"};
  static constexpr const char* kLeaves[] = {"a.h", "b.h", "c.h"};

  std::string leaf_text(const std::string& name) {
    const char macro = static_cast<char>(name[0] - 'a' + 'A');
    return fmt::format("{0}#undef {1}\n#define {1} {2}\n", random_.one_in(4) ? "#pragma once\n" : "", macro,
                       1 + random_.below(3));
  }

  std::string top_text() {
    static const std::string kIncludes[] = {
        "\"a.h\"",      "<b.h>",           "\"sub/a.h\"",       "\"sub/../b.h\"",
        "\"link/c.h\"", "<link/../b.h>",   "\"../common/a.h\"", "<../common/c.h>",
        "\"./b.h\"",    "\"link/../c.h\"", "<sub/../sub/c.h>",  "\"" + folder_.path("current/../common/b.h") + "\""};
    std::string text;
    for (int i = 1 + random_.below(3); i > 0; --i) text += "#include " + random_.of(kIncludes) + "\n";
    return text;
  }

  std::string some_name() { return random_.one_in(6) ? "top.h" : random_.of(kLeaves); }
  std::string text_for(const std::string& name) { return name == "top.h" ? top_text() : leaf_text(name); }
  // Returns the path of a file in the tree, or a path at which no file exists. Sometimes the path is in the working
  // folder itself.
  std::string some_place(std::string& name) {
    name = some_name();
    return random_.one_in(10) ? name : std::string(random_.of(kFolders)) + '/' + name;
  }

  void put(const std::string& place, const std::string& text) {
    fs::remove_all(folder_.path(place));
    folder_.write(place, text);
  }

  // Records what is at the path `place`: a file's content, a link or nothing.
  void remember(const std::string& place) {
    const std::string path = folder_.path(place);
    if (fs::is_symlink(path)) {
      undo_ = [this, place, target = fs::read_symlink(path).string()] { folder_.link(place, target); };
    } else if (const auto text = base::read_file(path)) {
      undo_ = [this, place, text = *text] { put(place, text); };
    } else {
      undo_ = [path] { fs::remove_all(path); };
    }
  }

  void write() {
    std::string name;
    const std::string place = some_place(name);
    remember(place);
    if (random_.one_in(2) || fs::is_symlink(folder_.path(place))) put(place, text_for(name));
    else folder_.write(place, text_for(name));
  }

  void write_with_old_times() {
    std::string name;
    const std::string place = some_place(name);
    struct stat before = {};
    if (::stat(folder_.path(place).c_str(), &before) != 0) return write();
    remember(place);
    folder_.write(place, text_for(name));
    const timespec times[] = {before.st_atim, before.st_mtim};
    ::utimensat(AT_FDCWD, folder_.path(place).c_str(), times, 0);
  }

  void replace() {
    std::string name;
    const std::string place = some_place(name);
    remember(place);
    folder_.write("new", text_for(name));
    fs::rename(folder_.path("new"), folder_.path(place));
  }

  void remove() {
    std::string name;
    const std::string place = some_place(name);
    if (place.starts_with("base") || place.starts_with("common")) return touch();
    remember(place);
    fs::remove_all(folder_.path(place));
  }

  void link_file() {
    std::string name;
    const std::string place = some_place(name);
    if (place.starts_with("base") || place.starts_with("common")) return touch();
    const std::string target = folder_.path(std::string(random_.of({"common", "base"})) + '/' + name);
    if (!fs::exists(target)) return touch();
    remember(place);
    fs::remove_all(folder_.path(place));
    if (random_.one_in(3)) fs::create_hard_link(target, folder_.path(place));
    else fs::create_symlink(target, folder_.path(place));
  }

  void switch_folder() {
    if (random_.one_in(2)) {
      remember("current");
      return folder_.link("current", random_.of({"v0", "v1"}));
    }
    remember("first/link");
    folder_.link("first/link", random_.of({"../v0/sub", "../v1/sub", "../common", "../second"}));
  }

  void touch() {
    const std::string path = folder_.path(std::string("base/") + random_.of(kLeaves));
    ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
  }

  void come_and_go() {
    std::string name;
    const std::string place = some_place(name);
    remember(place);
    put(place, text_for(name));
    std::this_thread::sleep_for(std::chrono::milliseconds(random_.below(40)));
    take_back();
  }

  test::HeaderFolder folder_;
  Random random_;
  std::function<void()> undo_;
};

const char* const kIncludes[] = {"#include \"top.h\"\n", "#include <top.h>\n#include \"c.h\"\n",
                                 "#include <b.h>\n#include \"top.h\"\n#include <sub/a.h>\n"};

// Returns a source whose state has a different size for each combination of the macros A, B and C.
std::string source_of(const std::string& includes) {
  return "#define A 0\n#define B 0\n#define C 0\n" + includes +
         "struct Sized { char bytes[1 + A + 4 * B + 16 * C]; };\n"
         "__device__ float f(float x, const Sized& s) { return x + s.bytes[0]; }\n";
}

// Returns the size of the state in bytes, 0 if the source does not compile, -1 if the callback has no state, or -2
// after any other error.
template <class Make>
int size_from(Make make) {
  try {
    const Signature signature = make();
    return signature.state() ? static_cast<int>(signature.state()->size) : -1;
  } catch (const Error& error) {
    return error.code() == ErrorCode::CompileFailed ? 0 : -2;
  }
}

class Rounds {
 public:
  explicit Rounds(unsigned seed) : random_(seed), tree_(seed + 1) {
    fs::current_path(tree_.root());
    options_.include_paths = tree_.include_paths();
    // Uses only the fastest route, because headers affect the cache key in the same way on every route.
    options_.routes.required = Route::Lto;
    how_.cache.policy = CachePolicy::ReadWrite;
    how_.cache.folder = cache_.path() / "cache";
    how_.cache.layers.emplace();
  }
  ~Rounds() { fs::current_path(before_); }

  void one() {
    ++rounds_;
    source_ = source_of(random_.of(kIncludes));
    edit_and_build();
    if (random_.one_in(2)) build_beside_an_edit();
  }

  int stale() const { return stale_; }
  std::string summary() const {
    return fmt::format("{} rounds, {} builds, {} hits on disk, {} in memory, {} stale", rounds_, builds_, disk_hits_,
                       memory_hits_, stale_);
  }

 private:
  // The longest delay before an edit during a build, in microseconds. One build takes about this long.
  static constexpr int kLongestDelay = 30'000;

  void edit_and_build() {
    for (int i = random_.below(3); i > 0; --i) tree_.change();
    Engine engine(how_);
    compare(build_with(engine), "a new engine");
    compare(build_with(engine), "the same engine");
    count(engine);
  }

  // If graft caches a kernel for the wrong versions of the headers, the error shows only when these versions return.
  // Therefore most edits are undone afterwards.
  void build_beside_an_edit() {
    for (int i = 0; i < 3; ++i) tree_.change();  // reach a state for which no kernel is cached
    Engine engine(how_);
    {
      const auto delay = std::chrono::microseconds(random_.below(kLongestDelay));
      const std::jthread editor([&] {
        std::this_thread::sleep_for(delay);
        tree_.change();
      });
      build_with(engine);
    }
    count(engine);
    if (!random_.one_in(4)) tree_.take_back();
    Engine other(how_);
    compare(build_with(other), "a new engine after an edit beside a build");
    count(other);
  }

  int build_with(Engine& engine) {
    return size_from([&] { return build(engine, source_, Architecture(90), options_).signature(); });
  }

  void compare(int found, const char* what) {
    const int now = size_from([&] { return test::signature_of(source_, options_); });
    if (found == now) return;
    ++stale_;
    ADD_FAILURE() << "round " << rounds_ << ": " << what << " gives state size " << found << ", but a compile gives "
                  << now << "\n"
                  << source_;
  }

  void count(const Engine& engine) {
    const Counters counters = engine.counters();
    builds_ += counters.builds;
    disk_hits_ += counters.disk_hits;
    memory_hits_ += counters.memory_hits;
  }

  const fs::path before_ = fs::current_path();
  base::TemporaryFolder cache_;
  Random random_;
  Tree tree_;
  Options options_;
  EngineOptions how_;
  std::string source_;
  int rounds_ = 0;
  int stale_ = 0;
  std::uint64_t builds_ = 0;
  std::uint64_t disk_hits_ = 0;
  std::uint64_t memory_hits_ = 0;
};

int number_from(const char* variable, int usual) {
  const char* const text = std::getenv(variable);
  return text != nullptr && *text != '\0' ? std::atoi(text) : usual;
}

TEST(RandomEdits, NoEditIsMissed) {
  const test::Sweep sweep;
  if (sweep.passed_before()) GTEST_SKIP() << test::Sweep::kPassedBefore;
  SCOPED_TRACE(test::rotation_text());
  Rounds rounds(static_cast<unsigned>(number_from("GRAFT_HEADER_SEED", static_cast<int>(test::test_round()))));
  const int usual = test::wants_all_architectures() ? 300 : 40;
  for (int left = number_from("GRAFT_HEADER_ROUNDS", usual); left > 0 && rounds.stale() < 10; --left) rounds.one();
  fmt::print("{}\n", rounds.summary());
  EXPECT_EQ(rounds.stale(), 0);
}

}  // namespace
}  // namespace graft
