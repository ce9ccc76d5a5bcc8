// libNVVM, the compiler of NVVM IR: modules in, LTO-IR or PTX out.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "toolchain/version.hpp"

namespace graft::toolchain {

struct NvvmProgram {
  struct Module {
    std::span<const std::byte> bytes;  // text or bitcode
    std::string name;                  // as messages show it
  };
  std::vector<Module> modules;
  std::span<const std::byte> library = {};  // of which only what is called is taken, like libdevice; or none
  std::vector<std::string> options;         // "-arch=compute_90", "-gen-lto", ...
};

struct NvvmResult {
  std::string failure;  // the call that failed and why; empty: it went well
  std::string log;
  base::Bytes code;
};

// Thread-safe: programs are independent of one another.
class Nvvm {
 public:
  // From a path or soname; null with `why` when it cannot be opened or lacks a function.
  static std::shared_ptr<const Nvvm> open(const std::filesystem::path& library, std::string& why);

  Version version() const noexcept { return version_; }  // of the NVVM IR that it takes
  const std::filesystem::path& path() const noexcept { return path_; }

  NvvmResult compile(const NvvmProgram& program) const;

 private:
  struct Functions;
  std::shared_ptr<const Functions> functions_;
  Version version_;
  std::filesystem::path path_;
};

}  // namespace graft::toolchain
