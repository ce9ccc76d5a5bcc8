#include "cli/output.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>

#include "base/bytes.hpp"
#include "base/files.hpp"

namespace graft::cli {

void print(std::string_view text) {
  if (!base::write_all(STDOUT_FILENO, base::as_bytes(text)))
    throw std::runtime_error("graft: standard output cannot be written: " + std::generic_category().message(errno));
}

void print_json(const nlohmann::json& value) {
  print(value.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n');
}

void complain(std::string_view text) noexcept {
  // Where that cannot be written either, the exit code is all that is left to say it.
  base::write_all(STDERR_FILENO, base::as_bytes(text));
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
