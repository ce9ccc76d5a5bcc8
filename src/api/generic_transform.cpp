// A GenericTransform is a list of transforms. prepare adds to it under a lock; execute goes through it without one,
// since elements are never changed or removed.
#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "api/instance_check.hpp"
#include "base/format.hpp"
#include "core/fail.hpp"
#include "graft/error.hpp"
#include "graft/generic.hpp"

namespace graft {

struct GenericTransform::Instances {
  struct Instance {
    Callback callback;
    Transform transform;
    InstanceTypes types;
    std::unique_ptr<Instance> own_next = {};
    std::atomic<const Instance*> next = nullptr;

    Instance(const Callback& its_callback, const Transform& made, InstanceTypes given)
        : callback(its_callback), transform(made), types(std::move(given)) {}
  };

  Instances(Engine& its_engine, GenericCallback its_callback, Options its_options)
      : engine(its_engine),
        callback(its_options.entry.empty() ? std::move(its_callback) : its_callback.with_entry(its_options.entry)),
        options(std::move(its_options)) {
    options.entry.clear();  // the callback has it, and an instance has an entry of its own
  }

  // Each element owns the next one; the destructor of the first would call those of all others in depth.
  ~Instances() {
    while (own_first) own_first = std::move(own_first->own_next);
  }
  Instances(const Instances&) = delete;
  Instances& operator=(const Instances&) = delete;

  Engine& engine;
  const GenericCallback callback;
  Options options;
  std::mutex adding;
  std::unique_ptr<Instance> own_first;
  std::atomic<const Instance*> first = nullptr;
};

namespace {

bool have_types(std::span<const ArrayRef> arrays, const std::vector<ElementType>& wanted) {
  return std::ranges::equal(arrays, wanted, interchangeable, &ArrayRef::type);
}

// Whether arrays that fit one signature fit the other one too.
bool take_equal_arrays(const Signature& a, const Signature& b) {
  return std::ranges::equal(a.inputs(), b.inputs(), interchangeable) &&
         std::ranges::equal(a.outputs(), b.outputs(), interchangeable);
}

template <class List, class TypeOf>
std::string listed(const List& list, TypeOf type_of) {
  std::vector<std::string> names;
  for (const auto& one : list) names.push_back(to_string(type_of(one)));
  return base::join(names, ", ");
}

std::string types_of(ArrayRefs in, ArrayRefs out) {
  const auto type_of = [](const ArrayRef& array) { return array.type; };
  return base::format("({}) -> ({})", listed(in.span(), type_of), listed(out.span(), type_of));
}

std::string types_of(const Signature& signature) {
  return base::format("({}) -> ({})", listed(signature.inputs(), std::identity()),
                      listed(signature.outputs(), std::identity()));
}

}  // namespace

GenericTransform::GenericTransform(GenericCallback callback, Options options)
    : GenericTransform(Engine::shared(), std::move(callback), std::move(options)) {}

GenericTransform::GenericTransform(Engine& engine, GenericCallback callback, Options options)
    : instances_(std::make_shared<Instances>(engine, std::move(callback), std::move(options))) {}

Transform GenericTransform::prepare(const InstanceTypes& types) {
  const Callback own = instances_->callback.instance(types);
  // Outside the lock, so that instances are built at the same time. The engine builds equal ones once.
  Transform made = Transform::create(instances_->engine, own, instances_->options);
  check_types(made.signature(), types, instances_->callback.name());
  const std::lock_guard lock(instances_->adding);
  std::unique_ptr<Instances::Instance>* place = &instances_->own_first;
  std::atomic<const Instances::Instance*>* link = &instances_->first;
  for (; *place; link = &(*place)->next, place = &(*place)->own_next) {
    if ((*place)->callback == own) return (*place)->transform;
    if (take_equal_arrays((*place)->transform.signature(), made.signature()))
      refuse(
          base::format("{} was prepared for ({}), and arrays of ({}) cannot be told from those: {}",
                       instances_->callback.name(), (*place)->types.text(), types.text(), types_of(made.signature())),
          "Use a GenericTransform for each of them, or Transform::create.");
  }
  *place = std::make_unique<Instances::Instance>(own, made, types);
  link->store(place->get(), std::memory_order_release);
  return made;
}

const Transform& GenericTransform::at(ArrayRefs in, ArrayRefs out) const {
  const auto first = instances_->first.load(std::memory_order_acquire);
  for (const auto* one = first; one != nullptr; one = one->next.load(std::memory_order_acquire)) {
    const Signature& signature = one->transform.signature();
    if (have_types(in.span(), signature.inputs()) && have_types(out.span(), signature.outputs())) return one->transform;
  }
  std::vector<std::string> prepared;
  for (const Transform& one : instances()) prepared.push_back(types_of(one.signature()));
  fail(ErrorCode::NotPrepared,
       base::format("{} is not prepared for arrays of the types {}; it is prepared for {}", instances_->callback.name(),
                    types_of(in, out), prepared.empty() ? "none" : base::join(prepared, ", ")),
       "Call GenericTransform::prepare with the types of the inputs before execute, which never compiles: "
       "prepare(graft::types(\"f32, f32\")).");
}

std::vector<Transform> GenericTransform::instances() const {
  std::vector<Transform> all;
  const auto first = instances_->first.load(std::memory_order_acquire);
  for (const auto* one = first; one != nullptr; one = one->next.load(std::memory_order_acquire))
    all.push_back(one->transform);
  return all;
}

}  // namespace graft
