#include "cli/output/terminal.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/environment.hpp"

namespace graft::cli {
namespace {

constexpr std::string_view kBold = "\033[1m";
constexpr std::string_view kRed = "\033[1;31m";
constexpr std::string_view kGreen = "\033[32m";
constexpr std::string_view kYellow = "\033[33m";
constexpr std::string_view kNormal = "\033[0m";

// Colours the first place in a line where `words` stand. If `at_begin` is set, the words must begin the line.
struct Rule {
  std::string_view words;
  std::string_view colour;
  bool at_begin = false;
};
constexpr std::array kMessageRules = {Rule{"graft: ", kRed, true}, Rule{"What to do: ", kBold, true},
                                      Rule{"error: ", kRed}, Rule{"warning: ", kYellow}};
constexpr std::array kDiagnosisRules = {Rule{"does not work here", kRed}, Rule{": none", kRed},
                                        Rule{"not used: ", kYellow}, Rule{"works", kGreen}};

std::string coloured(std::string_view text, std::string_view colour) {
  return std::string(colour) + std::string(text) + std::string(kNormal);
}

// Returns the line coloured by the first rule that fits.
std::string coloured_line(std::string_view line, std::span<const Rule> rules) {
  for (const Rule& rule : rules) {
    const std::size_t at = line.find(rule.words);
    if (at == line.npos || (rule.at_begin && at != 0)) continue;
    return std::string(line.substr(0, at)) + coloured(rule.words, rule.colour) +
           std::string(line.substr(at + rule.words.size()));
  }
  return std::string(line);
}

template <class Colour>
std::string with_each_line(std::string_view text, const Colour& colour) {
  std::string result;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size());
    result += colour(line);
    if (text.empty()) break;
    result += '\n';
    text.remove_prefix(1);
  }
  return result;
}

}  // namespace

bool is_terminal(int file) {
  const std::string kind = base::environment("TERM");
  return ::isatty(file) == 1 && !kind.empty() && kind != "dumb";
}

bool wants_colour(int file) {
  return is_terminal(file) && base::environment("NO_COLOR").empty();
}

std::string coloured_message(std::string_view text) {
  return with_each_line(text, [](std::string_view line) { return coloured_line(line, kMessageRules); });
}

std::string coloured_help(std::string_view text) {
  return with_each_line(text, [](std::string_view line) {
    const bool is_heading = !line.empty() && line.back() == ':' && line.find(' ') == line.npos;
    return is_heading ? coloured(line, kBold) : std::string(line);
  });
}

std::string coloured_diagnosis(std::string_view text) {
  return with_each_line(text, [](std::string_view line) { return coloured_line(line, kDiagnosisRules); });
}

}  // namespace graft::cli
