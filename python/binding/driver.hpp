// What the package asks the CUDA driver itself. The driver is not linked: graft has loaded it, if there is one.
#pragma once

#include <cstdint>
#include <optional>

namespace graft_python {

// The device of the thread's current context. Nothing if there is no context.
std::optional<int> current_device();

// Whether work that is queued on a stream is captured into a graph.
bool is_captured(std::intptr_t stream);

}  // namespace graft_python
