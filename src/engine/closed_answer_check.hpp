// Checks what the child process of the closed mode returns (closed_build.hpp). NVIDIA's compiler has read source of
// unknown origin in this process, so its answer may hold anything. The parent accepts bytes of the requested form for
// the requested architectures, which graft's own readers read, and kernels within the bound on registers. Machine code
// that passes these checks may still do anything on the GPU, as docs/security.md says of every formula.
#pragma once

#include <string>

#include "base/bytes.hpp"
#include "core/image_data.hpp"
#include "engine/child_message.hpp"
#include "graft/architecture.hpp"
#include "graft/options.hpp"

namespace graft::engine {

// Both functions return what is wrong with the answer, as the rest of a sentence that begins with "the answer of the
// child process", or an empty string. Both throw Error(CompileFailed) for a kernel that needs more registers than
// Closed::max_registers allows although nothing is wrong with it: the kernels of some families ignore the bound
// (Family::fixed_registers).
std::string check_image(const Image::Data& image, Architecture wanted, const Options& options);
std::string check_precompiled(std::span<const std::byte> bytes, const Question& wanted);

}  // namespace graft::engine
