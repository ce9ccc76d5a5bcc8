#include "link/ptx_thread_words.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/bytes.hpp"
#include "format/device_code.hpp"
#include "format/mangled.hpp"
#include "graft/error.hpp"
#include "reflect/callback/thread_vocabulary.hpp"
#include "reflect/signature/declaration.hpp"
#include "reflect/text/lexer.hpp"

namespace graft::link {
namespace {

using reflect::ThreadWord;

// Replaces comments by spaces. Lines keep their numbers.
std::string without_comments(std::string_view ptx) {
  std::string text(ptx);
  for (std::size_t at = text.find('/'); at < text.size() - 1; at = text.find('/', at + 1)) {
    const bool is_line = text[at + 1] == '/';
    if (!is_line && text[at + 1] != '*') continue;
    std::size_t end = is_line ? text.find('\n', at) : text.find("*/", at + 2);
    end = std::min(end == text.npos ? end : end + (is_line ? 0 : 2), text.size());
    std::replace_if(
        text.begin() + static_cast<std::ptrdiff_t>(at), text.begin() + static_cast<std::ptrdiff_t>(end),
        [](char c) { return c != '\n'; }, ' ');
    at = end - 1;
  }
  return text;
}

class PtxSearch : public format::CodeVisitor {
 public:
  explicit PtxSearch(std::string_view function) : function_(function) {}

  std::optional<format::FormatError> visit(format::CodeUnit& unit) override {
    if (unit.code.kind != format::CodeKind::Ptx) return std::nullopt;
    if (!unit.ptx && format::read_code(unit)) return std::nullopt;
    if (unit.ptx) search(*unit.ptx, base::as_text(unit.bytes));
    return std::nullopt;
  }

  std::vector<ThreadWord> take() { return std::move(found_); }

 private:
  // Searches the function and every function that a searched body names.
  void search(const format::Ptx& ptx, std::string_view text) {
    std::unordered_map<std::string_view, const format::PtxFunction*> unreached;
    for (const format::PtxFunction& function : ptx.functions)
      if (function.is_defined) unreached.emplace(function.name, &function);
    std::vector<const format::PtxFunction*> open;
    const auto reach = [&](std::string_view name) {
      const auto found = unreached.find(name);
      if (found == unreached.end()) return;
      open.push_back(found->second);
      unreached.erase(found);
    };
    std::vector<std::string_view> functions;
    for (const format::PtxFunction& function : ptx.functions)
      if (function.is_callable()) functions.push_back(function.name);
    // Of several functions the types select one, which the link does.
    const std::vector<std::string_view> called = format::symbols_called(function_, functions);
    if (called.size() == 1) reach(called[0]);
    while (!open.empty()) {
      const format::PtxFunction& function = *open.back();
      open.pop_back();
      const std::string body = without_comments(function.body);
      add_words(body, text.substr(0, static_cast<std::size_t>(function.body.data() - text.data())));
      for (const reflect::Token& token : reflect::tokenize(body).list) reach(token.text);
    }
  }

  void add_words(std::string_view body, std::string_view before) {
    const auto first_line = static_cast<int>(std::count(before.begin(), before.end(), '\n'));
    for (ThreadWord& word : reflect::find_thread_words_in_assembly(body)) {
      word.line += first_line;
      if (std::ranges::find(found_, word.word, &ThreadWord::word) == found_.end()) found_.push_back(std::move(word));
    }
  }

  std::string_view function_;
  std::vector<ThreadWord> found_;
};

std::optional<format::FileKind> kind_of(const Callback& callback) {
  switch (callback.form()) {
    case Form::Ptx:
      return format::FileKind::Ptx;
    case Form::Fatbin:
      return format::FileKind::Fatbin;
    case Form::Object:
      if (const format::Outcome<format::FileKind> kind = format::file_kind(callback.bytes())) return *kind;
      break;
    default:
      break;
  }
  return std::nullopt;
}

}  // namespace

std::vector<ThreadWord> thread_words_in_ptx(const Callback& callback, const std::string& entry) {
  const std::optional<format::FileKind> kind = kind_of(callback);
  // The bytes have the words of uncompressed PTX in the clear.
  if (!kind || reflect::find_thread_words_in_assembly(base::as_text(callback.bytes())).empty()) return {};
  try {
    const std::string declared = reflect::declare_function(callback.signature(), entry, callback.name()).entry;
    PtxSearch search(declared);
    format::visit_code(*kind, callback.bytes(), format::CodeScope::LinkerInputs, search);
    return search.take();
  } catch (const Error&) {
    return {};
  }
}

}  // namespace graft::link
