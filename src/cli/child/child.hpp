// Runs work that may crash in a child process.
//
// NVIDIA's compiler and linker can crash on damaged input, and a crash cannot be caught. So graft starts itself again
// with a hidden command, sends the work as a message, and receives a message with the result (worker.hpp). If a signal
// kills the child, the parent throws an Error that names the signal.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/bytes.hpp"
#include "cli/child/child_message.hpp"
#include "cli/commands/build_request.hpp"
#include "graft/image.hpp"

namespace graft::cli {

// graft::build in a child process. Without an architecture in the request it builds for sm_75; the host route needs
// none. Throws the Error that the child threw, and Error(LinkFailed) for a crash.
Image build_in_child(const BuildRequest& request);

// The child's half: the hidden command, and the function that it runs.
inline constexpr const char* kBuildCommand = "__build";
void build_for_parent();

// Starts a child with `command`, sends `question` and returns the answer. `what` names the work in messages: "building
// relu.cu". Throws the Error that the child threw, Error(LinkFailed) if the child crashed or sent no answer, and
// Error(SystemFailed) if it cannot be started.
ChildMessage ask_child(const char* command, std::span<const std::byte> question, const std::string& what);

// The child's half of ask_child. `work` returns the answer to a question; an Error that it throws becomes the answer.
void answer_parent(const std::function<ChildMessage(std::span<const std::byte>)>& work);

[[noreturn]] void fail_by_question();

// The question that a child has decoded. Throws Error(LinkFailed) if it could not be decoded.
template <class Question>
Question asked(std::optional<Question> question) {
  if (!question) fail_by_question();
  return std::move(*question);
}

}  // namespace graft::cli
