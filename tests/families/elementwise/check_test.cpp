// Checks which arguments a launch refuses, with which error code and message. These checks are the only protection
// against out-of-bounds accesses on the GPU, so each kind of mistake has a row in the table.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <ostream>
#include <vector>

#include "families/elementwise/geometries.hpp"
#include "graft/error.hpp"
#include "support/errors.hpp"

namespace graft::test {
namespace {

using testing::HasSubstr;

struct Given {
  std::vector<ArrayRef> inputs;
  std::vector<ArrayRef> outputs;
  const void* state = nullptr;
  ElementType state_type = {};

  std::size_t check(const elementwise::LaunchGeometry& geometry) const {
    return elementwise::check(geometry, {inputs, outputs, state, state_type});
  }
};

// Returns the error of a refused launch. Fails the test when the launch is accepted.
Error refusal(const elementwise::LaunchGeometry& geometry, const Given& given) {
  try {
    given.check(geometry);
  } catch (const Error& error) {
    EXPECT_THAT(error.message(), HasSubstr("graft_transform_f (" + geometry.signature + ")"));
    EXPECT_FALSE(error.remedy().empty());
    return error;
  }
  ADD_FAILURE() << "accepted";
  return Error(ErrorCode::InvalidArgument, {});
}

struct Pair {
  float x, y;
};
struct alignas(8) AlignedPair {
  float x, y;
};

const int kState = 0;

struct Refusal {
  const char* name;
  elementwise::LaunchGeometry geometry;
  Given given;
  ErrorCode code;
  std::vector<const char*> words;
};

void PrintTo(const Refusal& refusal, std::ostream* out) {
  *out << refusal.name;
}

class LaunchRefuses : public testing::TestWithParam<Refusal> {};

TEST_P(LaunchRefuses, WithTheReason) {
  const Error error = refusal(GetParam().geometry, GetParam().given);
  EXPECT_EQ(error.code(), GetParam().code);
  for (const char* words : GetParam().words) EXPECT_THAT(error.what(), HasSubstr(words));
}

const elementwise::LaunchGeometry kBinary = geometry_of<float(float, int)>();
const elementwise::LaunchGeometry kStateful = geometry_of<float(float, const int&)>();
const elementwise::LaunchGeometry kTwoOutputs = geometry_of<float(float, double&)>();
const ArrayRef kFloats = array_at<float>(0x10000, 100);
const ArrayRef kInts = array_at<int>(0x20000, 100);
const ArrayRef kOut = array_at<float>(0x30000, 100);
const ArrayRef kUnaligned = array_at<int>(0x20002, 100);
const ArrayRef kNull = array_at<int>(0, 100);

INSTANTIATE_TEST_SUITE_P(
    Cases, LaunchRefuses,
    testing::Values(
        Refusal{"TooFewInputs",
                kBinary,
                {{kFloats}, {kOut}},
                ErrorCode::CountMismatch,
                {"takes 2 input and 1 output arrays", "given 1 and 1", "graft::inputs"}},
        Refusal{
            "TooManyOutputs", kBinary, {{kFloats, kInts}, {kOut, kOut}}, ErrorCode::CountMismatch, {"given 2 and 2"}},
        Refusal{"ShorterInput",
                kBinary,
                {{kFloats, array_at<int>(0x20000, 99)}, {kOut}},
                ErrorCode::CountMismatch,
                {"input 0 has 100 elements", "input 1 has 99"}},
        Refusal{"LongerOutput",
                kBinary,
                {{kFloats, kInts}, {array_at<float>(0x30000, 101)}},
                ErrorCode::CountMismatch,
                {"output 0 has 101", "equal length", "A span passes a part"}},
        Refusal{"AScalarAsAnInput",
                kBinary,
                {{kFloats, array_at<int>(0x20000, 1)}, {kOut}},
                ErrorCode::CountMismatch,
                {"input 0 has 100 elements, but input 1 has 1", "graft::view", "A scalar is the callback's state"}},
        Refusal{"ASumAsTheOutput",
                kBinary,
                {{kFloats, kInts}, {array_at<float>(0x30000, 1)}},
                ErrorCode::CountMismatch,
                {"input 0 has 100 elements, but output 0 has 1", "computes no sums or other reductions"}},
        Refusal{"WrongInput",
                kBinary,
                {{kFloats, kFloats}, {kOut}},
                ErrorCode::TypeMismatch,
                {"input 1 holds float", "takes int32", "nothing is converted"}},
        Refusal{"WrongSign",
                kBinary,
                {{kFloats, array_at<unsigned>(0x20000, 100)}, {kOut}},
                ErrorCode::TypeMismatch,
                {"input 1 holds uint32"}},
        Refusal{"WrongOutput",
                kTwoOutputs,
                {{kFloats}, {kOut, kOut}},
                ErrorCode::TypeMismatch,
                {"output 1 holds float", "takes double"}},
        // The alignments of classes are not compared, but the pointer must have that of the callback's.
        Refusal{"PointerThatOnlyAnotherAlignmentOfAClassAllows",
                geometry_of<AlignedPair(AlignedPair)>(),
                {{array_at<Pair>(0x10004, 9)}, {array_at<AlignedPair>(0x20000, 9)}},
                ErrorCode::Misaligned,
                {"input 0"}},
        Refusal{"TypeIsLookedAtEvenWithoutElements",
                kBinary,
                {{array_at<double>(0, 0), kInts}, {kOut}},
                ErrorCode::TypeMismatch,
                {"input 0 holds double"}},
        Refusal{"StateMissing",
                kStateful,
                {{kFloats}, {kOut}},
                ErrorCode::TypeMismatch,
                {"its state of 4 bytes is missing", "last argument"}},
        Refusal{"StateUnasked",
                kTwoOutputs,
                {{kFloats}, {kOut, array_at<double>(0x40000, 100)}, &kState, element_type<int>()},
                ErrorCode::TypeMismatch,
                {"it has no state"}},
        Refusal{"StateOfAnotherSize",
                kStateful,
                {{kFloats}, {kOut}, &kState, element_type<double>()},
                ErrorCode::TypeMismatch,
                {"has 4 bytes, but 8 bytes were given"}},
        Refusal{"StateOfAnotherKind",
                kStateful,
                {{kFloats}, {kOut}, &kState, element_type<float>()},
                ErrorCode::TypeMismatch,
                {"its state is int32, but float was given", "nothing is converted"}},
        Refusal{"StateOfAPointer",
                geometry_of<double(double, const double&)>(),
                {{array_at<double>(0x10000, 9)}, {array_at<double>(0x20000, 9)}, &kState, element_type<const char*>()},
                ErrorCode::TypeMismatch,
                {"its state is double, but 8-byte class aligned to 8 was given"}},
        Refusal{"Misaligned",
                kBinary,
                {{kFloats, kUnaligned}, {kOut}},
                ErrorCode::Misaligned,
                {"input 1 is at 0x20002", "4 bytes", "int32"}},
        Refusal{"NullInput",
                kBinary,
                {{kFloats, kNull}, {kOut}},
                ErrorCode::InvalidArgument,
                {"input 1 is a null pointer, with a count of 100"}},
        Refusal{"MoreBlocksThanAGrid",
                geometry_of<char(char)>(1),
                {{array_at<char>(1, std::size_t{256} << 31)},
                 {array_at<char>(std::uintptr_t{1} << 60, std::size_t{256} << 31)}},
                ErrorCode::InvalidArgument,
                {"549755813888 elements", "2147483647 thread blocks", "256 elements per block"}},
        Refusal{"TheLargestCount",
                geometry_of<double(double)>(),
                {{array_at<double>(8, std::numeric_limits<std::size_t>::max())},
                 {array_at<double>(8, std::numeric_limits<std::size_t>::max())}},
                ErrorCode::InvalidArgument,
                {"Split the arrays"}}),
    name_of_row<Refusal>);

TEST(LaunchRefusesAState, ThatIsCompiledIntoTheKernel) {
  Report report;
  report.kernel.name = "graft_transform_f";
  report.kernel.signature = Signature::of<float(float, const int&)>().with_baked_state();
  const elementwise::LaunchGeometry geometry = elementwise::make_geometry(report.kernel);
  const Error error = refusal(geometry, {{kFloats}, {kOut}, &kState, element_type<int>()});
  EXPECT_EQ(error.code(), ErrorCode::TypeMismatch);
  EXPECT_THAT(error.what(), HasSubstr("its state is compiled into the kernel (Options::baked_state)"));
}

TEST(LaunchAccepts, WhatFits) {
  EXPECT_EQ((Given{{kFloats, kInts}, {kOut}}.check(kBinary)), 100u);
  EXPECT_EQ((Given{{kFloats}, {kOut}, &kState, element_type<int>()}.check(kStateful)), 100u);
  EXPECT_EQ((Given{{}, {kOut}}.check(geometry_of<float(Index)>())), 100u);
}

TEST(LaunchAccepts, NullPointersWithoutElements) {
  EXPECT_EQ((Given{{array_at<float>(0, 0), array_at<int>(2, 0)}, {array_at<float>(0, 0)}}.check(kBinary)), 0u);
}

// For class types, execute knows only size and alignment, so it accepts another class of the same size and alignment.
TEST(LaunchAccepts, AClassOfTheSameSizeAsState) {
  const elementwise::LaunchGeometry geometry = geometry_of<float(float, const Pair&)>();
  const double state = 1;
  EXPECT_EQ(sizeof(Pair), sizeof(double));
  EXPECT_EQ((Given{{kFloats}, {kOut}, &state, element_type<AlignedPair>()}.check(geometry)), 100u);
}

TEST(LaunchAccepts, AsManyBlocksAsAGridHas) {
  const std::size_t most = (std::size_t{256} << 31) - 256;
  EXPECT_EQ((Given{{array_at<char>(1, most)}, {array_at<char>(std::uintptr_t{1} << 60, most)}}.check(
                geometry_of<char(char)>(1))),
            most);
}

// ---- arrays that overlap ----

constexpr std::uintptr_t kLastByte = std::numeric_limits<std::uintptr_t>::max();

struct Ranges {
  const char* name;
  std::uintptr_t input;
  std::uintptr_t output;
  std::size_t count;
  bool is_refused;
};

void PrintTo(const Ranges& ranges, std::ostream* out) {
  *out << ranges.name;
}

class LaunchOverlap : public testing::TestWithParam<Ranges> {};

TEST_P(LaunchOverlap, OfFourByteElements) {
  const auto [name, input, output, count, is_refused] = GetParam();
  const elementwise::LaunchGeometry geometry = geometry_of<float(float)>();
  const Given given = {{array_at<float>(input, count)}, {array_at<float>(output, count)}};
  if (!is_refused) {
    EXPECT_EQ(given.check(geometry), count);
    return;
  }
  const Error error = refusal(geometry, given);
  EXPECT_EQ(error.code(), ErrorCode::Overlap);
  EXPECT_THAT(error.message(), HasSubstr("output 0 ("));
  EXPECT_THAT(error.message(), HasSubstr("overlaps input 0 ("));
}

INSTANTIATE_TEST_SUITE_P(Cases, LaunchOverlap,
                         testing::Values(Ranges{"InPlace", 0x1000, 0x1000, 100, false},
                                         Ranges{"OneBehind", 0x1000, 0x1004, 100, true},
                                         Ranges{"OneInFront", 0x1004, 0x1000, 100, true},
                                         Ranges{"LastElement", 0x1000, 0x1000 + 396, 100, true},
                                         Ranges{"FirstElement", 0x1000 + 396, 0x1000, 100, true},
                                         Ranges{"DirectlyBehind", 0x1000, 0x1000 + 400, 100, false},
                                         Ranges{"DirectlyInFront", 0x1000 + 400, 0x1000, 100, false},
                                         Ranges{"OneElementApart", 0x1000, 0x1004, 1, false},
                                         Ranges{"AtTheEndOfMemory", kLastByte - 7, kLastByte - 3, 1, false},
                                         Ranges{"BeyondTheEndOfMemory", kLastByte - 7, kLastByte - 3, 2, true},
                                         Ranges{"AtBothEndsOfMemory", 0x4, kLastByte - 3, 1, false}),
                         name_of_row<Ranges>);

TEST(LaunchOverlap, InPlaceNeedsEqualElementSizes) {
  const Given same = {{array_at<int>(0x1000, 10)}, {array_at<float>(0x1000, 10)}};
  EXPECT_EQ(same.check(geometry_of<float(int)>()), 10u);
  const Given narrower = {{array_at<double>(0x1000, 10)}, {array_at<float>(0x1000, 10)}};
  EXPECT_EQ(refusal(geometry_of<float(double)>(), narrower).code(), ErrorCode::Overlap);
}

TEST(LaunchOverlap, OutputsNeverShareMemory) {
  const Given given = {{kFloats}, {array_at<float>(0x8000, 10), array_at<float>(0x8000, 10)}};
  Given equal = given;
  equal.inputs = {array_at<float>(0x1000, 10)};
  const Error error = refusal(geometry_of<float(float, float&)>(), equal);
  EXPECT_EQ(error.code(), ErrorCode::Overlap);
  EXPECT_THAT(error.message(), HasSubstr("output 1 (40 bytes at 0x8000) overlaps output 0 (40 bytes at 0x8000)"));
  EXPECT_THAT(error.remedy(), HasSubstr("memory of its own"));
}

TEST(LaunchOverlap, InputsMayShareMemory) {
  const Given given = {{array_at<float>(0x1000, 10), array_at<int>(0x1004, 10)}, {array_at<float>(0x8000, 10)}};
  EXPECT_EQ(given.check(kBinary), 10u);
}

TEST(LaunchOverlap, IsFoundBehindAnInputInPlace) {
  const Given given = {{array_at<float>(0x1000, 10), array_at<int>(0x1004, 10)}, {array_at<float>(0x1000, 10)}};
  EXPECT_THAT(refusal(kBinary, given).message(), HasSubstr("overlaps input 1"));
}

TEST(LaunchCheck, TakesTheCountOfACallWithoutArrays) {
  const elementwise::LaunchGeometry geometry = geometry_of<void(Index)>();
  const auto check = [](const elementwise::LaunchGeometry& of, std::optional<std::size_t> count, const Given& given) {
    families::Arguments arguments{given.inputs, given.outputs, nullptr, {}};
    arguments.count = count;
    return elementwise::check(of, arguments);
  };
  EXPECT_EQ(check(geometry, 7, {}), 7u);
  EXPECT_EQ(check(geometry, 0, {}), 0u);
  const auto message = [&](const elementwise::LaunchGeometry& of, std::optional<std::size_t> count,
                           const Given& given = {}) {
    const Error error = error_of([&] { check(of, count, given); });
    EXPECT_EQ(error.code(), ErrorCode::CountMismatch);
    return error.message();
  };
  EXPECT_THAT(message(geometry, std::nullopt), HasSubstr("takes no arrays, and was not given the number of elements"));
  EXPECT_THAT(message(geometry, 7, {{kFloats}, {}}), HasSubstr("takes no arrays, but was given 1"));
  EXPECT_THAT(message(kBinary, 7), HasSubstr("takes 2 input and 1 output arrays, but was given a count instead"));
  EXPECT_THAT(message(kBinary, 7, {{kFloats, kInts}, {kOut}}), HasSubstr("but was given a count instead"));
  const elementwise::LaunchGeometry reader = geometry_of<void(float)>();
  EXPECT_EQ(check(reader, std::nullopt, {{kFloats}, {}}), 100u);
  EXPECT_THAT(message(reader, std::nullopt), HasSubstr("takes 1 input and 0 output arrays, but was given 0 and 0"));
  // 2^31 thread blocks of 256 elements
  const Error error = error_of([&] { check(geometry, std::size_t{256} << 31, {}); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
}

}  // namespace
}  // namespace graft::test
