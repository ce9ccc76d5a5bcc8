// The tools of one CUDA installation. installation.hpp says how graft chooses the installation. Each tool is opened at
// its first use.
//
// NVRTC, nvJitLink, libNVVM and the headers always come from the same installation. Before the toolkit chooses an
// installation, it checks the ELF headers of at most three of the installation's files, and skips an installation with
// a truncated file. If a tool of the chosen installation cannot be loaded later, the toolkit chooses the next best
// installation and uses the new choice from then on. The toolkit never skips an installation that the user named for
// graft, so that the user sees the errors of the named installation.
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

// Thread-safe. Searches for installations at the first call that needs them, opens each tool at its first use, and
// never tries again to open a tool that failed to open.
class Toolkit {
 public:
  // `driver_major` is the newest CUDA major version that the driver runs, or 0 if there is no driver.
  Toolkit(std::filesystem::path explicit_path, int driver_major, SearchWorld world = real_world());

  // Returns the tool, or null if it is missing or cannot be loaded; `why` then says the reason and where graft looked.
  // The call may change the choice of the installation. So a caller that needs two tools of one installation, or a tool
  // and the headers, calls choice() before and after getting both, and gets both again if choice() returned different
  // numbers.
  std::shared_ptr<const Nvrtc> nvrtc(std::string& why) const;
  std::shared_ptr<const NvJitLink> nvjitlink(std::string& why) const;

  // Returns whether the chosen installation probably has nvJitLink: the file exists, and no attempt to open the file
  // has failed. Does not open nvJitLink. Sets `tool` if nvJitLink is already open.
  bool expects_nvjitlink(std::shared_ptr<const NvJitLink>& tool) const;

  std::shared_ptr<const Nvvm> nvvm(std::string& why) const;
  std::shared_ptr<const NvFatbin> nvfatbin(std::string& why) const;

  // Returns a number that identifies the current choice of an installation. The number changes whenever the toolkit
  // chooses another installation, and is never 0.
  unsigned choice() const;

  // Returns the path of libdevice's bitcode file, or an empty path if the installation has no libdevice.
  std::filesystem::path libdevice() const;

  // Returns the folder with the toolkit's headers, or an empty path if the installation has no headers.
  std::filesystem::path include_folder() const;

  // If `folder` is the include folder, or include/cccl, of an installation that was found, returns a text that
  // identifies the toolkit headers in it. The text has the installation's folder, its version, and the names and sizes
  // of the tools' files. Returns an empty text for any other folder. `folder` may contain symbolic links. Opens no
  // tool.
  std::string headers_in(const std::string& folder) const;

  // An installation that was found, and why the toolkit did not choose it. `why_not` is empty for the chosen
  // installation.
  struct Candidate {
    Installation installation;
    std::string why_not;
  };
  // Returns all places that have tools, in the order of the search.
  std::vector<Candidate> candidates() const;

  // Returns the places that the search ignored, each with the reason: ". (CUDA_HOME): relative path, ignored".
  std::vector<std::string> why_ignored() const;

  // Returns a text for people, in several lines. The text describes the chosen installation and its tools, the other
  // installations and why they were not chosen, and the places in which the search looked.
  std::string describe() const;

  // state() and identity() describe the tools' files without opening the files. The text of state() has `driver_major`,
  // and the path, size and modification time of each NVRTC, NVRTC builtins library and nvJitLink that was found. While
  // state() returns the same text, the set of missing and unusable tools has not changed. The text of identity() has
  // the version of the chosen installation and the file names and sizes of its tools. It has no folders, so a copy of
  // the installation in another folder has the same identity.
  std::string state() const;
  std::string identity() const;

  // Returns where the chosen installation is and how it was found, for example "/usr/local/cuda-13.0 (CUDA_HOME)", or
  // "no toolkit".
  std::string origin() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace graft::toolchain
