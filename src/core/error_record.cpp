// Writes the parts of an Error as a record. read_error passes these parts to Error's constructor, which composes the
// text of what() again.
#include "core/error_record.hpp"

#include <utility>

#include "core/fields.hpp"

namespace graft {

template <class Codec, base::Is<Diagnostic> T>
void fields(Codec& codec, T& diagnostic) {
  auto& [file, line, column, severity, text, near, suggestion] = diagnostic;
  codec.field(1, file);
  codec.field(2, line);
  codec.field(3, column);
  codec.choice(4, severity, Diagnostic::Severity::Note);
  codec.field(5, text);
  codec.field(6, near);
  codec.field(7, suggestion);
}

namespace {

// The parts of an Error that are written to the record and passed to Error's constructor.
struct ErrorFields {
  ErrorCode code{};
  Error::Details details;
};

template <class Codec, base::Is<ErrorFields> T>
void fields(Codec& codec, T& error) {
  auto& [message, remedy, log, versions, diagnostics] = error.details;
  codec.choice(1, error.code, ErrorCode::SlotEmpty);
  codec.field(2, message);
  codec.field(3, remedy);
  codec.field(4, log);
  codec.field(5, versions);
  codec.field(6, diagnostics);
  if (name(error.code) == "Unknown") codec.refuse();
}

}  // namespace

base::Bytes write_error(const Error& error) {
  return base::write_record(ErrorFields{error.code(),
                                        {.message = error.message(),
                                         .remedy = error.remedy(),
                                         .log = error.log(),
                                         .versions = error.versions(),
                                         .diagnostics = error.diagnostics()}});
}

std::optional<Error> read_error(std::span<const std::byte> bytes) {
  std::optional<ErrorFields> read = base::read_record<ErrorFields>(bytes);
  if (!read) return std::nullopt;
  return Error(read->code, std::move(read->details));
}

}  // namespace graft
