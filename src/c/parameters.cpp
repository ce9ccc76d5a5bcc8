// Parameters of a formula in the C interface: graft::Parameters, with a function for each kind of number.
#include <complex>

#include "c/handles.hpp"
#include "core/fail.hpp"

namespace graft::c {
namespace {

template <class Number>
graft_error* set(graft_parameters* parameters, const char* name, Number value) noexcept {
  return guarded(
      [&] { checked(parameters, "the parameters").value.set(checked_text(name, "the name of the parameter"), value); });
}

}  // namespace
}  // namespace graft::c

extern "C" {

graft_error* graft_parameters_create(const char* line, graft_parameters** result) {
  return graft::c::make_handle(
      result, [&] { return graft::Parameters(graft::checked_text(line, "the line that declares the parameters")); });
}

graft_error* graft_parameters_set(graft_parameters* parameters, const char* name, double value) {
  return graft::c::set(parameters, name, value);
}

graft_error* graft_parameters_set_integer(graft_parameters* parameters, const char* name, int64_t value) {
  return graft::c::set(parameters, name, value);
}

graft_error* graft_parameters_set_unsigned(graft_parameters* parameters, const char* name, uint64_t value) {
  return graft::c::set(parameters, name, value);
}

graft_error* graft_parameters_set_complex(graft_parameters* parameters, const char* name, double real,
                                          double imaginary) {
  return graft::c::set(parameters, name, std::complex<double>(real, imaginary));
}

const void* graft_parameters_state(const graft_parameters* parameters) {
  return parameters == nullptr ? nullptr : parameters->value.state().bytes;
}

graft_type graft_parameters_state_type(const graft_parameters* parameters) {
  return parameters == nullptr ? 0 : graft::c::type_of(parameters->value.state().type);
}

void graft_parameters_destroy(graft_parameters* parameters) {
  delete parameters;
}

}  // extern "C"
