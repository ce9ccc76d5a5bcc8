// A BoundedText keeps only the beginning and the end of a long text. graft collects the output of compilers in a
// BoundedText, because such output has the first error at the beginning and the summary at the end.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace graft::base {

class BoundedText {
 public:
  // The limit `most` is in bytes. Half of it is for the beginning of the text, and half for the end.
  explicit BoundedText(std::size_t most) : half_(most / 2) {}

  void append(std::string_view text) {
    const std::string_view first = text.substr(0, half_ - begin_.size());
    begin_ += first;
    end_ += text.substr(first.size());
    if (end_.size() >= 2 * half_) drop();
  }

  // Returns the beginning and the end of the text. If bytes between them were dropped, a line there says how many.
  std::string text() && {
    if (end_.size() > half_) drop();
    if (left_out_ != 0) begin_ += "\n[" + std::to_string(left_out_) + " bytes left out]\n";
    return std::move(begin_) + end_;
  }

 private:
  void drop() {
    const std::size_t surplus = end_.size() - half_;
    left_out_ += surplus;
    end_.erase(0, surplus);
  }

  std::size_t half_;
  std::string begin_;
  std::string end_;
  std::size_t left_out_ = 0;
};

}  // namespace graft::base
