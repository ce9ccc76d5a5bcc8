// Tests the reader of tuning files: what graft writes is read again, and every damage is refused with a reason.
#include "format/tuning_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace graft::format {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TuningFile example_of_tuning() {
  return {.gpu = {"NVIDIA \"H200\"/x", 3'201'000},
          .architecture = 90,
          .elementwise = {{{.inputs = {2}, .outputs = {2}, .long_math = true},
                           {.vector_width = 8, .vectors_per_thread = 4, .block_threads = 64, .single_below = 1 << 23}},
                          {{.inputs = {}, .outputs = {1, 8}, .short_integers = true}, {.vector_width = 16}}}};
}

std::string refusal_of_tuning(const std::string& text) {
  const Outcome<TuningFile> found = read_tuning_file(text);
  return found ? "" : found.error().message;
}

TEST(TuningFile, IsReadAsItWasWritten) {
  const Outcome<TuningFile> found = read_tuning_file(write_tuning_file(example_of_tuning()));
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(*found, example_of_tuning());
  TuningFile empty = example_of_tuning();
  empty.elementwise.clear();
  const Outcome<TuningFile> without_rows = read_tuning_file(write_tuning_file(empty));
  ASSERT_TRUE(without_rows) << without_rows.error().message;
  EXPECT_EQ(*without_rows, empty);
}

TEST(TuningFile, KeepsTheRowsOfOtherFamilies) {
  TuningFile file = example_of_tuning();
  file.further = {{"sum", {R"({"length":4096,"radices":[[16,16,16]],"work":"complex"})", "{}"}}, {"window", {}}};
  const std::string text = write_tuning_file(file);
  EXPECT_THAT(text, HasSubstr(",\n  \"sum\": [\n    {\"length\":4096,"));
  const Outcome<TuningFile> found = read_tuning_file(text);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(*found, file);
  json whole = json::parse(text);
  whole["sum"].push_back(1);
  EXPECT_THAT(refusal_of_tuning(whole.dump()), HasSubstr("`sum` is no list of at most 1000 rows"));
  whole["sum"] = std::vector<json>(kMostRowsOfTuning + 1, json::object());
  EXPECT_THAT(refusal_of_tuning(whole.dump()), HasSubstr("`sum` is no list of at most 1000 rows"));
  whole["sum"] = json::array({json{{"a", json::parse("[[[[1]]]]")}}});
  EXPECT_THAT(refusal_of_tuning(whole.dump()), HasSubstr("it is no JSON of a tuning file")) << "nested too deeply";
  whole.erase("sum");
  whole["Sum"] = json::array();
  EXPECT_THAT(refusal_of_tuning(whole.dump()), HasSubstr("a member that graft does not know"));
}

// 1e5 becomes 100000.0, so that the file that graft would write is larger than the one that it read.
TEST(TuningFile, IsBoundedAsGraftWritesIt) {
  std::string numbers = "[";
  while (numbers.size() < kLargestTuningFile * 3 / 4) numbers += "1e5,";
  std::string text = write_tuning_file(example_of_tuning());
  text.resize(text.size() - 3);
  text += ",\"sum\":[{\"a\":" + numbers + "1]}]}";
  ASSERT_LT(text.size(), kLargestTuningFile);
  EXPECT_THAT(refusal_of_tuning(text), HasSubstr("at most 1048576 bytes"));
}

TEST(TuningFile, HasARowOnEachLine) {
  const std::string text = write_tuning_file(example_of_tuning());
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 10);
  EXPECT_THAT(text, HasSubstr("{\n  \"graft_tuning\": 1,\n"));
}

TEST(TuningFile, IsRefusedWhenCutOff) {
  const std::string text = write_tuning_file(example_of_tuning());
  for (std::size_t length = 0; length + 2 < text.size(); ++length)
    EXPECT_NE(refusal_of_tuning(text.substr(0, length)), "") << length;
}

TEST(TuningFile, IsRefusedWithoutAMember) {
  const json whole = json::parse(write_tuning_file(example_of_tuning()));
  for (const auto& [name, value] : whole.items()) {
    json without = whole;
    without.erase(name);
    EXPECT_THAT(refusal_of_tuning(without.dump()), HasSubstr("`" + name + "`"));
  }
  for (const auto& [name, value] : whole["elementwise"][0].items()) {
    json without = whole;
    without["elementwise"][0].erase(name);
    EXPECT_THAT(refusal_of_tuning(without.dump()), HasSubstr("row 1 of `elementwise` has no member `" + name + "`"));
  }
}

TEST(TuningFile, IsRefusedWithAWrongValue) {
  const json whole = json::parse(write_tuning_file(example_of_tuning()));
  const json wrong[] = {nullptr, -1, 1.5, "1", json::array({"x"}), json::object(), 1e300, 1ull << 63, 1 << 30, 3};
  for (const auto& [name, value] : whole.items())
    for (const json& other : wrong) {
      json changed = whole;
      changed[name] = other;
      // The only values that are right somewhere: a text, a clock in kHz, and a version, which is then a later one.
      const bool is_right =
          (name == "gpu" && other.is_string()) || (name == "memory_clock_khz" && (other == 3 || other == 1 << 30));
      EXPECT_EQ(refusal_of_tuning(changed.dump()).empty(), is_right) << name << " " << other;
    }
  for (const auto& [name, value] : whole["elementwise"][0].items())
    for (const json& other : wrong) {
      json changed = whole;
      changed["elementwise"][0][name] = other;
      const bool is_right = name == "single_below" && (other == 3 || other == 1 << 30);
      EXPECT_EQ(refusal_of_tuning(changed.dump()).empty(), is_right) << name << " " << other;
    }
}

TEST(TuningFile, IsRefusedWithWhatALaterGraftMayHaveWritten) {
  json later = json::parse(write_tuning_file(example_of_tuning()));
  later["graft_tuning"] = 2;
  later["more"] = 1;
  const Outcome<TuningFile> found = read_tuning_file(later.dump());
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().flaw, Flaw::Newer);
  later["graft_tuning"] = 1;
  EXPECT_THAT(refusal_of_tuning(later.dump()), HasSubstr("a member that graft does not know"));
  later.erase("more");
  later["elementwise"][1]["fft"] = true;
  EXPECT_THAT(refusal_of_tuning(later.dump()), HasSubstr("row 2 of `elementwise` has a member"));
}

TEST(TuningFile, HasNoKindTwice) {
  json twice = json::parse(write_tuning_file(example_of_tuning()));
  twice["elementwise"].push_back(twice["elementwise"][0]);
  twice["elementwise"][2]["vector_width"] = 4;
  EXPECT_THAT(refusal_of_tuning(twice.dump()), HasSubstr("row 3 of `elementwise` is of the same kind"));
}

TEST(TuningFile, IsBounded) {
  EXPECT_NE(refusal_of_tuning(std::string(kLargestTuningFile + 1, ' ')), "");
  EXPECT_NE(refusal_of_tuning(std::string(kLargestTuningFile, '[')), "");
  EXPECT_NE(refusal_of_tuning(std::string(1000, '[') + std::string(1000, ']')), "");
  TuningFile many = example_of_tuning();
  many.elementwise.clear();
  for (int i = 1; i <= kMostRowsOfTuning + 1; ++i) many.elementwise.push_back({{.inputs = {i}, .outputs = {1}}, {}});
  EXPECT_THAT(refusal_of_tuning(write_tuning_file(many)), HasSubstr("at most 1000 rows"));
  many.elementwise.pop_back();
  EXPECT_EQ(refusal_of_tuning(write_tuning_file(many)), "");
  many.elementwise.front().kind.inputs.assign(25, 1);
  EXPECT_THAT(refusal_of_tuning(write_tuning_file(many)), HasSubstr("at most 24 numbers"));
}

TEST(TuningFile, IsNamedAfterTheGpu) {
  EXPECT_EQ(tuning_file_name({"NVIDIA H200", 3'201'000}), "NVIDIA_H200_3201000.json");
  EXPECT_EQ(tuning_file_name({"../a\n", 0}), "___a__0.json");
  EXPECT_LT(tuning_file_name({std::string(100'000, 'x'), 1}).size(), 200u);
}

}  // namespace
}  // namespace graft::format
