// Everything that the program prints: results on standard output, messages and progress on standard error.
//
// Control characters are replaced by visible escapes (visible() in printable.hpp), because parts of the text can come
// from files of unknown origin.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace graft::cli {

// Throws std::runtime_error if standard output cannot be written (a full disk, a closed pipe), so that a script does
// not mistake half a result for a whole one.
void print(std::string_view text);
// Prints indented JSON in ASCII. Bytes that are not valid UTF-8 become U+FFFD.
void print_json(const nlohmann::json& value);

// Prints one message on standard error, and adds the line end.
void complain(std::string_view text) noexcept;

// Shows "building ..." while the object lives, if standard error is a terminal. The destructor erases it.
class Progress {
 public:
  explicit Progress(std::string_view text);
  ~Progress();
  Progress(const Progress&) = delete;  // one object owns the line and erases it once
  Progress& operator=(const Progress&) = delete;

 private:
  bool shown_;
};

// Shows "warming [#####---------------] 25 of 100" as Progress does, for work whose number of pieces is known.
class ProgressBar {
 public:
  ProgressBar(std::string_view text, std::size_t total);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;  // one object owns the line and erases it once
  ProgressBar& operator=(const ProgressBar&) = delete;

  // `done` counts all finished pieces, `failed` those of them that failed. Not thread-safe: callers lock.
  void show(std::size_t done, std::size_t failed);

 private:
  std::string text_;
  std::size_t total_;
  bool shown_;
};

}  // namespace graft::cli
