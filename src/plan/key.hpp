// The key of a request: everything that decides what is built, and nothing else.
//
// It is text, one tagged field a line with its length, so that a person can read why two requests differ and no two
// field lists can be the same text:
//
//     entry 4:relu
//     source 46:__device__ float relu(float x) { ... }
//
// Pure. Two requests with equal keys share one image.
#pragma once

#include <optional>
#include <string>

#include "graft/architecture.hpp"
#include "graft/callback.hpp"
#include "graft/options.hpp"

namespace graft::plan {

std::string request_key(const Callback& callback, std::optional<Architecture> architecture, const Options& options);

}  // namespace graft::plan
