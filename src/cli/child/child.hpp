// Runs work that may crash in a child process.
//
// NVIDIA's compiler and linker can crash on damaged input, and a crash cannot be caught. So graft starts itself again
// with a hidden command, sends the work as a message, and receives a message with the result (worker.hpp). Question and
// answer are those of the library's closed mode (engine/child_message.hpp), but this child has no bounds of time and
// memory. If a signal kills the child, the parent throws an Error that names the signal.
#pragma once

#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "cli/child/worker.hpp"
#include "cli/commands/build_options.hpp"
#include "core/image_data.hpp"
#include "engine/child_message.hpp"
#include "graft/image.hpp"

namespace graft::cli {

// The hidden command that makes this program a child that answers questions.
inline constexpr const char* kChildCommand = "__child";

// Runs in the child: answers questions until the parent closes the connection.
void serve_child();

// The functions below run in the parent. They throw the Error that the child threw, Error(LinkFailed) if the child
// crashed or sent no answer, and Error(SystemFailed) if the child cannot be started.

// Runs graft::build. Builds for sm_75 if the request names no architecture. A kernel for the CPU (the host route) needs
// no architecture.
Image build_in_child(const BuildRequest& request);

// Compiles the callback of a request with debug information (compile/state_object.hpp).
base::Bytes state_object_in_child(const BuildRequest& request);

// Returns the PTX of a kernel (routes/builder.hpp).
std::string ptx_in_child(const BuildRequest& request);

// Runs graft::precompile. Each kernel of a job is compiled in a child of its own.
base::Bytes precompile_in_child(const BuildRequest& request, const std::vector<Architecture>& architectures,
                                PrecompileFormat format);
// Runs graft::precompile_several for these entries of the request's callback, with a child for each processor.
base::Bytes precompile_in_children(BuildRequest request, const std::vector<std::string>& entries,
                                   const std::vector<Architecture>& architectures, PrecompileFormat format);

// Returns whether graft can have made this kernel (families/kernel_check.hpp). The parent takes no other from a child,
// which links binaries that others compiled.
bool is_possible_kernel(const Image::Data& image);

// Builds one kernel into the cache, as any program does, through an Engine that uses the cache. So the cache entry has
// exactly the key for which Transform::create searches. `worker` runs kChildCommand.
engine::CachedKernel warm_in_child(Worker& worker, const BuildRequest& request);

}  // namespace graft::cli
