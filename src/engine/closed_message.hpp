// The messages between a parent process and its child in the closed mode (closed_child.hpp). A ClosedQuestion is the
// parent's request and says what to build. A ClosedAnswer is the child's result or error. Both are encoded as records
// (base/record.hpp).
//
// Parent and child must be the same build of graft, so each message contains the name of the build that wrote the
// message (core/version.hpp). The answer comes from a process in which NVIDIA's compiler has read source of unknown
// origin, so the parent checks everything in the answer. The child need not distrust the request, which comes from the
// application.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "core/image_data.hpp"
#include "core/step.hpp"
#include "graft/error.hpp"
#include "graft/options.hpp"
#include "graft/precompile.hpp"

namespace graft::engine {

struct ClosedQuestion {
  struct Precompiling {
    PrecompileFormat format = PrecompileFormat::Pack;
    std::vector<Architecture> architectures = {};
  };
  Step step = {""};  // its callback is a source, or a composition of sources
  // Options::closed is always set. Options::devices is not sent, because the child loads no kernel.
  Options options = {};
  std::optional<Architecture> architecture = {};
  // When set, the child compiles ahead of time (graft::precompile) instead of building an image.
  std::optional<Precompiling> precompiling = {};
  // EngineOptions::cuda_path of the parent's engine: the toolkit to use.
  std::string cuda_path = {};
  // The major version of the newest CUDA that the parent's driver supports. 0 when the parent found no driver.
  int driver_major = 0;
};

// At most one member is set. In the empty answer that a child writes first, no member is set.
struct ClosedAnswer {
  // True when the build reached its memory bound.
  bool is_out_of_memory = false;
  // The name of the build of graft that wrote the answer, if the reader is another build.
  std::string other_build = {};
  std::optional<Error> error = {};
  std::optional<Image::Data> image = {};
  std::optional<base::Bytes> precompiled = {};
};

base::Bytes write_question(const ClosedQuestion& question);
// Returns nothing when another build wrote the request, and when the bytes are truncated or contain an unknown value.
std::optional<ClosedQuestion> read_question(std::span<const std::byte> bytes);

base::Bytes write_answer(const ClosedAnswer& answer);
// Returns nothing when the bytes are not an answer. If another build wrote the answer, only `other_build` is set.
std::optional<ClosedAnswer> read_answer(std::span<const std::byte> bytes);

}  // namespace graft::engine
