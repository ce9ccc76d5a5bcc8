// The program prints everything through these functions: results on standard output, messages and progress on standard
// error.
//
// Control characters are replaced by visible escapes (visible() in printable.hpp), because parts of the text can come
// from files of unknown origin.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace graft::cli {

// Prints a result on standard output. Throws std::runtime_error if standard output cannot be written (a full disk, a
// closed pipe), so that a script does not take half a result for a whole result.
void print(std::string_view text);
// Prints indented JSON in ASCII. Bytes that are not valid UTF-8 become U+FFFD.
void print_json(const nlohmann::json& value);

// Prints one message on standard error, and adds the line end.
void complain(std::string_view text) noexcept;

// Shows "building ..." while the object lives, if standard error is a terminal. The destructor erases the text.
class Progress {
 public:
  explicit Progress(std::string_view text);
  ~Progress();
  Progress(const Progress&) = delete;  // not copyable: one object erases the line once
  Progress& operator=(const Progress&) = delete;

 private:
  bool shown_;
};

// Shows "warming [#####---------------] 25 of 100" while the object lives, if standard error is a terminal. `total` is
// the number of jobs.
class ProgressBar {
 public:
  ProgressBar(std::string_view text, std::size_t total);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;  // not copyable: one object erases the line once
  ProgressBar& operator=(const ProgressBar&) = delete;

  // `done` is the number of finished jobs, including the `failed` jobs. Not thread-safe: callers must hold a lock.
  void show(std::size_t done, std::size_t failed);

 private:
  std::string text_;
  std::size_t total_;
  bool shown_;
};

}  // namespace graft::cli
