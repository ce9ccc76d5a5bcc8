// A `graft` program with a command that only these tests have. `__crash SIGNAL` kills a child process by a signal, as a
// crash in NVIDIA's linker would, and prints the error that the parent reports. With --worker the parent also sends the
// child requests before and after the crash, and prints for each request whether the answer was right.
#include <signal.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>

#include "base/bytes.hpp"
#include "base/format.hpp"
#include "cli/child/worker.hpp"
#include "cli/output/output.hpp"
#include "cli/run_program.hpp"
#include "graft/error.hpp"

namespace graft::cli {
namespace {

struct CrashRequest {
  int signal = SIGSEGV;
  bool worker = false;
  bool serve = false;
};

void end_by(int signal) {
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  std::fputs("last words\n", stderr);
  ::signal(signal, SIG_DFL);  // otherwise a sanitizer's handler would turn the signal into an exit
  ::raise(signal);
}

// Runs in the child: sends each request back as the answer. An empty request makes the child kill itself by `signal`.
void serve_until(int signal) {
  serve([&](std::span<const std::byte> question) {
    if (question.empty()) end_by(signal);
    return base::Bytes(question.begin(), question.end());
  });
}

Worker server(int signal) {
  return Worker({"__crash", "--serve", std::to_string(signal)});
}

void ask_worker(int signal) {
  Worker worker = server(signal);
  const std::string long_question(3'000'000, 'x');  // larger than a socket's buffer
  for (const std::string question : {"before", "", "after", long_question.c_str()}) {
    try {
      const base::Bytes answer = worker.ask(base::as_bytes(question), "crashing as told");
      print(base::format("{} {:d}\n", question.substr(0, 6), base::as_text(answer) == question));
    } catch (const Error& error) {
      complain(error.what());
    }
  }
}

void crash(const CrashRequest& request) {
  if (request.serve) return serve_until(request.signal);
  if (request.worker) return ask_worker(request.signal);
  server(request.signal).ask({}, "crashing as told");
}

void add_crash(CLI::App& program) {
  auto request = std::make_shared<CrashRequest>();
  CLI::App* const command = program.add_subcommand("__crash", "")->group("");
  command->add_option("signal", request->signal, "");
  command->add_flag("--worker", request->worker, "");
  command->add_flag("--serve", request->serve, "");
  command->callback([request] { crash(*request); });
}

}  // namespace
}  // namespace graft::cli

int main(int count, char** words) {
  return graft::cli::run_program(count, words, graft::cli::add_crash);
}
