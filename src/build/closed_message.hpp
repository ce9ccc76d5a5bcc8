// What a process tells its closed child to build, and what the child answers. CBOR.
//
// Both sides are of one build of graft, which both messages say. The question comes from the application; the answer
// from a process in which NVIDIA's compiler met text of a stranger, so it is read as bytes of anybody.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "graft/callback.hpp"
#include "graft/error.hpp"
#include "graft/image.hpp"
#include "graft/options.hpp"
#include "graft/precompile.hpp"

namespace graft::building {

// The build of graft that this code is of.
std::string this_build();

struct ClosedQuestion {
  struct Precompiling {
    PrecompileFormat format = PrecompileFormat::Pack;
    std::vector<Architecture> architectures = {};
  };
  Callback callback;
  Options options;  // without headers, include folders and devices
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
// Nothing for another build's question. Throws std::exception for bytes that write_question did not make.
std::optional<ClosedQuestion> read_question(std::span<const std::byte> bytes);

base::Bytes write_answer(const ClosedAnswer& answer);
// Nothing for bytes that are no answer.
std::optional<ClosedAnswer> read_answer(std::span<const std::byte> bytes);

}  // namespace graft::building
