// All writes of the program to standard output and standard error are in this file, so that all results and messages
// pass through visible() (printable.hpp).
#include "cli/output/output.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <new>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>

#include "base/bytes.hpp"
#include "base/files.hpp"

#include "cli/output/printable.hpp"

namespace graft::cli {
namespace {

// Prints a message when visible() has failed for lack of memory. This function allocates nothing.
void complain_in_ascii(std::string_view text) noexcept {
  for (const char c : text) std::fputc((c >= ' ' && c <= '~') || c == '\n' ? c : '?', stderr);
}

}  // namespace

void print(std::string_view text) {
  const std::string fit = visible(text);
  if (!base::write_all(STDOUT_FILENO, base::as_bytes(fit)))
    throw std::runtime_error("graft: standard output cannot be written: " + std::generic_category().message(errno));
}

void print_json(const nlohmann::json& value) {
  print(value.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) + '\n');
}

void complain(std::string_view text) noexcept {
  // Ignore a failed write: the exit code still reports that the command failed.
  try {
    base::write_all(STDERR_FILENO, base::as_bytes(visible(text)));
  } catch (const std::bad_alloc&) {
    complain_in_ascii(text);
  }
  if (!text.ends_with('\n')) base::write_all(STDERR_FILENO, base::as_bytes("\n"));
}

Progress::Progress(std::string_view text) : shown_(::isatty(STDERR_FILENO) == 1) {
  if (shown_) std::fprintf(stderr, "\r%.*s ...", static_cast<int>(text.size()), text.data());
}

Progress::~Progress() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

ProgressBar::ProgressBar(std::string_view text, std::size_t total)
    : text_(text), total_(total), shown_(::isatty(STDERR_FILENO) == 1) {
  show(0, 0);
}

ProgressBar::~ProgressBar() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void ProgressBar::show(std::size_t done, std::size_t failed) {
  constexpr std::size_t kWidth = 20;
  if (!shown_) return;
  const std::size_t filled = total_ == 0 ? kWidth : done * kWidth / total_;
  std::string line = "\r" + text_ + " [" + std::string(filled, '#') + std::string(kWidth - filled, '-') + "] " +
                     std::to_string(done) + " of " + std::to_string(total_);
  if (failed != 0) line += ", " + std::to_string(failed) + " failed";
  std::fputs((line + "\033[K").c_str(), stderr);
}

}  // namespace graft::cli
