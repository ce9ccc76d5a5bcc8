#include "cli/child.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/files.hpp"
#include "cli/child_message.hpp"
#include "cli/output.hpp"
#include "cli/spawn.hpp"
#include "core/fail.hpp"
#include "graft/engine.hpp"
#include "graft/error.hpp"

namespace graft::cli {
ChildResult run_child(const std::vector<std::string>& words) {
  const MemoryFile result("graft result");
  const MemoryFile log("graft log");
  const Ending ending = wait_for(start_child(words, result.fd(), log));
  return {ending.signal, ending.exit_code, result.content(), std::string(base::as_text(log.content()))};
}

void throw_if_crashed(const ChildResult& result, const std::string& what) {
  if (result.signal == 0) return;
  const char* const abbreviation = ::sigabbrev_np(result.signal);
  fail(ErrorCode::LinkFailed,
       fmt::format("{}: the process that did it was ended by signal {} (SIG{}: {})", what, result.signal,
                   abbreviation ? abbreviation : "?", ::strsignal(result.signal)),
       "NVIDIA's compiler and linker crash on damaged input: make the file anew. When it is whole, try "
       "another route (--route) or another toolkit (GRAFT_CUDA_PATH).",
       result.log);
}

namespace {

// In place of an answer for which there is no room, words for which there may be.
int say_instead(const std::string& what) {
  const Error error(ErrorCode::SystemFailed,
                    {.message = what, .remedy = std::string(kSystemRemedy), .log = {}, .versions = {}});
  if (::ftruncate(kParentFile, 0) == 0 && ::lseek(kParentFile, 0, SEEK_SET) == 0)
    base::write_all(kParentFile, write_message({.error = error}));
  complain(error.what());
  return 1;
}

}  // namespace

ChildMessage ask_child(const std::vector<std::string>& words, const std::string& what) {
  const ChildResult result = run_child(words);
  throw_if_crashed(result, what);
  ChildMessage message = read_message(result.bytes);
  if (message.error) throw Error(*message.error);
  if (!message.image && !message.precompiled)
    fail(ErrorCode::LinkFailed,
         fmt::format("{}: the process that did it returned {} and left nothing", what, result.exit_code),
         "Its own words say why.", result.log);
  return message;
}

int answer_parent(const std::function<ChildMessage()>& work) {
  end_with_parent();
  ChildMessage message;
  try {
    message = work();
  } catch (const Error& error) {
    message.error = error;
  }
  if (base::write_all(kParentFile, write_message(message))) return 0;
  return say_instead("the result cannot be handed over: " + std::generic_category().message(errno));
}

Image build_in_child(const BuildRequest& request) {
  std::vector<std::string> words = {"__build"};
  for (std::string& word : request.words()) words.push_back(std::move(word));
  return Image(ask_child(words, "building " + request.title()).image);
}

int build_for_parent(const BuildRequest& request) {
  return answer_parent([&]() -> ChildMessage {
    const Options options = request.options();
    const Callback callback = request.read_callback();
    return {.image = build(callback, options.architecture.value_or(kOldestArchitecture), options).data()};
  });
}

}  // namespace graft::cli
