#include "own_kernels/headers_apart.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.hpp"
#include "codegen/lines.hpp"
#include "codegen/program.hpp"
#include "plan/key.hpp"
#include "reflect/callback/scan.hpp"

namespace graft::own_kernels {
namespace {

using reflect::Token;

// Whether the tokens begin with the declaration of a variable that is not constant.
bool declares_variable(std::span<const Token> tokens) {
  if (!tokens.empty() && tokens.front().is("template")) {  // skip the parameters
    int depth = 0;
    std::size_t i = 1;
    do {
      if (i == tokens.size()) return false;
      depth += tokens[i].is("<") ? 1 : tokens[i].is(">") ? -1 : tokens[i].is(">>") ? -2 : 0;
      ++i;
    } while (depth > 0);
    tokens = tokens.subspan(i);
  }
  for (const Token& token : tokens) {
    for (const std::string_view other : {"struct", "class", "union", "enum", "using", "typedef", "namespace", "friend",
                                         "static_assert", "concept", "const", "constexpr", "operator", "(", "}"})
      if (token.is(other)) return false;
    for (const std::string_view end : {";", "=", "[", "{"})
      if (token.is(end)) return true;
  }
  return false;
}

// Whether the header has variables that the kernel and the callback may share, or that the application finds by name:
// at namespace scope, or static.
bool has_variables(const reflect::Text& header, const reflect::SourceScan& scan) {
  const std::span<const Token> tokens = header.code().tokens;
  for (std::size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i].is("static") && declares_variable(tokens.subspan(i))) return true;
  return std::ranges::any_of(scan.statements, [&](const reflect::Statement& statement) {
    return declares_variable(tokens.subspan(statement.begin, statement.end - statement.begin));
  });
}

// Whether the header adds to a namespace whose templates others define, or refers to what another file defines.
bool reaches_out(const reflect::Text& header) {
  const std::vector<Token>& tokens = header.code().tokens;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    const Token& next = tokens[i + 1];
    if (tokens[i].is("namespace") && (next.is("std") || next.is("cuda") || next.is("thrust") || next.is("cub")))
      return true;
    if (tokens[i].is("extern") && next.kind != Token::String) return true;
  }
  return false;
}

// The headers of one callback, of which each gets the namespace, or none does.
class Headers {
 public:
  explicit Headers(std::size_t number) : name_(base::format("{}{}_headers", codegen::kTextName, number)) {}

  void wrap(std::string& text) {
    if (!can_be_apart_) return;
    const reflect::Text header(text);
    const reflect::SourceScan scan = reflect::scan(header);
    std::optional<std::string> wrapped = codegen::in_inline_namespace(header, name_);
    can_be_apart_ = wrapped && !reaches_out(header) && !has_variables(header, scan);
    if (!can_be_apart_) return;
    for (const reflect::FunctionFound& function : scan.functions)
      (function.is_definition ? defined_ : declared_).insert(function.name);
    text = std::move(*wrapped);
  }

  bool can_be_apart() const { return can_be_apart_ && std::ranges::includes(defined_, declared_); }

 private:
  std::string name_;
  std::set<std::string> declared_, defined_;
  bool can_be_apart_ = true;
};

}  // namespace

bool includes_own_headers(const Callback& callback, const Options& options) {
  return plan::can_include(callback, options) &&
         plan::scan_headers(callback, options, plan::world_on_disk()).texts.size() > 1;
}

std::unique_ptr<const HeadersApart> headers_apart(const Callback& callback, std::size_t number, const Options& options,
                                                  const plan::HeaderScan* scan) {
  if (callback.form() != Form::Source || !callback.link_inputs().empty() || !plan::can_include(callback, options))
    return nullptr;
  const plan::HeaderScan own = plan::scan_headers(callback, options, plan::world_on_disk());
  const auto is_own = [&](bool is_file, const std::string& name) {
    return std::ranges::any_of(
        own.texts, [&](const plan::ScannedText& text) { return text.is_file == is_file && text.name == name; });
  };
  Headers headers(number);
  plan::HeaderScan files = scan == nullptr ? own : *scan;
  bool has_files = false, has_headers = false;
  for (plan::ScannedText& text : files.texts) {
    if (!text.is_file || !is_own(true, text.name)) continue;
    headers.wrap(text.text);
    has_files = true;
  }
  auto apart = std::make_unique<HeadersApart>(HeadersApart{options, std::nullopt});
  for (Header& header : apart->options.headers) {
    if (!is_own(false, header.name)) continue;
    headers.wrap(header.text);
    has_headers = true;
  }
  // What is included cannot always be told (HeaderScan::memory_only).
  if (!(has_files || has_headers) || (has_files && !files.memory_only.empty()) || !headers.can_be_apart())
    return nullptr;
  if (has_files) apart->files = std::move(files);
  return apart;
}

}  // namespace graft::own_kernels
