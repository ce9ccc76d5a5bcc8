// The tools of one installation, each opened at its first use. installation.hpp says how the installation is chosen.
//
// NVRTC, nvJitLink, libNVVM and the headers always come from one installation. Before an installation is chosen, the
// ELF headers of at most three of its files are checked; an installation with a truncated file is skipped. If a tool of
// the chosen installation cannot be loaded later, the toolkit chooses the next best installation and uses that one from
// then on. An installation that the user named for graft is never skipped: its errors say what is wrong with it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "toolchain/installation.hpp"
#include "toolchain/nvfatbin.hpp"
#include "toolchain/nvjitlink.hpp"
#include "toolchain/nvrtc.hpp"
#include "toolchain/nvvm.hpp"

namespace graft::toolchain {

// Thread-safe. Searches at the first call that needs the result, opens each tool at its first use, and never retries a
// tool that failed to open.
class Toolkit {
 public:
  // `driver_major`: the newest CUDA major version that the driver runs; 0 when there is no driver.
  Toolkit(std::filesystem::path explicit_path, int driver_major, SearchWorld world = real_world());

  // Null when the tool is missing; `why` then says what was looked for and where. A call may change the choice of the
  // installation. So a caller that needs two tools, or a tool and the headers, compares choice() before and after, and
  // starts again if the number has changed.
  std::shared_ptr<const Nvrtc> nvrtc(std::string& why) const;
  std::shared_ptr<const NvJitLink> nvjitlink(std::string& why) const;

  // Whether the chosen installation seems to have nvJitLink, without opening it: the file exists and no attempt to open
  // it has failed. Sets `tool` if nvJitLink is open already.
  bool expects_nvjitlink(std::shared_ptr<const NvJitLink>& tool) const;

  std::shared_ptr<const Nvvm> nvvm(std::string& why) const;
  std::shared_ptr<const NvFatbin> nvfatbin(std::string& why) const;

  // The number of the current choice. It changes whenever another installation is chosen. Never 0.
  unsigned choice() const;

  // The path of libdevice's bitcode file, or empty.
  std::filesystem::path libdevice() const;

  // The folder with the toolkit's headers, or empty.
  std::filesystem::path include_folder() const;

  // Identifies the headers in `folder` if it is the include folder of an installation that was found, under whatever
  // path: the folder, the version, and the names and sizes of the tools' files. Empty for any other folder. Opens no
  // tool.
  std::string headers_in(const std::string& folder) const;

  // An installation that was found, and why it was not chosen; `why_not` is empty for the chosen one.
  struct Candidate {
    Installation installation;
    std::string why_not;
  };
  // All places that have tools, in the order of the search.
  std::vector<Candidate> candidates() const;

  // The places that the search ignored, each with the reason: ". (CUDA_HOME): relative path, ignored".
  std::vector<std::string> left_out() const;

  // For people, in several lines: the chosen installation and its tools, the others and why they were not chosen, and
  // where the search looked.
  std::string describe() const;

  // Both describe the tools' files without opening them. state() has the path, size and time of each tool found, and
  // the driver's version; as long as it is the same, the same tools are missing or unusable. identity() has the version
  // of the chosen installation and its tools' file names and sizes, but no folders: a copy elsewhere has the same
  // identity.
  std::string state() const;
  std::string identity() const;

  // One line: "/usr/local/cuda-13.0 (CUDA_HOME)", or "no toolkit".
  std::string origin() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace graft::toolchain
