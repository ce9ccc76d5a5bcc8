// NVRTC, NVIDIA's run-time compiler, compiles a CUDA C++ program to LTO-IR, PTX or a cubin. For each name expression,
// such as "relu<float>", NVRTC also gives the mangled name, which it calls the lowered name.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "core/version.hpp"

namespace graft::toolchain {

enum class NvrtcOutput { LtoIr, Ptx, Cubin };

struct NvrtcProgram {
  std::string source;
  std::string name;  // the file name of the source in messages
  struct Include {
    std::string_view name;
    std::string_view text;                          // a zero byte must follow the text in memory
    std::shared_ptr<const std::string> owner = {};  // keeps `text` alive if nothing else does
  };
  std::vector<Include> headers;
  std::vector<std::string> options;  // "-arch=compute_90", "-dlto", ...
  std::vector<std::string> name_expressions;
  NvrtcOutput output = NvrtcOutput::LtoIr;
};

struct NvrtcResult {
  bool ok = false;
  std::string log;  // errors and warnings
  base::Bytes code;
  base::Bytes ptx;                         // the PTX that a cubin was assembled from
  std::vector<std::string> lowered_names;  // one for each name expression
};

// Returns the options to pass to NVRTC of the version `nvrtc`: the options `asked`, and from NVRTC 12.9 on also
// -no-cache. NVRTC 12.9 and later keep results in the driver's cache, under a key that does not contain -ftz, although
// -ftz changes the code. With NVRTC 13.0.88 on a machine with a driver, a compile with -ftz=true returned the code of
// an earlier compile without -ftz=true. NVRTC versions before 12.9 have no cache and refuse -no-cache.
std::vector<std::string> nvrtc_options(std::vector<std::string> asked, Version nvrtc);

// Thread-safe, because each compile has an nvrtcProgram of its own.
class Nvrtc {
 public:
  // `library` is a path or a soname. Returns null and sets `why` if the library cannot be opened, lacks a function, or
  // its builtins library cannot be opened.
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
