// A table of callbacks of the kinds that public code has. Each row has a callback's text, random inputs, and a
// reference in C++ that computes the same on the host in another way. For example:
//
//     table.add("celu", "float(float)", R"(
//       __device__ float celu(float x) { return x > 0 ? x : expm1f(x); })",
//               from(reals(-5, 5)), [](float x) { return x > 0 ? x : float(std::exp(double(x)) - 1); }, within(1e-6));
//
// The files beside this one hold the rows, one file for each kind. callbacks_table_test builds each row on every route
// and runs it on the host; tests/gpu runs it on a GPU; docs/tables/callbacks.md is this table printed.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "graft/graft.hpp"

namespace graft::test::table {

// ---- random inputs ----

using Random = std::mt19937_64;

// A generator is a function object that makes one element from a Random.

inline auto reals(double low, double high) {
  return [=](Random& random) { return static_cast<float>(std::uniform_real_distribution<double>(low, high)(random)); };
}
inline auto doubles(double low, double high) {
  return [=](Random& random) { return std::uniform_real_distribution<double>(low, high)(random); };
}
// Integers from `low` to `high`, both included.
template <class T>
auto integers(long long low, long long high) {
  return [=](Random& random) { return static_cast<T>(std::uniform_int_distribution<long long>(low, high)(random)); };
}
// Elements of random bytes. For integers, these are all values with equal probability.
template <class T>
auto any() {
  return [](Random& random) {
    T value;
    auto* bytes = reinterpret_cast<unsigned char*>(&value);
    for (std::size_t i = 0; i < sizeof(T); ++i) bytes[i] = static_cast<unsigned char>(random());
    return value;
  };
}
// Structs of floats, each uniform in [low, high).
template <class T>
auto vectors(double low, double high) {
  static_assert(sizeof(T) % sizeof(float) == 0);
  return [=](Random& random) {
    T value;
    for (std::size_t i = 0; i < sizeof(T); i += sizeof(float)) {
      const float part = reals(low, high)(random);
      std::memcpy(reinterpret_cast<unsigned char*>(&value) + i, &part, sizeof part);
    }
    return value;
  };
}
inline auto halves(double low, double high) {
  return [=](Random& random) { return __float2half(reals(low, high)(random)); };
}
inline auto bfloats(double low, double high) {
  return [=](Random& random) { return __float2bfloat16(reals(low, high)(random)); };
}

// The generators of a callback's inputs, in order.
template <class... Generators>
std::tuple<Generators...> from(Generators... generators) {
  return {generators...};
}

// ---- comparing outputs ----

// How far an output may be from its reference: |output - reference| <= relative * |reference| + absolute for each
// number of an element. For integers, `relative` does not count. If both are 0, the bytes must be equal.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
  bool is_exact() const { return relative == 0 && absolute == 0; }
};
inline constexpr Tolerance exactly{};
constexpr Tolerance within(double relative_and_absolute) {
  return {relative_and_absolute, relative_and_absolute};
}
constexpr Tolerance within(double relative, double absolute) {
  return {relative, absolute};
}

// The type of the numbers in an element of type T. A struct of equal numbers names their type: `using Scalar = float;`.
template <class T>
struct ScalarOf {
  using type = T;
};
template <class T>
requires requires {
  typename T::Scalar;
}
struct ScalarOf<T> {
  using type = typename T::Scalar;
};
template <class T>
struct ScalarOf<std::complex<T>> {
  using type = T;
};

template <class S>
double number_at(const std::byte* bytes) {
  S value;
  std::memcpy(&value, bytes, sizeof value);
  return static_cast<double>(static_cast<std::conditional_t<std::is_arithmetic_v<S>, S, float>>(value));
}

// How to read the numbers in an element. `read` is null if an element is not made of numbers.
struct Numbers {
  std::size_t size = 0;
  bool are_integers = false;
  double (*read)(const std::byte*) = nullptr;

  template <class T>
  static Numbers of() {
    using S = typename ScalarOf<T>::type;
    if constexpr (std::is_arithmetic_v<S> || std::is_same_v<S, __half> || std::is_same_v<S, __nv_bfloat16>)
      return {sizeof(S), std::is_integral_v<S>, &number_at<S>};
    else return {};
  }
};

// One array without its C++ type.
struct Column {
  ElementType type;
  Numbers numbers;
  std::vector<std::byte> bytes;

  template <class T>
  static Column of(std::size_t count) {
    return {element_type<T>(), Numbers::of<T>(), std::vector<std::byte>(count * sizeof(T))};
  }
  template <class T>
  void put(std::size_t i, const T& value) {
    std::memcpy(bytes.data() + i * sizeof(T), static_cast<const void*>(&value), sizeof(T));
  }
  // Fills the column with copies of its first elements.
  void repeat(std::size_t first_elements) {
    for (std::size_t i = first_elements * type.size; i < bytes.size(); ++i)
      bytes[i] = bytes[i - first_elements * type.size];
  }
  std::size_t count() const { return bytes.size() / type.size; }
};

// Returns the first element of `found` that is further from `expected` than `tolerance` allows, as text, or an empty
// text if there is none.
std::string difference(const Column& expected, const std::vector<std::byte>& found, const Tolerance& tolerance);

// ---- rows ----

struct Sample {
  std::vector<Column> inputs;
  std::vector<Column> outputs;  // what the reference computes from the inputs
};

// Memory that the callback can read: the host's for the host route, else the GPU's.
class Memory {
 public:
  virtual ~Memory() = default;
  template <class T>
  T* copy(const std::vector<T>& values) {
    return static_cast<T*>(copy_bytes(values.data(), values.size() * sizeof(T)));
  }

 private:
  virtual void* copy_bytes(const void* bytes, std::size_t size) = 0;
};

// A route that cannot make this callback's kernel. Each text must be in the part of the Error that it is named after;
// `says` in the message or the log.
struct Refusal {
  std::vector<Route> routes;
  ErrorCode code;
  std::string_view says;
  std::string_view remedy;
};

struct Row {
  std::string kind;
  std::string name;
  std::string signature;  // as graft reads it from the source, without_versions
  std::string text;       // the callback's CUDA C++
  Tolerance tolerance;
  std::function<Sample(std::size_t count, unsigned seed)> sample;
  std::string entry_point = {};  // empty if the text defines one function
  CppStandard cpp_standard = CppStandard::Cpp17;
  std::vector<std::string> remaining_calls = {};  // in the kernels of routes that inline the callback
  bool needs_toolkit_folder = false;              // on the host route, which has no folder of headers itself
  std::vector<Refusal> refusals = {};
  ElementType state_type = {};
  std::function<std::vector<std::byte>(Memory&)> state_bytes = {};  // null if the callback has no state

  Row& entry(std::string name_of_function) {
    entry_point = std::move(name_of_function);
    return *this;
  }
  Row& standard(CppStandard its_standard) {
    cpp_standard = its_standard;
    return *this;
  }
  // A helper that no compiler can inline.
  Row& calls(std::string helper) {
    remaining_calls.push_back(std::move(helper));
    return *this;
  }
  // The text includes headers of the toolkit that graft does not carry.
  Row& includes_toolkit_headers() {
    needs_toolkit_folder = true;
    return *this;
  }
  Row& refused(Refusal refusal) {
    refusals.push_back(std::move(refusal));
    return *this;
  }
  // The state, or a function that makes the state, for a state that points to memory: S(Memory&).
  template <class S>
  Row& state(const S& value) {
    if constexpr (std::is_invocable_v<S, Memory&>) {
      state_type = element_type<std::invoke_result_t<S, Memory&>>();
      state_bytes = [=](Memory& memory) { return bytes_of(value(memory)); };
    } else {
      state_type = element_type<S>();
      state_bytes = [=](Memory&) { return bytes_of(value); };
    }
    return *this;
  }

  Callback callback() const;
  Options options_for(Route route) const;        // requires the route
  const Refusal* refusal_on(Route route) const;  // null if the route serves the callback

 private:
  template <class S>
  static std::vector<std::byte> bytes_of(const S& value) {
    const auto* first = reinterpret_cast<const std::byte*>(&value);
    return {first, first + sizeof(S)};
  }
};

template <class Result>
struct Outputs {
  static std::vector<Column> columns(std::size_t count) { return {Column::of<Result>(count)}; }
  static void put(std::vector<Column>& columns, std::size_t i, const Result& result) { columns[0].put(i, result); }
};
template <class... Results>
struct Outputs<std::tuple<Results...>> {
  static std::vector<Column> columns([[maybe_unused]] std::size_t count) { return {Column::of<Results>(count)...}; }
  static void put(std::vector<Column>& columns, std::size_t i, const std::tuple<Results...>& results) {
    std::size_t k = 0;
    std::apply([&](const auto&... result) { (columns[k++].put(i, result), ...); }, results);
  }
};

// Samples of callbacks that do not take the index repeat after this many elements: some references are slow.
inline constexpr std::size_t kPeriod = 4099;

class Table {
 public:
  void begin_kind(std::string kind) { kind_ = std::move(kind); }

  // `reference` takes one element of each input, and the Index if it wants to. It returns the output, or a tuple of all
  // outputs.
  template <class... Generators, class Reference>
  Row& add(std::string name, std::string signature, std::string text, std::tuple<Generators...> generators,
           Reference reference, Tolerance tolerance = exactly) {
    auto sample = [=](std::size_t count, unsigned seed) { return make_sample(count, seed, generators, reference); };
    return rows_.emplace_back(Row{kind_, std::move(name), std::move(signature), std::move(text), tolerance, sample});
  }

  const std::vector<Row>& rows() const { return rows_; }

 private:
  template <class... Generators, class Reference>
  static Sample make_sample(std::size_t count, unsigned seed, const std::tuple<Generators...>& generators,
                            const Reference& reference) {
    using Elements = std::tuple<std::invoke_result_t<const Generators&, Random&>...>;
    constexpr bool takes_index =
        std::is_invocable_v<const Reference&, std::invoke_result_t<const Generators&, Random&>..., Index>;
    Random random(seed);
    const auto call = [&](const Elements& elements, [[maybe_unused]] Index i) {
      return std::apply(
          [&](const auto&... x) {
            if constexpr (takes_index) return reference(x..., i);
            else return reference(x...);
          },
          elements);
    };
    using All = Outputs<std::invoke_result_t<decltype(call), const Elements&, Index>>;
    Sample sample = {Outputs<Elements>::columns(count), All::columns(count)};
    const std::size_t period = takes_index ? count : std::min(count, kPeriod);
    for (std::size_t i = 0; i < period; ++i) {
      const auto elements = std::apply([&](const auto&... make) { return Elements{make(random)...}; }, generators);
      Outputs<Elements>::put(sample.inputs, i, elements);
      All::put(sample.outputs, i, call(elements, Index{i}));
    }
    for (Column& column : sample.inputs) column.repeat(period);
    for (Column& column : sample.outputs) column.repeat(period);
    return sample;
  }

  std::string kind_;
  std::vector<Row> rows_;
};

// The whole table, made once.
const std::vector<Row>& all_rows();

inline constexpr Route kRoutes[] = {Route::Lto, Route::Program, Route::Ptx, Route::Indirect, Route::Host};

// Removes the versions in the names of namespaces: cuda::std::__4::complex becomes cuda::std::complex.
std::string without_versions(std::string signature);

// Runs `make`, which makes the row's kernel on a route that refuses it, and checks the refusal's words.
void expect_refused(const Refusal& refusal, const std::function<void()>& make);

// The tables of docs/tables/callbacks.md.
std::string page();

// Each adds the rows of one kind.
void add_activations(Table& table);
void add_special_functions(Table& table);
void add_colours(Table& table);
void add_random_numbers(Table& table);
void add_hashes(Table& table);
void add_quantisations(Table& table);
void add_halves(Table& table);
void add_complex_numbers(Table& table);
void add_look_ups(Table& table);
void add_dates(Table& table);
void add_geometry(Table& table);
void add_bit_tricks(Table& table);
void add_integers(Table& table);
void add_structs(Table& table);
void add_forms(Table& table);

}  // namespace graft::test::table
