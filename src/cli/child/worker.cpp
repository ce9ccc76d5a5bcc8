// Parent and child exchange questions and answers over a socket pair. Each message is its length (8 bytes, in the
// machine's byte order) and then its bytes.
#include "cli/child/worker.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "base/format.hpp"
#include "cli/child/spawn.hpp"
#include "core/fail.hpp"

namespace graft::cli {
namespace {

// The largest length of a message, in bytes: larger than any image, log or callback. It limits how much memory the
// parent allocates for the answer of a child that misbehaves.
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

[[noreturn]] void fail_without_answer(const Ending& ending, const std::string& what, std::string log) {
  if (ending.signal == 0)
    fail(ErrorCode::LinkFailed,
         base::format("{}: the child process exited with code {} and sent no answer", what, ending.exit_code),
         "Its output, in this error's log, says why.", std::move(log));
  const char* const abbreviation = ::sigabbrev_np(ending.signal);
  fail(ErrorCode::LinkFailed,
       base::format("{}: the child process was killed by signal {} (SIG{}: {})", what, ending.signal,
                    abbreviation ? abbreviation : "?", ::strsignal(ending.signal)),
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

std::array<base::Descriptor, 2> socket_pair() {
  std::array<int, 2> fds = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()) != 0) fds = {-1, -1};
  return {own(fds[0], "socketpair"), own(fds[1], "socketpair")};
}

}  // namespace

struct Worker::Child {
  explicit Child(const std::vector<std::string>& words) : Child(words, socket_pair()) {}
  Child(const std::vector<std::string>& words, std::array<base::Descriptor, 2> sockets)
      : log("graft log"), pid(start_child(words, sockets[1].get(), log)), socket(std::move(sockets[0])) {}

  MemoryFile log;
  pid_t pid;
  base::Descriptor socket;
};

Worker::Worker(std::vector<std::string> words) : words_(std::move(words)) {}

Worker::~Worker() {
  end();
}

void Worker::end() noexcept {
  if (!child_) return;
  child_->socket.close();
  try {
    wait_for(child_->pid);
  } catch (...) {  // NOLINT(bugprone-empty-catch): a destructor cannot report errors, and there is nothing to undo
  }
  child_.reset();
}

base::Bytes Worker::ask(std::span<const std::byte> question, const std::string& what) {
  if (!child_) child_ = std::make_unique<Child>(words_);
  child_->log.clear();
  if (send_message(child_->socket.get(), question))
    if (std::optional<base::Bytes> answer = receive_message(child_->socket.get())) return std::move(*answer);

  const std::unique_ptr<Child> child = std::move(child_);
  child->socket.close();
  const Ending ending = wait_for(child->pid);
  fail_without_answer(ending, what, std::string(base::as_text(child->log.content())));
}

void serve(const std::function<base::Bytes(std::span<const std::byte>)>& answer) {
  end_with_parent();
  while (const std::optional<base::Bytes> question = receive_message(kParentFile))
    if (!send_message(kParentFile, answer(*question))) return;
}

}  // namespace graft::cli
