#include "own_kernels/closed_slot.hpp"

#include <algorithm>
#include <string>

#include "base/demangle.hpp"
#include "base/format.hpp"
#include "codegen/program.hpp"
#include "core/fail.hpp"
#include "format/ptx.hpp"
#include "reflect/text/lexer.hpp"
#include "toolchain/nvjitlink.hpp"

namespace graft::own_kernels {
namespace {

constexpr const char* kRemedy =
    "Refuse the callback. In the closed mode, a callback for a slot of a kernel is the slot's function and functions "
    "that it calls, without string literals.";

// One of the texts of a callback: its code, its entry or its declared signature.
class ClosedText {
 public:
  ClosedText(const Callback& callback, std::string_view text, const char* what)
      : callback_(callback), text_(text), what_(what) {}

  // graft's own macros have what is refused here: GRAFT_ANSWER is extern "C".
  void check_words() const {
    for (std::size_t at = text_.find("GRAFT_"); at != text_.npos; at = text_.find("GRAFT_", at + 1))
      refuse_at(at, "a name that begins with `GRAFT_`, as those of graft's macros,");
  }

  void check_braces() const {
    std::size_t braces = 0;
    int depth = 0;
    for (std::size_t at = 0; at < text_.size(); ++at) {
      if (text_[at] == '"') refuse_at(at, "a string literal");
      const std::string_view pair = text_.substr(at, 2);
      if (pair == "<%" || pair == "%>") refuse_at(at, "a digraph for a brace");
      if (text_[at] != '{' && text_[at] != '}') continue;
      ++braces;
      depth += text_[at] == '{' ? 1 : -1;
      if (depth < 0) refuse_at(at, "a `}` without a `{`");
    }
    if (depth != 0) refuse_at(text_.size(), "a `{` without a `}`");
    // A compiler could read a brace in a comment or a character literal in another way.
    const reflect::Tokens tokens = reflect::tokenize(text_);
    const auto symbols = static_cast<std::size_t>(
        std::ranges::count_if(tokens.list, [](const reflect::Token& token) { return token.is("{") || token.is("}"); }));
    if (symbols != braces) refuse_at(0, "a brace in a comment or a character");
  }

  // The entry and the declared signature are written into declarations of graft's, which they must not end.
  void check_is_one_expression() const {
    int braces = 0, parentheses = 0;
    for (std::size_t at = 0; at < text_.size(); ++at) {
      const char c = text_[at];
      if (c == '\'' || text_.substr(at, 2) == "//" || text_.substr(at, 2) == "/*")
        refuse_at(at, "a comment or a character");
      braces += c == '{' ? 1 : c == '}' ? -1 : 0;
      parentheses += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (parentheses < 0) refuse_at(at, "a `)` without a `(`");
      if (c == ';' && braces == 0) refuse_at(at, "a `;` that ends a declaration");
    }
    if (parentheses != 0) refuse_at(text_.size(), "a `(` without a `)`");
  }

 private:
  [[noreturn]] void refuse_at(std::size_t at, const char* found) const {
    const auto line = std::ranges::count(text_.substr(0, at), '\n') + 1;
    refuse(base::format("{}: {}line {}: {} is refused in the closed mode", callback_.name(), what_, line, found),
           kRemedy);
  }

  const Callback& callback_;
  const std::string_view text_;
  const char* const what_;
};

}  // namespace

void check_closed_text(const Callback& callback) {
  const ClosedText texts[] = {{callback, callback.text(), ""},
                              {callback, callback.entry(), "entry, "},
                              {callback, callback.signature(), "declared signature, "}};
  for (const ClosedText& text : texts) {
    text.check_words();
    text.check_braces();
  }
  texts[1].check_is_one_expression();
  texts[2].check_is_one_expression();
}

void check_closed_symbols(std::string_view ptx, const Slot& slot, std::size_t number, const Callback& callback) {
  const format::Outcome<format::Ptx> read = format::read_ptx(ptx);
  if (!read) refuse(base::format("the PTX of {} cannot be read", callback.name()), kRemedy);
  const std::string own = base::format("{}{}", codegen::kTextName, number);
  for (const format::PtxFunction& function : read->functions) {
    const bool is_own = function.name == slot.symbol || function.name.find(own) != std::string_view::npos;
    // Weak C++ functions are CUDA's own, because the text cannot leave its namespace.
    const bool is_for_others =
        !is_own && (function.linkage == format::PtxFunction::Visible ||
                    (function.linkage == format::PtxFunction::Weak && !function.name.starts_with("_Z")));
    if (function.is_defined && (function.is_kernel || is_for_others))
      refuse(base::format("{} defines {}, and may define only the slot {}", callback.name(),
                          base::readable(function.name), slot.declaration),
             kRemedy);
    if (!function.is_defined && !toolchain::is_driver_function(function.name))
      refuse(base::format("{} calls {}, which it does not define", callback.name(), base::readable(function.name)),
             kRemedy);
  }
  if (const auto variables = format::undefined_variables(ptx); !variables.empty())
    refuse(base::format("{} refers to {}, which it does not define", callback.name(),
                        base::readable(variables.front().name)),
           kRemedy);
  if (format::has_dynamic_shared_memory(ptx))
    refuse(base::format("{} refers to the kernel's dynamic shared memory", callback.name()), kRemedy);
}

}  // namespace graft::own_kernels
