// Tests the form of a call whose arrays are views (families/form.hpp): a table of shapes as NumPy
// aligns them, and random shapes whose forms must visit the same elements as a loop over the indices of the call.
#include "families/form.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "support/random_views.hpp"

namespace graft::test {
namespace {

using families::CallForm;
using families::Misfit;
using families::Operand;
using testing::HasSubstr;

struct Array {
  std::vector<std::int64_t> shape;
  std::optional<std::vector<std::int64_t>> strides = std::nullopt;
  std::int64_t bytes = 4;

  Operand operand() const {
    return {static_cast<std::uint32_t>(shape.size()), shape.data(), strides ? strides->data() : nullptr, bytes};
  }
};

std::optional<Misfit> form_of(const std::vector<Array>& arrays, std::size_t inputs, CallForm& form,
                              families::IndexOf index = families::IndexOf::Call) {
  std::vector<Operand> operands;
  for (const Array& array : arrays) operands.push_back(array.operand());
  return families::make_form(operands, inputs, index, form);
}

std::string text_of(const CallForm& form, std::size_t arrays) {
  std::string text;
  const auto add = [&](const CallForm::Array& one) {
    text += "; " + std::to_string(one.offset) + ":";
    for (unsigned d = 0; d < form.rank; ++d) text += " " + std::to_string(one.strides[d]);
  };
  for (unsigned d = 0; d < form.rank; ++d) text += (d == 0 ? "" : " x ") + std::to_string(form.extents[d]);
  for (std::size_t k = 0; k < arrays; ++k) add(form.arrays[k]);
  add(form.index);
  return text;
}

TEST(Form, MergesWhatLiesInMemoryLikeOne) {
  struct Row {
    std::vector<Array> arrays;  // the last is the output
    bool has_index;
    const char* text;  // the extents, then the offset and strides of each array and of the index
  };
  for (const Row& row : std::vector<Row>{
           {{{{4, 6}}, {{4, 6}}}, true, "24; 0: 4; 0: 4; 0: 1"},
           {{{{4, 6}, {{8, 1}}}, {{4, 6}}}, true, "6 x 4; 0: 4 32; 0: 4 24; 0: 1 6"},
           {{{{4, 6}, {{8, 1}}}, {{4, 6}, {{8, 1}}}}, true, "6 x 4; 0: 4 32; 0: 4 32; 0: 1 6"},
           {{{{6}}, {{4, 6}}}, true, "6 x 4; 0: 4 0; 0: 4 24; 0: 1 6"},
           {{{{4, 1}}, {{4, 6}}}, true, "6 x 4; 0: 0 4; 0: 4 24; 0: 1 6"},
           {{{Extents{}}, {{4, 6}}}, true, "24; 0: 0; 0: 4; 0: 1"},
           {{{{2, 3, 4, 6}}, {{2, 3, 4, 6}}}, true, "144; 0: 4; 0: 4; 0: 1"},
           {{{{2, 3, 1, 6}}, {{2, 3, 4, 6}}}, true, "6 x 4 x 6; 0: 4 0 24; 0: 4 24 96; 0: 1 6 24"},
           // Both column-major: one dimension if nobody asks for the index.
           {{{{4, 6}, {{1, 4}}}, {{4, 6}, {{1, 4}}}}, false, "24; 0: 4; 0: 4; 0: 1"},
           {{{{4, 6}, {{1, 4}}}, {{4, 6}, {{1, 4}}}}, true, "4 x 6; 0: 4 16; 0: 4 16; 0: 6 1"},
           // The output backwards: turned round, and so is the index.
           {{{{6}}, {{6}, {{-1}}}}, true, "6; 20: -4; -20: 4; 5: -1"},
           {{{{6}, {{-1}}}, {{6}, {{-1}}}}, false, "6; -20: 4; -20: 4; 0: 1"},
           {{{{1, 1}}, {{1, 1}}}, true, "; 0:; 0:; 0:"},
           {{{{3, 4}, {{4, 1}}, 8}, {{3, 4}, {{4, 1}}, 1}}, true, "12; 0: 8; 0: 1; 0: 1"},
       }) {
    CallForm form;
    ASSERT_FALSE(form_of(row.arrays, row.arrays.size() - 1, form,
                         row.has_index ? families::IndexOf::Call : families::IndexOf::None));
    EXPECT_EQ(text_of(form, row.arrays.size()), row.text);
  }
}

// The shapes of NumPy's rules: equal, or 1, or missing.
TEST(Form, AlignsShapesAtTheRight) {
  struct Row {
    std::vector<std::vector<std::int64_t>> inputs;
    std::optional<std::vector<std::int64_t>> call;  // nothing: they do not align
  };
  for (const Row& row : std::vector<Row>{
           {{{}, {}}, Extents{}},
           {{{1}, {}}, {{1}}},
           {{{1}, {3}}, {{3}}},
           {{{1, 3}, {3}}, {{1, 3}}},
           {{{3, 1}, {3}}, {{3, 3}}},
           {{{3, 1}, {3, 3}}, {{3, 3}}},
           {{{1, 1}, {3, 3}}, {{3, 3}}},
           {{{1, 1, 1}, {3, 3}}, {{1, 3, 3}}},
           {{{1}, {3, 3}}, {{3, 3}}},
           {{{1, 3}, {3, 1}}, {{3, 3}}},
           {{{1, 0}, {0, 0}}, {{0, 0}}},
           {{{0}, {1}}, {{0}}},
           {{{0}, {0}}, {{0}}},
           {{{0}, {1, 1}}, {{1, 0}}},
           {{{6, 7}, {5, 6, 1}, {7}, {5, 1, 7}}, {{5, 6, 7}}},
           {{{5, 6, 1}}, {{5, 6, 1}}},
           {{{1, 2}, {3, 1}, {3, 2}}, {{3, 2}}},
           {{{8, 1, 6, 1}, {7, 1, 5}}, {{8, 7, 6, 5}}},
           {{{3}, {4}}, std::nullopt},
           {{{4}, {2, 3}}, std::nullopt},
           {{{2, 3}, {3, 2}}, std::nullopt},
           {{{1, 3}, {3, 3}, {2, 1}}, std::nullopt},
           {{{2}, {3}, {1}}, std::nullopt},
           {{{0}, {3}}, std::nullopt},
           {{{5, 0}, {5, 2}}, std::nullopt},
           {{{1, 3, 4}, {2, 3, 3}}, std::nullopt},
       }) {
    std::vector<Array> arrays;
    std::string shapes;
    for (const auto& shape : row.inputs) {
      arrays.push_back({shape});
      shapes += families::shape_text(arrays.back().operand());
    }
    SCOPED_TRACE(shapes);
    if (row.call) arrays.push_back({*row.call});
    CallForm form;
    const auto misfit = form_of(arrays, row.inputs.size(), form);
    EXPECT_EQ(!misfit, row.call.has_value());
    if (misfit) {
      EXPECT_EQ(misfit->code, ErrorCode::CountMismatch);
      EXPECT_THAT(misfit->what, HasSubstr("counted from the right"));
      continue;
    }
    std::uint64_t count = 1;
    for (const std::int64_t extent : *row.call) count *= static_cast<std::uint64_t>(extent);
    EXPECT_EQ(form.count, count);
  }
}

TEST(Form, RefusesMistakes) {
  constexpr std::int64_t kBig = std::int64_t{1} << 40;
  const std::vector<std::int64_t> nine = {2, 2, 2, 2, 2, 2, 2, 2, 2};
  struct Row {
    std::vector<Array> arrays;
    ErrorCode code;
    std::vector<const char*> words;
  };
  for (const Row& row : std::vector<Row>{
           {{{{2, 3}}, {{4}}}, ErrorCode::CountMismatch, {"input 0", "(2, 3)", "output 0", "(4)", "dimension 1"}},
           {{{{2, 3}}, {{1, 3}}},
            ErrorCode::CountMismatch,
            {"output 0 has the shape (1, 3)", "(2, 3)", "never repeated"}},
           {{{{1, 3}}, {{3}}}, ErrorCode::CountMismatch, {"output 0 has the shape (3)", "(1, 3)"}},
           {{{{3}}, {{3}, {{0}}}}, ErrorCode::Overlap, {"output 0", "stride is 0"}},
           {{{{2, 3}}, {{2, 3}, {{1, 1}}}}, ErrorCode::Overlap, {"several elements in one place"}},
           {{{{2, 3}}, {{2, 3}, {{2, 1}}}}, ErrorCode::Overlap, {"several elements in one place"}},
           {{{{-2}}, {{2}}}, ErrorCode::InvalidArgument, {"input 0", "negative extent"}},
           {{{{}}, {{kBig, kBig}}}, ErrorCode::InvalidArgument, {"2^63 or more elements"}},
           {{{{4}, {{std::int64_t{1} << 61}}}, {{4}}}, ErrorCode::InvalidArgument, {"input 0", "2^60 bytes apart"}},
           {{{{4}, {{std::numeric_limits<std::int64_t>::min()}}, 1}, {{4}}},
            ErrorCode::InvalidArgument,
            {"2^60 bytes"}},
           {{{nine, {{1, 2, 4, 8, 16, 32, 64, 128, 256}}}, {nine}},
            ErrorCode::InvalidArgument,
            {"9 dimensions are left", "a call may have 8"}},
       }) {
    CallForm form;
    const auto misfit = form_of(row.arrays, row.arrays.size() - 1, form);
    ASSERT_TRUE(misfit) << row.words.front();
    EXPECT_EQ(misfit->code, row.code) << misfit->what;
    for (const char* word : row.words) EXPECT_THAT(misfit->what, HasSubstr(word));
    EXPECT_FALSE(misfit->remedy.empty());
  }
  CallForm form;
  EXPECT_TRUE(
      families::make_form(std::vector<Operand>{{65, nine.data(), nullptr, 4}}, 1, families::IndexOf::Call, form));
  EXPECT_FALSE(form_of({{nine}, {nine}}, 1, form));  // nine that merge to one
}

// ---- random shapes ----

using Visit = std::tuple<std::int64_t, std::vector<std::int64_t>>;  // the index, and the byte offset in each array

std::vector<Visit> visits_of(const CallForm& form, std::size_t arrays) {
  std::vector<Visit> visits;
  for (std::uint64_t i = 0; i < form.count; ++i) {
    std::uint64_t rest = i;
    Visit visit{form.index.offset, {}};
    for (std::size_t k = 0; k < arrays; ++k) std::get<1>(visit).push_back(form.arrays[k].offset);
    for (unsigned d = 0; d < form.rank; ++d) {
      const auto place = static_cast<std::int64_t>(rest % form.extents[d]);
      rest /= form.extents[d];
      std::get<0>(visit) += place * form.index.strides[d];
      for (std::size_t k = 0; k < arrays; ++k) std::get<1>(visit)[k] += place * form.arrays[k].strides[d];
    }
    visits.push_back(visit);
  }
  return visits;
}

std::vector<Visit> visits_by_loop(const std::vector<RandomView>& views, const std::vector<std::int64_t>& bytes,
                                  const Extents& call) {
  std::vector<Visit> visits;
  for_each_element(call, [&](std::int64_t index, const Extents& place) {
    Visit visit{index, {}};
    for (std::size_t k = 0; k < views.size(); ++k)
      std::get<1>(visit).push_back((views[k].at(place) - views[k].first) * bytes[k]);
    visits.push_back(visit);
  });
  return visits;
}

Array random_array(const Extents& call, bool is_output, std::mt19937& random) {
  const RandomView view = random_view(call, is_output, random);
  return {view.shape, view.strides, std::int64_t{1} << random() % 4};
}

TEST(Form, RandomShapesVisitTheElementsOfALoop) {
  std::mt19937 random(20261127);
  std::map<unsigned, int> ranks;
  for (int round = 0; round < 10'000; ++round) {
    const Extents call = random_shape(random, 10, 200);
    const std::size_t inputs = random() % 3;
    std::vector<RandomView> views;
    for (std::size_t k = 0; k <= inputs; ++k) views.push_back(random_view(call, k == inputs, random));
    std::vector<Array> arrays;
    std::vector<std::int64_t> bytes;
    for (const RandomView& view : views) {
      bytes.push_back(std::int64_t{1} << random() % 4);
      arrays.push_back({view.shape, view.strides, bytes.back()});
    }
    const bool has_index = random() % 2 == 0;
    CallForm form;
    const auto misfit = form_of(arrays, inputs, form, has_index ? families::IndexOf::Call : families::IndexOf::None);
    ASSERT_FALSE(misfit) << misfit->what;
    ++ranks[form.rank];
    std::vector<Visit> expected = visits_by_loop(views, bytes, call), found;
    if (form.count != 0) found = visits_of(form, arrays.size());
    if (!has_index)  // the form numbers the elements in its own order
      for (std::vector<Visit>* const visits : {&expected, &found})
        for (Visit& visit : *visits) std::get<0>(visit) = 0;
    std::ranges::sort(expected);
    std::ranges::sort(found);
    ASSERT_EQ(found, expected) << "round " << round;
  }
  for (unsigned rank = 0; rank <= 5; ++rank) EXPECT_GT(ranks[rank], 100) << rank;
}

// The reduced dimensions come first, in the order and direction of the call, and their index is that of an element of
// the result.
TEST(Form, ReductionsKeepTheOrderOfWhatTheyReduce) {
  struct Row {
    std::vector<Array> arrays;  // the last is the output
    const char* form;           // extents; then offset and strides of each array, and of the index
    unsigned reduced;
  };
  const Row table[] = {
      {{{{4, 6}, {{8, 1}}}, {{4, 1}}}, "6 x 4; 0: 4 32; 0: 0 4; 0: 1 0", 1},         // rows
      {{{{4, 6}, {{8, 1}}}, {{1, 6}}}, "4 x 6; 0: 32 4; 0: 0 4; 0: 1 0", 1},         // columns
      {{{{4, 6}}, {{1, 1}}}, "24; 0: 4; 0: 0; 0: 1", 1},                             // all, as one dimension
      {{{{4, 6}}, {{}}}, "24; 0: 4; 0: 0; 0: 1", 1},                                 // the same
      {{{{4, 6}, {{-6, -1}}}, {{1}}}, "24; 0: -4; 0: 0; 0: 1", 1},                   // not turned round
      {{{{4, 6}, {{-6, 1}}}, {{4, 1}}}, "6 x 4; 0: 4 -24; 0: 0 4; 0: 1 0", 1},       // nor sorted by the input
      {{{{4, 6}}, {{4, 1}, {{-1, 1}}}}, "6 x 4; 72: 4 -24; -12: 0 4; 0: 1 0", 1},    // the results are
      {{{{2, 3, 5}}, {{1, 3, 1}}}, "5 x 2 x 3; 0: 4 60 20; 0: 0 0 4; 0: 1 5 0", 2},  // two that are apart
      {{{{3}}, {{4, 3}}, {{4, 1}}}, "3 x 4; 0: 4 0; 0: 4 12; 0: 0 4; 0: 1 0", 1},    // an input repeats
      {{{{3}}, {{3}}}, "3; 0: 4; 0: 4; 0: 0", 0},                                    // nothing is reduced
  };
  for (const Row& row : table) {
    CallForm form;
    const auto misfit = form_of(row.arrays, row.arrays.size() - 1, form, families::IndexOf::Result);
    ASSERT_FALSE(misfit) << misfit->what;
    EXPECT_EQ(text_of(form, row.arrays.size()), row.form);
    EXPECT_EQ(form.folded, row.reduced) << row.form;
  }
  CallForm form;
  ASSERT_FALSE(form_of({{{3, 0}}, {{3, 1}}}, 1, form, families::IndexOf::Result));
  EXPECT_EQ(form.count, 0u);
  EXPECT_EQ(form.results, 3u);
}

TEST(Form, DividesByAMultiplication) {
  for (const std::uint32_t extent :
       {1u, 2u, 3u, 5u, 7u, 8u, 641u, 65'537u, 1u << 30, (1u << 30) + 1, (1u << 31) - 1, 1u << 31}) {
    const families::Divider divider = families::divider_of(extent);
    std::mt19937 random(1);
    for (int i = 0; i < 10'000; ++i) {
      std::uint32_t n = static_cast<std::uint32_t>(random()) >> 1;
      if (i < 100) n = static_cast<std::uint32_t>(i);
      else if (i % 2 == 0) n = static_cast<std::uint32_t>(n / extent * extent - (n >= extent ? i % 3 : 0));
      const std::uint64_t high = std::uint64_t{n} * divider.multiplier >> 32;
      ASSERT_EQ((high + n) >> divider.shift, n / extent) << n << " / " << extent;
      ASSERT_LT(high + n, std::uint64_t{1} << 32);
    }
  }
}

// ---- overlap ----

// Whether two arrays have a byte in common, found by listing the bytes.
bool meet(const CallForm& form, std::int64_t a_bytes, std::int64_t b_bytes, std::int64_t distance) {
  std::vector<std::int64_t> of_a, of_b, common;
  for (const Visit& visit : visits_of(form, 2)) {
    const std::int64_t a = std::get<1>(visit)[0] - form.arrays[0].offset;
    const std::int64_t b = std::get<1>(visit)[1] - form.arrays[1].offset + distance;
    for (std::int64_t i = 0; i < a_bytes; ++i) of_a.push_back(a + i);
    for (std::int64_t i = 0; i < b_bytes; ++i) of_b.push_back(b + i);
  }
  std::ranges::sort(of_a);
  std::ranges::sort(of_b);
  std::ranges::set_intersection(of_a, of_b, std::back_inserter(common));
  return !common.empty();
}

TEST(Form, OverlapOfEqualStridesIsExact) {
  std::mt19937 random(7);
  int apart = 0;
  for (int round = 0; round < 4'000; ++round) {
    std::vector<std::int64_t> call(1 + random() % 3);
    for (std::int64_t& extent : call) extent = 2 + static_cast<std::int64_t>(random() % 4);
    Array array = random_array(call, true, random);
    CallForm form;
    ASSERT_FALSE(form_of({array, array}, 1, form));
    const auto distance = static_cast<std::int64_t>(random() % 160) - 80;
    const bool expected = meet(form, array.bytes, array.bytes, distance);
    ASSERT_EQ(families::may_meet(form, 0, array.bytes, 1, array.bytes, distance), expected) << round;
    apart += expected ? 0 : 1;
  }
  EXPECT_GT(apart, 400);
}

TEST(Form, OverlapOfOtherStridesIsExact) {
  std::mt19937 random(8);
  int apart = 0;
  for (int round = 0; round < 4'000; ++round) {
    std::vector<std::int64_t> call(1 + random() % 3);
    for (std::int64_t& extent : call) extent = 2 + static_cast<std::int64_t>(random() % 3);
    const Array a = random_array(call, false, random), b = random_array(call, true, random);
    CallForm form;
    ASSERT_FALSE(form_of({a, b}, 1, form));
    const auto distance = static_cast<std::int64_t>(random() % 400) - 200;
    const bool may = families::may_meet(form, 0, a.bytes, 1, b.bytes, distance);
    if (!may) ++apart;
    ASSERT_EQ(may, meet(form, a.bytes, b.bytes, distance)) << round;
  }
  EXPECT_GT(apart, 400);
}

// What people do with parts of one array of 8 x 10 floats.
TEST(Form, PartsOfOneArrayAreApart) {
  struct Row {
    const char* what;
    Array a, b;
    std::int64_t distance;  // in elements
    bool may;
  };
  for (const Row& row : std::vector<Row>{
           {"left and right half", {{8, 5}, {{10, 1}}}, {{8, 5}, {{10, 1}}}, 5, false},
           {"even and odd columns", {{8, 5}, {{10, 2}}}, {{8, 5}, {{10, 2}}}, 1, false},
           {"even and odd rows", {{4, 10}, {{20, 1}}}, {{4, 10}, {{20, 1}}}, 10, false},
           {"upper and lower half", {{4, 10}}, {{4, 10}}, 40, false},
           {"one column further", {{8, 9}, {{10, 1}}}, {{8, 9}, {{10, 1}}}, 1, true},
           {"one row further", {{7, 10}}, {{7, 10}}, 10, true},
           {"transposed in place", {{8, 8}, {{1, 8}}}, {{8, 8}}, 0, true},
           {"a row and all", {{10}}, {{8, 10}}, 0, true},
           {"a scale in the padding of each row", {{4, 1}, {{8, 1}}}, {{4, 7}, {{8, 1}}}, -7, false},
           {"the left half transposed into the right one", {{4, 4}, {{1, 8}}}, {{4, 4}, {{8, 1}}}, 4, false},
           {"the row in front", {{10}}, {{8, 10}}, 10, false},
       }) {
    CallForm form;
    ASSERT_FALSE(form_of({row.a, row.b}, 1, form)) << row.what;
    EXPECT_EQ(families::may_meet(form, 0, 4, 1, 4, row.distance * 4), row.may) << row.what;
  }
}

}  // namespace
}  // namespace graft::test
