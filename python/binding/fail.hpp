// Throws graft's own error for what the binding refuses, so that Python has one class of exceptions.
#pragma once

#include <string>
#include <utility>

#include <graft/error.hpp>

namespace graft_python {

[[noreturn]] inline void fail(graft::ErrorCode code, std::string message, std::string remedy) {
  throw graft::Error(code, {.message = std::move(message), .remedy = std::move(remedy), .log = {}, .versions = {}});
}

}  // namespace graft_python
