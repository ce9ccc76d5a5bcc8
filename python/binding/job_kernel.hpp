// A kernel of a job, as ordinary calls (direct.hpp) need it: one class for transforms, reductions and FFTs.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <graft/transform.hpp>

namespace graft_python {
namespace nb = nanobind;

// The keyword arguments of ordinary calls that are no variables of formulas.
enum Word : unsigned { kOut, kAxis, kKeepdims, kInverse, kWords };

// A call of a job. The caller keeps all objects.
struct JobCall {
  std::span<PyObject* const> inputs;
  std::array<PyObject*, kWords> words = {};  // null if not given
  graft::StateRef state = {};
  std::optional<int> device_of_state = {};  // that of the arrays to which the state points

  // Sets a word by its name. False for a name that is none; a stream that is None says nothing.
  bool set(PyObject* name, PyObject* value);
  nb::handle word(Word one) const { return words[one] ? words[one] : Py_None; }
};

class JobKernel {
 public:
  JobKernel(const JobKernel&) = delete;
  JobKernel& operator=(const JobKernel&) = delete;
  virtual ~JobKernel() = default;
  // Returns a null object if this is no ordinary call; then nothing has been launched.
  virtual nb::object call(const JobCall& call) const = 0;
  // Of the callbacks; the type of the state is nothing for FFTs too.
  virtual std::size_t inputs() const = 0;
  virtual std::optional<graft::ElementType> state() const { return {}; }

  // `kernel` is the module's Transform, Reduce or Fft. `makes_outputs`: whether calls without out= are ordinary; of an
  // FFT, those forward and those of the inverse.
  static std::shared_ptr<const JobKernel> of(nb::handle kernel, const std::vector<bool>& makes_outputs,
                                             bool has_between);

 protected:
  explicit JobKernel(nb::handle kernel) : kernel_(nb::borrow(kernel)) {}
  nb::handle kernel() const { return kernel_; }

 private:
  nb::object kernel_;
};

}  // namespace graft_python
