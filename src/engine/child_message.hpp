// The messages between a process and the child process in which it has a kernel made. A Question is the parent's
// request and says what to make. An Answer is the child's result or error. Both are encoded as records
// (base/record.hpp).
//
// There are two kinds of children, and both read the same question. A child of the closed mode (closed_child.hpp) has
// bounds of time and memory, opens no cache, and answers once. A child of the program `graft` (cli/child/child.hpp)
// makes kernels with an engine, as any program does, and answers one question after another.
//
// Parent and child must be the same build of graft, so each message contains the name of the build that wrote the
// message (core/version.hpp). The answer comes from a process in which NVIDIA's tools have read source or code of
// unknown origin, so the parent checks everything in the answer. The child need not distrust the request, which comes
// from the application.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/record.hpp"
#include "core/image_data.hpp"
#include "core/step.hpp"
#include "graft/error.hpp"
#include "graft/options.hpp"
#include "graft/precompile.hpp"

namespace graft::engine {

struct Question {
  // What the child makes of the step.
  enum class Work : std::uint8_t {
    Image,        // the kernel (Answer::image)
    Precompiled,  // the callback, compiled ahead of time (Answer::bytes)
    CacheEntry,   // the kernel, in the cache on disk (Answer::cached)
    StateObject,  // an object that describes the state of the callback (compile/state_object.hpp; Answer::bytes)
    Ptx,          // the kernel's PTX (routes::kernel_ptx; Answer::bytes)
  };
  // What a child of the closed mode knows of its parent's engine.
  struct Closed {
    std::string cuda_path = {};  // EngineOptions::cuda_path: the toolkit to use
    // The major version of the newest CUDA that the driver supports. 0 if there is no driver.
    int driver_major = 0;
  };

  Work work = Work::Image;
  Step step = {""};
  // Options::devices is not sent, because the child loads no kernel.
  Options options = {};
  std::optional<Architecture> architecture = {};     // not for Precompiled
  PrecompileFormat format = PrecompileFormat::Pack;  // for Precompiled, as `architectures`
  std::vector<Architecture> architectures = {};
  // Set for a child of the closed mode. Options::closed, which has the child's bounds, is then set too.
  std::optional<Closed> closed = {};
};

// Describes a kernel that is in the cache now, because the child built the kernel or found it in the cache.
struct CachedKernel {
  std::string name = {};   // the name of the cache entry
  bool was_there = false;  // true if the cache already had the kernel, so nothing was built
};

// At most one member is set. In the empty answer that a child of the closed mode writes first, no member is set.
struct Answer {
  // True when the build reached its memory bound.
  bool is_out_of_memory = false;
  // The name of the build of graft that wrote the answer, if the reader is another build.
  std::string other_build = {};
  std::optional<Error> error = {};
  std::optional<Image::Data> image = {};
  std::optional<base::Bytes> bytes = {};
  std::optional<CachedKernel> cached = {};
};

// A message as it is sent: a record with the name of the build of graft that wrote the message (core/version.hpp), and
// the content as bytes. A reader from another build can always read the name, even when the builds encode the content
// differently. Such a reader does not read the content.
struct Envelope {
  std::string build;
  base::Bytes content;
};

template <class Codec, base::Is<Envelope> T>
void fields(Codec& codec, T& envelope) {
  codec.field(1, envelope.build);
  codec.field(2, envelope.content);
}

base::Bytes write_question(const Question& question);
// Returns nothing when another build wrote the request, and when the bytes are truncated or contain an unknown value.
std::optional<Question> read_question(std::span<const std::byte> bytes);

base::Bytes write_answer(const Answer& answer);
// Returns nothing when the bytes are not an answer. If another build wrote the answer, only `other_build` is set.
std::optional<Answer> read_answer(std::span<const std::byte> bytes);

}  // namespace graft::engine
