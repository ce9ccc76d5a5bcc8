// NVRTC, the run-time compiler: one program in, code and lowered names out.
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
  std::string name;  // as messages show it
  struct Include {
    std::string_view name;
    std::string_view text;  // zero-terminated storage
  };
  std::vector<Include> headers;
  std::vector<std::string> options;  // "-arch=compute_90", "-dlto", ...
  std::vector<std::string> name_expressions;
  NvrtcOutput output = NvrtcOutput::LtoIr;
};

struct NvrtcResult {
  bool ok = false;
  std::string log;  // warnings also when ok
  base::Bytes code;
  std::vector<std::string> lowered_names;  // one for each name expression
};

// The options that a compile gets: those asked for, and -no-cache where NVRTC takes that, from 12.9 on. NVRTC has a
// cache in the driver's, whose key lacks -ftz: after a compile without -ftz=true, one with -ftz=true returned the first
// one's code (seen with 13.0.88 beside a driver). Older versions have no such cache, and refuse the option.
std::vector<std::string> nvrtc_options(std::vector<std::string> asked, Version nvrtc);

// Thread-safe: NVRTC programs are independent of one another.
class Nvrtc {
 public:
  // From a path or soname; null with `why` when it cannot be opened or lacks a function or its builtins library.
  static std::shared_ptr<const Nvrtc> open(const std::filesystem::path& library, std::string& why);

  Version version() const noexcept { return version_; }
  const std::filesystem::path& path() const noexcept { return path_; }

  // Architectures that it compiles for, as numbers: 75, 80, ...
  const std::vector<int>& architectures() const;

  NvrtcResult compile(const NvrtcProgram& program) const;

 private:
  struct Functions;
  std::shared_ptr<const Functions> functions_;
  Version version_;
  std::filesystem::path path_;
};

}  // namespace graft::toolchain
