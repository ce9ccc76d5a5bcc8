// NVRTC, the run-time compiler: compiles one CUDA C++ program to LTO-IR, PTX or a cubin, and gives the mangled
// ("lowered") names of the functions that it was asked for.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "toolchain/version.hpp"

namespace graft::toolchain {

enum class NvrtcOutput { LtoIr, Ptx, Cubin };

struct NvrtcProgram {
  std::string source;
  std::string name;  // for messages
  struct Include {
    std::string_view name;
    std::string_view text;  // must be followed by a terminating zero
  };
  std::vector<Include> headers;
  std::vector<std::string> options;  // "-arch=compute_90", "-dlto", ...
  std::vector<std::string> name_expressions;
  NvrtcOutput output = NvrtcOutput::LtoIr;
};

struct NvrtcResult {
  bool ok = false;
  std::string log;  // errors, or on success warnings
  base::Bytes code;
  std::vector<std::string> lowered_names;  // one for each name expression
};

// The options that are passed to NVRTC: `asked`, and from NVRTC 12.9 on -no-cache. These versions keep results in the
// driver's cache, under a key that lacks -ftz: a compile with -ftz=true after one without it returned the first one's
// code (seen with 13.0.88 on a machine with a driver). Older versions have no such cache and refuse the option.
std::vector<std::string> nvrtc_options(std::vector<std::string> asked, Version nvrtc);

// Thread-safe: each compile has an nvrtcProgram of its own.
class Nvrtc {
 public:
  // From a path or soname; null with `why` when the library cannot be opened, or lacks a function or its builtins
  // library.
  static std::shared_ptr<const Nvrtc> open(const std::filesystem::path& library, std::string& why);

  Version version() const noexcept { return version_; }
  const std::filesystem::path& path() const noexcept { return path_; }

  // The architectures that this NVRTC compiles for, as numbers: 75, 80, ...
  const std::vector<int>& architectures() const;

  NvrtcResult compile(const NvrtcProgram& program) const;

 private:
  struct Functions;
  std::shared_ptr<const Functions> functions_;
  Version version_;
  std::filesystem::path path_;
};

}  // namespace graft::toolchain
