// nvJitLink, NVIDIA's run-time linker, links LTO-IR, PTX and other device code to a cubin or to PTX.
//
// nvJitLink does not compare the signatures of callers and callees. Damaged LTO-IR can crash nvJitLink, so the users of
// this class pass only code that was just compiled or that a checksum protects.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "core/version.hpp"

namespace graft::toolchain {

enum class LinkInputKind { LtoIr, Ptx, Cubin, Fatbin, Object, Library };

struct LinkInput {
  LinkInputKind kind = LinkInputKind::LtoIr;
  std::span<const std::byte> bytes;
  std::string name;  // the input's name in error messages
};

enum class LinkOutput { Cubin, Ptx };

// Returns whether the driver defines this device function when it loads a kernel, so that the inputs of a link need not
// define the function. The driver's functions serve printf, assert and the device heap.
bool is_driver_function(std::string_view name);

// Returns the options to pass to nvJitLink: the options `asked`, and the options that this output and this version of
// nvJitLink need.
//
// From nvJitLink 12.5 on, adds -no-cache, because a result from the linker's own cache comes without the info log, and
// graft reads the kernel's registers, stack and spills for its Report from this log. nvJitLink 12.4 refuses -no-cache,
// and crashes with SIGSEGV if -lto is given too.
std::vector<std::string> nvjitlink_options(std::vector<std::string> asked, LinkOutput output, Version nvjitlink);

struct LinkRequest {
  std::vector<LinkInput> inputs;
  std::vector<std::string> options;  // `asked` of nvjitlink_options: "-arch=sm_90", "-lto", "-verbose", ...
  LinkOutput output = LinkOutput::Cubin;
  // Whether linked PTX may call functions that no input defines.
  bool may_be_incomplete = false;
};

struct LinkResult {
  bool ok = false;
  std::string failure;  // the call that failed, the input's name and the error code's name
  std::string error_log;
  std::string info_log;  // with the option -verbose, lists each function with its registers, stack and spills
  base::Bytes code;      // a cubin, or PTX without its terminating zero
};

// Shared is the library that other parts of the process use too. Their links change variables of the library, and these
// variables change graft's kernels (compile/optimiser_check.hpp). Copy is a copy of the library for graft alone.
enum class LinkerLibrary : bool { Shared, Copy };

// Thread-safe, because each link has a handle of its own.
class NvJitLink {
 public:
  // `library` is a path or a soname; for a copy, a path. Returns null and sets `why` if the library cannot be opened or
  // lacks a function.
  static std::shared_ptr<const NvJitLink> open(const std::filesystem::path& library, std::string& why,
                                               LinkerLibrary kind = LinkerLibrary::Shared);

  Version version() const noexcept { return version_; }
  const std::filesystem::path& path() const noexcept { return path_; }

  // Identifies the loaded library: two objects of this class that use the same variables return the same pointer. The
  // pointer stays valid, because graft closes no library.
  const void* library() const noexcept;

  // Checks the error code of every call, because after a failed nvJitLinkAddData, nvJitLinkComplete can succeed and
  // give a wrong cubin. Reads both logs, also after a failure.
  LinkResult link(const LinkRequest& request) const;

 private:
  struct Functions;
  std::shared_ptr<const Functions> functions_;
  Version version_;
  std::filesystem::path path_;
};

}  // namespace graft::toolchain
