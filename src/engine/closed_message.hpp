// The messages between a process and its closed child (closed_child.hpp): the question says what to build, the answer
// is the result or the error. Both are records (base/record.hpp).
//
// Both sides must be the same build of graft, so each message names the build that wrote it. The question comes from
// the application. The answer comes from a process in which NVIDIA's compiler has read a stranger's text, so its reader
// trusts nothing in it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "core/image_data.hpp"
#include "graft/callback.hpp"
#include "graft/error.hpp"
#include "graft/options.hpp"
#include "graft/precompile.hpp"

namespace graft::engine {

struct ClosedQuestion {
  struct Precompiling {
    PrecompileFormat format = PrecompileFormat::Pack;
    std::vector<Architecture> architectures = {};
  };
  Callback callback = "";  // source, or a composition of sources
  Options options = {};    // with `closed` set; `devices` are not sent
  std::optional<Architecture> architecture = {};
  std::optional<Precompiling> precompiling = {};  // set: compile ahead of time instead of building an image
  std::string cuda_path = {};
  int driver_major = 0;
};

// One member is set. None is set in the empty answer that a child writes first.
struct ClosedAnswer {
  bool is_out_of_memory = false;  // the build reached its memory bound
  std::string other_build = {};   // the build of the child, if it is not the reader's
  std::optional<Error> error = {};
  std::optional<Image::Data> image = {};
  std::optional<base::Bytes> precompiled = {};
};

base::Bytes write_question(const ClosedQuestion& question);
// Nothing for the question of another build, and for bytes that are not a question: cut off, or with an unknown value.
std::optional<ClosedQuestion> read_question(std::span<const std::byte> bytes);

base::Bytes write_answer(const ClosedAnswer& answer);
// Nothing for bytes that are not an answer. If another build wrote the answer, only `other_build` is set.
std::optional<ClosedAnswer> read_answer(std::span<const std::byte> bytes);

}  // namespace graft::engine
