// Splits the text with a Reader, which takes one character at a time from the text that is left.
#include "toolchain/command_words.hpp"

#include <utility>

namespace graft::toolchain {
namespace {

constexpr std::string_view kSpaces = " \t\n";

class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  std::optional<std::vector<std::string>> words() {
    while (!rest_.empty()) {
      const char next = take();
      if (kSpaces.find(next) != std::string_view::npos) end_word();
      else if (!add(next)) return std::nullopt;
    }
    end_word();
    return std::move(words_);
  }

 private:
  char take() {
    const char next = rest_.front();
    rest_.remove_prefix(1);
    return next;
  }

  void end_word() {
    if (in_word_) words_.push_back(std::exchange(word_, {}));
    in_word_ = false;
  }

  // Adds the character `next` to the current word. If `next` is a quote, adds the quoted text. Returns false for an
  // unclosed quote or a trailing backslash.
  bool add(char next) {
    in_word_ = true;  // also for '', because empty quotes form an empty word
    if (next == '\'') return add_until(next, {});
    if (next == '"') return add_until(next, "\"\\$`");
    if (next == '\\') {
      if (rest_.empty()) return false;
      next = take();
    }
    word_ += next;
    return true;
  }

  // Adds the text up to the closing quote. Drops a backslash that escapes one of the characters in `escaped`.
  bool add_until(char quote, std::string_view escaped) {
    while (!rest_.empty()) {
      char next = take();
      if (next == quote) return true;
      if (next == '\\' && !rest_.empty() && escaped.find(rest_.front()) != std::string_view::npos) next = take();
      word_ += next;
    }
    return false;
  }

  std::string_view rest_;
  std::string word_;
  bool in_word_ = false;
  std::vector<std::string> words_;
};

}  // namespace

std::optional<std::vector<std::string>> command_words(std::string_view text) {
  return Reader(text).words();
}

}  // namespace graft::toolchain
