// Many functions in one callback, whose state chooses one of them, so that a compiler starts once for hundreds:
//
//     struct AnyValue { unsigned long long low, high; };
//     __device__ AnyValue chosen(float x, const int& which) { switch (which) { case 0: return any_value(f0(x)); ... } }
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "base/format.hpp"
#include "graft/callback.hpp"

namespace graft::test {

// The bytes of a result, of which the function's value has the first.
inline constexpr std::size_t kAnyValueBytes = 16;

// `text` defines the functions; the calls use the parameters: "f0(x)".
inline Callback chosen_of(const std::string& text, const std::string& parameters,
                          const std::vector<std::string>& calls) {
  std::string all =
      "struct AnyValue { unsigned long long low, high; };\n"
      "template <class T> static __device__ AnyValue any_value(T value) {\n"
      "  AnyValue any = {};\n"
      "  memcpy(&any, &value, sizeof value);\n"
      "  return any;\n"
      "}\n" +
      text;
  base::append(all, "__device__ AnyValue chosen({}, const int& which) {{\n  switch (which) {{\n", parameters);
  for (std::size_t k = 0; k < calls.size(); ++k) base::append(all, "    case {}: return any_value({});\n", k, calls[k]);
  return Callback(all + "  }\n  return AnyValue();\n}\n").with_entry("chosen");
}

// The state that chooses a function.
inline std::vector<std::byte> choice_of(std::size_t function) {
  const int which = static_cast<int>(function);
  std::vector<std::byte> state(sizeof which);
  std::memcpy(state.data(), &which, sizeof which);
  return state;
}

// The values of `size` bytes, without the rest of each result.
inline std::vector<std::byte> values_of_results(const std::vector<std::byte>& results, std::size_t size) {
  std::vector<std::byte> values(results.size() / kAnyValueBytes * size);
  for (std::size_t i = 0; i < values.size() / size; ++i)
    std::memcpy(&values[i * size], &results[i * kAnyValueBytes], size);
  return values;
}

}  // namespace graft::test
