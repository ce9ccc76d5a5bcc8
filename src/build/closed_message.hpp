// What a process tells its closed child to build, and what the child answers. Records (base/record.hpp).
//
// Both sides are of one build of graft, which both messages say. The question comes from the application; the answer
// from a process in which NVIDIA's compiler met text of a stranger, so it is read as bytes of anybody.
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

namespace graft::building {

struct ClosedQuestion {
  struct Precompiling {
    PrecompileFormat format = PrecompileFormat::Pack;
    std::vector<Architecture> architectures = {};
  };
  Callback callback = "";  // source, or a composition of sources
  Options options = {};    // with `closed`; `devices` stay with the process that asks
  std::optional<Architecture> architecture = {};
  std::optional<Precompiling> precompiling = {};  // bytes for later instead of an image
  std::string cuda_path = {};
  int driver_major = 0;
};

// One of them.
struct ClosedAnswer {
  bool is_out_of_memory = false;  // the bound of memory was reached
  std::string other_build = {};   // the question came from this build, and the child is of another
  std::optional<Error> error = {};
  std::optional<Image::Data> image = {};
  std::optional<base::Bytes> precompiled = {};
};

base::Bytes write_question(const ClosedQuestion& question);
// Nothing for another build's question, and for bytes that are no question: cut, or with a value that has no meaning.
std::optional<ClosedQuestion> read_question(std::span<const std::byte> bytes);

base::Bytes write_answer(const ClosedAnswer& answer);
// Nothing for bytes that are no answer. Of another build's answer nothing but `other_build` is looked at.
std::optional<ClosedAnswer> read_answer(std::span<const std::byte> bytes);

}  // namespace graft::building
