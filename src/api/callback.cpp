#include "graft/callback.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/bytes.hpp"
#include "base/files.hpp"
#include "base/hash.hpp"
#include "graft/error.hpp"

namespace graft {

std::string_view name(Form form) noexcept {
  switch (form) {
    case Form::Source:
      return "source";
    case Form::LtoIr:
      return "LTO-IR";
    case Form::Fatbin:
      return "fatbin";
    case Form::Ptx:
      return "PTX";
    case Form::Object:
      break;
  }
  return "object";
}

struct Callback::Data {
  Form form = Form::Source;
  std::string text;  // or bytes: a string ends with a zero, as NVIDIA's readers of text want it
  std::string name;
  std::string entry;
  std::string signature;
  std::optional<Signature> typed_signature;

  bool operator==(const Data&) const = default;
  // What operator== compares and this leaves out costs a comparison, never a mistake.
  std::uint64_t hash() const noexcept {
    std::uint64_t sum = 0;
    for (const std::string* part : {&text, &name, &entry, &signature}) sum = sum * 31 + base::hash(*part).low;
    return sum;
  }
};

Callback::Callback(std::shared_ptr<const Data> data) : data_(std::move(data)), hash_(data_->hash()) {}
Callback::Callback(const char* text) : Callback(source(text)) {}
Callback::Callback(std::string text) : Callback(source(std::move(text))) {}
Callback::Callback(std::string_view text) : Callback(source(std::string(text))) {}

Callback Callback::made_of(Form form, std::string bytes, std::string name) {
  auto data = std::make_shared<Data>();
  data->form = form;
  data->text = std::move(bytes);
  data->name = std::move(name);
  return Callback(std::move(data));
}

Callback Callback::source(std::string text, std::string name) {
  return made_of(Form::Source, std::move(text), std::move(name));
}
Callback Callback::ltoir(std::span<const std::byte> bytes, std::string name) {
  return made_of(Form::LtoIr, std::string(base::as_text(bytes)), std::move(name));
}
Callback Callback::fatbin(std::span<const std::byte> bytes, std::string name) {
  return made_of(Form::Fatbin, std::string(base::as_text(bytes)), std::move(name));
}
Callback Callback::ptx(std::string text, std::string name) {
  return made_of(Form::Ptx, std::move(text), std::move(name));
}
Callback Callback::object(std::span<const std::byte> bytes, std::string name) {
  return made_of(Form::Object, std::string(base::as_text(bytes)), std::move(name));
}

Callback Callback::file(const std::filesystem::path& path) {
  std::optional<std::string> text = base::read_file(path);
  if (!text)
    throw Error(ErrorCode::FileUnreadable, {.message = fmt::format("cannot read the callback file {}", path.string()),
                                            .remedy = "Check that it exists and that this user may read it.",
                                            .log = {},
                                            .versions = {}});
  return source(std::move(*text), path.string());
}

Callback Callback::with_entry(std::string entry) const {
  auto data = std::make_shared<Data>(*data_);
  data->entry = std::move(entry);
  return Callback(std::move(data));
}

Callback Callback::with_signature(std::string signature) const {
  auto data = std::make_shared<Data>(*data_);
  data->signature = std::move(signature);
  data->typed_signature.reset();
  return Callback(std::move(data));
}

Callback Callback::with_signature(const Signature& signature) const {
  auto data = std::make_shared<Data>(*data_);
  data->signature = signature.text();
  data->typed_signature = signature;
  return Callback(std::move(data));
}

bool Callback::operator==(const Callback& other) const noexcept {
  return data_ == other.data_ || *data_ == *other.data_;
}

Form Callback::form() const noexcept {
  return data_->form;
}
std::span<const std::byte> Callback::bytes() const noexcept {
  return base::as_bytes(data_->text);
}
const std::optional<Signature>& Callback::typed_signature() const noexcept {
  return data_->typed_signature;
}

const std::string& Callback::text() const noexcept {
  return data_->text;
}
const std::string& Callback::name() const noexcept {
  return data_->name;
}
const std::string& Callback::entry() const noexcept {
  return data_->entry;
}
const std::string& Callback::signature() const noexcept {
  return data_->signature;
}

}  // namespace graft
