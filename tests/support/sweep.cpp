// The inputs of a sweep: the files from which graft is built, the folder of the test, the headers of all tests, and the
// tools. graft's program and C interface are left out, because no sweep uses them.
#include "support/sweep.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <vector>

#include "base/files.hpp"
#include "base/hash.hpp"
#include "compile/open_tools.hpp"
#include "support/rotation.hpp"

namespace graft::test {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = GRAFT_SOURCE_DIR;

template <class Predicate>
void list_files(const fs::path& folder, std::vector<fs::path>& files, Predicate belongs) {
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && belongs(entry.path())) files.push_back(entry.path());
}

bool is_of_program_or_c(const fs::path& file) {
  const std::string path = file.lexically_relative(kRoot).string();
  return path.starts_with("src/cli/") || path.starts_with("src/c/");
}

std::string hash_of_sources(const fs::path& test) {
  std::vector<fs::path> files = {kRoot / "CMakeLists.txt"};
  for (const char* folder : {"src", "include", "building_blocks", "callbacks", "cmake"})
    list_files(kRoot / folder, files, [](const fs::path& file) { return !is_of_program_or_c(file); });
  list_files(kRoot / "tests", files, [&](const fs::path& file) {
    return file.extension() == ".hpp" || file.parent_path() == test.parent_path() ||
           file.parent_path() == kRoot / "tests" / "support";
  });
  std::ranges::sort(files);
  std::string hashes;
  for (const fs::path& file : files)
    hashes += file.lexically_relative(kRoot).string() + ' ' + base::hash(base::read_file(file).value()).hex() + '\n';
  return base::hash(hashes).hex();
}

// The file name of a library contains its version: libnvrtc.so.13.0.88.
std::string version_in_name(const fs::path& library) {
  std::error_code failed;
  const fs::path file = fs::canonical(library, failed);
  return failed ? library.string() : file.filename().string() + ", " + std::to_string(fs::file_size(file, failed));
}

std::string versions_of_tools() {
  const compile::Toolbox toolbox({}, {}, 0);
  const compile::OpenTools tools = compile::open_tools({}, toolbox);
  std::string why;
  const auto compiler = toolbox.host_compiler(why);
  return "NVRTC: " + (tools.nvrtc ? version_in_name(tools.nvrtc->path()) : tools.states.nvrtc.why_not) +
         "\nnvJitLink: " +
         (tools.nvjitlink ? version_in_name(tools.nvjitlink->path()) : tools.states.nvjitlink.why_not) +
         "\nhost compiler: " + (compiler ? compiler->version() : why) + "\ncompiler of the tests: " __VERSION__ "\n";
}

bool is_set(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

}  // namespace

Sweep::Sweep() {
  if (!is_set("GRAFT_SWEEP_STAMPS") || wants_all_architectures()) return;
  const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
  std::string name = std::string(test.test_suite_name()) + '.' + test.name();
  std::ranges::replace(name, '/', '_');
  stamp_ = fs::path(std::getenv("GRAFT_SWEEP_STAMPS")) / name;
  inputs_ = "sources: " + hash_of_sources(test.file()) + '\n' + versions_of_tools();
  const auto last = base::read_file(stamp_);
  passed_before_ = last && last.value() == inputs_;
}

Sweep::~Sweep() {
  if (stamp_.empty() || passed_before_ || testing::Test::HasFailure() || testing::Test::IsSkipped() ||
      std::uncaught_exceptions() > 0)
    return;
  // A file that is cut off, or that cannot be written, makes the next run longer and no less strict.
  std::error_code ignored;
  fs::create_directories(stamp_.parent_path(), ignored);
  static_cast<void>(base::write_file(stamp_, base::as_bytes(inputs_)));
}

}  // namespace graft::test
