// nvJitLink, the run-time linker: links LTO-IR, PTX and other device code to a cubin or PTX.
//
// nvJitLink does not compare the signatures of callers and callees, and damaged LTO-IR can crash it. So callers pass
// only code that was just compiled or that a checksum protects.
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
  std::string name;  // for messages
};

enum class LinkOutput { Cubin, Ptx };

// The options that are passed to nvJitLink: `asked`, and what the output and the version need.
//
// From nvJitLink 12.5 on that includes -no-cache: a result from the linker's own cache comes without the info log, from
// which graft reads the report. 12.4 refuses the option, and crashes with SIGSEGV when -lto is also given.
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
  std::string info_log;  // with the option -verbose: registers, stack, spills, functions
  base::Bytes code;      // PTX without its terminating zero
};

// Thread-safe: each link has a handle of its own.
class NvJitLink {
 public:
  // From a path or soname; null with `why` when the library cannot be opened or lacks a function.
  static std::shared_ptr<const NvJitLink> open(const std::filesystem::path& library, std::string& why);

  Version version() const noexcept { return version_; }
  const std::filesystem::path& path() const noexcept { return path_; }

  // Checks the error code of every call and reads both logs, also after a failure: after a failed nvJitLinkAddData,
  // nvJitLinkComplete can succeed and give a wrong cubin.
  LinkResult link(const LinkRequest& request) const;

 private:
  struct Functions;
  std::shared_ptr<const Functions> functions_;
  Version version_;
  std::filesystem::path path_;
};

}  // namespace graft::toolchain
