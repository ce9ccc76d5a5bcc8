#include "graft/callback.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/files.hpp"
#include "base/hash.hpp"
#include "graft/error.hpp"

namespace graft {

struct Callback::Data {
  std::string text;
  std::string name = "callback.cu";
  std::string entry;
  std::string signature;

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

Callback Callback::source(std::string text, std::string name) {
  auto data = std::make_shared<Data>();
  data->text = std::move(text);
  data->name = std::move(name);
  return Callback(std::move(data));
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
  return Callback(std::move(data));
}

bool Callback::operator==(const Callback& other) const noexcept {
  return data_ == other.data_ || *data_ == *other.data_;
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
