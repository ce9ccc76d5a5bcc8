#include "cli/output/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/format.hpp"
#include "cli/output/terminal.hpp"

namespace graft::cli {
namespace {

using std::chrono::seconds;

void draw(const std::string& line) {
  std::fputs(("\r" + line + "\033[K").c_str(), stderr);
}

void erase_line() {
  std::fputs("\r\033[K", stderr);
}

// A slow rate is given per minute, so that it has digits to show.
std::string rate_text(double per_second) {
  if (per_second >= 10) return base::format("{:.0f}/s", per_second);
  return per_second >= 0.5 ? base::format("{:.1f}/s", per_second) : base::format("{:.1f}/min", 60 * per_second);
}

std::string time_left_text(double time) {
  if (time < 120) return base::format("{:.0f} s", time);
  return time < 2 * 3600 ? base::format("{:.0f} min", time / 60) : base::format("{:.1f} h", time / 3600);
}

}  // namespace

std::string progress_line(std::string_view text, std::size_t done, std::size_t failed, std::size_t total,
                          std::chrono::duration<double> elapsed) {
  constexpr std::size_t kWidth = 20;
  const std::size_t filled = total == 0 ? kWidth : std::min(done * kWidth / total, kWidth);
  std::string line = base::format("{} [{}{}] {} of {}", text, std::string(filled, '#'),
                                  std::string(kWidth - filled, '-'), done, total);
  if (failed != 0) line += base::format(", {} failed", failed);
  if (done == 0 || done >= total || elapsed < seconds(1)) return line;
  const double rate = static_cast<double>(done) / elapsed.count();
  return line +
         base::format(", {}, {} left", rate_text(rate), time_left_text(static_cast<double>(total - done) / rate));
}

Progress::Progress(std::string_view text) : text_(text) {
  if (!is_terminal(STDERR_FILENO)) return;
  draw(text_ + " ...");
  clock_ = std::thread([this] { count_seconds(); });
}

Progress::~Progress() {
  if (!clock_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  ends_.notify_one();
  clock_.join();
  erase_line();
}

void Progress::count_seconds() {
  std::unique_lock lock(mutex_);
  for (int time = 1; !ends_.wait_for(lock, seconds(1), [this] { return is_ending_; }); ++time)
    draw(base::format("{} ... {} s", text_, time));
}

ProgressBar::ProgressBar(std::string_view text, std::size_t total)
    : text_(text), total_(total), is_shown_(is_terminal(STDERR_FILENO)) {
  if (total_ != 0) show(0, 0);
}

ProgressBar::~ProgressBar() {
  if (is_shown_) erase_line();
}

void ProgressBar::show(std::size_t done, std::size_t failed) {
  const Clock::time_point now = Clock::now();
  if (!is_shown_ || (done != total_ && now - drawn_ < std::chrono::milliseconds(100))) return;
  drawn_ = now;
  draw(progress_line(text_, done, failed, total_, now - begin_));
}

void ProgressBar::show_of(std::size_t done, std::size_t total) {
  total_ = total;
  show(done, 0);
}

}  // namespace graft::cli
