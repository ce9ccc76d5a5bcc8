// All results and messages pass through visible() (printable.hpp) in this file.
#include "cli/output/output.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <new>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>

#include "base/bytes.hpp"
#include "base/files.hpp"
#include "cli/output/printable.hpp"
#include "cli/output/terminal.hpp"

namespace graft::cli {
namespace {

// Prints a message when visible() has failed for lack of memory. This function allocates nothing.
void complain_in_ascii(std::string_view text) noexcept {
  for (const char c : text) std::fputc((c >= ' ' && c <= '~') || c == '\n' ? c : '?', stderr);
}

}  // namespace

void print(std::string_view text, Colouring colouring) {
  std::string fit = visible(text);
  if (colouring != nullptr && wants_colour(STDOUT_FILENO)) fit = colouring(fit);
  if (!base::write_all(STDOUT_FILENO, base::as_bytes(fit)))
    throw std::runtime_error("graft: standard output cannot be written: " + std::generic_category().message(errno));
}

void print_json(const nlohmann::json& value) {
  print(value.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) + '\n');
}

void complain(std::string_view text) noexcept {
  // Ignore a failed write: the exit code still reports that the command failed.
  try {
    const std::string fit = visible(text);
    base::write_all(STDERR_FILENO, base::as_bytes(wants_colour(STDERR_FILENO) ? coloured_message(fit) : fit));
  } catch (const std::bad_alloc&) {
    complain_in_ascii(text);
  }
  if (!text.ends_with('\n')) base::write_all(STDERR_FILENO, base::as_bytes("\n"));
}

}  // namespace graft::cli
