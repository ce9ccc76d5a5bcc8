// Starts the builds of the closed mode (Options::closed), in which NVIDIA's compiler and linker run in a child process
// with limits on time and memory.
//
// The child is the program `graft` with a hidden command (closed_child.hpp). The child reads the request from one
// anonymous file and writes its answer to another. The child inherits no other open file of the parent process. The
// parent process trusts nothing in the answer: an image must be machine code for the requested architecture.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "core/image_data.hpp"
#include "core/step.hpp"
#include "graft/options.hpp"
#include "graft/precompile.hpp"

namespace graft::engine {

struct Answer;
struct Question;

// Runs one child process for each build. The functions are thread-safe.
class ClosedBuilds {
 public:
  // The paths must be absolute or empty. `variable` is the value of the environment variable GRAFT_PROGRAM.
  ClosedBuilds(std::filesystem::path program, std::string variable, std::filesystem::path cuda_path, int driver_major);

  // These functions return the same results as routes::build_image and routes::precompile, but do the work in a child
  // process. check_closed must have accepted the options. Both functions throw the errors of build_image and
  // precompile, and also Error(CompileFailed) if the child reached the bound on time or memory or crashed (the message
  // names the bound or the signal), Error(ToolMissing) if there is no program `graft` of the library's own build, and
  // Error(SystemFailed) if the system refused a file or a process.
  Image::Data image(const Step& step, std::optional<Architecture> architecture, const Options& options) const;
  base::Bytes precompile(const Step& step, const std::vector<Architecture>& architectures, PrecompileFormat format,
                         const Options& options) const;

 private:
  Question question_of(const Step& step, const Options& options) const;
  Answer ask(const Question& question) const;

  std::filesystem::path program_;
  std::string variable_;
  std::filesystem::path cuda_path_;
  int driver_major_;
};

}  // namespace graft::engine
