#include "job_kernel.hpp"

#include <optional>
#include <type_traits>

#include <graft/fft.hpp>
#include <graft/reduce.hpp>
#include <graft/transform.hpp>

#include "direct.hpp"
#include "shaped.hpp"

namespace graft_python {
namespace {

using graft::Fft;
using graft::Reduce;
using graft::Transform;

// The value of a word that is true or false. Nothing for other objects.
std::optional<bool> truth(PyObject* word) {
  if (!word || word == Py_False) return false;
  return word == Py_True ? std::optional(true) : std::nullopt;
}

template <class Job>
class ShapedKernel : public JobKernel {
 public:
  ShapedKernel(nb::handle kernel, bool makes_outputs) : JobKernel(kernel), makes_outputs_(makes_outputs) {}

  nb::object call(const JobCall& call) const override {
    const DirectCall direct{call.inputs, call.word(kOut), {}, call.state, makes_outputs_, call.device_of_state};
    if (call.words[kInverse]) return {};
    if constexpr (std::is_same_v<Job, Reduce>) {
      const std::optional<bool> keepdims = truth(call.words[kKeepdims]);
      return keepdims ? call_directly(shaped(), direct, call.word(kAxis), *keepdims) : nb::object();
    } else {
      return call.words[kAxis] || call.words[kKeepdims] ? nb::object() : call_directly(shaped(), direct);
    }
  }

  std::size_t inputs() const override { return shaped().job().signature().inputs().size(); }
  std::optional<graft::ElementType> state() const override { return shaped().job().signature().state(); }

 private:
  Shaped<Job>& shaped() const { return *nb::inst_ptr<Shaped<Job>>(kernel()); }

  bool makes_outputs_;
};

class FftKernel : public JobKernel {
 public:
  FftKernel(nb::handle kernel, bool forward_makes_outputs, bool inverse_makes_outputs, bool has_between)
      : JobKernel(kernel), makes_outputs_{forward_makes_outputs, inverse_makes_outputs}, has_between_(has_between) {}

  nb::object call(const JobCall& call) const override {
    const std::optional<bool> inverse = truth(call.words[kInverse]);
    if (!inverse || call.words[kAxis] || call.words[kKeepdims]) return {};
    return call_directly(fft(), {call.inputs, call.word(kOut), {}, call.state, makes_outputs_[*inverse]},
                         *inverse ? graft::Direction::Inverse : graft::Direction::Forward, {}, has_between_);
  }

  std::size_t inputs() const override { return fft().reports().front().kernel.signature.inputs().size(); }

 private:
  const Fft& fft() const { return *nb::inst_ptr<Fft>(kernel()); }

  std::array<bool, 2> makes_outputs_;
  bool has_between_;
};

}  // namespace

bool JobCall::set(PyObject* name, PyObject* value) {
  // Names that a program writes are interned; others are left to Python code.
  static const std::array<PyObject*, kWords> known = {
      PyUnicode_InternFromString("out"), PyUnicode_InternFromString("axis"), PyUnicode_InternFromString("keepdims"),
      PyUnicode_InternFromString("inverse")};
  static PyObject* const stream = PyUnicode_InternFromString("stream");
  for (unsigned word = 0; word < kWords; ++word)
    if (known[word] == name) {
      words[word] = value;
      return true;
    }
  return name == stream && value == Py_None;
}

std::shared_ptr<const JobKernel> JobKernel::of(nb::handle kernel, const std::vector<bool>& makes_outputs,
                                               bool has_between) {
  if (nb::isinstance<Shaped<Transform>>(kernel))
    return std::make_shared<ShapedKernel<Transform>>(kernel, makes_outputs.at(0));
  if (nb::isinstance<Shaped<Reduce>>(kernel))
    return std::make_shared<ShapedKernel<Reduce>>(kernel, makes_outputs.at(0));
  if (nb::isinstance<Fft>(kernel))
    return std::make_shared<FftKernel>(kernel, makes_outputs.at(0), makes_outputs.at(1), has_between);
  throw nb::type_error("an object that is no kernel of a job was given");
}

}  // namespace graft_python
