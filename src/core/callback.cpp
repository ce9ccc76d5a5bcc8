// A Callback is a handle to an immutable Data object. Each factory and each with_...() function makes a new Data
// object, and all copies of one Callback share their Data object. A Callback computes its hash, and whether its source
// may include files (can_include), once when it is made, because every Transform::create reads both.
//
// This file also makes compositions, which are callbacks that consist of several callbacks: the constructor from Stages
// and graft::chain check the parts. A callback's binary or source is examined only when a kernel is built from it
// (link/callback_binary.hpp). The factories that read files and packs are in api/callback_file.cpp.
#include "graft/callback.hpp"

#include <algorithm>
#include <utility>

#include "base/byte_order_mark.hpp"
#include "base/bytes.hpp"
#include "base/format.hpp"
#include "base/hash.hpp"
#include "base/seen_file.hpp"
#include "core/enumerators.hpp"
#include "core/fail.hpp"
#include "core/include_words.hpp"
#include "core/slots.hpp"
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
      return "object";
    case Form::Composition:
      return "composition";
    case Form::Pack:
      return "pack";
    case Form::Nvvm:
      break;
  }
  return "NVVM IR";
}

struct Callback::Data {
  Form form = Form::Source;
  // The source, the PTX, or the bytes of a callback binary or pack. A std::string, because NVIDIA's tools expect text
  // to end with a zero byte.
  std::string text;
  std::string name;
  std::string folder;
  std::string entry;
  std::string signature;
  std::optional<Signature> typed_signature;
  std::optional<Composition> composition;
  Libdevice libdevice = Libdevice::Without;
  std::optional<FloatingPoint> floating_point;
  std::vector<Callback> link_inputs;

  bool operator==(const Data&) const = default;
  // Returns a hash of some of the members that operator== compares. Two callbacks that differ only in the other members
  // have equal hashes. A hash table then still finds the right callback, after one more comparison.
  std::uint64_t hash() const noexcept {
    std::uint64_t sum = 0;
    for (const std::string* part : {&text, &name, &entry, &signature}) sum = sum * 31 + base::hash(*part).low;
    if (composition)
      for (const std::optional<Callback>& part : composition->parts) sum = sum * 31 + (part ? part->hash() : 1);
    for (const Callback& input : link_inputs) sum = sum * 31 + input.hash();
    return sum;
  }
  bool can_include() const noexcept {
    const auto part_can = [](const std::optional<Callback>& part) { return part && part->can_include(); };
    return (form == Form::Source && graft::can_include(text)) || graft::can_include(entry) ||
           graft::can_include(signature) || (composition && std::ranges::any_of(composition->parts, part_can));
  }
};

namespace {

bool is_staged(const Callback& callback) {
  return callback.composition() != nullptr && callback.composition()->kind == Callback::Composition::Staged;
}

// Throws Error if the callback cannot be part of a composition. A pack cannot, because it contains finished kernels,
// which cannot be linked into another kernel.
void require_linkable(const Callback& part) {
  if (part.form() == Form::Pack)
    refuse(base::format("{} is a pack, and a pack cannot be part of a composition", part.name()),
           "Compose the callbacks that the pack was made of, and precompile the composition.");
}

// Throws Error if the callback is a chain with a declared signature. A chain inside another composition is replaced by
// its parts, so nothing would hold the declaration.
void require_undeclared(const Callback& part) {
  if (part.composition() != nullptr && !part.signature().empty())
    refuse(base::format("{} has a declared signature, but becomes part of another composition", part.name()),
           "Declare the signatures of the chain's parts, or that of the whole composition, with "
           "Callback::with_signature.");
}

// Returns the composition's name, for example "chain of a.cu, b.cu".
std::string name_of(const Callback::Composition& composition) {
  std::string name = composition.kind == Callback::Composition::Chain ? "chain of" : "stages of";
  const char* separator = " ";
  for (const std::optional<Callback>& part : composition.parts) {
    if (!part) continue;
    name += separator + part->name();
    separator = ", ";
  }
  return std::ranges::none_of(composition.parts, &std::optional<Callback>::has_value) ? "no callbacks" : name;
}

}  // namespace

Callback::Callback(std::shared_ptr<const Data> data)
    : data_(std::move(data)), hash_(data_->hash()), can_include_(data_->can_include()) {}
Callback::Callback(const char* text) : Callback(source(text)) {}
Callback::Callback(std::string text) : Callback(source(std::move(text))) {}
Callback::Callback(std::string_view text) : Callback(source(std::string(text))) {}

Callback::Callback(const Stages& stages)
    : Callback(std::shared_ptr<const Data>([&] {
        for (const auto& stage : {stages.load, stages.op, stages.store})
          if (stage) require_linkable(*stage);
        for (const auto& stage : {stages.load, stages.op, stages.store}) {
          if (stage && is_staged(*stage))
            refuse("a callback of graft::Stages has load or store callbacks of its own",
                   "Give load, op and store in one graft::Stages.");
          if (stage) require_undeclared(*stage);
        }
        auto data = std::make_shared<Data>();
        data->form = Form::Composition;
        data->composition = Composition{Composition::Staged, {stages.load, stages.op, stages.store}};
        data->name = name_of(*data->composition);
        return data;
      }())) {}

Callback chain(const std::vector<Callback>& parts) {
  constexpr std::size_t kMostParts = 8;
  // The parts, where each part that is itself a chain is replaced by the callbacks of that chain.
  std::vector<std::optional<Callback>> flat;
  // What these chains have of their own. Callbacks keep theirs.
  std::vector<Callback> link_inputs;
  std::optional<FloatingPoint> floating_point;
  for (const Callback& part : parts) {
    require_linkable(part);
    if (is_staged(part))
      refuse("a part of the chain has load or store callbacks",
             "Put the chain between them: graft::Stages{.load = ..., .op = graft::chain(...), .store = ...}.");
    if (part.composition() == nullptr) {
      flat.emplace_back(part);
      continue;
    }
    require_undeclared(part);
    flat.insert(flat.end(), part.composition()->parts.begin(), part.composition()->parts.end());
    link_inputs.insert(link_inputs.end(), part.link_inputs().begin(), part.link_inputs().end());
    if (floating_point && part.floating_point() && *floating_point != *part.floating_point())
      refuse("two chains in one chain have different floating-point options",
             "Give the same options to every Callback::with_floating_point, or give them to Options::floating_point.");
    if (part.floating_point()) floating_point = part.floating_point();
  }
  if (flat.empty() || flat.size() > kMostParts)
    refuse(base::format("graft::chain was given {} parts", flat.size()),
           "Give 1 to 8 callbacks. A chain among them counts as the callbacks that it consists of.");
  auto data = std::make_shared<Callback::Data>();
  data->form = Form::Composition;
  data->composition = Callback::Composition{Callback::Composition::Chain, std::move(flat)};
  data->link_inputs = std::move(link_inputs);
  data->floating_point = floating_point;
  data->name = name_of(*data->composition);
  return Callback(std::move(data));
}

Callback with_slots(const Callback& code, const std::vector<Callback>& callbacks) {
  std::vector<std::optional<Callback>> parts = {code};
  for (const Callback& callback : callbacks) {
    if (callback.composition() != nullptr)
      refuse(base::format("{} is a composition, and a slot takes one callback", callback.name()),
             "Write the call of the parts as one function.");
    parts.emplace_back(callback);
  }
  auto data = std::make_shared<Callback::Data>();
  data->form = Form::Composition;
  data->composition = Callback::Composition{Callback::Composition::Slots, std::move(parts)};
  data->name = code.name();
  return Callback(std::move(data));
}

bool has_slots(const Callback& callback) noexcept {
  return callback.composition() != nullptr && callback.composition()->kind == Callback::Composition::Slots;
}

const Callback::Composition* Callback::composition() const noexcept {
  return data_->composition ? &*data_->composition : nullptr;
}

Callback Callback::made_of(Form form, std::string bytes, std::string name) {
  auto data = std::make_shared<Data>();
  data->form = form;
  data->text = std::move(bytes);
  if (form == Form::Source && data->text.starts_with(base::kByteOrderMark))
    data->text.erase(0, base::kByteOrderMark.size());
  data->name = std::move(name);
  return Callback(std::move(data));
}

Callback Callback::source(std::string text, std::string name) {
  return made_of(Form::Source, std::move(text), std::move(name));
}
Callback Callback::source(const char* text, std::string name) {
  return source(checked_text(text, "the source of a callback"), std::move(name));
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
Callback Callback::ptx(const char* text, std::string name) {
  return ptx(checked_text(text, "the PTX of a callback"), std::move(name));
}
Callback Callback::object(std::span<const std::byte> bytes, std::string name) {
  return made_of(Form::Object, std::string(base::as_text(bytes)), std::move(name));
}

Callback Callback::nvvm(std::span<const std::byte> bitcode, Libdevice libdevice, std::string name) {
  check_enumerator(libdevice, Libdevice::With, "the argument `libdevice` of Callback::nvvm");
  auto data = std::make_shared<Data>();
  data->form = Form::Nvvm;
  data->text = base::as_text(bitcode);
  data->name = std::move(name);
  data->libdevice = libdevice;
  return Callback(std::move(data));
}
Callback Callback::nvvm(std::string_view text, Libdevice libdevice, std::string name) {
  return nvvm(base::as_bytes(text), libdevice, std::move(name));
}
Callback Callback::nvvm(const char* text, Libdevice libdevice, std::string name) {
  return nvvm(std::string_view(checked_text(text, "the NVVM IR of a callback")), libdevice, std::move(name));
}

Callback Callback::with_folder(const std::filesystem::path& folder) const {
  auto data = std::make_shared<Data>(*data_);
  data->folder = folder.string();
  // "." and ".." stay in the path, because `folder/..` is not the working folder if `folder` is a symbolic link.
  if (folder.is_relative() && !folder.empty()) {
    const std::string here = base::working_folder();
    data->folder = here.empty() ? std::string() : (std::filesystem::path(here) / folder).string();
  }
  return Callback(std::move(data));
}

Callback Callback::with_entry(std::string entry) const {
  auto data = std::make_shared<Data>(*data_);
  data->entry = std::move(entry);
  return Callback(std::move(data));
}

Callback Callback::with_entry(const char* entry) const {
  return with_entry(checked_text(entry, "the entry of a callback"));
}

Callback Callback::with_signature(std::string signature) const {
  auto data = std::make_shared<Data>(*data_);
  data->signature = std::move(signature);
  data->typed_signature.reset();
  return Callback(std::move(data));
}

Callback Callback::with_signature(const char* signature) const {
  return with_signature(checked_text(signature, "the signature of a callback"));
}

Callback Callback::with_signature(const Signature& signature) const {
  auto data = std::make_shared<Data>(*data_);
  data->signature = signature.text();
  data->typed_signature = signature;
  return Callback(std::move(data));
}

Callback Callback::with_floating_point(const FloatingPoint& floating_point) const {
  auto data = std::make_shared<Data>(*data_);
  data->floating_point = floating_point;
  return Callback(std::move(data));
}

Callback Callback::with_link_input(const Callback& binary) const {
  const bool is_binary = binary.form() == Form::LtoIr || binary.form() == Form::Fatbin || binary.form() == Form::Ptx ||
                         binary.form() == Form::Object;
  if (!is_binary)
    refuse(base::format("{} is {}: only LTO-IR, fatbins, PTX and objects can be linked with a callback", binary.name(),
                        graft::name(binary.form())),
           "Compile it with -rdc=true first, or put its source into the callback's text or headers.");
  if (form() == Form::Pack)
    refuse(base::format("{} is a pack, and cannot be linked with {}", name(), binary.name()),
           "Give the link input to the callback of which the pack is made.");
  auto data = std::make_shared<Data>(*data_);
  data->link_inputs.push_back(binary);
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
const std::optional<FloatingPoint>& Callback::floating_point() const noexcept {
  return data_->floating_point;
}
const std::vector<Callback>& Callback::link_inputs() const noexcept {
  return data_->link_inputs;
}
Libdevice Callback::libdevice() const noexcept {
  return data_->libdevice;
}

const std::string& Callback::text() const noexcept {
  return data_->text;
}
const std::string& Callback::name() const noexcept {
  return data_->name;
}
const std::string& Callback::folder() const noexcept {
  return data_->folder;
}
const std::string& Callback::entry() const noexcept {
  return data_->entry;
}
const std::string& Callback::signature() const noexcept {
  return data_->signature;
}

}  // namespace graft
