// Contains the parent process's part of the closed mode (closed_build.hpp), which compiles formulas from authors whom
// the application does not trust. The parent starts the child, and turns each way in which the child can end into a
// result or an Error. The child may reach the bound on time or memory, be killed by a signal, be a program of another
// build, write no answer, write an answer that cannot be read, or write an answer that is not for the request
// (closed_answer_check.hpp).
#include "engine/closed_build.hpp"

#include <signal.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "base/child_process.hpp"
#include "base/format.hpp"
#include "base/memory_file.hpp"
#include "core/fail.hpp"
#include "core/image_data.hpp"
#include "core/version.hpp"
#include "engine/child_message.hpp"
#include "engine/closed_answer_check.hpp"
#include "engine/closed_child.hpp"
#include "toolchain/graft_program.hpp"
#include "toolchain/timed_process.hpp"

namespace graft::engine {
namespace {

// The most bytes of the child's standard output and standard error that go into an Error's log. The answer contains the
// compiler's messages, but NVIDIA's tools print some other messages directly to these streams.
constexpr std::size_t kMostOutput = std::size_t{1} << 16;

[[noreturn]] void fail_by_system(const std::system_error& error) {
  fail(ErrorCode::SystemFailed, base::format("the closed mode cannot start a process: {}", error.what()),
       std::string(kSystemRemedy));
}

std::string title_of(const Question& question) {
  return "building " + question.step.callback.name();
}

// ---- the ways in which a child can end without an answer ----

constexpr const char* kBoundRemedy = "Refuse the formula. If you trust it, raise the bound in Options::closed.";

[[noreturn]] void fail_by_time(const Question& question, std::string log) {
  fail(ErrorCode::CompileFailed,
       base::format("{} took longer than Closed::time allows, {} ms", title_of(question),
                    question.options.closed->time.count()),
       kBoundRemedy, std::move(log));
}

[[noreturn]] void fail_by_memory(const Question& question, std::string log) {
  fail(ErrorCode::CompileFailed,
       base::format("{} needs more memory than Closed::memory allows, {} MiB", title_of(question),
                    question.options.closed->memory / base::kMebibyte),
       kBoundRemedy, std::move(log));
}

[[noreturn]] void fail_by_size(const Question& question, std::string log) {
  fail(ErrorCode::CompileFailed,
       base::format("{}: the compiled code is larger than {} MiB, the most that the closed mode takes",
                    title_of(question), kMostAnswer / base::kMebibyte),
       "Refuse the formula.", std::move(log));
}

[[noreturn]] void fail_by_signal(const Question& question, int signal, std::string log) {
  fail(ErrorCode::CompileFailed,
       base::format("{}: the child process was ended by signal {} ({})", title_of(question), signal,
                    base::signal_name(signal)),
       "NVIDIA's compiler or linker crashed, or the system ran out of memory. Refuse the formula.", std::move(log));
}

[[noreturn]] void fail_to_start(const std::string& program, const toolchain::ProcessResult& result) {
  const bool is_system_failure = result.lacked_resources();
  fail(
      is_system_failure ? ErrorCode::SystemFailed : ErrorCode::ToolMissing,
      base::format("the closed mode cannot start {}: {}", program, std::generic_category().message(result.start_error)),
      is_system_failure ? std::string(kSystemRemedy)
                        : "Install the program `graft` of this version beside the library.");
}

[[noreturn]] void fail_by_build(const std::string& program, const std::string& is, std::string log) {
  fail(ErrorCode::ToolMissing,
       base::format("{} is not the program `graft` of this library's build ({}): {}", program, this_build(), is),
       "Name the program that was built and installed with this library: EngineOptions::program or GRAFT_PROGRAM.",
       std::move(log));
}

[[noreturn]] void fail_by_answer(const Question& question, const std::string& problem) {
  fail(ErrorCode::CompileFailed, base::format("{}: the answer of the child process {}", title_of(question), problem),
       "Refuse the formula: it may have exploited a bug of NVIDIA's compiler.");
}

// Returns the child's answer. Throws Error if the child wrote no answer, or an answer that cannot be used.
Answer answer_of(const Question& question, const std::string& program, toolchain::ProcessResult result,
                 const base::MemoryFile& file) {
  if (result.start_error != 0) fail_to_start(program, result);
  // The child sets limits for itself (set_bounds in closed_child.cpp). SIGXCPU means that it used more processor time
  // than Closed::time, and SIGXFSZ that a file that it wrote became larger than kMostAnswer.
  if (result.timed_out || result.signal == SIGXCPU) fail_by_time(question, std::move(result.output));
  if (result.signal == SIGXFSZ || result.exit_code == kTooLargeExit) fail_by_size(question, std::move(result.output));
  if (result.exit_code == kOutOfMemoryExit) fail_by_memory(question, std::move(result.output));
  if (result.signal != 0) fail_by_signal(question, result.signal, std::move(result.output));
  const std::string bytes = file.content(kMostAnswer).value_or("");
  if (bytes.empty())
    fail_by_build(program, base::format("it exited with {} and left no answer", result.exit_code),
                  std::move(result.output));
  std::optional<Answer> answer = read_answer(base::as_bytes(bytes));
  if (!answer || result.exit_code != 0) fail_by_answer(question, "cannot be read");
  if (!answer->other_build.empty()) fail_by_build(program, "it is of the build " + answer->other_build, {});
  if (answer->is_out_of_memory) fail_by_memory(question, std::move(result.output));
  return std::move(*answer);
}

void refuse_bad(const Question& question, const std::string& problem) {
  if (!problem.empty()) fail_by_answer(question, problem);
}

}  // namespace

ClosedBuilds::ClosedBuilds(std::filesystem::path program, std::string variable, std::filesystem::path cuda_path,
                           int driver_major)
    : program_(std::move(program)),
      variable_(std::move(variable)),
      cuda_path_(std::move(cuda_path)),
      driver_major_(driver_major) {}

Question ClosedBuilds::question_of(const Step& step, const Options& options) const {
  return {.step = step, .options = options, .closed = Question::Closed{cuda_path_.string(), driver_major_}};
}

Answer ClosedBuilds::ask(const Question& question) const try {
  std::string why;
  const std::string program = toolchain::find_graft_program(program_, variable_, why).string();
  if (program.empty())
    fail(ErrorCode::ToolMissing, "the closed mode needs the program `graft`, in which it compiles: " + why,
         "Install the program `graft` with the library, or name it in EngineOptions::program or GRAFT_PROGRAM.");
  const base::MemoryFile asked("graft question", write_question(question));
  const base::MemoryFile answered("graft answer");
  toolchain::ProcessResult result = toolchain::run_process(
      {program, kClosedCommand}, {}, {.time = question.options.closed->time, .output = kMostOutput},
      {asked.descriptor(), answered.descriptor()});
  Answer answer = answer_of(question, program, std::move(result), answered);
  if (answer.error) throw Error(*answer.error);
  return answer;
} catch (const std::system_error& error) {
  fail_by_system(error);
}

Image::Data ClosedBuilds::image(const Step& step, std::optional<Architecture> architecture,
                                const Options& options) const {
  Question question = question_of(step, options);
  question.architecture = architecture;
  Answer answer = ask(question);
  if (!answer.image) fail_by_answer(question, "holds no kernel");
  refuse_bad(question, check_image(*answer.image, *question.architecture, question.options));
  const std::optional<Signature>& declared = step.callback.typed_signature();
  if (declared && answer.image->report.kernel.signature != *declared)
    fail_by_answer(question, base::format("is a kernel of the signature {}, but {} was declared",
                                          answer.image->report.kernel.signature.text(), declared->text()));
  return std::move(*answer.image);
}

base::Bytes ClosedBuilds::precompile(const Step& step, const std::vector<Architecture>& architectures,
                                     PrecompileFormat format, const Options& options) const {
  Question question = question_of(step, options);
  question.work = Question::Work::Precompiled;
  question.format = format;
  question.architectures = architectures;
  Answer answer = ask(question);
  if (!answer.bytes) fail_by_answer(question, "holds no compiled callback");
  refuse_bad(question, check_precompiled(*answer.bytes, question));
  return std::move(*answer.bytes);
}

}  // namespace graft::engine
