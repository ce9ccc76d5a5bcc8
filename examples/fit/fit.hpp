// A library that fits curves with three parameters a, b and c. The model is a formula that its users type, such as
// "a * exp(-b * x) + c", or a callback such as those of callbacks/models.cuh.
#pragma once

#include <cuda_runtime_api.h>

#include <graft/kernel.hpp>
#include <string>

namespace fit {

struct Parameters {
  float a, b, c;
};

// What a model needs: the callback, and how graft builds it.
struct Model {
  graft::Callback callback;
  graft::Options options = {};

  // A formula of x, a, b and c. Users are strangers, so it is built in the closed mode.
  static Model typed(const std::string& formula);
  // `float f(float x, const State& p)` with a state of three floats.
  static Model of(const graft::Callback& callback) { return {callback}; }
};

class Fitter {
 public:
  // Throws graft::Error, with the compiler's words about the formula.
  explicit Fitter(const Model& model);

  // Fits `curves` curves of `count` points each, and replaces their parameters. All arrays are in device memory.
  void run(cudaStream_t stream, const float* x, const float* y, int count, int curves, Parameters* parameters) const;

  const graft::Report& report() const { return kernel_.report(); }

 private:
  graft::Kernel kernel_;
};

// The image of the same kernel, for a machine without a GPU.
graft::Image build(const Model& model, graft::Architecture architecture);

}  // namespace fit
