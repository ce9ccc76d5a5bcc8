// Encodes messages as records. A callback is read by constructing it again, so that a record of no possible callback is
// refused.
#include "engine/child_message.hpp"

#include <algorithm>
#include <utility>

#include "core/error_record.hpp"
#include "core/fields.hpp"
#include "core/slots.hpp"
#include "core/version.hpp"
#include "graft/kernel.hpp"

namespace graft::engine {
namespace {

template <class Message>
base::Bytes write_enveloped(const Message& message) {
  return base::write_record(Envelope{this_build(), base::write_record(message)});
}

// ---- callbacks: the fields from which the reader constructs the callback again ----

struct CallbackFields {
  // True for a stage (load, op or store) that the composition does not have.
  bool is_missing = false;
  Form form = Form::Source;
  std::string text = {};
  std::string name = {};
  std::string entry = {};
  std::string signature = {};
  std::optional<Signature> types = {};
  std::optional<FloatingPoint> floating_point = {};
  std::optional<Callback::Composition::Kind> composition = {};
  std::vector<CallbackFields> parts = {};
  std::string folder = {};
  Libdevice libdevice = Libdevice::Without;
  std::vector<CallbackFields> link_inputs = {};
};

bool has_right_parts(const CallbackFields& callback) {
  if (std::ranges::any_of(callback.link_inputs, &CallbackFields::is_missing)) return false;
  if (callback.composition == Callback::Composition::Staged) return callback.parts.size() == 3;
  if (callback.composition == Callback::Composition::Slots && callback.parts.empty()) return false;
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
  codec.choice(8, callback.composition, Callback::Composition::Slots);
  codec.field(9, callback.parts);
  codec.field(10, callback.folder);
  codec.choice(11, callback.form, Form::Nvvm);
  codec.choice(12, callback.libdevice, Libdevice::With);
  codec.field(13, callback.link_inputs);
  if (!has_right_parts(callback)) codec.refuse();
}

CallbackFields fields_of(const std::optional<Callback>& callback) {
  if (!callback) return {.is_missing = true};
  CallbackFields record = {.form = callback->form(),
                           .text = callback->text(),
                           .name = callback->name(),
                           .entry = callback->entry(),
                           .signature = callback->signature(),
                           .types = callback->typed_signature(),
                           .floating_point = callback->floating_point(),
                           .folder = callback->folder(),
                           .libdevice = callback->libdevice()};
  for (const Callback& input : callback->link_inputs()) record.link_inputs.push_back(fields_of(input));
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

// The code of own kernels may be a pack, which is none of a callback.
Callback code_of(const CallbackFields& record) {
  return record.form == Form::Pack ? KernelCode::pack(base::as_bytes(record.text), record.name).code()
                                   : callback_of(record);
}

Callback composition_of(const CallbackFields& record) {
  const std::vector<CallbackFields>& parts = record.parts;
  if (record.composition == Callback::Composition::Staged)
    return Stages{.load = stage_of(parts[0]), .op = stage_of(parts[1]), .store = stage_of(parts[2])};
  std::vector<Callback> callbacks;
  const bool has_code = record.composition == Callback::Composition::Slots;
  for (std::size_t i = has_code ? 1 : 0; i < parts.size(); ++i) callbacks.push_back(callback_of(parts[i]));
  return has_code ? with_slots(code_of(parts.front()), callbacks) : chain(callbacks);
}

Callback callback_of_form(const CallbackFields& record) {
  const auto bytes = base::as_bytes(record.text);
  switch (record.form) {
    case Form::Source:
    case Form::Composition:  // has a kind and parts
      break;
    case Form::LtoIr:
      return Callback::ltoir(bytes, record.name);
    case Form::Fatbin:
      return Callback::fatbin(bytes, record.name);
    case Form::Ptx:
      return Callback::ptx(record.text, record.name);
    case Form::Object:
      return Callback::object(bytes, record.name);
    case Form::Pack:
      return Callback::pack(bytes, record.name);
    case Form::Nvvm:
      return Callback::nvvm(bytes, record.libdevice, record.name);
  }
  return Callback::source(record.text, record.name).with_folder(record.folder);
}

// Constructs the callback that the fields describe. Throws Error if graft::chain, graft::Stages, Callback::pack or
// KernelCode::pack refuses them.
Callback callback_of(const CallbackFields& record) {
  Callback callback = record.composition ? composition_of(record) : callback_of_form(record);
  if (!record.entry.empty()) callback = callback.with_entry(record.entry);
  if (record.types) callback = callback.with_signature(*record.types);
  else if (!record.signature.empty()) callback = callback.with_signature(record.signature);
  if (record.floating_point) callback = callback.with_floating_point(*record.floating_point);
  for (const CallbackFields& input : record.link_inputs) callback = callback.with_link_input(callback_of(input));
  return callback;
}

}  // namespace

// ---- requests (Question) ----

template <class Codec, base::Is<Question::Closed> T>
void fields(Codec& codec, T& closed) {
  codec.field(1, closed.cuda_path);
  codec.field(2, closed.driver_major);
}

template <class Codec, base::Is<Question> T>
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
  codec.choice(4, question.work, Question::Work::Ptx);
  codec.choice(5, question.format, PrecompileFormat::Cubin);
  codec.field(6, question.architectures);
  codec.field(7, question.step.family);
  codec.field(8, question.step.request);
  codec.field(9, question.closed);
  if (question.closed && !question.options.closed) codec.refuse();
}

// ---- answers (Answer) ----

template <class Codec, base::Is<CachedKernel> T>
void fields(Codec& codec, T& cached) {
  codec.field(1, cached.name);
  codec.field(2, cached.was_there);
}

template <class Codec, base::Is<Answer> T>
void fields(Codec& codec, T& answer) {
  codec.field(1, answer.is_out_of_memory);
  error_field(codec, 2, answer.error);
  codec.field(3, answer.image);
  codec.field(4, answer.bytes);
  codec.field(5, answer.cached);
}

base::Bytes write_question(const Question& question) {
  return write_enveloped(question);
}

std::optional<Question> read_question(std::span<const std::byte> bytes) try {
  const std::optional<Envelope> envelope = base::read_record<Envelope>(bytes);
  if (!envelope || envelope->build != this_build()) return std::nullopt;
  return base::read_record<Question>(envelope->content);
} catch (const Error&) {  // callback_of throws
  return std::nullopt;
}

base::Bytes write_answer(const Answer& answer) {
  return write_enveloped(answer);
}

std::optional<Answer> read_answer(std::span<const std::byte> bytes) {
  const std::optional<Envelope> envelope = base::read_record<Envelope>(bytes);
  if (!envelope || envelope->build.empty()) return std::nullopt;
  if (envelope->build != this_build()) return Answer{.other_build = envelope->build};
  std::optional<Answer> answer = base::read_record<Answer>(envelope->content);
  if (!answer) return std::nullopt;
  const int things = answer->is_out_of_memory + answer->error.has_value() + answer->image.has_value() +
                     answer->bytes.has_value() + answer->cached.has_value();
  return things == 1 ? std::move(answer) : std::nullopt;
}

}  // namespace graft::engine
