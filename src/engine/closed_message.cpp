// A message is a record with two fields: the name of the build of graft that wrote the message (core/version.hpp),
// and the content as bytes. A reader from another build can always read the name, even when the builds encode the
// content differently. Such a reader does not read the content.
#include "engine/closed_message.hpp"

#include <algorithm>
#include <utility>

#include "base/record.hpp"
#include "core/error_record.hpp"
#include "core/fields.hpp"
#include "core/version.hpp"

namespace graft::engine {
namespace {

struct Envelope {
  std::string build;
  base::Bytes content;
};

template <class Codec, base::Is<Envelope> T>
void fields(Codec& codec, T& envelope) {
  codec.field(1, envelope.build);
  codec.field(2, envelope.content);
}

template <class Message>
base::Bytes write_enveloped(const Message& message) {
  return base::write_record(Envelope{this_build(), base::write_record(message)});
}

// ---- callbacks: the fields from which the reader constructs the callback again ----

struct CallbackFields {
  // True for a stage (load, op or store) that the composition does not have.
  bool is_missing = false;
  std::string text = {};
  std::string name = {};
  std::string entry = {};
  std::string signature = {};
  std::optional<Signature> types = {};
  std::optional<FloatingPoint> floating_point = {};
  std::optional<Callback::Composition::Kind> composition = {};
  std::vector<CallbackFields> parts = {};
};

bool has_right_parts(const CallbackFields& callback) {
  if (callback.composition == Callback::Composition::Staged) return callback.parts.size() == 3;
  return std::ranges::none_of(callback.parts, &CallbackFields::is_missing);
}

// The deepest possible callback is a graft::Stages whose op is a chain with a part that has a typed signature. Its
// record nests nine levels deep; base::read_record has a limit for the nesting of records, and nine levels are within
// the limit.
template <class Codec, base::Is<CallbackFields> T>
void fields(Codec& codec, T& callback) {
  codec.field(1, callback.is_missing);
  codec.field(2, callback.text);
  codec.field(3, callback.name);
  codec.field(4, callback.entry);
  codec.field(5, callback.signature);
  codec.field(6, callback.types);
  codec.field(7, callback.floating_point);
  codec.choice(8, callback.composition, Callback::Composition::Staged);
  codec.field(9, callback.parts);
  if (!has_right_parts(callback)) codec.refuse();
}

CallbackFields fields_of(const std::optional<Callback>& callback) {
  if (!callback) return {.is_missing = true};
  CallbackFields record = {.text = callback->text(),
                           .name = callback->name(),
                           .entry = callback->entry(),
                           .signature = callback->signature(),
                           .types = callback->typed_signature(),
                           .floating_point = callback->floating_point()};
  const Callback::Composition* const composition = callback->composition();
  if (composition == nullptr) return record;
  record.composition = composition->kind;
  for (const std::optional<Callback>& part : composition->parts) record.parts.push_back(fields_of(part));
  return record;
}

Callback callback_of(const CallbackFields& record);

std::optional<Callback> stage_of(const CallbackFields& record) {
  return record.is_missing ? std::nullopt : std::optional(callback_of(record));
}

Callback composition_of(const CallbackFields& record) {
  const std::vector<CallbackFields>& parts = record.parts;
  if (record.composition == Callback::Composition::Staged)
    return Stages{.load = stage_of(parts[0]), .op = stage_of(parts[1]), .store = stage_of(parts[2])};
  std::vector<Callback> chained;
  for (const CallbackFields& part : parts) chained.push_back(callback_of(part));
  return chain(chained);
}

// Constructs the callback that the fields describe. Throws Error if graft::chain or graft::Stages refuses the parts.
Callback callback_of(const CallbackFields& record) {
  Callback callback = record.composition ? composition_of(record) : Callback::source(record.text, record.name);
  if (!record.entry.empty()) callback = callback.with_entry(record.entry);
  if (record.types) callback = callback.with_signature(*record.types);
  else if (!record.signature.empty()) callback = callback.with_signature(record.signature);
  if (record.floating_point) callback = callback.with_floating_point(*record.floating_point);
  return callback;
}

}  // namespace

// ---- requests (ClosedQuestion) ----

template <class Codec, base::Is<ClosedQuestion::Precompiling> T>
void fields(Codec& codec, T& precompiling) {
  codec.choice(1, precompiling.format, PrecompileFormat::Cubin);
  codec.field(2, precompiling.architectures);
}

template <class Codec, base::Is<ClosedQuestion> T>
void fields(Codec& codec, T& question) {
  if constexpr (Codec::kReads) {
    CallbackFields callback;
    codec.field(1, callback);
    if (callback.is_missing) codec.refuse();
    if (codec.good()) question.step.callback = callback_of(callback);
  } else {
    codec.field(1, fields_of(question.step.callback));
  }
  codec.field(2, question.options);
  codec.field(3, question.architecture);
  codec.field(4, question.precompiling);
  codec.field(5, question.cuda_path);
  codec.field(6, question.driver_major);
  codec.field(7, question.step.family);
  codec.field(8, question.step.request);
  if (!question.options.closed) codec.refuse();
}

// ---- answers (ClosedAnswer) ----

template <class Codec, base::Is<ClosedAnswer> T>
void fields(Codec& codec, T& answer) {
  codec.field(1, answer.is_out_of_memory);
  error_field(codec, 2, answer.error);
  codec.field(3, answer.image);
  codec.field(4, answer.precompiled);
}

base::Bytes write_question(const ClosedQuestion& question) {
  return write_enveloped(question);
}

std::optional<ClosedQuestion> read_question(std::span<const std::byte> bytes) try {
  const std::optional<Envelope> envelope = base::read_record<Envelope>(bytes);
  if (!envelope || envelope->build != this_build()) return std::nullopt;
  return base::read_record<ClosedQuestion>(envelope->content);
  // callback_of throws when graft::chain or graft::Stages refuses the parts.
} catch (const Error&) {
  return std::nullopt;
}

base::Bytes write_answer(const ClosedAnswer& answer) {
  return write_enveloped(answer);
}

std::optional<ClosedAnswer> read_answer(std::span<const std::byte> bytes) {
  const std::optional<Envelope> envelope = base::read_record<Envelope>(bytes);
  if (!envelope || envelope->build.empty()) return std::nullopt;
  if (envelope->build != this_build()) return ClosedAnswer{.other_build = envelope->build};
  std::optional<ClosedAnswer> answer = base::read_record<ClosedAnswer>(envelope->content);
  if (!answer) return std::nullopt;
  const int things = answer->is_out_of_memory + answer->error.has_value() + answer->image.has_value() +
                     answer->precompiled.has_value();
  return things == 1 ? std::move(answer) : std::nullopt;
}

}  // namespace graft::engine
