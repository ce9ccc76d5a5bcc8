#include "cli/bench/subject.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/format.hpp"
#include "cli/arrays/array_run.hpp"
#include "cli/arrays/packed_bits.hpp"
#include "core/fail.hpp"
#include "graft/error.hpp"
#include "graft/transform.hpp"

namespace graft::cli {
void require_known_arrays(const Image& image) {
  const Signature& signature = image.signature();
  const auto is_opaque = [](const ElementType& type) { return type.kind == ElementKind::Opaque; };
  const bool is_unknown =
      std::ranges::any_of(signature.inputs(), is_opaque) || std::ranges::any_of(signature.outputs(), is_opaque);
  if (is_unknown || (signature.inputs().empty() && signature.outputs().empty()))
    fail(ErrorCode::UnsupportedParameter,
         base::format("{} ({}) has {}", image.report().kernel.name, signature.text(),
                      is_unknown ? "a callback that accesses its array itself, whose size graft does not know"
                                 : "no arrays, so that no speed of memory can be measured"),
         "Give a callback that takes or returns elements.");
}

Options loading_options(const Image& image, int device) {
  Options options;
  if (image.report().kernel.route == Route::Host) return options;
  options.devices = {device};
  options.architecture = image.report().kernel.architecture;
  return options;
}

namespace {

class TransformSubject final : public Subject {
 public:
  TransformSubject(const Image& image, int device, base::Bytes state)
      : Subject(image.signature(), 1, 1),
        image_(image),
        engine_(engine_without_cache()),
        transform_(Transform::load(engine_, image, loading_options(image, device))),
        state_(std::move(state)) {}

  bool makes_sums() const noexcept override { return false; }
  std::string word() const override { return "elements"; }

  std::function<void()> call(CUstream_st* stream, const std::vector<std::byte*>& pointers,
                             std::uint64_t items) const override {
    const bool is_on_host = image_.report().kernel.route == Route::Host;
    return [this, is_on_host, stream, in = refs(pointers, items, false), out = refs(pointers, items, true),
            state = state_ref_of(image_, state_)] {
      if (is_on_host) transform_.execute(host, in, out, state);
      else transform_.execute(stream, in, out, state);
    };
  }

 private:
  Image image_;
  Engine engine_;
  Transform transform_;
  base::Bytes state_;
};

}  // namespace

std::size_t BenchArray::bytes(std::uint64_t items) const {
  return bytes_in_memory(type, items * per_item);
}

Subject::Subject(const Signature& signature, std::uint64_t per_input, std::uint64_t per_output)
    : items_are_alike_(!signature.takes_index() && signature.coordinates() == 0) {
  const std::size_t own = signature.inputs().size() - signature.further_inputs();
  for (std::size_t i = 0; i < signature.inputs().size(); ++i)
    arrays_.push_back({.type = signature.inputs()[i], .per_item = i < own ? per_input : per_output});
  for (std::size_t i = 0; i < signature.outputs().size(); ++i)
    arrays_.push_back({.type = signature.outputs()[i],
                       .per_item = per_output,
                       .is_read = std::ranges::count(signature.in_outs(), i) != 0,
                       .is_output = true});
}

std::vector<ArrayRef> Subject::refs(const std::vector<std::byte*>& pointers, std::uint64_t items, bool outputs) const {
  std::vector<ArrayRef> found;
  for (std::size_t i = 0; i < arrays_.size(); ++i)
    if (arrays_[i].is_output == outputs) found.emplace_back(pointers[i], items * arrays_[i].per_item, arrays_[i].type);
  return found;
}

// An array that is read and written moves twice.
std::uint64_t Subject::bytes(std::uint64_t items) const {
  return std::accumulate(arrays_.begin(), arrays_.end(), std::uint64_t{0}, [&](std::uint64_t sum, const BenchArray& a) {
    return sum + a.bytes(items) * (a.is_output && a.is_read ? 2 : 1);
  });
}

std::size_t Subject::largest_array(std::uint64_t items) const {
  std::size_t largest = 0;
  for (const BenchArray& array : arrays_) largest = std::max(largest, array.bytes(items));
  return largest;
}

std::unique_ptr<const Subject> transform_subject(const Image& image, int device, const base::Bytes& state) {
  require_known_arrays(image);
  return std::make_unique<TransformSubject>(image, device, state);
}

}  // namespace graft::cli
