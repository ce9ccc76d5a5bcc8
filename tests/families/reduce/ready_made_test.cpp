// Tests reductions of the ready-made callbacks (callbacks/reduce.cuh, arithmetic.cuh) on the host route against plain
// loops over integers: random lengths, places and shapes. And reductions of more elements than 32 bits can count.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "graft/graft.hpp"
#include "support/rotation.hpp"

namespace graft::test {
namespace {

Options on_host() {
  Options options;
  options.routes.required = Route::Host;
  options.host_threads = 0;
  return options;
}

Callback part(const char* file, const std::string& entry) {
  return Callback::file(std::string(GRAFT_SOURCE_DIR "/callbacks/") + file).with_entry("graft::callbacks::" + entry);
}

// A reduction of elements of type T, and the loop that computes it.
template <class T>
struct Ready {
  std::string name;
  ReduceCallbacks callbacks;
  ElementType result;
  std::function<std::int64_t(const std::vector<T>&)> expected;
};

template <class T>
std::vector<Ready<T>> ready_made(const std::string& type) {
  const auto of = [&](const char* name) { return std::string(name) + "<" + type + ">"; };
  const auto place = [](auto better) {
    return [better](const std::vector<T>& x) {
      std::size_t best = 0;
      for (std::size_t i = 1; i < x.size(); ++i)
        if (better(x[i], x[best])) best = i;
      return static_cast<std::int64_t>(best);
    };
  };
  const ElementType element = element_type<T>(), place_type = element_type<unsigned long long>();
  const auto best = [&](const char* combine) {
    return ReduceCallbacks{.map = part("reduce.cuh", of("with_place")),
                           .combine = part("reduce.cuh", of(combine)),
                           .finish = part("reduce.cuh", of("place_of"))};
  };
  const auto nonzero = [](const std::vector<T>& x) {
    return static_cast<std::int64_t>(x.size()) - std::count(x.begin(), x.end(), T(0));
  };
  const Callback is_nonzero = part("reduce.cuh", of("is_nonzero"));
  return {
      {of("minimum"),
       {.combine = part("arithmetic.cuh", of("minimum"))},
       element,
       [](const std::vector<T>& x) { return static_cast<std::int64_t>(*std::min_element(x.begin(), x.end())); }},
      {of("maximum"),
       {.combine = part("arithmetic.cuh", of("maximum"))},
       element,
       [](const std::vector<T>& x) { return static_cast<std::int64_t>(*std::max_element(x.begin(), x.end())); }},
      {of("smaller"), best("smaller"), place_type, place([](T a, T b) { return a < b; })},
      {of("larger"), best("larger"), place_type, place([](T a, T b) { return a > b; })},
      {of("count_nonzero"),
       {.map = part("reduce.cuh", of("count_nonzero")), .combine = part("arithmetic.cuh", "add<unsigned long long>")},
       place_type,
       nonzero},
      {"any of " + type,
       {.map = is_nonzero, .combine = part("reduce.cuh", "either")},
       element_type<bool>(),
       [nonzero](const std::vector<T>& x) { return static_cast<std::int64_t>(nonzero(x) > 0); }},
      {"all of " + type,
       {.map = is_nonzero, .combine = part("reduce.cuh", "both")},
       element_type<bool>(),
       [nonzero](const std::vector<T>& x) {
         return static_cast<std::int64_t>(nonzero(x) == static_cast<std::int64_t>(x.size()));
       }},
  };
}

// Results of any integer type.
class Results {
 public:
  Results(std::size_t count, const ElementType& type) : type_(type), bytes_(count * type.size) {}
  void* data() { return bytes_.data(); }
  std::int64_t at(std::size_t i) const {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes_.data() + i * type_.size, type_.size);
    const unsigned unused = 64 - 8 * type_.size;
    return type_.kind == ElementKind::Signed ? static_cast<std::int64_t>(value << unused) >> unused
                                             : static_cast<std::int64_t>(value);
  }

 private:
  ElementType type_;
  std::vector<unsigned char> bytes_;
};

template <class T>
std::vector<T> numbers(std::size_t count, std::mt19937_64& random) {
  const std::uint64_t kinds = std::array{2, 9, 250}[random() % 3];  // of numbers: few make equals and zeros
  std::vector<T> values(count);
  for (T& value : values)
    value = static_cast<T>(random() % kinds) - static_cast<T>(std::is_signed_v<T> ? kinds / 2 : 0);
  return values;
}

// Rows, columns or all of a matrix that begins anywhere; or segments.
template <class T>
void expect_case(const Ready<T>& ready, const Reduce& reduce, std::mt19937_64& random) {
  const auto upto = [&](std::uint64_t most) { return 1 + random() % (1 + random() % most); };
  const std::size_t down = upto(300), across = upto(300), begin = random() % 4, count = down * across;
  const std::vector<T> all = numbers<T>(begin + count, random);
  const T* const x = all.data() + begin;
  std::vector<std::vector<T>> of_results;
  const int kind = static_cast<int>(random() % 4);
  const ElementType element = element_type<T>();
  const auto take = [&](std::size_t first, std::size_t step, std::size_t number) {
    std::vector<T>& taken = of_results.emplace_back();
    for (std::size_t i = 0; i < number; ++i) taken.push_back(x[first + i * step]);
  };
  const auto matrix = view(x, {static_cast<std::int64_t>(down), static_cast<std::int64_t>(across)});
  std::vector<long long> offsets = {0};
  if (kind == 0) take(0, 1, count);
  if (kind == 1)
    for (std::size_t row = 0; row < down; ++row) take(row * across, 1, across);
  if (kind == 2)
    for (std::size_t column = 0; column < across; ++column) take(column, across, down);
  while (kind == 3 && static_cast<std::size_t>(offsets.back()) < count) {
    const std::size_t first = static_cast<std::size_t>(offsets.back());
    take(first, 1, std::min<std::size_t>(upto(1000), count - first));
    offsets.push_back(offsets.back() + static_cast<long long>(of_results.back().size()));
  }
  Results results(of_results.size(), ready.result);
  const ArrayRef in(x, count, element);
  const std::int64_t column[] = {static_cast<std::int64_t>(down), 1}, row[] = {1, static_cast<std::int64_t>(across)};
  const ArrayRef flat(results.data(), of_results.size(), ready.result);
  if (kind == 0) reduce.execute(host, ArrayRefs(&in, 1), ArrayRefs(&flat, 1));
  if (kind == 1 || kind == 2) {
    const ArrayRef from = matrix,
                   to = ArrayRef::shaped(results.data(), ready.result, 2, kind == 1 ? column : row, nullptr);
    reduce.execute(host, ArrayRefs(&from, 1), ArrayRefs(&to, 1));
  }
  if (kind == 3)
    reduce.execute_segments(host, ArrayRefs(&in, 1),
                            ArrayRef(offsets.data(), offsets.size(), element_type<long long>()), ArrayRefs(&flat, 1));
  for (std::size_t i = 0; i < of_results.size(); ++i)
    ASSERT_EQ(results.at(i), ready.expected(of_results[i])) << "result " << i << " of kind " << kind;
}

template <class T>
void expect_all(const std::string& type) {
  std::mt19937_64 random(type.size());
  for (const Ready<T>& ready : rows_in_turn(ready_made<T>(type), 4)) {
    SCOPED_TRACE(ready.name + ": " + rotation_text());
    const Reduce reduce = Reduce::create(ready.callbacks, on_host());
    for (int i = 0; i < 180 && !testing::Test::HasFailure(); ++i) expect_case(ready, reduce, random);
  }
}

// 28 texts, 180 cases of each: a quarter of them in each run.
TEST(ReadyMadeReductions, AreWhatLoopsCompute) {
  expect_all<int>("int");
  expect_all<unsigned char>("unsigned char");
  expect_all<long long>("long long");
  expect_all<short>("short");
}

// One element that repeats, so that it takes no memory.
TEST(ReadyMadeReductions, CountBeyond32Bits) {
  const Reduce sum = Reduce::create({.map = part("reduce.cuh", "count_nonzero<unsigned char>"),
                                     .combine = part("arithmetic.cuh", "add<unsigned long long>")},
                                    on_host());
  const unsigned char one = 1;
  constexpr std::int64_t kTwoTo31 = std::int64_t{1} << 31;
  for (const std::int64_t count : in_turn(std::array{kTwoTo31 - 1, kTwoTo31, kTwoTo31 + 1}, row_of_test())) {
    SCOPED_TRACE(rotation_text());
    unsigned long long found = 0;
    sum.execute(host, view(&one, {count}, {0}), view(&found, {1}));
    EXPECT_EQ(found, static_cast<unsigned long long>(count));
  }
}

}  // namespace
}  // namespace graft::test
