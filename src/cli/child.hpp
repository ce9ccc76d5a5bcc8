// Work that may crash, in a process of its own.
//
// NVIDIA's compiler and linker end the process when they meet input that is damaged in an unlucky way, and nothing can
// be caught. So graft starts itself again with other words; the child does the work, leaves what it made in a memory
// file, and ends. When it ends by a signal, that is an Error here, and names the signal.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "cli/build_request.hpp"
#include "cli/child_message.hpp"
#include "graft/image.hpp"

namespace graft::cli {

struct ChildResult {
  int signal = 0;  // that ended it; 0: it ended by itself
  int exit_code = 0;
  base::Bytes bytes;  // what it left for its parent
  std::string log;    // what it, or a library in it, printed
};

// Starts this program again with `words` behind its name, and waits. Throws Error(SystemFailed) when it cannot be
// started.
ChildResult run_child(const std::vector<std::string>& words);

// The same as graft::build (for the host route without an architecture), in a child. Errors arrive as they were thrown;
// a crash is an Error(LinkFailed).
Image build_in_child(const BuildRequest& request);

// The child's half: builds, and writes the image or the Error to kParentFile (spawn.hpp). Returns the exit code.
int build_for_parent(const BuildRequest& request);

// What a child does for its parent, and how that is named in messages: "building relu.cu". Throws what the child threw,
// and Error(LinkFailed) where it crashed or left nothing.
ChildMessage ask_child(const std::vector<std::string>& words, const std::string& what);

// The child's half of it: writes what `work` gives, or the Error that it throws. Returns the exit code.
int answer_parent(const std::function<ChildMessage()>& work);

// Error(LinkFailed) that names the signal, where a signal ended the child.
void throw_if_crashed(const ChildResult& result, const std::string& what);

}  // namespace graft::cli
