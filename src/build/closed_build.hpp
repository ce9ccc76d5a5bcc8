// Builds of the closed mode: NVIDIA's compiler and linker run in a child, which the bounds of the mode end.
//
// The child is the program `graft` with a hidden command (closed_child.hpp). It gets the question and leaves its answer
// in files without a name, and has no other files of this process. What it answers is checked as bytes of anybody: an
// image must be machine code for the architecture that was asked for.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "core/image_data.hpp"
#include "graft/callback.hpp"
#include "graft/options.hpp"
#include "graft/precompile.hpp"

namespace graft::building {

struct ClosedAnswer;
struct ClosedQuestion;

// Thread-safe.
class ClosedBuilds {
 public:
  // Paths are absolute or empty. `variable` is the value of GRAFT_PROGRAM.
  ClosedBuilds(std::filesystem::path program, std::string variable, std::filesystem::path cuda_path, int driver_major);

  // As build_image and precompile, for options that have passed check_closed. Throws what they throw; CompileFailed
  // where a bound was reached or the child crashed, with the bound or the signal; ToolMissing where there is no program
  // `graft` of this build; SystemFailed.
  Image::Data image(const Callback& callback, std::optional<Architecture> architecture, const Options& options) const;
  base::Bytes precompile(const Callback& callback, const std::vector<Architecture>& architectures,
                         PrecompileFormat format, const Options& options) const;

 private:
  ClosedQuestion question_of(const Callback& callback, const Options& options) const;
  ClosedAnswer ask(const ClosedQuestion& question) const;

  std::filesystem::path program_;
  std::string variable_;
  std::filesystem::path cuda_path_;
  int driver_major_;
};

}  // namespace graft::building
