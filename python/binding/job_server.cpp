#include "job_server.hpp"

#include <algorithm>
#include <utility>

#include "readers.hpp"

namespace graft_python {
namespace {

PyObject* name_of_state() {
  static PyObject* const name = PyUnicode_InternFromString("state");
  return name;
}

// Whether a keyword argument says that there is no state.
bool is_no_state(PyObject* name, PyObject* value) {
  return name == name_of_state() && value == Py_None;
}

}  // namespace

nb::object ServedKernel::call(const Arguments& arguments) const {
  JobCall call{.inputs = {arguments.values, arguments.number}};
  if (!packer) {
    for (std::size_t i = 0; i < arguments.words(); ++i)
      if (!call.set(arguments.name(i), arguments.value(i)) && !is_no_state(arguments.name(i), arguments.value(i)))
        return {};
    return kernel->call(call);
  }
  const std::optional<StatePacker::Packed> state = state_of(arguments, call);
  const std::optional<graft::ElementType> type = kernel->state();
  if (!state || !type || type->size != state->bytes.size()) return {};
  call.state = {state->bytes.data(), *type};
  call.device_of_state = state->device;
  return kernel->call(call);
}

// Reads the arguments of a call with a state. Nothing if the call is no ordinary one.
std::optional<StatePacker::Packed> ServedKernel::state_of(const Arguments& arguments, JobCall& call) const {
  std::vector<nb::object> members(packer->size());
  if (has_members_by_place) {
    const std::size_t inputs = kernel->inputs();
    if (arguments.number < inputs || arguments.number - inputs > members.size()) return {};
    call.inputs = call.inputs.first(inputs);
    for (std::size_t i = inputs; i < arguments.number; ++i) members[i - inputs] = nb::borrow(arguments.values[i]);
  }
  bool has_members = arguments.number > call.inputs.size();
  for (std::size_t i = 0; i < arguments.words(); ++i) {
    PyObject* const name = arguments.name(i);
    if (call.set(name, arguments.value(i)) || is_no_state(name, arguments.value(i))) continue;
    if (name == name_of_state()) {  // also where a member has this name
      if (has_members || !packer->read(arguments.value(i), members)) return {};
    } else {
      const std::optional<std::size_t> member = packer->find(name);
      if (!member || members[*member]) return {};
      members[*member] = nb::borrow(arguments.value(i));
    }
    has_members = true;
  }
  return packer->pack(std::move(members));
}

nb::object JobServer::call(const Arguments& arguments) const {
  if (arguments.number == 0) return {};
  std::shared_ptr<const ServedKernel> served;
  if (!instances_.empty()) {
    if (const auto read = read_types({arguments.values, arguments.number}))
      served = find_instance(read->first, read->second);
  } else if (const Reader* const reader = reader_of(arguments.values[0])) {
    served = kernel(reader->is_on_device());
  }
  return served ? served->call(arguments) : nb::object();
}

void JobServer::keep(bool on_device, ServedKernel kernel) {
  std::shared_ptr<const ServedKernel>& place = on_device ? on_device_ : on_host_;
  if (!place) place = std::make_shared<const ServedKernel>(std::move(kernel));
}

void JobServer::keep_instance(std::span<PyObject* const> inputs, const JobServer& instance) {
  constexpr std::size_t kMostInstances = 64;
  auto read = inputs.empty() ? std::nullopt : read_types(inputs);
  const auto is_class = [](const graft::ElementType& type) { return type.kind == graft::ElementKind::Class; };
  if (!read || std::ranges::any_of(read->first, is_class)) return;  // a class is not known by its size
  if (find_instance(read->first, read->second) || !instance.kernel(read->second)) return;
  if (instances_.size() == kMostInstances) instances_.clear();
  instances_.push_back({std::move(read->first), read->second, instance.kernel(read->second)});
}

std::shared_ptr<const ServedKernel> JobServer::find_instance(const std::vector<graft::ElementType>& types,
                                                             bool on_device) const {
  const auto found = std::ranges::find_if(instances_, [&](const Instance& one) {
    return one.on_device == on_device && std::ranges::equal(one.types, types, are_same);
  });
  return found == instances_.end() ? nullptr : found->kernel;
}

}  // namespace graft_python
