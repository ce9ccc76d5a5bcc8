// Helpers for the tests of this folder: this machine's own toolkit, and a function that compiles a shared library for
// one test.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/files.hpp"
#include "toolchain/host_compiler.hpp"
#include "toolchain/toolkit.hpp"

namespace graft::toolchain {

inline const Nvrtc& real_nvrtc() {
  static std::string why;
  static const auto nvrtc = Toolkit({}, 0).nvrtc(why);
  if (!nvrtc) throw std::runtime_error(why);
  return *nvrtc;
}

inline const NvJitLink& real_nvjitlink() {
  static std::string why;
  static const auto linker = Toolkit({}, 0).nvjitlink(why);
  if (!linker) throw std::runtime_error(why);
  return *linker;
}

// Compiles C++ source into a shared library at `file`.
inline void make_library(const std::filesystem::path& file, const std::string& source) {
  std::string why;
  const auto compiler = HostCompiler::find({}, why);
  ASSERT_TRUE(compiler) << why;
  const HostCompilation library = compiler->compile({source, {}, {}});
  ASSERT_TRUE(library.ok) << library.log;
  std::filesystem::create_directories(file.parent_path());
  ASSERT_TRUE(base::write_file(file, library.object));
}

}  // namespace graft::toolchain
