// Tests that graft loads and runs nothing from the working folder. In version 0.1, relative paths in the environment
// (CUDA_HOME=., or an empty entry in PATH or LD_LIBRARY_PATH) made graft load libraries and run compilers from the
// working folder. An attacker may control the working folder.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "cli/program.hpp"
#include "toolchain/fixtures.hpp"

namespace graft::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kSource = "'[](float x) { return 3 * x; }'";
constexpr const char* kFunction = "'__device__ float f(float x) { return 3 * x; }'";  // `precompile` takes no lambdas

// A working folder full of traps: libraries and programs that create the file "sprung" when they run.
class RelativePaths : public testing::Test {
 protected:
  RelativePaths() {
    const std::string spring = "__attribute__((constructor)) static void spring() { if (FILE* f = fopen(\"" +
                               graft_.path("sprung") + "\", \"w\")) fclose(f); }\n";
    toolchain::make_library(graft_.path("trap.so"), "#include <stdio.h>\n" + spring);
    for (const char* folder : {"", "lib", "lib64", "lib/python3.11/site-packages/nvidia/cu13/lib"})
      for (const char* name : {"libnvrtc.so.13", "libnvrtc-builtins.so.13.9", "libnvJitLink.so.13", "libcuda.so.1",
                               "libnvfatbin.so.13", "libnvfatbin.so.12"})
        set_trap(fs::path(folder) / name, "trap.so");
    graft_.write("trap.sh", "#!/bin/sh\necho >>'" + graft_.path("sprung") + "'\nexec /usr/bin/c++ \"$@\"\n");
    for (const char* name : {"c++", "g++", "clang++", "as", "ld", "bin/c++"}) set_trap(name, "trap.sh");
  }

  void set_trap(const fs::path& name, const char* what) const {
    const fs::path file = graft_.path(name.string());
    fs::create_directories(file.parent_path());
    fs::copy_file(graft_.path(what), file);
    fs::permissions(file, fs::perms::owner_all);
  }
  // Returns whether graft ran a trap during this command line.
  bool springs(const std::string& line) {
    fs::remove(graft_.path("sprung"));
    last_ = graft_.shell(line);
    return graft_.has("sprung");
  }

  Program graft_;
  Result last_;
};

TEST_F(RelativePaths, NoVariableLoadsALibraryOfTheWorkingFolder) {
  for (const char* setting : {"CUDA_HOME=.", "CUDA_PATH=.", "VIRTUAL_ENV=.", "CONDA_PREFIX=.", "CUDA_HOME=./",
                              "CUDA_PATH=lib/..", "GRAFT_CUDA_PATH=.", "GRAFT_CUDA_PATH=lib64", "LD_LIBRARY_PATH=.",
                              "LD_LIBRARY_PATH=lib64", "LD_LIBRARY_PATH=/usr/lib:", "LD_LIBRARY_PATH=:/usr/lib"})
    EXPECT_FALSE(springs(std::string(setting) + " GRAFT_CACHE=off graft inspect " + kSource + " --arch 90"))
        << setting << last_.err;
  // graft makes fatbins with libnvfatbin, which may come from any toolkit. graft searches for libnvfatbin by its file
  // name alone.
  for (const char* setting : {"LD_LIBRARY_PATH=.", "LD_LIBRARY_PATH=lib64"})
    EXPECT_FALSE(springs(std::string(setting) + " graft precompile " + kFunction + " --arch 80 --format fatbin -o f"))
        << setting << last_.err;
}

// `graft doctor` tries every route and the driver in the folder of traps.
TEST_F(RelativePaths, DoctorSaysWhatWasLeftOut) {
  for (const char* setting : {"CUDA_HOME=.", "VIRTUAL_ENV=.", "GRAFT_CUDA_PATH=lib64", "LD_LIBRARY_PATH=:/usr/lib"}) {
    // GRAFT_CUDA_PATH is empty here, because a toolkit that it names would end the search.
    EXPECT_FALSE(springs("GRAFT_CUDA_PATH= " + std::string(setting) + " graft doctor"))
        << setting << last_.out << last_.err;
    EXPECT_THAT(last_.out, HasSubstr("relative path, ignored")) << setting;
  }
}

TEST_F(RelativePaths, ARelativeGraftCudaPathIsAnErrorThatNamesIt) {
  const Result run = graft_.run(std::string("inspect ") + kSource + " --arch 90", "GRAFT_CUDA_PATH=cuda");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, AllOf(HasSubstr("[ToolMissing]"), HasSubstr("GRAFT_CUDA_PATH"), HasSubstr("cuda"),
                             HasSubstr("absolute path")));
}

TEST_F(RelativePaths, NoCompilerOfTheWorkingFolderIsRun) {
  for (const char* setting : {"PATH=.:$PATH", "PATH=:$PATH", "PATH=$PATH::", "PATH=bin:$PATH", "CXX=./c++",
                              "CXX=bin/c++", "GRAFT_CXX=./c++", "GRAFT_CXX=bin/c++"}) {
    SCOPED_TRACE(setting);
    const std::string line = std::string(setting) + " '" + GRAFT_PROGRAM + "' ";
    EXPECT_FALSE(springs(line + "inspect " + kSource + " --route host")) << last_.err;
    EXPECT_EQ(last_.exit_code == 0, std::string_view(setting).find("GRAFT_CXX") == std::string_view::npos) << last_.err;
  }
  EXPECT_FALSE(springs("PATH=.:$PATH CXX=./c++ '" GRAFT_PROGRAM "' doctor")) << last_.out;
}

TEST_F(RelativePaths, NoNvdisasmOfTheWorkingFolderIsRun) {
  for (const char* name : {"nvdisasm", "bin/nvdisasm"}) set_trap(name, "trap.sh");
  const std::string inspect = std::string(" '" GRAFT_PROGRAM "' inspect ") + kSource + " --arch 90 --sass";
  for (const char* setting : {"PATH=.:$PATH", "PATH=:$PATH", "PATH=bin:$PATH", "CUDA_HOME=.", "CUDA_PATH=lib/..",
                              "GRAFT_NVDISASM=nvdisasm", "GRAFT_NVDISASM=./bin/nvdisasm"})
    EXPECT_FALSE(springs("GRAFT_NVDISASM= " + std::string(setting) + inspect)) << setting << last_.err;
  EXPECT_TRUE(springs("GRAFT_NVDISASM=$PWD/nvdisasm" + inspect)) << last_.err;
}

TEST_F(RelativePaths, ARelativeGraftCxxIsLeftOutWithTheReason) {
  const Result run = graft_.run(std::string("inspect ") + kSource + " --route host", "GRAFT_CXX=./c++");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, AllOf(HasSubstr("[ToolMissing]"), HasSubstr("./c++"),
                             HasSubstr("relative path, which graft ignores"), HasSubstr("GRAFT_CXX")));
}

}  // namespace
}  // namespace graft::test
