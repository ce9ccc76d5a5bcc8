// Fuzzes the reader of the answer in which a child process returns its result. The parent does not trust the answer,
// because NVIDIA's tools have read source or code of unknown origin in the child. A fuzzer cannot guess the
// name of this build, without which the content of an answer is not read, so the target reads each input twice: as the
// whole answer, and as the content of an answer of this build.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "base/record.hpp"
#include "core/version.hpp"
#include "engine/child_message.hpp"
#include "families/kernel_check.hpp"

namespace {

using namespace graft;

void read(std::span<const std::byte> bytes) {
  const auto answer = engine::read_answer(bytes);
  if (!answer || !answer->other_build.empty()) return;
  if (answer->image) {
    const Report& report = answer->image->report;
    (void)report.to_text();
    if (families::objection_to(report).empty()) (void)families::objection_to_image(report.kernel, answer->image->bytes);
  }
  if (answer->error) (void)answer->error->what();
  // Writing the answer and reading it again must give the same answer.
  const base::Bytes written = engine::write_answer(*answer);
  const auto again = engine::read_answer(written);
  if (!again || engine::write_answer(*again) != written) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> input = std::as_bytes(std::span(data, size));
  read(input);
  read(base::write_record(engine::Envelope{this_build(), base::Bytes(input.begin(), input.end())}));
  return 0;
}
