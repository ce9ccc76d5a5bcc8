#include "cli/child.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "cli/child_message.hpp"
#include "cli/spawn.hpp"
#include "core/fail.hpp"
#include "graft/engine.hpp"
#include "graft/error.hpp"

namespace graft::cli {
namespace {

bool write_result(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(kParentFile, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

ChildMessage build_message(const BuildRequest& request) {
  try {
    const Options options = request.options();
    const Callback callback = request.read_callback();
    const Architecture architecture = options.architecture.value_or(kOldestArchitecture);
    return {.image = build(callback, architecture, options).data()};
  } catch (const Error& error) {
    return {.error = error};
  }
}

}  // namespace

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

Image build_in_child(const BuildRequest& request) {
  std::vector<std::string> words = {"__build"};
  for (std::string& word : request.words()) words.push_back(std::move(word));
  const ChildResult result = run_child(words);
  const std::string what = fmt::format("building {}", request.callback.substr(0, request.callback.find('\n')));
  throw_if_crashed(result, what);
  ChildMessage message = read_message(result.bytes);
  if (message.error) throw Error(*message.error);
  if (!message.image)
    fail(ErrorCode::LinkFailed,
         fmt::format("{}: the process that did it returned {} and left no image", what, result.exit_code),
         "Its own words say why.", result.log);
  return Image(std::move(message.image));
}

int build_for_parent(const BuildRequest& request) {
  end_with_parent();
  return write_result(write_message(build_message(request))) ? 0 : 1;
}

}  // namespace graft::cli
