// Runs work that may crash in a child process.
//
// NVIDIA's compiler and linker can crash on damaged input, and a crash cannot be caught. So graft starts itself again
// with a hidden command, sends the work as a message, and receives a message with the result (worker.hpp). The parent's
// message is called the question, the child's message the answer. If a signal kills the child, the parent throws an
// Error that names the signal.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/bytes.hpp"
#include "cli/child/child_message.hpp"
#include "cli/commands/build_options.hpp"
#include "graft/image.hpp"

namespace graft::cli {

// Runs graft::build in a child process. Builds for sm_75 if the request names no architecture. A kernel for the CPU
// (the host route) needs no architecture. Throws the Error that the child threw, or Error(LinkFailed) if the child
// crashed.
Image build_in_child(const BuildRequest& request);

// build_in_child starts a child with the hidden command kBuildCommand, which calls build_for_parent.
inline constexpr const char* kBuildCommand = "__build";
void build_for_parent();

// Compiles the callback of a request with debug information in a child process (compile/state_object.hpp). Throws as
// build_in_child does.
base::Bytes state_object_in_child(const BuildRequest& request);

// state_object_in_child starts a child with the hidden command kStateObjectCommand.
inline constexpr const char* kStateObjectCommand = "__state_object";
void make_state_object_for_parent();

// Starts a child with `command`, sends `question` and returns the answer. `what` names the work in messages: "building
// relu.cu". Throws the Error that the child threw, Error(LinkFailed) if the child crashed or sent no answer, and
// Error(SystemFailed) if the child cannot be started.
ChildMessage ask_child(const char* command, std::span<const std::byte> question, const std::string& what);

// Runs in the child that ask_child started: reads questions until the parent closes the connection, calls `work` with
// each, and sends what `work` returns as the answer. If `work` throws an Error, the answer is this Error.
void answer_parent(const std::function<ChildMessage(std::span<const std::byte>)>& work);

[[noreturn]] void fail_unreadable_request();

// Runs in the child. Returns the content of `question`, which the child has decoded from the parent's message. Throws
// Error(LinkFailed) if `question` is empty, which means that the message could not be decoded.
template <class Question>
Question asked(std::optional<Question> question) {
  if (!question) fail_unreadable_request();
  return std::move(*question);
}

}  // namespace graft::cli
