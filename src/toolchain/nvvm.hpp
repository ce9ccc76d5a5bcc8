// libNVVM, NVIDIA's library that compiles modules of NVVM IR to LTO-IR or PTX.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "core/version.hpp"

namespace graft::toolchain {

struct NvvmProgram {
  struct Module {
    std::span<const std::byte> bytes;  // the module as text or bitcode
    std::string name;                  // the module's name in messages
  };
  std::vector<Module> modules;
  // The bitcode of libdevice, which is NVIDIA's library of math functions, or empty. libNVVM links only those functions
  // of libdevice that the modules call.
  std::span<const std::byte> library = {};
  std::vector<std::string> options;  // "-arch=compute_90", "-gen-lto", ...
};

struct NvvmResult {
  std::string failure;  // the call that failed and why; empty on success
  std::string log;
  base::Bytes code;
};

// Thread-safe, because each compile has an nvvmProgram of its own.
class Nvvm {
 public:
  // `library` is a path or a soname. Returns null and sets `why` if the library cannot be opened or lacks a function.
  static std::shared_ptr<const Nvvm> open(const std::filesystem::path& library, std::string& why);

  Version version() const noexcept { return version_; }  // the newest NVVM IR version that the library accepts
  const std::filesystem::path& path() const noexcept { return path_; }

  NvvmResult compile(const NvvmProgram& program) const;

 private:
  struct Functions;
  std::shared_ptr<const Functions> functions_;
  Version version_;
  std::filesystem::path path_;
};

}  // namespace graft::toolchain
