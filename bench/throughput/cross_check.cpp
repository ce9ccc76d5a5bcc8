// The formulas of all operations of operations.hpp, computed over Eigen's arrays. They share no code with reference.cu,
// so a mistake in one of the two implementations shows as a difference.
#include "cross_check.hpp"

#include <Eigen/Core>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "../cuda_check.hpp"
#include "../reference.hpp"

namespace graft::bench {
namespace {

using Column = Eigen::ArrayXd;        // one component of one array
using Columns = std::vector<Column>;  // all components of one array
constexpr double kAgreement = 1e-11;

double read(Scalar scalar, const std::byte* bytes, std::size_t i) {
  const auto as = [&]<class T>(T value) {
    std::memcpy(&value, bytes + i * sizeof(T), sizeof(T));
    return value;
  };
  switch (scalar) {
    case Scalar::I8:
      return as(static_cast<signed char>(0));
    case Scalar::U8:
      return as(static_cast<unsigned char>(0));
    case Scalar::I16:
      return as(short{0});
    case Scalar::I32:
      return as(int{0});
    case Scalar::F16:
      return static_cast<double>(__half2float(as(__half{})));
    case Scalar::Bf16:
      return static_cast<double>(__bfloat162float(as(__nv_bfloat16{})));
    case Scalar::F32:
      return static_cast<double>(as(float{0}));
    case Scalar::F64:
      break;
  }
  return as(double{0});
}

Columns columns_of(const TypedArray& array, std::size_t count) {
  std::vector<std::byte> bytes(count * array.format.bytes());
  check(cudaMemcpy(bytes.data(), array.data, bytes.size(), cudaMemcpyDeviceToHost));
  const auto components = static_cast<std::size_t>(array.format.components);
  Columns columns(components, Column(static_cast<Eigen::Index>(count)));
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t c = 0; c < components; ++c)
      columns[c](static_cast<Eigen::Index>(i)) = read(array.format.scalar, bytes.data(), i * components + c);
  return columns;
}

double scalar_of(Scalar type) {
  if (type == Scalar::F64) return 0.4;
  return size_of(type) == 1 || type == Scalar::I16 || type == Scalar::I32 ? 3.0 : static_cast<double>(0.4f);
}

Column repeated(Column x, int turns) {
  for (int i = 0; i < turns; ++i) x = static_cast<double>(0.99f) * x + static_cast<double>(0.01f);
  return x;
}

Column error_function(const Column& x) {
  return x.unaryExpr([](double value) { return std::erf(value); });
}

// Each iteration updates only the elements that need further iterations, because each element has its own number of
// iterations.
Column divergent(const Column& start) {
  Column x = start;
  const Column turns = (start.abs() * 16).floor();
  for (int i = 0; i < static_cast<int>(turns.maxCoeff<Eigen::PropagateNaN>()); ++i)
    x = (turns > i).select(0.5 * x + 1 / (1 + x.square()), x);
  return x;
}

// Returns the prices of call and put options.
Columns black_scholes(const Column& price, const Column& strike, const Column& years) {
  const double rate = static_cast<double>(0.02f), volatility = static_cast<double>(0.3f);
  const auto normal = [](const Column& d) -> Column { return 0.5 * (1 + error_function(d * std::sqrt(0.5))); };
  const Column deviation = volatility * years.sqrt();
  const Column d1 = ((price / strike).log() + (rate + volatility * volatility / 2) * years) / deviation;
  const Column d2 = d1 - deviation;
  const Column discounted = strike * (-rate * years).exp();
  return {price * normal(d1) - discounted * normal(d2), discounted * normal(-d2) - price * normal(-d1)};
}

// Computes one component of an operation that treats all components alike.
Column of_component(std::string_view name, const std::vector<Columns>& in, std::size_t c, double scalar) {
  const Column& a = in[0][c];
  if (name == "copy") return a;
  if (name == "mul" || name == "scale") return scalar * a;
  if (name == "add") return a + in[1][c];
  if (name == "triad") return a + scalar * in[1][c];
  if (name == "nstream") return a + in[1][c] + scalar * in[2][c];
  if (name == "gelu") return 0.5 * a * (1 + error_function(a / std::sqrt(2.0)));
  if (name == "softplus") return a.exp().log1p();
  if (name == "sigmoid") return a.exp() / (1 + a.exp());
  if (name == "divergent") return divergent(a);
  if (name.starts_with("heavy")) return repeated(a, std::stoi(std::string(name.substr(5))));
  throw std::invalid_argument("no second reference for " + std::string(name));
}

// Returns the expected results as [output][component].
std::vector<Columns> expected(const Operation& operation, const std::vector<Columns>& in, std::size_t count) {
  const auto size = static_cast<Eigen::Index>(count);
  const std::string_view name = operation.name;
  const double scalar = scalar_of(operation.outputs[0].scalar);
  if (name == "fill") return {{Column::Constant(size, scalar)}};
  if (name == "iota") return {{Column::LinSpaced(size, 0, static_cast<double>(count - 1))}};
  if (name == "gray") return {{0.299 * in[0][0] + 0.587 * in[0][1] + 0.114 * in[0][2]}};
  if (name == "multiply")
    return {{in[0][0] * in[1][0] - in[0][1] * in[1][1], in[0][0] * in[1][1] + in[0][1] * in[1][0]}};
  if (name == "black_scholes") {
    const Columns both = black_scholes(in[0][0], in[1][0], in[2][0]);
    return {{both[0]}, {both[1]}};
  }
  Columns out;
  for (std::size_t c = 0; c < in[0].size(); ++c) out.push_back(of_component(name, in, c, scalar));
  return {out};
}

std::vector<double> references(cudaStream_t stream, const Operation& operation, const Launch& launch) {
  std::vector<double> values(std::size_t{kMaxReferenceOutputs} * kMaxComponents * launch.count);
  const DeviceBytes memory = allocate(values.size() * sizeof(double));
  evaluate(stream, operation.name, operation.arrays(launch), static_cast<double*>(memory.get()));
  check(cudaStreamSynchronize(stream));
  check(cudaMemcpy(values.data(), memory.get(), values.size() * sizeof(double), cudaMemcpyDeviceToHost));
  return values;
}

}  // namespace

CrossCheck cross_check(cudaStream_t stream, const Operation& operation, const Launch& launch) {
  check(cudaStreamSynchronize(stream));
  const Arrays arrays = operation.arrays(launch);
  std::vector<Columns> in;
  for (int k = 0; k < arrays.inputs; ++k) in.push_back(columns_of(arrays.in[k], launch.count));
  const std::vector<Columns> out = expected(operation, in, launch.count);
  const std::vector<double> values = references(stream, operation, launch);
  CrossCheck result;
  for (std::size_t k = 0; k < out.size(); ++k)
    for (std::size_t c = 0; c < out[k].size(); ++c) {
      const Eigen::Map<const Column> gpu(values.data() + (k * kMaxComponents + c) * launch.count,
                                         static_cast<Eigen::Index>(launch.count));
      const Column apart = (gpu - out[k][c]).abs() / out[k][c].abs().max(1.0);
      result.values += launch.count;
      result.unlike += static_cast<std::size_t>((!(apart <= kAgreement)).count());
      const double worst = apart.maxCoeff<Eigen::PropagateNaN>();
      if (std::isnan(worst) || worst > result.worst) result.worst = worst;
    }
  return result;
}

}  // namespace graft::bench
