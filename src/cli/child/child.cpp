// Runs one piece of work in a child process. ask_child runs in the parent process, and answer_parent runs in the child.
// The class Worker (worker.hpp) sends and receives their messages, and child_message.hpp encodes the messages.
#include "cli/child/child.hpp"

#include "base/format.hpp"
#include "cli/child/worker.hpp"
#include "core/fail.hpp"
#include "core/image_data.hpp"
#include "engine/engine_impl.hpp"
#include "engine/taken_options.hpp"
#include "graft/engine.hpp"
#include "graft/error.hpp"

namespace graft::cli {
namespace {

constexpr const char* kMessageRemedy = "Run the command again. If that does not help, report it as a bug of graft.";

}  // namespace

ChildMessage ask_child(const char* command, std::span<const std::byte> question, const std::string& what) {
  Worker worker({command});
  ChildMessage message = read_message(worker.ask(question, what));
  if (message.error) throw Error(*message.error);
  if (!message.image && !message.precompiled)
    fail(ErrorCode::LinkFailed, base::format("{}: the answer of the child process cannot be read", what),
         kMessageRemedy);
  return message;
}

void answer_parent(const std::function<ChildMessage(std::span<const std::byte>)>& work) {
  serve([&](std::span<const std::byte> question) {
    try {
      return write_message(work(question));
    } catch (const Error& error) {
      return write_message({.error = error});
    }
  });
}

void fail_unreadable_request() {
  fail(ErrorCode::LinkFailed, "the child process cannot read its request", kMessageRemedy);
}

Image build_in_child(const BuildRequest& request) {
  return Image::Data::image(ask_child(kBuildCommand, write_request(request), "building " + request.title()).image);
}

void build_for_parent() {
  answer_parent([](std::span<const std::byte> question) -> ChildMessage {
    const BuildRequest request = asked(read_request(question));
    const Options options = request.options();
    const Step step = request.step();
    const engine::TakenOptions taken(step.callback, options);
    return {.image = Engine::Impl::of(Engine::shared())
                         ->find_or_build({step, options.architecture.value_or(kOldestArchitecture), taken.get()})};
  });
}

}  // namespace graft::cli
