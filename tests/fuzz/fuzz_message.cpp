// Fuzzes the reader of the message in which a child process returns its result. graft does not trust the message,
// because the child process links code that others compiled.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "cli/child/child_message.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graft;
  const cli::ChildMessage message = cli::read_message(std::as_bytes(std::span(data, size)));
  if (message.image) (void)message.image->report.to_text();
  if (message.error) (void)message.error->what();
  // Writing the message and reading it again must give the same message.
  const bool is_any = message.image || message.kept || message.precompiled || message.error;
  if (is_any && cli::write_message(cli::read_message(cli::write_message(message))) != cli::write_message(message))
    std::abort();
  return 0;
}
