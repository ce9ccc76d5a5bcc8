#include "fit.hpp"

#include "fit_kernel.hpp"  // made by graft_add_kernel

namespace fit {

Model Model::typed(const std::string& formula) {
  graft::Options options;
  options.closed.emplace();
  return {graft::Callback::source("struct P { float a, b, c; };\n"
                                  "__device__ float model(float x, const P& p) {\n"
                                  "  const float a = p.a, b = p.b, c = p.c;\n"
                                  "  return\n" +
                                      formula + ";\n}\n",
                                  "formula"),
          options};
}

Fitter::Fitter(const Model& model)
    : kernel_(graft::Kernel::create(fit_kernel(), {{"model", model.callback}}, model.options)) {}

void Fitter::run(cudaStream_t stream, const float* x, const float* y, int count, int curves,
                 Parameters* parameters) const {
  const unsigned blocks = (static_cast<unsigned>(curves) + 63) / 64;
  constexpr int kSteps = 100;
  kernel_.launch({.grid = {blocks}, .block = {64}, .stream = stream}, x, y, count, curves, parameters, kSteps);
}

graft::Image build(const Model& model, graft::Architecture architecture) {
  return graft::build(fit_kernel(), {{"model", model.callback}}, architecture, model.options);
}

}  // namespace fit
