// The parent process sends questions (descriptions of work) over a socket pair to the child, and the child sends back
// answers (results). Each message consists of its length (8 bytes, in the machine's byte order) and then its bytes.
#include "cli/child/worker.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>

#include "base/child_process.hpp"
#include "base/descriptor.hpp"
#include "base/format.hpp"
#include "base/memory_file.hpp"
#include "core/fail.hpp"

namespace graft::cli {
namespace {

// In the child process, the descriptor of the socket that connects the child to its parent.
constexpr int kParentFile = 3;

// The largest length of a message, in bytes: larger than any image, log or callback. The limit bounds how much memory
// the parent allocates for the answer of a child that misbehaves.
constexpr std::uint64_t kLargest = std::uint64_t{4} << 30;

bool send_all(int socket, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

bool receive_all(int socket, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::recv(socket, bytes.data(), bytes.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

bool send_message(int socket, std::span<const std::byte> bytes) {
  const std::uint64_t size = bytes.size();
  return send_all(socket, std::as_bytes(std::span(&size, 1))) && send_all(socket, bytes);
}

[[noreturn]] void fail_without_answer(const base::Ending& ending, const std::string& what, std::string log) {
  if (ending.signal == 0)
    fail(ErrorCode::LinkFailed,
         base::format("{}: the child process exited with code {} and sent no answer", what, ending.exit_code),
         "Read the child's output in this error's log.", std::move(log));
  fail(ErrorCode::LinkFailed,
       base::format("{}: the child process was killed by signal {} ({}: {})", what, ending.signal,
                    base::signal_name(ending.signal), ::strsignal(ending.signal)),
       "NVIDIA's compiler and linker crash on damaged input: create the file again. If it is undamaged, try "
       "another route (--route) or another toolkit (GRAFT_CUDA_PATH).",
       std::move(log));
}

// Returns nothing if the other process has closed the socket, or announces a length above kLargest.
std::optional<base::Bytes> receive_message(int socket) {
  std::uint64_t size = 0;
  if (!receive_all(socket, std::as_writable_bytes(std::span(&size, 1))) || size > kLargest) return std::nullopt;
  base::Bytes bytes(static_cast<std::size_t>(size));
  if (!receive_all(socket, bytes)) return std::nullopt;
  return bytes;
}

std::system_error refused(int error, const char* call) {
  return std::system_error(error, std::generic_category(), call);
}

// Returns two connected sockets, one for the parent and one for the child.
std::array<base::Descriptor, 2> socket_pair() {
  std::array<int, 2> ends = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) throw refused(errno, "socketpair");
  // Both sockets must have an owner before above_standard_streams can throw.
  std::array<base::Descriptor, 2> owned = {base::Descriptor(ends[0]), base::Descriptor(ends[1])};
  for (base::Descriptor& one : owned) one = base::above_standard_streams(std::move(one));
  return owned;
}

}  // namespace

// The members are destroyed from last to first, so the process is ended before its socket and its log are closed.
struct Worker::Child {
  // Starts this program with `words` as arguments. Throws Error(SystemFailed) or std::system_error.
  explicit Child(const std::vector<std::string>& words) {
    auto [own, childs] = socket_pair();
    std::vector<std::string> arguments = {"graft"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    const int error = process.start({.path = "/proc/self/exe",
                                     .arguments = std::move(arguments),
                                     .output = log.descriptor(),
                                     .files = {childs.get()}});
    if (error != 0)
      fail(ErrorCode::SystemFailed, "graft cannot start a child process: " + std::generic_category().message(error),
           std::string(kSystemRemedy));
    socket = std::move(own);
  }

  base::MemoryFile log = base::MemoryFile("graft log");
  base::Descriptor socket;
  base::ChildProcess process;
};

Worker::Worker(std::vector<std::string> words) : words_(std::move(words)) {}

Worker::~Worker() {
  end();
}

void Worker::end() noexcept {
  if (!child_) return;
  child_->socket.close();  // tells the child to end
  child_->process.wait();
  child_.reset();
}

base::Bytes Worker::ask(std::span<const std::byte> question, const std::string& what) try {
  if (!child_) child_ = std::make_unique<Child>(words_);
  child_->log.clear();
  if (send_message(child_->socket.get(), question))
    if (std::optional<base::Bytes> answer = receive_message(child_->socket.get())) return std::move(*answer);

  const std::unique_ptr<Child> child = std::move(child_);
  child->socket.close();
  child->process.wait();
  const std::optional<base::Ending> ending = child->process.end();
  if (!ending) throw refused(ECHILD, "waitid");
  const base::FileContent log = child->log.content();
  fail_without_answer(*ending, what, log ? *log : "The child's output cannot be shown: " + log.problem());
} catch (const std::system_error& error) {
  fail(ErrorCode::SystemFailed, base::format("graft cannot use a child process: {}", error.what()),
       std::string(kSystemRemedy));
}

void serve(const std::function<base::Bytes(std::span<const std::byte>)>& answer) {
  // The system kills this process when the parent's thread that started it ends, because then no one reads the answer.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  while (const std::optional<base::Bytes> question = receive_message(kParentFile))
    if (!send_message(kParentFile, answer(*question))) return;
}

}  // namespace graft::cli
