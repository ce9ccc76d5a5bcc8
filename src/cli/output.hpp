// The program's own words: results on standard output, everything else on standard error. All of them pass one gate:
// control characters are shown as escapes (visible() of printable.hpp), since words may come from any file.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace graft::cli {

// Throws std::runtime_error when standard output takes it not (a full disk, a closed pipe): a script must not mistake
// half a result for one.
void print(std::string_view text);
// Indented, in ASCII. Bytes that are no UTF-8 are replaced.
void print_json(const nlohmann::json& value);

// One message, with a line end behind it.
void complain(std::string_view text) noexcept;

// "building ..." on standard error while it lives, where that is a terminal; it leaves no trace.
class Progress {
 public:
  explicit Progress(std::string_view text);
  ~Progress();
  Progress(const Progress&) = delete;  // one line, erased once
  Progress& operator=(const Progress&) = delete;

 private:
  bool shown_;
};

// "warming [#####---------------] 25 of 100" in the same place, for work of which the number of pieces is known.
class ProgressBar {
 public:
  ProgressBar(std::string_view text, std::size_t total);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;  // one line, erased once
  ProgressBar& operator=(const ProgressBar&) = delete;

  // So many pieces are done, and so many of them failed. From one thread at a time.
  void show(std::size_t done, std::size_t failed);

 private:
  std::string text_;
  std::size_t total_;
  bool shown_;
};

}  // namespace graft::cli
