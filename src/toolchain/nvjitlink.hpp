// nvJitLink, the run-time linker: LTO-IR and PTX in, a cubin or PTX out.
//
// It checks no signatures, and damaged LTO-IR can crash it: callers pass what they made or what a checksum vouches for.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "toolchain/version.hpp"

namespace graft::toolchain {

enum class LinkInputKind { LtoIr, Ptx, Cubin, Fatbin, Object, Library };

struct LinkInput {
  LinkInputKind kind = LinkInputKind::LtoIr;
  std::span<const std::byte> bytes;
  std::string name;  // as messages show it
};

enum class LinkOutput { Cubin, Ptx };

// The options that a link gets: those asked for, and what the output and the version need.
//
// -no-cache, from 12.5 on: what comes from the linker's own cache comes without its log, and the report is read from
// that. 12.4 refuses the option, and with -lto beside it ends the process by SIGSEGV.
std::vector<std::string> nvjitlink_options(std::vector<std::string> asked, LinkOutput output, Version nvjitlink);

struct LinkRequest {
  std::vector<LinkInput> inputs;
  std::vector<std::string> options;  // "-arch=sm_90", "-lto", "-verbose", ...: see nvjitlink_options
  LinkOutput output = LinkOutput::Cubin;
};

struct LinkResult {
  bool ok = false;
  std::string failure;  // the call that failed, the input's name and the error code's name
  std::string error_log;
  std::string info_log;  // with -verbose: registers, stack, spills, functions
  base::Bytes code;      // PTX without its terminating zero
};

// Thread-safe: handles are independent of one another.
class NvJitLink {
 public:
  static std::shared_ptr<const NvJitLink> open(const std::filesystem::path& library, std::string& why);

  Version version() const noexcept { return version_; }
  const std::filesystem::path& path() const noexcept { return path_; }

  // Every call's error code is checked, Complete's too after a failed AddData, and both logs are read each time.
  LinkResult link(const LinkRequest& request) const;

 private:
  struct Functions;
  std::shared_ptr<const Functions> functions_;
  Version version_;
  std::filesystem::path path_;
};

}  // namespace graft::toolchain
