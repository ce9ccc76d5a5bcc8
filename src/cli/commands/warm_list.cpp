// Splits the lines of a list into words as a shell does, and parses each line with the options of the command line.
#include "cli/commands/warm_list.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "cli/commands/words.hpp"
#include "cli/output/printable.hpp"
#include "graft/architecture.hpp"
#include "graft/error.hpp"

namespace graft::cli {
namespace {

bool is_separator(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

// Splits one line into words, from left to right. Every function returns false if the line ends inside a quote or after
// a backslash.
class Words {
 public:
  explicit Words(std::string_view line) : line_(line) {}

  bool read(std::vector<std::string>& words) {
    for (skip_spaces(); at_ < line_.size() && line_[at_] != '#'; skip_spaces())
      if (!word(words.emplace_back())) return false;
    return true;
  }

 private:
  bool word(std::string& text) {
    while (at_ < line_.size() && !is_separator(line_[at_])) {
      const char c = line_[at_++];
      const bool is_whole = c == '\''   ? single_quoted(text)
                            : c == '"'  ? double_quoted(text)
                            : c == '\\' ? escaped(text)
                                        : (text += c, true);
      if (!is_whole) return false;
    }
    return true;
  }

  bool single_quoted(std::string& text) {
    const std::size_t end = line_.find('\'', at_);
    if (end == std::string_view::npos) return false;
    text += line_.substr(at_, end - at_);
    at_ = end + 1;
    return true;
  }

  bool double_quoted(std::string& text) {
    for (; at_ < line_.size() && line_[at_] != '"'; ++at_) {
      const bool is_escape =
          line_[at_] == '\\' && at_ + 1 < line_.size() && (line_[at_ + 1] == '"' || line_[at_ + 1] == '\\');
      at_ += is_escape ? 1 : 0;
      text += line_[at_];
    }
    return at_++ < line_.size();
  }

  bool escaped(std::string& text) {
    if (at_ == line_.size()) return false;
    text += line_[at_++];
    return true;
  }

  void skip_spaces() {
    while (at_ < line_.size() && is_separator(line_[at_])) ++at_;
  }

  std::string_view line_;
  std::size_t at_ = 0;
};

void read_line(std::vector<std::string> words, int line, const std::string& architectures, WarmList& list) {
  BuildRequest request = BuildRequest::from_words(std::move(words));
  if (request.architecture.empty()) request.architecture = architectures;
  if (request.architecture.empty()) {
    list.problems.push_back({line, "no architecture is given: add --arch to this line or to graft warm"});
    return;
  }
  if (request.route == "host") {
    list.problems.push_back({line, "kernels of the host route are kept in memory only: leave --route host out"});
    return;
  }
  std::vector<WarmItem> items;  // added to the list only if the whole line is valid
  for (const std::string& architecture : split_at_commas(request.architecture)) {
    BuildRequest one = request;
    one.architecture = Architecture::parse(architecture).sm();
    one.options();  // throws if a value is invalid
    const int kernels = one.kernel_count();
    for (one.kernel = 0; one.kernel < kernels; ++one.kernel) items.push_back({line, one});
  }
  list.items.insert(list.items.end(), items.begin(), items.end());
}

}  // namespace

std::optional<std::vector<std::string>> split_words(std::string_view line) {
  std::vector<std::string> words;
  if (!Words(line).read(words)) return std::nullopt;
  return words;
}

WarmList parse_warm_list(std::string_view text, const std::string& architectures) {
  WarmList list;
  for (int line = 1; !text.empty(); ++line) {
    const std::string_view one = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), one.size() + 1));
    std::optional<std::vector<std::string>> words = split_words(one);
    try {
      if (!words) list.problems.push_back({line, "the line ends inside a quote or after a backslash"});
      else if (!words->empty()) read_line(std::move(*words), line, architectures, list);
    } catch (const CLI::ParseError& error) {
      list.problems.push_back({line, printable(error.what())});
    } catch (const Error& error) {
      list.problems.push_back({line, printable(error.message())});
    }
  }
  return list;
}

}  // namespace graft::cli
