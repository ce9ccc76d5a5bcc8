// A C++ text and what its readers need: tokens, and code with directives apart. All readers of one callback share one
// Text, so that the callback is split into tokens once.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "reflect/text/lexer.hpp"

namespace graft::reflect {

// Copies share the text and what was read of it, so views into it are valid as long as one copy lives. The text is read
// at the first call of tokens() or code(), which any thread may make.
class Text {
 public:
  Text() : Text(std::string()) {}
  Text(std::string source);
  Text(std::string_view source) : Text(std::string(source)) {}
  Text(const char* source) : Text(std::string(source)) {}

  const std::string& source() const noexcept;
  const Tokens& tokens() const { return read().tokens; }
  const Code& code() const { return read().code; }

  // The number of texts, without empty ones, that this process has read. For tests.
  static std::size_t readings() noexcept;

 private:
  struct State;
  struct Reading {
    Tokens tokens;
    Code code;
  };
  const Reading& read() const;

  std::shared_ptr<State> state_;
};

}  // namespace graft::reflect
