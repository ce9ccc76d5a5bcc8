// One installation's tools, used together, and opened no earlier than they are needed. installation.hpp says which
// installation that is.
//
// The choice looks at the headers of three files at most, and passes over an installation of which one is cut off.
// Where a tool turns out later to be one that cannot be loaded, its installation is passed over from then on, and the
// next best one's tools are opened. A place that was named for graft stays, and its errors say what is wrong with it.
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

// Thread-safe. Searches at the first question, opens each tool at its first use, and remembers failures.
class Toolkit {
 public:
  // `driver_major`: the newest CUDA major version that the driver runs; 0 when there is no driver.
  Toolkit(std::filesystem::path explicit_path, int driver_major, SearchWorld world = real_world());

  // Null when missing; `why` then says what was looked for and where. Who uses two tools together, or a tool with the
  // headers, compares choice() before and after.
  std::shared_ptr<const Nvrtc> nvrtc(std::string& why) const;
  std::shared_ptr<const NvJitLink> nvjitlink(std::string& why) const;

  // Whether the chosen installation has one, as far as that is known without opening it: it lies there, and nobody
  // tried in vain. `tool` is set where it is open already.
  bool expects_nvjitlink(std::shared_ptr<const NvJitLink>& tool) const;

  std::shared_ptr<const Nvvm> nvvm(std::string& why) const;
  std::shared_ptr<const NvFatbin> nvfatbin(std::string& why) const;

  // Which choice of an installation holds: another number than before when another one is taken. Never 0.
  unsigned choice() const;

  // libdevice's bitcode, or empty.
  std::filesystem::path libdevice() const;

  // Folder with the toolkit's headers, or empty.
  std::filesystem::path include_folder() const;

  // Which headers are in a folder, by whatever path it is named, that is the include folder of a toolkit that was
  // found: path, version, and the sizes of the tools' files. Empty for any other folder. Nothing is opened for it.
  std::string headers_in(const std::string& folder) const;

  // A place where tools were found, and why another was taken: empty for the one that is used.
  struct Candidate {
    Installation installation;
    std::string why_not;
  };
  // Every place that has tools, in order of the search.
  std::vector<Candidate> candidates() const;

  // The places that were left out, each with the reason: ". (CUDA_HOME): relative: left out".
  std::vector<std::string> left_out() const;

  // Where the tools come from, and which others were seen and why they were not taken; several lines, for people.
  std::string describe() const;
  // The files that a search finds, told from outside, with nothing opened. `state` has the path, size and time of every
  // tool, and the driver's version: while it is equal, the same tools are missing and the same are unfit. `identity`
  // has version and size of the chosen tools and no path: equal tools elsewhere are the same.
  std::string state() const;
  std::string identity() const;

  // One line: "/usr/local/cuda-13.0 (CUDA_HOME)", or "no toolkit".
  std::string origin() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace graft::toolchain
