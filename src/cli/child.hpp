// Work that may crash, in a process of its own.
//
// NVIDIA's compiler and linker end the process when they meet input that is damaged in an unlucky way, and nothing can
// be caught. So graft starts itself again with a hidden command, sends what is to be done as a message, and gets a
// message back (worker.hpp). When the child ends by a signal, that is an Error here, and names the signal.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/bytes.hpp"
#include "cli/build_request.hpp"
#include "cli/child_message.hpp"
#include "graft/image.hpp"

namespace graft::cli {

// The same as graft::build (for the host route without an architecture), in a child. Errors arrive as they were thrown;
// a crash is an Error(LinkFailed).
Image build_in_child(const BuildRequest& request);

// The child's half, which `command` starts.
inline constexpr const char* kBuildCommand = "__build";
void build_for_parent();

// What a child of `command` answers to `question`. Messages name the work by `what`: "building relu.cu". Throws what
// the child threw, Error(LinkFailed) where it crashed or left no answer, and Error(SystemFailed) where it cannot be
// started.
ChildMessage ask_child(const char* command, std::span<const std::byte> question, const std::string& what);

// The child's half of it: `work` gives the answer to the question, or throws the Error that becomes the answer.
void answer_parent(const std::function<ChildMessage(std::span<const std::byte>)>& work);

[[noreturn]] void fail_by_question();

// What `work` read of its question. Throws Error(LinkFailed) where that is nothing.
template <class Question>
Question asked(std::optional<Question> question) {
  if (!question) fail_by_question();
  return std::move(*question);
}

}  // namespace graft::cli
