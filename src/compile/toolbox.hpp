// The tools of one engine: the CUDA toolkit, the driver and the host compiler. Each tool is opened at its first use.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>

#include "toolchain/driver.hpp"
#include "toolchain/host_compiler.hpp"
#include "toolchain/toolkit.hpp"

namespace graft::compile {

// All functions are thread-safe.
class Toolbox {
 public:
  enum class WithDriver : bool { No, Yes };
  Toolbox(std::filesystem::path cuda_path, std::filesystem::path host_compiler, int driver_major,
          WithDriver with_driver = WithDriver::Yes)
      : toolkit_(std::move(cuda_path), driver_major),
        host_compiler_path_(std::move(host_compiler)),
        with_driver_(with_driver) {}

  const toolchain::Toolkit& toolkit() const noexcept { return toolkit_; }

  // Returns null and sets `why` if there is no driver or if this toolbox was made with WithDriver::No.
  const toolchain::Driver* driver(std::string& why) const {
    if (with_driver_ == WithDriver::Yes) return toolchain::Driver::find(why);
    why = "the closed mode uses no driver";
    return nullptr;
  }

  // Returns null and sets `why` if there is no host compiler. Remembers a compiler that was found. Does not remember a
  // failure, because a failure may be temporary, for example if the system could not start another process.
  std::shared_ptr<const toolchain::HostCompiler> host_compiler(std::string& why) const {
    const std::lock_guard lock(mutex_);
    why.clear();
    if (!host_compiler_) host_compiler_ = toolchain::HostCompiler::find(host_compiler_path_, why);
    return host_compiler_;
  }

 private:
  toolchain::Toolkit toolkit_;
  std::filesystem::path host_compiler_path_;
  WithDriver with_driver_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const toolchain::HostCompiler> host_compiler_;
};

}  // namespace graft::compile
