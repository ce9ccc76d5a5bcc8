// The child process of the closed mode sets resource limits for itself and builds the kernel. The hard part is to tell
// "out of memory" from other failures, because NVIDIA's tools report a failed allocation in several ways, or crash. So
// before the child reports an error, and in a signal handler when it crashes, the child compares its peak of address
// space (VmPeak) with its memory bound. The peak says nothing after a single allocation that is larger than the bound;
// a tool that then crashes leaves ENOMEM in the errno of its thread.
#include "engine/closed_child.hpp"

#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>

#include "base/bounded_text.hpp"
#include "base/files.hpp"
#include "engine/child_message.hpp"
#include "engine/forbid_processes.hpp"
#include "graft/error.hpp"
#include "routes/builder.hpp"
#include "routes/precompile.hpp"
#include "toolchain/installation.hpp"

namespace graft::engine {
namespace {

constexpr int kQuestionFile = 3;
constexpr int kAnswerFile = 4;

// In a build with a sanitizer the address space is not limited, because sanitizers reserve terabytes of it for their
// own bookkeeping, and processes are not forbidden, because LeakSanitizer starts one to look for leaks.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kHasSanitizer = true;
#else
constexpr bool kHasSanitizer = false;
#endif

// The size of the largest single allocation of NVIDIA's tools, except those for large variables of the callback. An
// allocation fails if it would exceed the memory bound. So after a failure, the peak of address space is less than this
// many bytes below the memory bound.
constexpr std::uint64_t kLargestPiece = 64 * base::kMebibyte;

// The most bytes of a log in the answer, of a message and of a diagnostic, and the most diagnostics. Longer texts lose
// their middle.
constexpr std::size_t kMostLog = std::size_t{1} << 18;
constexpr std::size_t kMostLine = std::size_t{1} << 12;
constexpr std::size_t kMostDiagnostics = 100;

// The limit of this process's address space in bytes (Closed::memory). 0 until set_bounds sets the limit.
std::atomic<std::uint64_t> bound_of_memory = 0;

// The peak of this process's address space in bytes, from the line "VmPeak:   523456 kB" in /proc/self/status. 0 if the
// file cannot be read. Uses async-signal-safe calls only.
std::uint64_t peak_of_memory() noexcept {
  std::array<char, 2048> text{};
  const int file = ::open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t size = ::read(file, text.data(), text.size());
  ::close(file);
  constexpr std::string_view kName = "VmPeak:";
  const std::string_view status(text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  const std::size_t place = status.find(kName);
  if (place == status.npos) return 0;
  std::uint64_t kibibytes = 0;
  for (const char c : status.substr(place + kName.size())) {
    if (c == '\n') break;
    if (c >= '0' && c <= '9') kibibytes = 10 * kibibytes + static_cast<std::uint64_t>(c - '0');
  }
  return kibibytes << 10;
}

bool reached_memory() noexcept {
  return bound_of_memory != 0 && peak_of_memory() + kLargestPiece > bound_of_memory;
}

// A tool whose allocation failed may crash. In this case the process exits with kOutOfMemoryExit; after any other crash
// the signal ends the process as usual.
void on_crash(int signal) {
  if (errno == ENOMEM || reached_memory()) ::_exit(kOutOfMemoryExit);
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

void watch_for_crashes() {
  // The handler runs on its own stack, because the crash may be an overflow of the thread's stack.
  static std::array<std::byte, 1 << 16> stack;
  stack_t other{};
  other.ss_sp = stack.data();
  other.ss_size = stack.size();
  ::sigaltstack(&other, nullptr);
  struct sigaction action {};
  action.sa_handler = on_crash;
  action.sa_flags = SA_ONSTACK | static_cast<int>(SA_RESETHAND) | SA_NODEFER;
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL}) ::sigaction(signal, &action, nullptr);
}

bool set_limit(__rlimit_resource what, std::uint64_t most) {
  rlimit now{};
  if (::getrlimit(what, &now) != 0) return false;
  now.rlim_max = std::min<rlim_t>(now.rlim_max, most);
  now.rlim_cur = now.rlim_max;
  return ::setrlimit(what, &now) == 0;
}

// At the soft limit the system sends SIGXCPU, from which the parent learns which bound was reached. At the hard limit
// it sends SIGKILL, which has many causes, so the hard limit is a second above the soft limit.
bool set_processor_time(std::uint64_t seconds) {
  rlimit now{};
  if (::getrlimit(RLIMIT_CPU, &now) != 0) return false;
  now.rlim_max = std::max<rlim_t>(std::min<rlim_t>(now.rlim_max, seconds + 1), 1);
  now.rlim_cur = std::max<rlim_t>(now.rlim_max - 1, 1);
  return ::setrlimit(RLIMIT_CPU, &now) == 0;
}

// Sets the limits that the operating system enforces on this process, and forbids it to start processes. The parent
// kills the child when the time bound is over. If the parent has died, PR_SET_PDEATHSIG and RLIMIT_CPU end the child.
// Returns false if a limit cannot be set.
bool set_bounds(const Closed& closed) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);  // forbid_processes needs it
  // Limits malloc to one arena, because each arena reserves 64 MiB of address space.
  ::mallopt(M_ARENA_MAX, 1);
  const auto seconds = static_cast<std::uint64_t>(std::chrono::ceil<std::chrono::seconds>(closed.time).count());
  if (!set_limit(RLIMIT_CORE, 0) || !set_processor_time(seconds + 1) || !set_limit(RLIMIT_FSIZE, kMostAnswer))
    return false;
  if (kHasSanitizer) return true;
  forbid_processes();
  bound_of_memory = closed.memory;
  return set_limit(RLIMIT_AS, closed.memory);
}

// Returns whether a tool failed because it could not allocate memory.
bool is_out_of_memory(const Error& error) {
  if (error.code() != ErrorCode::CompileFailed && error.code() != ErrorCode::LinkFailed) return false;
  const std::string_view log = error.log();
  return log.find("error: out of memory") != log.npos || log.find("OUT_OF_MEMORY") != log.npos || reached_memory();
}

std::string shortened(std::string text, std::size_t most) {
  if (text.size() <= most) return text;
  base::BoundedText bounded(most);
  bounded.append(text);
  return std::move(bounded).text();
}

Answer build(const Question& question) {
  // Nobody else links in this process, and the copy of nvJitLink would be larger than the files that it may write.
  ::unsetenv(toolchain::kPrivateLinker);
  const compile::Toolbox tools(question.closed->cuda_path, {}, question.closed->driver_major,
                               compile::Toolbox::WithDriver::No);
  Answer answer;
  if (question.work == Question::Work::Precompiled)
    answer.bytes = routes::precompile(question.step, question.architectures, question.format, question.options, tools);
  else answer.image = routes::build_image(question.step, question.architecture, question.options, tools);
  if (answer.image) {
    Report& report = answer.image->report;
    for (std::string* log : {&report.compiler_log, &report.linker_log}) *log = shortened(std::move(*log), kMostLog);
  }
  return answer;
}

// The application keeps the texts of errors and reports, and a formula of a few lines can make the compiler write
// megabytes, since it can have types with names of this length.
Error with_bounded_texts(const Error& error) {
  Error::Details details = {.message = shortened(error.message(), kMostLine),
                            .remedy = error.remedy(),
                            .log = shortened(error.log(), kMostLog),
                            .versions = error.versions(),
                            .diagnostics = error.diagnostics()};
  if (details.diagnostics.size() > kMostDiagnostics) details.diagnostics.resize(kMostDiagnostics);
  for (Diagnostic& diagnostic : details.diagnostics) diagnostic.text = shortened(std::move(diagnostic.text), kMostLine);
  return {error.code(), std::move(details)};
}

Answer answer_to(const Question& question) {
  try {
    return build(question);
  } catch (const Error& error) {
    if (is_out_of_memory(error)) return {.is_out_of_memory = true};
    return {.error = with_bounded_texts(error)};
  } catch (const std::bad_alloc&) {
    return {.is_out_of_memory = true};
  }
}

// Returns the answer to a request that the child cannot read. The error in the answer is for a request of the same
// build of graft: the application may have cast an unknown number to an enumeration or an architecture. The child also
// cannot read a request from another build of graft. In this case the parent sees in the answer that the child is of
// another build, and reports this instead of the error.
Answer answer_to_unreadable() {
  return {.error = Error(ErrorCode::InvalidArgument,
                         {.message = "the closed mode cannot read the request: the architecture, a route or another "
                                     "enumeration has an unknown value",
                          .remedy = "Give values that graft's headers define.",
                          .log = {},
                          .versions = {}})};
}

// Returns the answer where the operating system does not let the child limit itself.
Answer answer_without_bounds() {
  return {.error = Error(ErrorCode::SystemFailed,
                         {.message = "the closed mode cannot set its limits of time, memory and file size",
                          .remedy = "Check that the process may call setrlimit, and that its own limits are not lower.",
                          .log = {},
                          .versions = {}})};
}

// Replaces the content of the file that receives the answer. Returns false on failure.
bool write_whole(const base::Bytes& answer) {
  return ::lseek(kAnswerFile, 0, SEEK_SET) == 0 && ::ftruncate(kAnswerFile, 0) == 0 &&
         base::write_all(kAnswerFile, answer);
}

}  // namespace

int serve_closed() try {
  const base::FileContent bytes = base::read_open_file(kQuestionFile, base::kGibibyte);
  const std::optional<Question> question = read_question(base::as_bytes(bytes.value()));
  // An empty answer first: if this process dies, the parent sees which build it is of.
  if (!write_whole(write_answer({}))) return 1;
  if (!question || !question->closed) return write_whole(write_answer(answer_to_unreadable())) ? 0 : 1;
  if (!set_bounds(question->options.closed.value())) return write_whole(write_answer(answer_without_bounds())) ? 0 : 1;
  watch_for_crashes();
  const base::Bytes answer = write_answer(answer_to(*question));
  if (answer.size() > kMostAnswer) return kTooLargeExit;
  return write_whole(answer) ? 0 : kOutOfMemoryExit;
} catch (const std::bad_alloc&) {
  return kOutOfMemoryExit;
}

}  // namespace graft::engine
