// Tests toolkits with damaged libraries. In version 0.1, a toolkit library that was truncated by a full disk or a
// broken download ended the process with SIGBUS. Also, graft used the first toolkit that it found even if that toolkit
// was broken and an intact toolkit came later in the search.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/program.hpp"
#include "toolchain/fixtures.hpp"
#include "toolchain/installation.hpp"

namespace graft::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kInspect = "inspect '[](float x) { return 3 * x; }' --arch 90 --json";

const toolchain::Installation& own() {
  static const auto all = toolchain::find_installations({}, toolchain::real_world());
  const toolchain::Installation* const choice = toolchain::choose_installation(all, 0);
  if (choice == nullptr) throw std::runtime_error("no toolkit");
  return *choice;
}

// Copies the first `size` bytes of a file, as a copy to a full disk does.
void copy_beginning(const fs::path& from, const fs::path& to, std::size_t size) {
  std::ifstream in(from, std::ios::binary);
  std::string bytes(size, '\0');
  in.read(bytes.data(), static_cast<std::streamsize>(size));
  fs::create_directories(to.parent_path());
  ASSERT_TRUE(base::write_file(to, base::as_bytes(bytes)));
}

// A toolkit folder `bad` with links to this machine's libraries. The test replaces the library that the test parameter
// selects.
class CutOffLibrary : public testing::TestWithParam<fs::path toolchain::Installation::*> {
 protected:
  fs::path bad() const { return graft_.path("bad"); }
  fs::path place_of(fs::path toolchain::Installation::*tool) const { return bad() / (own().*tool).filename(); }

  void link_all_but(fs::path toolchain::Installation::*one) const {
    fs::create_directories(bad());
    for (auto tool :
         {&toolchain::Installation::nvrtc, &toolchain::Installation::builtins, &toolchain::Installation::nvjitlink})
      if (tool != one) fs::create_symlink(fs::canonical(own().*tool), place_of(tool));
  }
  // Environment variables with which the search finds the toolkit `bad` first and an intact toolkit later.
  std::string environment() const {
    return fmt::format("GRAFT_CUDA_PATH= LD_LIBRARY_PATH='{}' CUDA_HOME='{}'", bad().string(),
                       own().nvrtc.parent_path().parent_path().string());
  }
  std::string named() const { return fmt::format("GRAFT_CUDA_PATH='{}'", bad().string()); }

  Program graft_;
};

TEST_P(CutOffLibrary, AToolkitWithACutOffLibraryIsPassedOver) {
  link_all_but(GetParam());
  copy_beginning(own().*GetParam(), place_of(GetParam()), 1 << 20);
  const Result run = graft_.run(std::string(kInspect) + " --route lto", environment());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(json::parse(run.out).at("report").at("route"), "lto");
  EXPECT_THAT(json::parse(run.out).at("report").at("toolkit").get<std::string>(), Not(HasSubstr("/bad")));

  const Result doctor = graft_.run("doctor", environment());
  EXPECT_EQ(doctor.exit_code, 0) << doctor.err;
  EXPECT_THAT(doctor.out, AllOf(HasSubstr("not taken: " + bad().string()), HasSubstr("is cut off: "),
                                HasSubstr("route lto: works"), HasSubstr("route program: works")));
}

TEST_P(CutOffLibrary, AToolkitThatWasNamedIsFinalAndItsErrorNamesTheFile) {
  link_all_but(GetParam());
  copy_beginning(own().*GetParam(), place_of(GetParam()), 1 << 20);
  // The command requires the lto route, because a toolkit without its linker still serves the program route.
  const Result run = graft_.run(std::string(kInspect) + " --route lto", named());
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, AllOf(HasSubstr("[ToolMissing]"), HasSubstr(place_of(GetParam()).string() + " is cut off: "),
                             Not(HasSubstr("signal"))));
  const Result doctor = graft_.run("doctor", named());
  EXPECT_THAT(doctor.out, AllOf(HasSubstr("is cut off: "), HasSubstr("route host: works"), Not(HasSubstr("signal"))));
}

// The library is replaced by a valid library that has none of its functions. graft notices the wrong library only when
// it loads the library.
TEST_P(CutOffLibrary, AToolkitWithALibraryThatIsAnotherIsPassedOver) {
  if (GetParam() == &toolchain::Installation::builtins) return;  // graft does not inspect the builtins library
  link_all_but(GetParam());
  toolchain::make_library(place_of(GetParam()), "int nothing;");
  const Result run = graft_.run(std::string(kInspect) + " --route lto", environment());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(json::parse(run.out).at("report").at("route"), "lto");
  EXPECT_THAT(json::parse(run.out).at("report").at("toolkit").get<std::string>(), Not(HasSubstr("/bad")));
  EXPECT_THAT(graft_.run("doctor", environment()).out, HasSubstr("not taken: " + bad().string()));
}

TEST_P(CutOffLibrary, WithoutAnotherToolkitTheErrorSaysWhatIsWrongWithThisOne) {
  link_all_but(GetParam());
  copy_beginning(own().*GetParam(), place_of(GetParam()), 100);
  const Result run = graft_.run(std::string(kInspect) + " --route lto", named());
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, AllOf(HasSubstr("[ToolMissing]"), HasSubstr("is cut off: ")));
}

std::string name_of(const testing::TestParamInfo<fs::path toolchain::Installation::*>& tool) {
  return tool.param == &toolchain::Installation::nvrtc      ? "Nvrtc"
         : tool.param == &toolchain::Installation::builtins ? "Builtins"
                                                            : "NvJitLink";
}
INSTANTIATE_TEST_SUITE_P(, CutOffLibrary,
                         testing::Values(&toolchain::Installation::nvrtc, &toolchain::Installation::builtins,
                                         &toolchain::Installation::nvjitlink),
                         name_of);

}  // namespace
}  // namespace graft::test
