// Values of a formula's type as bytes: read from text, and compared by units in the last place.
#pragma once

#include <cuda_fp16.h>

#include <complex>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "formula/values/columns.hpp"
#include "formula/values/numpy_values.hpp"

namespace graft::test {

template <class T>
T value_of_text(const std::string& text) {
  if constexpr (std::is_same_v<T, float>) return std::strtof(text.c_str(), nullptr);
  else if constexpr (std::is_same_v<T, double>) return std::strtod(text.c_str(), nullptr);
  else if constexpr (std::is_same_v<T, __half>) return __float2half_rn(std::strtof(text.c_str(), nullptr));
  else if constexpr (std::is_same_v<T, unsigned long long>) return std::strtoull(text.c_str(), nullptr, 10);
  else return static_cast<T>(std::strtoll(text.c_str(), nullptr, 10));
}
// "1.5,-2"
template <class T>
std::complex<T> complex_of_text(const std::string& text) {
  const std::size_t comma = text.find(',');
  return {value_of_text<T>(text.substr(0, comma)), value_of_text<T>(text.substr(comma + 1))};
}

// How far a result is from what it should be, in units in the last place; 0 or infinitely far for integers. The error
// of a complex number is that of the whole number.
template <class T>
double error_of_value(T got, T wanted) {
  return got == wanted ? 0 : HUGE_VAL;
}
inline double error_of_value(float got, float wanted) {
  return distance(got, wanted);
}
inline double error_of_value(double got, double wanted) {
  return distance(got, wanted);
}
inline double error_of_value(__half got, __half wanted) {
  const float a = __half2float(got), b = __half2float(wanted);
  if (std::isfinite(a) && std::isfinite(b) && std::abs(b) < 0x1p-14f) return std::abs(a - b) / 0x1p-24f;  // subnormal
  return distance(a, b) / (1 << 13);
}
template <class T>
double error_of_value(std::complex<T> got, std::complex<T> wanted) {
  return std::abs(got - wanted) /
         (std::abs(wanted) * std::numeric_limits<T>::epsilon() + std::numeric_limits<T>::min());
}

// Calls `use` with a function from text to value, for the type of this short name.
template <class Use>
auto with_type(std::string_view type, const Use& use) {
  if (type == "bool" || type == "u8") return use(value_of_text<std::uint8_t>);
  if (type == "i8") return use(value_of_text<std::int8_t>);
  if (type == "i16") return use(value_of_text<std::int16_t>);
  if (type == "i32") return use(value_of_text<std::int32_t>);
  if (type == "i64") return use(value_of_text<long long>);
  if (type == "u16") return use(value_of_text<std::uint16_t>);
  if (type == "u32") return use(value_of_text<std::uint32_t>);
  if (type == "u64") return use(value_of_text<unsigned long long>);
  if (type == "f16") return use(value_of_text<__half>);
  if (type == "f32") return use(value_of_text<float>);
  if (type == "f64") return use(value_of_text<double>);
  if (type == "c64") return use(complex_of_text<float>);
  if (type == "c128") return use(complex_of_text<double>);
  throw std::runtime_error("no type " + std::string(type));
}

inline ByteArray bytes_of_texts(std::string_view type, const std::vector<std::string>& texts) {
  return with_type(type, [&](auto* read) {
    std::vector<decltype(read(std::string()))> values;
    for (const std::string& text : texts) values.push_back(read(text));
    return bytes_of(values);
  });
}

// The error of each value.
inline std::vector<double> errors_of_values(std::string_view type, const ByteArray& got,
                                            const std::vector<std::string>& texts) {
  return with_type(type, [&](auto* read) {
    using T = decltype(read(std::string()));
    const std::vector<T> values = values_of<T>(got);
    std::vector<double> errors(texts.size(), HUGE_VAL);
    for (std::size_t i = 0; i < std::min(values.size(), texts.size()); ++i)
      errors[i] = error_of_value(values[i], read(texts[i]));
    return errors;
  });
}

inline std::vector<ByteArray> inputs_of(const NumpyGroup& group) {
  const FormulaVariables variables = formula_variables(group.variables);
  std::vector<ByteArray> inputs;
  for (std::size_t k = 0; k < variables.inputs.size(); ++k)
    inputs.push_back(bytes_of_texts(formulas::name(*formulas::type_of(variables.inputs[k].type)), group.inputs.at(k)));
  return inputs;
}

// Expects the values of a row, within the units that it allows.
inline void expect_values(const NumpyGroup& group, std::size_t k, const ByteArray& got, std::string_view route) {
  const NumpyRow& row = group.rows.at(k);
  const std::vector<double> errors = errors_of_values(row.type, got, row.values);
  ASSERT_EQ(errors.size(), group.inputs.at(0).size());
  for (std::size_t i = 0; i < errors.size(); ++i)
    if (!(errors[i] <= row.ulps))  // of a nan, no comparison is true
      ADD_FAILURE() << route << ": " << group.variables << ": " << row.text << " of element " << i << " ("
                    << group.inputs[0][i] << ", " << group.inputs.at(1)[i] << ") is not " << row.values[i] << ": "
                    << errors[i] << " ulps";
}

}  // namespace graft::test
