#include "reflect/text/text.hpp"

#include <atomic>
#include <mutex>
#include <utility>

namespace graft::reflect {
namespace {

std::atomic<std::size_t> read_texts{0};

}  // namespace

struct Text::State {
  explicit State(std::string text) : source(std::move(text)) {}

  std::string source;
  std::once_flag is_read = {};
  Reading reading = {};
};

Text::Text(std::string source) : state_(std::make_shared<State>(std::move(source))) {}

const std::string& Text::source() const noexcept {
  return state_->source;
}

std::size_t Text::readings() noexcept {
  return read_texts;
}

const Text::Reading& Text::read() const {
  std::call_once(state_->is_read, [&] {
    if (!state_->source.empty()) ++read_texts;
    state_->reading.tokens = tokenize(state_->source);
    state_->reading.code = read_code(state_->reading.tokens);
  });
  return state_->reading;
}

}  // namespace graft::reflect
