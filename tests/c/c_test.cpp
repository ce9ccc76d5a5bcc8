// Tests the C interface as a binding uses it: handles, errors as values, launches on the host route, images, packs and
// FFTs. Everything that C++'s own tests check is not checked again.
#include "graft/graft.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/read_file.hpp"
#include "c/c_words.hpp"
#include "c/handles.hpp"
#include "support/errors.hpp"

namespace {

struct Destroy {
  void operator()(graft_error* value) const { graft_error_destroy(value); }
  void operator()(graft_bytes* value) const { graft_bytes_destroy(value); }
  void operator()(graft_engine* value) const { graft_engine_destroy(value); }
  void operator()(graft_engine_options* value) const { graft_engine_options_destroy(value); }
  void operator()(graft_options* value) const { graft_options_destroy(value); }
  void operator()(graft_callback* value) const { graft_callback_destroy(value); }
  void operator()(graft_parameters* value) const { graft_parameters_destroy(value); }
  void operator()(graft_transform* value) const { graft_transform_destroy(value); }
  void operator()(graft_image* value) const { graft_image_destroy(value); }
  void operator()(graft_fft* value) const { graft_fft_destroy(value); }
  void operator()(graft_reduce* value) const { graft_reduce_destroy(value); }
  void operator()(graft_kernel_code* value) const { graft_kernel_code_destroy(value); }
  void operator()(graft_kernel* value) const { graft_kernel_destroy(value); }
};
template <class T>
using Own = std::unique_ptr<T, Destroy>;

// Fails the test if `error` is an error.
void expect_ok(graft_error* error) {
  const Own<graft_error> owned(error);
  EXPECT_EQ(graft_error_code(error), GRAFT_OK) << graft_error_text(error);
}

void expect_error(graft_error* error, graft_code code, const std::string& words) {
  const Own<graft_error> owned(error);
  EXPECT_EQ(graft_error_code(error), code) << graft_error_text(error);
  EXPECT_NE(std::string(graft_error_message(error)).find(words), std::string::npos) << graft_error_text(error);
  EXPECT_NE(std::string(graft_error_text(error)).find(graft_error_message(error)), std::string::npos);
  EXPECT_STRNE(graft_error_remedy(error), "");
}

// Returns the handle that `make` makes.
template <class T>
Own<T> made(const std::function<graft_error*(T**)>& make) {
  T* handle = nullptr;
  expect_ok(make(&handle));
  EXPECT_NE(handle, nullptr);
  return Own<T>(handle);
}

Own<graft_callback> source(const char* text) {
  return made<graft_callback>([&](auto** result) { return graft_callback_from_source(text, nullptr, result); });
}

Own<graft_options> host_options() {
  auto options = made<graft_options>(graft_options_create);
  expect_ok(graft_options_set(options.get(), GRAFT_OPTION_REQUIRED_ROUTE, GRAFT_ROUTE_HOST));
  return options;
}

Own<graft_transform> on_host(const Own<graft_callback>& callback) {
  const auto options = host_options();
  return made<graft_transform>(
      [&](auto** result) { return graft_transform_create(nullptr, callback.get(), options.get(), result); });
}

nlohmann::json json_of(const std::function<graft_error*(graft_bytes**)>& write) {
  const auto bytes = made<graft_bytes>(write);
  const auto* const text = static_cast<const char*>(graft_bytes_data(bytes.get()));
  EXPECT_EQ(std::strlen(text), graft_bytes_size(bytes.get()));
  return nlohmann::json::parse(text);
}

template <class T>
graft_array array_of(std::vector<T>& values, graft_type type) {
  graft_array array = {};
  array.pointer = values.data();
  array.count = values.size();
  array.type = type;
  return array;
}

constexpr const char* kScale =
    "struct Scale { float a; };\n"
    "__device__ float scale(float x, const Scale& s) { return s.a * x; }\n";

TEST(CInterface, SaysItsVersion) {
  EXPECT_EQ(graft_abi_version(), static_cast<std::uint32_t>(GRAFT_ABI_VERSION));
  EXPECT_STREQ(graft_version(), GRAFT_VERSION_STRING);
}

TEST(CInterface, TheCodesAreThoseOfCpp) {
  EXPECT_STREQ(graft_code_name(GRAFT_OK), "Ok");
  EXPECT_STREQ(graft_code_name(-1), "Unknown");
  for (graft_code code = GRAFT_COMPILE_FAILED; code <= GRAFT_SLOT_EMPTY; ++code)
    EXPECT_EQ(graft_code_name(code), graft::name(static_cast<graft::ErrorCode>(code)));
  EXPECT_STREQ(graft_code_name(GRAFT_SLOT_EMPTY), "SlotEmpty");
  EXPECT_STREQ(graft_code_name(GRAFT_SLOT_EMPTY + 1), "Unknown");
}

TEST(CInterface, TypesByNameAreTheConstants) {
  const std::pair<const char*, graft_type> types[] = {
      {"bool", GRAFT_BOOL},    {"i8", GRAFT_I8},       {"i16", GRAFT_I16},       {"i32", GRAFT_I32},
      {"i64", GRAFT_I64},      {"u8", GRAFT_U8},       {"u16", GRAFT_U16},       {"u32", GRAFT_U32},
      {"u64", GRAFT_U64},      {"f16", GRAFT_F16},     {"f32", GRAFT_F32},       {"f64", GRAFT_F64},
      {"bf16", GRAFT_BF16},    {"c32", GRAFT_C32},     {"c64", GRAFT_C64},       {"c128", GRAFT_C128},
      {"bit", GRAFT_BIT},      {"enum8", GRAFT_ENUM8}, {"enum16", GRAFT_ENUM16}, {"enum32", GRAFT_ENUM32},
      {"enum64", GRAFT_ENUM64}};
  for (const auto& [name, type] : types) {
    graft_type found = 0;
    expect_ok(graft_type_named(name, &found));
    EXPECT_TRUE(graft::interchangeable(graft::c::element_of(found), graft::c::element_of(type))) << name;
    EXPECT_EQ(graft::c::element_of(type).alignment, graft::c::element_of(found).alignment) << name;
  }
  graft_type found = GRAFT_F32;
  expect_error(graft_type_named("f33", &found), GRAFT_INVALID_ARGUMENT, "f33");
  EXPECT_EQ(found, 0u);
  expect_error(graft_type_named(nullptr, &found), GRAFT_INVALID_ARGUMENT, "null");
}

TEST(CInterface, ATransformRunsWithAStateAndSaysWhatItTakes) {
  const auto transform = on_host(source(kScale));
  EXPECT_EQ(graft_transform_input_count(transform.get()), 1u);
  EXPECT_EQ(graft_transform_output_count(transform.get()), 1u);
  EXPECT_EQ(graft_transform_input_type(transform.get(), 0), GRAFT_F32);
  EXPECT_EQ(graft_transform_input_type(transform.get(), 1), 0u);
  EXPECT_EQ(graft_transform_output_type(transform.get(), 0), GRAFT_F32);
  EXPECT_EQ(graft_transform_state_type(transform.get()), GRAFT_STRUCT(4, 4));

  std::vector<float> x = {1, 2, 3}, y(3);
  const float a = 3;
  const graft_array in = array_of(x, GRAFT_F32), out = array_of(y, GRAFT_F32);
  graft_launch launch = {};
  launch.state = &a;
  launch.state_type = GRAFT_STRUCT(4, 4);
  expect_ok(graft_transform_execute_host(transform.get(), &in, 1, &out, 1, &launch));
  EXPECT_EQ(y, (std::vector<float>{3, 6, 9}));
  expect_error(graft_transform_execute_host(transform.get(), &in, 1, &out, 1, nullptr), GRAFT_TYPE_MISMATCH,
               "state of 4 bytes is missing");
  expect_error(graft_transform_execute(transform.get(), nullptr, &in, 1, &out, 1, &launch), GRAFT_INVALID_ARGUMENT,
               "runs on the host");
  EXPECT_EQ(json_of([&](auto** json) { return graft_transform_report(transform.get(), json); })["route"], "host");
}

TEST(CInterface, WrongArraysAreRefused) {
  const auto transform = on_host(source("__device__ float twice(float x) { return 2 * x; }"));
  std::vector<float> x = {1, 2}, y(2);
  const graft_array good = array_of(x, GRAFT_F32), out = array_of(y, GRAFT_F32);
  const auto run = [&](const graft_array* in, std::size_t count, const graft_launch* launch = nullptr) {
    return graft_transform_execute_host(transform.get(), in, count, &out, 1, launch);
  };
  expect_ok(run(&good, 1));
  expect_error(run(&good, 0), GRAFT_COUNT_MISMATCH, "was given 0 and 1");
  expect_error(run(nullptr, 1), GRAFT_INVALID_ARGUMENT, "inputs is null");
  expect_error(run(&good, 33), GRAFT_INVALID_ARGUMENT, "33 inputs were given");
  graft_array bad = good;
  bad.type = GRAFT_I32;
  expect_error(run(&bad, 1), GRAFT_TYPE_MISMATCH, "int32");
  for (const graft_type type : {graft_type{0}, GRAFT_TYPE(10, 4, 4), ~graft_type{0}, GRAFT_STRUCT(4, 3)}) {
    bad.type = type;
    expect_error(run(&bad, 1), GRAFT_INVALID_ARGUMENT, "");
  }
  bad = good;
  bad.first_bit = 1;
  expect_error(run(&bad, 1), GRAFT_INVALID_ARGUMENT, "not GRAFT_BIT");
  bad = good;
  bad.rank = 1;
  expect_error(run(&bad, 1), GRAFT_INVALID_ARGUMENT, "without a shape");
  bad = good;
  const std::int64_t three = 3;
  bad.rank = 1;
  bad.shape = &three;
  expect_error(run(&bad, 1), GRAFT_COUNT_MISMATCH, "input 0 has the shape (3)");
  bad.type = GRAFT_BIT;
  expect_error(run(&bad, 1), GRAFT_INVALID_ARGUMENT, "GRAFT_BIT");
  graft_launch launch = {};
  launch.count = 2;
  expect_error(run(&good, 1, &launch), GRAFT_INVALID_ARGUMENT, "has a count");
  launch = {};
  launch.reserved[3] = 1;
  expect_error(run(&good, 1, &launch), GRAFT_INVALID_ARGUMENT, "reserved member of a graft_launch");
}

TEST(CInterface, ArraysHaveShapesAndStrides) {
  const auto transform = on_host(source("__device__ float sum(float a, float b) { return a + b; }"));
  std::vector<float> a = {1, 2, 3, 4, 5, 6}, row = {10, 20, 30}, out(6);
  const std::int64_t shape[] = {2, 3}, columns[] = {1, 2};
  graft_array in[] = {array_of(a, GRAFT_F32), array_of(row, GRAFT_F32)}, result = array_of(out, GRAFT_F32);
  in[0].rank = result.rank = 2;
  in[0].shape = result.shape = shape;
  result.strides = columns;
  expect_ok(graft_transform_execute_host(transform.get(), in, 2, &result, 1, nullptr));
  EXPECT_EQ(out, (std::vector<float>{11, 14, 22, 25, 33, 36}));
  in[1].shape = shape;  // of rank 0: one element
  expect_ok(graft_transform_execute_host(transform.get(), in, 2, &result, 1, nullptr));
  EXPECT_EQ(out, (std::vector<float>{11, 14, 12, 15, 13, 16}));
  expect_ok(graft_transform_prepare_shapes(transform.get(), in, 2, &result, 1));
  in[0].rank = 1;
  expect_error(graft_transform_prepare_shapes(transform.get(), in, 2, &result, 1), GRAFT_COUNT_MISMATCH, "shape (2)");
  expect_error(graft_transform_prepare_shapes(nullptr, in, 2, &result, 1), GRAFT_INVALID_ARGUMENT, "the transform");
}

TEST(CInterface, OptionsHaveExamplesOfShapes) {
  graft_options options;
  const std::int64_t shape[] = {2, 3}, columns[] = {1, 2};
  graft_array in = {}, out = {};
  in.type = out.type = GRAFT_F32;
  in.rank = out.rank = 2;
  in.shape = out.shape = shape;
  in.strides = columns;
  expect_ok(graft_options_add_shapes(&options, &in, 1, &out, 1));
  expect_error(graft_options_add_shapes(nullptr, &in, 1, &out, 1), GRAFT_INVALID_ARGUMENT, "options");
  ASSERT_EQ(options.value.shapes.size(), 1u);
  EXPECT_EQ(options.value.shapes[0].inputs().at(0).strides, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(options.value.shapes[0].outputs().at(0).extents, (std::vector<std::int64_t>{2, 3}));
  EXPECT_TRUE(options.value.shapes[0].outputs().at(0).strides.empty());
}

TEST(CInterface, BitArraysBeginAtAnyBitAndCountZeros) {
  const auto transform = on_host(source("__device__ graft::Bit is_large(int x) { return x > 2; }"));
  std::vector<int> x = {1, 2, 3, 4, 0, 9};
  std::vector<std::uint32_t> words(3, 0xFFFFFFFFu);
  std::uint64_t zeros = 10;
  const graft_array in = array_of(x, GRAFT_I32);
  graft_array out = {};
  out.pointer = words.data();
  out.count = x.size();
  out.type = GRAFT_BIT;
  out.first_bit = 40;
  out.keeps_rest = 1;
  out.zeros = &zeros;
  expect_ok(graft_transform_execute_host(transform.get(), &in, 1, &out, 1, nullptr));
  EXPECT_EQ(words, (std::vector<std::uint32_t>{0xFFFFFFFFu, 0xFFFFECFFu, 0xFFFFFFFFu}));
  EXPECT_EQ(zeros, 13u);

  out.pointer = nullptr;
  expect_error(graft_transform_execute_host(transform.get(), &in, 1, &out, 1, nullptr), GRAFT_INVALID_ARGUMENT,
               "is a null pointer");
}

TEST(CInterface, ACallbackWithoutArraysTakesACount) {
  const auto transform =
      on_host(source("struct Out { int* first; };\n"
                     "__device__ void fill(graft::Index i, const Out& out) { out.first[i.value] = 7; }"));
  std::vector<int> filled(5);
  int* const first = filled.data();
  graft_launch launch = {};
  launch.state = &first;
  launch.state_type = GRAFT_STRUCT(8, 8);
  launch.count = 4;
  expect_ok(graft_transform_execute_host(transform.get(), nullptr, 0, nullptr, 0, &launch));
  EXPECT_EQ(filled, (std::vector<int>{7, 7, 7, 7, 0}));
}

TEST(CInterface, AWrongFormulaIsAnErrorWithItsPlace) {
  const auto callback = source("__device__ float f(float x) {\n  return y; }");
  const auto options = host_options();
  auto* result = reinterpret_cast<graft_transform*>(1);
  graft_error* const error = graft_transform_create(nullptr, callback.get(), options.get(), &result);
  EXPECT_EQ(result, nullptr);
  const Own<graft_error> owned(error);
  EXPECT_EQ(graft_error_code(error), GRAFT_COMPILE_FAILED);
  EXPECT_NE(std::string(graft_error_log(error)).find("callback.cu:2"), std::string::npos) << graft_error_log(error);
  ASSERT_GE(graft_error_diagnostic_count(error), 1u);
  const graft_diagnostic place = graft_error_diagnostic(error, 0);
  EXPECT_STREQ(place.file, "callback.cu");
  EXPECT_EQ(place.line, 2);
  EXPECT_EQ(place.severity, GRAFT_SEVERITY_ERROR);
  EXPECT_STRNE(place.text, "");
  EXPECT_STREQ(graft_error_diagnostic(error, 1000).text, "");
}

TEST(CInterface, NullHandlesAreErrorsAndSuccessHasNoText) {
  graft_transform* transform = nullptr;
  graft_bytes* bytes = nullptr;
  expect_error(graft_transform_create(nullptr, nullptr, nullptr, &transform), GRAFT_INVALID_ARGUMENT,
               "the callback is null");
  expect_error(graft_transform_create(nullptr, source(kScale).get(), host_options().get(), nullptr),
               GRAFT_INVALID_ARGUMENT, "pointer to the result is null");
  expect_error(graft_transform_report(nullptr, &bytes), GRAFT_INVALID_ARGUMENT, "the transform is null");
  expect_error(graft_transform_execute_host(nullptr, nullptr, 0, nullptr, 0, nullptr), GRAFT_INVALID_ARGUMENT, "null");
  expect_error(graft_options_set(nullptr, GRAFT_OPTION_FAST_MATH, 1), GRAFT_INVALID_ARGUMENT, "options is null");
  EXPECT_STREQ(graft_error_text(nullptr), "");
  EXPECT_STREQ(graft_error_remedy(nullptr), "");
  EXPECT_EQ(graft_error_code(nullptr), GRAFT_OK);
  EXPECT_EQ(graft_error_diagnostic_count(nullptr), 0u);
  EXPECT_EQ(graft_transform_input_count(nullptr), 0u);
  EXPECT_EQ(graft_image_data(nullptr), nullptr);
  EXPECT_EQ(graft_bytes_size(nullptr), 0u);
  Destroy destroy;
  destroy(static_cast<graft_transform*>(nullptr));
  destroy(static_cast<graft_error*>(nullptr));
}

TEST(CInterface, NoExceptionLeaves) {
  expect_error(graft::c::guarded([] { throw std::bad_alloc(); }), GRAFT_SYSTEM_FAILED, "memory is exhausted");
  expect_error(graft::c::guarded([] { throw std::length_error("too long"); }), GRAFT_SYSTEM_FAILED, "too long");
  expect_error(graft::c::guarded([] { throw 7; }), GRAFT_SYSTEM_FAILED, "unknown type");
  expect_error(graft::c::out_of_memory(), GRAFT_SYSTEM_FAILED, "memory is exhausted");  // destroyed twice, harmlessly
}

TEST(CInterface, OptionsReachTheKernel) {
  const auto options = host_options();
  expect_ok(graft_options_set_text(options.get(), GRAFT_OPTION_ENTRY, "second"));
  expect_ok(graft_options_add_define(options.get(), "FACTOR", "5"));
  expect_ok(graft_options_add_header(options.get(), "shift.h", "#define SHIFT 1\n"));
  expect_ok(graft_options_set(options.get(), GRAFT_OPTION_CPP_STANDARD, 20));
  const auto callback = source(
      "#include \"shift.h\"\n"
      "__device__ int first(int x) { return 0; }\n"
      "__device__ int second(int x) { return FACTOR * x + SHIFT; }");
  const auto transform = made<graft_transform>(
      [&](auto** result) { return graft_transform_create(nullptr, callback.get(), options.get(), result); });
  std::vector<int> x = {1, 2}, y(2);
  const graft_array in = array_of(x, GRAFT_I32), out = array_of(y, GRAFT_I32);
  expect_ok(graft_transform_execute_host(transform.get(), &in, 1, &out, 1, nullptr));
  EXPECT_EQ(y, (std::vector<int>{6, 11}));
}

TEST(CInterface, EveryOptionIsItsMember) {
  graft_options options;
  const auto set = [&](graft_option which, std::int64_t value) {
    expect_ok(graft_options_set(&options, which, value));
  };
  for (const graft_option flag : {GRAFT_OPTION_FAST_MATH, GRAFT_OPTION_FLUSH_TO_ZERO, GRAFT_OPTION_LINE_INFO,
                                  GRAFT_OPTION_ALLOW_THREAD_WORDS, GRAFT_OPTION_BODY, GRAFT_OPTION_PROGRAMMATIC_LAUNCH})
    set(flag, 1);
  for (const graft_option flag :
       {GRAFT_OPTION_CONTRACTION, GRAFT_OPTION_PRECISE_DIVISION, GRAFT_OPTION_PRECISE_SQUARE_ROOT})
    set(flag, 0);
  set(GRAFT_OPTION_MAX_REGISTERS, 40);
  set(GRAFT_OPTION_SHARED_BYTES, 128);
  set(GRAFT_OPTION_FORBIDDEN_ROUTE, GRAFT_ROUTE_PTX);
  set(GRAFT_OPTION_FORBIDDEN_ROUTE, GRAFT_ROUTE_INDIRECT);
  set(GRAFT_OPTION_DEVICE, 2);
  set(GRAFT_OPTION_VECTOR_WIDTH, 4);
  set(GRAFT_OPTION_VECTORS_PER_THREAD, 2);
  set(GRAFT_OPTION_BLOCK_THREADS, 64);
  set(GRAFT_OPTION_CLOSED_MAX_REGISTERS, 33);
  set(GRAFT_OPTION_CLOSED_TIME_MS, 250);
  set(GRAFT_OPTION_CLOSED_MEMORY, std::int64_t{1} << 30);
  expect_ok(graft_options_set_text(&options, GRAFT_OPTION_ARCHITECTURE, "sm_90a"));
  expect_ok(graft_options_set_text(&options, GRAFT_OPTION_INCLUDE_PATH, "/a"));
  expect_ok(graft_options_set_text(&options, GRAFT_OPTION_COMPILER_OPTION, "-w"));
  const float state = 2;
  expect_ok(graft_options_bake(&options, &state, GRAFT_F32));

  const graft::Options& set_options = options.value;
  EXPECT_EQ(set_options.floating_point, (graft::FloatingPoint{true, false, true, false, false}));
  EXPECT_TRUE(set_options.line_info && set_options.allow_thread_words);
  EXPECT_EQ(set_options.policy.body, graft::Body::Rolled);
  EXPECT_EQ(set_options.policy.programmatic_launch, true);
  EXPECT_EQ(set_options.policy.vector_width, 4);
  EXPECT_EQ(set_options.policy.vectors_per_thread, 2);
  EXPECT_EQ(set_options.policy.block_threads, 64);
  EXPECT_EQ(set_options.max_registers, 40);
  EXPECT_EQ(set_options.shared_bytes, 128);
  EXPECT_EQ(set_options.routes.forbidden, (std::vector{graft::Route::Ptx, graft::Route::Indirect}));
  EXPECT_EQ(set_options.devices, std::vector{2});
  EXPECT_EQ(set_options.closed, (graft::Closed{33, std::chrono::milliseconds(250), std::uint64_t{1} << 30}));
  EXPECT_EQ(set_options.architecture, graft::Architecture(90, 'a'));
  EXPECT_EQ(set_options.include_paths, std::vector<std::string>{"/a"});
  EXPECT_EQ(set_options.compiler_options, std::vector<std::string>{"-w"});
  EXPECT_EQ(set_options.baked_state.size(), 4u);
  EXPECT_EQ(set_options.baked_type, graft::element_type<float>());
  set(GRAFT_OPTION_CLOSED, 0);
  EXPECT_FALSE(set_options.closed);

  expect_error(graft_options_set(&options, GRAFT_OPTION_FAST_MATH, 2), GRAFT_INVALID_ARGUMENT,
               "GRAFT_OPTION_FAST_MATH is 2");
  expect_error(graft_options_set(&options, GRAFT_OPTION_REQUIRED_ROUTE, 5), GRAFT_INVALID_ARGUMENT,
               "GRAFT_OPTION_REQUIRED_ROUTE is 5");
  expect_error(graft_options_set(&options, GRAFT_OPTION_CPP_STANDARD, 18), GRAFT_INVALID_ARGUMENT, "is 18");
  expect_error(graft_options_set(&options, GRAFT_OPTION_ENTRY, 1), GRAFT_INVALID_ARGUMENT,
               "GRAFT_OPTION_ENTRY is not a number");
  expect_error(graft_options_set(&options, 9999, 1), GRAFT_INVALID_ARGUMENT, "9999");
  expect_error(graft_options_set_text(&options, GRAFT_OPTION_DEVICE, "1"), GRAFT_INVALID_ARGUMENT,
               "GRAFT_OPTION_DEVICE is not a text");
}

std::string name_of(graft_option option) {
  std::string name;
  graft::for_each_named_option([&](const std::string&, const graft::OptionFacts& row) {
    if (row.c == option) name = graft::c::c_name(row);
  });
  return name;
}

TEST(CInterface, AnOptionThatNoKernelCanHaveIsRefusedWhenItIsSet) {
  graft_options options;
  const std::pair<graft_option, std::int64_t> rows[] = {
      {GRAFT_OPTION_MAX_REGISTERS, 7},         {GRAFT_OPTION_MAX_REGISTERS, 256},
      {GRAFT_OPTION_SHARED_BYTES, 1 << 20},    {GRAFT_OPTION_VECTOR_WIDTH, 3},
      {GRAFT_OPTION_VECTORS_PER_THREAD, 8},    {GRAFT_OPTION_BLOCK_THREADS, 100},
      {GRAFT_OPTION_CLOSED_MAX_REGISTERS, 23}, {GRAFT_OPTION_CLOSED_TIME_MS, 0},
      {GRAFT_OPTION_CLOSED_MEMORY, 1 << 20}};
  for (const auto& [option, value] : rows)
    expect_error(graft_options_set(&options, option, value), GRAFT_INVALID_ARGUMENT,
                 name_of(option) + " is " + std::to_string(value));
  EXPECT_EQ(options.value.max_registers, 0);
  EXPECT_FALSE(options.value.policy.vector_width || options.value.policy.block_threads);
  expect_ok(graft_options_set(&options, GRAFT_OPTION_MAX_REGISTERS, 0));

  expect_error(graft_options_set_text(&options, GRAFT_OPTION_COMPILER_OPTION, "-O0"), GRAFT_INVALID_ARGUMENT,
               "of GRAFT_OPTION_COMPILER_OPTION");
  expect_error(graft_options_set_text(&options, GRAFT_OPTION_INCLUDE_PATH, ""), GRAFT_INVALID_ARGUMENT,
               "GRAFT_OPTION_INCLUDE_PATH");
  expect_error(graft_options_add_define(&options, "2X", "1"), GRAFT_INVALID_ARGUMENT, "of graft_options_add_define");
  expect_error(graft_options_add_header(&options, "", "int a;"), GRAFT_INVALID_ARGUMENT, "of graft_options_add_header");
  EXPECT_TRUE(options.value.compiler_options.empty() && options.value.include_paths.empty() &&
              options.value.defines.empty() && options.value.headers.empty());
}

TEST(CInterface, EachOptionHasItsName) {
  // The table of options has the numbers of graft.h once more, because only src/c includes graft.h.
  std::map<std::string, int> in_table, in_header;
  graft::for_each_named_option([&](const std::string&, const graft::OptionFacts& row) {
    if (row.c != 0) in_table[graft::c::c_name(row)] = row.c;
  });
  const std::string header = graft::base::read_file(GRAFT_SOURCE_DIR "/include/graft/graft.h").value();
  const std::regex constant("(GRAFT_OPTION_[A-Z_]+) = ([0-9]+)");
  for (std::sregex_iterator it(header.begin(), header.end(), constant); it != std::sregex_iterator(); ++it)
    in_header[(*it)[1]] = std::stoi((*it)[2]);
  EXPECT_EQ(in_table, in_header);
  graft_engine_options options;
  const auto expect_name = [&](int option) {
    expect_error(graft_engine_options_set(&options, option, -1), GRAFT_INVALID_ARGUMENT, "GRAFT_ENGINE_");
  };
  for (int option = GRAFT_ENGINE_CACHE_POLICY; option <= GRAFT_ENGINE_MAX_UNUSED_IMAGE_BYTES; ++option)
    expect_name(option);
  for (int option = GRAFT_ENGINE_CACHE_FOLDER; option <= GRAFT_ENGINE_TUNING_FILE; ++option) expect_name(option);
}

std::string remedy_of(graft_error* error) {
  const Own<graft_error> owned(error);
  EXPECT_NE(graft_error_code(error), GRAFT_OK);
  return graft_error_remedy(error);
}

TEST(CInterface, RemediesNameFunctionsAndConstantsOfC) {
  graft_transform* transform = nullptr;
  const auto several = source("__device__ float f(float x) { return x; }\n__device__ float g(float x) { return x; }\n");
  EXPECT_EQ(remedy_of(graft_transform_create(nullptr, several.get(), host_options().get(), &transform)),
            "Name the callback with GRAFT_OPTION_ENTRY.");
  const auto path = source("kernels/gain.cu");
  EXPECT_EQ(remedy_of(graft_transform_create(nullptr, path.get(), host_options().get(), &transform)),
            "Read the file: graft_callback_from_file(\"kernels/gain.cu\").");

  const auto scale = on_host(source(kScale));
  std::vector<float> x = {1, 2}, y(2);
  const graft_array in = array_of(x, GRAFT_F32), out = array_of(y, GRAFT_F32);
  EXPECT_EQ(remedy_of(graft_transform_execute_host(scale.get(), &in, 1, &out, 1, nullptr)),
            "Give the state as graft_launch::state.");
  EXPECT_EQ(remedy_of(graft_transform_execute(scale.get(), nullptr, &in, 1, &out, 1, nullptr))
                .find("Call graft_transform_execute_host with host memory."),
            0u);
  EXPECT_EQ(remedy_of(graft_options_set(host_options().get(), GRAFT_OPTION_ENTRY, 1)),
            "Set it with graft_options_set_text.");
}

TEST(CInterface, NotesOfReportsNameConstantsOfC) {
  const auto options = host_options();
  expect_ok(graft_options_set(options.get(), GRAFT_OPTION_VECTOR_WIDTH, 4));
  const auto callback = source(kScale);
  const auto transform = made<graft_transform>(
      [&](auto** result) { return graft_transform_create(nullptr, callback.get(), options.get(), result); });
  const auto report = json_of([&](auto** json) { return graft_transform_report(transform.get(), json); });
  EXPECT_NE(report["notes"].dump().find("GRAFT_OPTION_VECTOR_WIDTH has no effect"), std::string::npos)
      << report["notes"];
}

// Every message of the library that names a member of C++ is rewritten, also those that are written in the future.
TEST(CInterface, NoMessageOfTheLibraryNamesAMemberOfCpp) {
  const std::regex member(
      "\\b(Options|EngineOptions|Closed|FftPlan|FftLaunch|ReduceCallbacks)::[a-z]|"
      "Callback::(with_(signature|entry|link_input|folder)|file)|"
      "graft::(Stages|chain|build|precompile|view|Fft|Reduce|Transform)\\b|execute\\(");
  int members = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(GRAFT_SOURCE_DIR "/src")) {
    const std::string path = file.path().string();
    if (file.path().extension() != ".cpp" || path.find("/src/cli/") != path.npos || path.find("/src/c/") != path.npos)
      continue;
    std::istringstream lines(graft::base::read_file(path).value_or(""));
    for (std::string line; std::getline(lines, line);) {
      const std::size_t quote = line.find('"');
      if (quote == line.npos || line.find("//") < quote || line.find("format::") < quote) continue;
      const std::string text = line.substr(quote, line.rfind('"') - quote + 1);
      if (!std::regex_search(text, member)) continue;
      ++members;
      EXPECT_FALSE(std::regex_search(graft::c::in_c_words(text), member)) << path << ": " << line;
    }
  }
  EXPECT_GT(members, 60);
}

// The literals of a source file, in which those that stand one behind the other are one.
std::vector<std::string> literals_in(const std::string& path) {
  const std::string text =
      std::regex_replace(graft::base::read_file(path).value_or(""), std::regex("\"\\s*\n\\s*\""), "");
  std::vector<std::string> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t quote = line.find('"');
    if (quote == line.npos || line.find("//") < quote || line.starts_with("#include")) continue;
    found.push_back(line.substr(quote, line.rfind('"') - quote + 1));
  }
  return found;
}

TEST(CInterface, MessagesOfFftsNameMembersThatGraftHHas) {
  const std::string header = graft::base::read_file(GRAFT_SOURCE_DIR "/include/graft/graft.h").value_or("");
  const std::regex cpp("Fft[A-Z]\\w*|Direction::|graft::[a-z]*Fft|padded_reals|Callbacks"),
      member("(graft_fft_(?:plan|launch))::(\\w+)");
  int members = 0;
  for (const auto& file : std::filesystem::directory_iterator(GRAFT_SOURCE_DIR "/src/families/fft")) {
    const std::string path = file.path().string();
    if (file.path().extension() != ".cpp" && !path.ends_with("/difference.hpp")) continue;
    for (const std::string& literal : literals_in(path)) {
      // Two literals that are words of code, and the type's name for the list of those that take cuFFT's callbacks.
      if (literal.find("Direction::Inverse)") != literal.npos) continue;
      const std::string text = graft::c::in_c_words(literal);
      EXPECT_FALSE(std::regex_search(text, cpp)) << path << ": " << text;
      for (std::sregex_iterator at(text.begin(), text.end(), member), end; at != end; ++at, ++members) {
        const std::string name = (*at)[1];
        const std::size_t begin = header.find("typedef struct " + name + " {");
        const std::string own = header.substr(begin, header.find("} " + name + ";") - begin);
        EXPECT_TRUE(std::regex_search(own, std::regex("\\b" + std::string((*at)[2]) + "\\b"))) << text;
      }
    }
  }
  EXPECT_GT(members, 20);
}

// Phrases of several words, which the names in them alone would not make right.
TEST(CInterface, MessagesOfFftsSayWhatToSet) {
  const auto options = host_options();
  graft_fft_plan plan = {};
  plan.length = 8;
  plan.directions = 1;
  const auto fft = made<graft_fft>([&](auto** result) {
    return graft_fft_create(nullptr, &plan, nullptr, nullptr, nullptr, options.get(), result);
  });
  std::vector<float> x(16), y(16);
  graft_array in = array_of(x, GRAFT_C64), out = array_of(y, GRAFT_C64);
  in.count = out.count = 8;
  const std::string on_gpu = remedy_of(graft_fft_execute(fft.get(), nullptr, &in, 1, &out, GRAFT_FORWARD, nullptr));
  EXPECT_EQ(on_gpu.find("Call graft_fft_execute_host with host memory"), 0u) << on_gpu;
  EXPECT_EQ(graft::c::in_c_words("Without a GPU, graft::build can still build kernels").find("image"),
            std::string::npos);  // FFTs have none
  EXPECT_EQ(remedy_of(graft_fft_execute_host(fft.get(), &in, 1, &out, GRAFT_INVERSE, nullptr)),
            "Set graft_fft_plan::directions to 0, which is both.");
  const std::int64_t shape[] = {8};
  in.rank = 1;
  in.shape = shape;
  graft_fft_launch launch = {};
  launch.in_stride = 2;
  EXPECT_EQ(remedy_of(graft_fft_execute_host(fft.get(), &in, 1, &out, GRAFT_FORWARD, &launch)),
            "Leave the strides and distances of views in graft_fft_launch 0: a view says where its elements are.");

  const auto load = source("__device__ float f(float x) { return x; }");
  const auto created = [&] {
    graft_fft* none = nullptr;
    return remedy_of(graft_fft_create(nullptr, &plan, load.get(), nullptr, nullptr, options.get(), &none));
  };
  plan = {};
  plan.length = 8;
  plan.is_real = 1;
  EXPECT_NE(created().find("as graft_fft_plan::inverse_load and inverse_store, with has_inverse_callbacks, or set "
                           "graft_fft_plan::directions to 1 (forward) or 2 (inverse)"),
            std::string::npos);
  EXPECT_NE(created().find("graft_fft_plan"), std::string::npos);
  plan.is_real = 0;
  EXPECT_NE(created().find("(graft_fft_plan::is_real)"), std::string::npos);  // no point of a complex FFT
  plan.is_double = 1;
  plan.storage_in = 1;
  EXPECT_EQ(created(), "Set graft_fft_plan::is_double to 0, or a load or store callback that converts.");
}

TEST(CInterface, AnEngineHasItsOwnCacheAndCounters) {
  graft_engine_options options;
  expect_ok(graft_engine_options_set(&options, GRAFT_ENGINE_CACHE_POLICY, GRAFT_CACHE_MEMORY_ONLY));
  expect_ok(graft_engine_options_set(&options, GRAFT_ENGINE_THREADS, 2));
  expect_ok(graft_engine_options_set_text(&options, GRAFT_ENGINE_CACHE_LAYER, ""));
  EXPECT_EQ(options.value.cache.layers, std::vector<std::filesystem::path>{});
  expect_ok(graft_engine_options_set_text(&options, GRAFT_ENGINE_CACHE_FOLDER, "/nowhere"));
  EXPECT_EQ(options.value.cache.folder, "/nowhere");
  expect_ok(graft_engine_options_set(&options, GRAFT_ENGINE_MAX_BUILDS, 3));
  EXPECT_EQ(options.value.max_builds, 3u);
  expect_ok(graft_engine_options_set(&options, GRAFT_ENGINE_MAX_UNUSED_IMAGE_BYTES, 4096));
  EXPECT_EQ(options.value.max_unused_image_bytes, 4096u);
  std::string told;
  const auto log = [](void* user, const graft_log_event* event) {
    auto& all = *static_cast<std::string*>(user);
    all += std::to_string(event->kind) + " " + event->callback + "\n";
    EXPECT_STRNE(event->text, "");
    EXPECT_GE(event->milliseconds, 0);
  };
  expect_ok(graft_engine_options_set_log(&options, log, &told));
  expect_error(graft_engine_options_set(&options, GRAFT_ENGINE_CACHE_POLICY, 5), GRAFT_INVALID_ARGUMENT,
               "GRAFT_ENGINE_CACHE_POLICY is 5");

  const auto engine = made<graft_engine>([&](auto** result) { return graft_engine_create(&options, result); });
  const auto callback = source("__device__ float f(float x) { return x; }");
  const auto host = host_options();
  for (int i = 0; i < 2; ++i)
    made<graft_transform>(
        [&](auto** result) { return graft_transform_create(engine.get(), callback.get(), host.get(), result); });
  const auto counters = json_of([&](auto** json) { return graft_engine_counters(engine.get(), json); });
  EXPECT_EQ(counters["builds"], 1);
  EXPECT_EQ(counters["memory_hits"], 1);
  EXPECT_EQ(told, "4 \n5 callback.cu\n7 \n1 callback.cu\n");  // tools, built, loaded, found in memory
  std::size_t unloaded = 0;
  expect_ok(graft_engine_release_unused(engine.get(), &unloaded));
  EXPECT_EQ(unloaded, 1u);
  const auto tools = made<graft_bytes>([&](auto** text) { return graft_engine_describe_tools(engine.get(), text); });
  EXPECT_NE(graft_bytes_size(tools.get()), 0u);
}

TEST(CInterface, ACallbackIsBuiltWithoutAGpuAndPacked) {
  const auto callback = source("__device__ float f(float x) { return x; }\n__device__ float g(float x) { return 0; }");
  expect_ok(graft_callback_set_entry(callback.get(), "f"));
  const auto image = made<graft_image>(
      [&](auto** result) { return graft_image_build(nullptr, callback.get(), "sm_90", nullptr, result); });
  ASSERT_GT(graft_image_size(image.get()), 4u);
  EXPECT_EQ(std::memcmp(graft_image_data(image.get()), "\177ELF", 4), 0);
  const auto report = json_of([&](auto** json) { return graft_image_report(image.get(), json); });
  EXPECT_EQ(report["architecture"], "sm_90");

  const char* const architectures[] = {"75", "sm_90"};
  const auto bytes = made<graft_bytes>([&](auto** result) {
    return graft_precompile(nullptr, callback.get(), architectures, 2, GRAFT_FORMAT_PACK, nullptr, result);
  });
  const auto pack = made<graft_callback>([&](auto** result) {
    return graft_callback_from_bytes(GRAFT_FORM_PACK, graft_bytes_data(bytes.get()), graft_bytes_size(bytes.get()),
                                     nullptr, result);
  });
  const auto from_pack = made<graft_image>(
      [&](auto** result) { return graft_image_build(nullptr, pack.get(), "sm_75", nullptr, result); });
  EXPECT_GT(graft_image_size(from_pack.get()), 4u);

  graft_bytes* none = nullptr;
  expect_error(graft_precompile(nullptr, callback.get(), architectures, 2, 6, nullptr, &none), GRAFT_INVALID_ARGUMENT,
               "6 is not the number of a format");
  expect_error(graft_precompile(nullptr, callback.get(), nullptr, 2, GRAFT_FORMAT_PACK, nullptr, &none),
               GRAFT_INVALID_ARGUMENT, "architectures is null");
  graft_callback* bad = nullptr;
  expect_error(graft_callback_from_bytes(GRAFT_FORM_PACK, "x", 1, nullptr, &bad), GRAFT_IMAGE_REFUSED, "");
  expect_error(graft_callback_from_bytes(5, "x", 1, nullptr, &bad), GRAFT_INVALID_ARGUMENT, "number of a form");
  expect_error(graft_callback_from_file("/no/such/file.cu", &bad), GRAFT_FILE_UNREADABLE, "/no/such/file.cu");
}

TEST(CInterface, AFormulaIsACallback) {
  const auto callback = made<graft_callback>(
      [](auto** result) { return graft_callback_from_formula("i32 x; i32 a => a * max(x, 0) // 2", result); });
  const auto options = host_options();
  const auto image = made<graft_image>(
      [&](auto** result) { return graft_image_build(nullptr, callback.get(), "90", options.get(), result); });
  EXPECT_GT(graft_image_size(image.get()), 4u);
  graft_callback* bad = nullptr;
  expect_error(graft_callback_from_formula("f32 x => x + foo(x)", &bad), GRAFT_COMPILE_FAILED,
               "column 14: `foo` is not known here; did you mean `floor`?");
  expect_error(graft_callback_from_formula("f99 x => x", &bad), GRAFT_INVALID_ARGUMENT, "f99");
  expect_error(graft_callback_from_formula(nullptr, &bad), GRAFT_INVALID_ARGUMENT, "the formula is a null pointer");
}

TEST(CInterface, ATemplateTakesTheTypesOfArrays) {
  const auto callback = source("template <class T> __device__ T mix(T a, T b, float t) { return a + t * (b - a); }");
  const auto options = host_options();
  graft_transform* none = nullptr;
  EXPECT_EQ(remedy_of(graft_transform_create(nullptr, callback.get(), options.get(), &none)),
            "Name an instantiation with GRAFT_OPTION_ENTRY: \"mix<float>\". Or give the arrays' types: "
            "graft_callback_set_types(callback, \"f32\").");
  expect_error(graft_callback_set_types(callback.get(), "f64"), GRAFT_SIGNATURE_MISMATCH, "takes 3 inputs");
  expect_error(graft_callback_set_types(callback.get(), "f64)"), GRAFT_INVALID_ARGUMENT, "is no name of a type");
  expect_error(graft_callback_set_types(callback.get(), nullptr), GRAFT_INVALID_ARGUMENT, "the types");
  expect_ok(graft_callback_set_types(callback.get(), "f64, f64, f32"));
  const auto with_entry = host_options();
  expect_ok(graft_options_set_text(with_entry.get(), GRAFT_OPTION_ENTRY, "mix"));
  expect_error(graft_transform_create(nullptr, callback.get(), with_entry.get(), &none), GRAFT_INVALID_ARGUMENT,
               "GRAFT_OPTION_ENTRY would replace the entry of");
  const auto transform = made<graft_transform>(
      [&](auto** result) { return graft_transform_create(nullptr, callback.get(), options.get(), result); });
  std::vector<double> a = {1}, b = {3}, y(1);
  std::vector<float> t = {0.5f};
  const graft_array in[] = {array_of(a, GRAFT_F64), array_of(b, GRAFT_F64), array_of(t, GRAFT_F32)};
  const graft_array out = array_of(y, GRAFT_F64);
  expect_ok(graft_transform_execute_host(transform.get(), in, 3, &out, 1, nullptr));
  EXPECT_EQ(y[0], 2);
}

TEST(CInterface, SeveralCallbacksAreOnePack) {
  const auto relu = source("__device__ float relu(float x) { return x > 0 ? x : 0; }");
  const auto square =
      made<graft_callback>([](auto** result) { return graft_callback_from_formula("f64 x => x^2", result); });
  const graft_callback* const callbacks[] = {relu.get(), square.get()};
  const char* const names[] = {nullptr, "square"};
  const char* const architectures[] = {"75"};
  const auto bytes = made<graft_bytes>([&](auto** result) {
    return graft_precompile_several(nullptr, callbacks, names, 2, architectures, 1, GRAFT_FORMAT_PACK, nullptr, result);
  });
  const auto pack = made<graft_callback>([&](auto** result) {
    return graft_callback_from_bytes(GRAFT_FORM_PACK, graft_bytes_data(bytes.get()), graft_bytes_size(bytes.get()),
                                     nullptr, result);
  });
  graft_image* none = nullptr;
  expect_error(graft_image_build(nullptr, pack.get(), "75", nullptr, &none), GRAFT_AMBIGUOUS_ENTRY,
               "callback.graft holds 2 callbacks: relu, square");
  expect_ok(graft_callback_set_entry(pack.get(), "cube"));
  expect_error(graft_image_build(nullptr, pack.get(), "75", nullptr, &none), GRAFT_NO_SUCH_ENTRY,
               "has no callback `cube`; it holds relu, square");
  for (const auto& [entry, output] : {std::pair("relu", "float"), {"square", "double"}}) {
    expect_ok(graft_callback_set_entry(pack.get(), entry));
    const auto image =
        made<graft_image>([&](auto** result) { return graft_image_build(nullptr, pack.get(), "75", nullptr, result); });
    const auto report = json_of([&](auto** json) { return graft_image_report(image.get(), json); });
    EXPECT_EQ(report["signature"]["text"], std::string(output) + "(" + output + ")");
  }
  graft_bytes* nothing = nullptr;
  const auto refused = [&](const graft_callback* const* all, const char* const* called, std::size_t count) {
    return graft_precompile_several(nullptr, all, called, count, architectures, 1, GRAFT_FORMAT_PACK, nullptr,
                                    &nothing);
  };
  expect_error(refused(nullptr, nullptr, 2), GRAFT_INVALID_ARGUMENT, "the list of callbacks is null");
  expect_error(refused(nullptr, nullptr, 0), GRAFT_INVALID_ARGUMENT, "no callback is given");
  expect_error(refused(callbacks, nullptr, 2), GRAFT_INVALID_ARGUMENT, "formula has no name");
  EXPECT_EQ(remedy_of(refused(callbacks, nullptr, 2)), "Give it a name in `names`.");
  const graft_callback* const holes[] = {relu.get(), nullptr};
  expect_error(refused(holes, nullptr, 2), GRAFT_INVALID_ARGUMENT, "a callback of the pack is null");
}

TEST(CInterface, MistakesInFormulasAreData) {
  graft_callback* none = nullptr;
  graft_error* const error = graft_callback_from_formula("f32 x =>\n x + foo(x)", &none);
  const Own<graft_error> owned(error);
  ASSERT_EQ(graft_error_diagnostic_count(error), 1u);
  const graft_diagnostic place = graft_error_diagnostic(error, 0);
  EXPECT_STREQ(place.file, "formula");
  EXPECT_EQ(place.line, 2);
  EXPECT_EQ(place.column, 6);
  EXPECT_STREQ(graft_error_diagnostic_near(error, 0), "foo");
  EXPECT_STREQ(graft_error_diagnostic_suggestion(error, 0), "floor");
  EXPECT_STREQ(graft_error_diagnostic_near(error, 1), "");
  EXPECT_STREQ(graft_error_diagnostic_suggestion(error, 1), "");
  EXPECT_STREQ(graft_error_diagnostic_near(nullptr, 0), "");
}

TEST(CInterface, ParametersOfAFormulaAreSetByName) {
  const auto transform = on_host(made<graft_callback>(
      [](auto** result) { return graft_callback_from_formula("f32 x; f32 a, f64 b => a * x + b", result); }));
  const auto values =
      made<graft_parameters>([](auto** result) { return graft_parameters_create("f32 a, f64 b", result); });
  std::vector<float> x = {1, 2};
  std::vector<double> y(2);
  const graft_array in = array_of(x, GRAFT_F32), out = array_of(y, GRAFT_F64);
  const auto run = [&] {
    graft_launch launch = {};
    launch.state = graft_parameters_state(values.get());
    launch.state_type = graft_parameters_state_type(values.get());
    expect_ok(graft_transform_execute_host(transform.get(), &in, 1, &out, 1, &launch));
    return y;
  };
  EXPECT_EQ(run(), (std::vector<double>{0, 0}));  // all are zero at first
  expect_ok(graft_parameters_set(values.get(), "a", 1.5));
  expect_ok(graft_parameters_set_integer(values.get(), "b", -3));
  EXPECT_EQ(run(), (std::vector<double>{-1.5, 0}));
  EXPECT_EQ(graft_parameters_state_type(values.get()), graft_transform_state_type(transform.get()));
}

TEST(CInterface, ParametersThatAreNotThereAreRefused) {
  const auto values = made<graft_parameters>(
      [](auto** result) { return graft_parameters_create("i8 n, u64 m, c64 z, f32 weight", result); });
  expect_ok(graft_parameters_set_unsigned(values.get(), "m", ~std::uint64_t{0}));
  expect_ok(graft_parameters_set_complex(values.get(), "z", 1, -2));
  expect_error(graft_parameters_set(values.get(), "wieght", 1), GRAFT_INVALID_ARGUMENT, "no parameter `wieght`");
  expect_error(graft_parameters_set(values.get(), "n", 1.5), GRAFT_INVALID_ARGUMENT, "does not hold 1.5");
  expect_error(graft_parameters_set_integer(values.get(), "n", 128), GRAFT_INVALID_ARGUMENT, "does not hold 128");
  expect_error(graft_parameters_set_complex(values.get(), "weight", 1, 1), GRAFT_INVALID_ARGUMENT, "a complex number");
  expect_error(graft_parameters_set(values.get(), nullptr, 1), GRAFT_INVALID_ARGUMENT,
               "name of the parameter is a null");
  expect_error(graft_parameters_set(nullptr, "n", 1), GRAFT_INVALID_ARGUMENT, "the parameters is null");
  float parts[2] = {};
  std::memcpy(parts, static_cast<const std::byte*>(graft_parameters_state(values.get())) + 16, sizeof parts);
  EXPECT_EQ(parts[0], 1);
  EXPECT_EQ(parts[1], -2);
  graft_parameters* none = nullptr;
  expect_error(graft_parameters_create("f99 x", &none), GRAFT_INVALID_ARGUMENT, "f99");
  expect_error(graft_parameters_create("", &none), GRAFT_INVALID_ARGUMENT, "");
  expect_error(graft_parameters_create(nullptr, &none), GRAFT_INVALID_ARGUMENT, "null");
  EXPECT_EQ(graft_parameters_state(nullptr), nullptr);
  EXPECT_EQ(graft_parameters_state_type(nullptr), 0u);
}

TEST(CInterface, AReadyMadeCallbackHasAName) {
  const auto callback =
      made<graft_callback>([](auto** result) { return graft_callback_from_ready_made("relu<float>", result); });
  const auto options = host_options();
  const auto image = made<graft_image>(
      [&](auto** result) { return graft_image_build(nullptr, callback.get(), "90", options.get(), result); });
  EXPECT_GT(graft_image_size(image.get()), 4u);
  graft_callback* bad = nullptr;
  expect_error(graft_callback_from_ready_made("rellu", &bad), GRAFT_NO_SUCH_ENTRY,
               "there is no ready-made callback `rellu`");
  expect_error(graft_callback_from_ready_made(nullptr, &bad), GRAFT_INVALID_ARGUMENT,
               "the name of a ready-made callback");
}

TEST(CInterface, AHostImageIsLoaded) {
  const auto callback = source("__device__ int f(int x) { return x + 1; }");
  const auto options = host_options();
  const auto image = made<graft_image>(
      [&](auto** result) { return graft_image_build(nullptr, callback.get(), "90", options.get(), result); });
  const auto transform =
      made<graft_transform>([&](auto** result) { return graft_transform_load(nullptr, image.get(), nullptr, result); });
  std::vector<int> x = {1, 2}, y(2);
  const graft_array in = array_of(x, GRAFT_I32), out = array_of(y, GRAFT_I32);
  expect_ok(graft_transform_execute_host(transform.get(), &in, 1, &out, 1, nullptr));
  EXPECT_EQ(y, (std::vector<int>{2, 3}));
}

TEST(CInterface, ChainsAreCallbacks) {
  const auto add = source("__device__ float add(float x) { return x + 1; }");
  const auto twice = source("__device__ float twice(float x) { return 2 * x; }");
  const graft_callback* const parts[] = {add.get(), twice.get()};
  const auto transform =
      on_host(made<graft_callback>([&](auto** result) { return graft_callback_chain(parts, 2, result); }));
  std::vector<float> x = {1, 2}, y(2);
  const graft_array in = array_of(x, GRAFT_F32), out = array_of(y, GRAFT_F32);
  expect_ok(graft_transform_execute_host(transform.get(), &in, 1, &out, 1, nullptr));
  EXPECT_EQ(y, (std::vector<float>{4, 6}));
  graft_callback* none = nullptr;
  const graft_callback* const holes[] = {add.get(), nullptr};
  expect_error(graft_callback_chain(holes, 2, &none), GRAFT_INVALID_ARGUMENT, "a part of the chain is null");
}

TEST(CInterface, StagesAreCallbacks) {
  const auto load = source(
      "__device__ float load(void* data, unsigned long long i, void* info, void*) {\n"
      "  return static_cast<float*>(data)[i] + *static_cast<float*>(info); }");
  const auto twice = source("__device__ float twice(float x) { return 2 * x; }");
  const auto transform = on_host(made<graft_callback>(
      [&](auto** result) { return graft_callback_stages(load.get(), twice.get(), nullptr, result); }));
  std::vector<float> x = {1, 2}, y(2);
  float more = 10;
  const graft_array in = array_of(x, GRAFT_F32), out = array_of(y, GRAFT_F32);
  graft_launch launch = {};
  launch.load_info = &more;
  expect_ok(graft_transform_execute_host(transform.get(), &in, 1, &out, 1, &launch));
  EXPECT_EQ(y, (std::vector<float>{22, 24}));
}

TEST(CInterface, AnFftRunsOnTheHost) {
  graft_fft_plan plan = {};
  plan.length = 8;
  const auto options = host_options();
  const auto fft = made<graft_fft>([&](auto** result) {
    return graft_fft_create(nullptr, &plan, nullptr, nullptr, nullptr, options.get(), result);
  });
  // Two FFTs: that of an impulse is 1 everywhere, that of a constant is an impulse.
  std::vector<float> x(32), y(32);
  x[0] = 1;
  for (std::size_t i = 16; i < 32; i += 2) x[i] = 1;
  graft_array in = array_of(x, GRAFT_C64), out = array_of(y, GRAFT_C64);
  in.count = out.count = 16;
  expect_ok(graft_fft_execute_host(fft.get(), &in, 1, &out, GRAFT_FORWARD, nullptr));
  for (std::size_t k = 0; k < 8; ++k) {
    EXPECT_NEAR(y[2 * k], 1, 1e-6);
    EXPECT_NEAR(y[16 + 2 * k], k == 0 ? 8 : 0, 1e-6);
  }
  graft_fft_launch launch = {};
  launch.has_batch = 1;
  launch.batch = 3;
  expect_error(graft_fft_execute_host(fft.get(), &in, 1, &out, GRAFT_FORWARD, &launch), GRAFT_COUNT_MISMATCH, "");
  expect_error(graft_fft_execute_host(fft.get(), &in, 1, &out, 2, nullptr), GRAFT_INVALID_ARGUMENT,
               "the direction is 2");
  EXPECT_TRUE(json_of([&](auto** json) { return graft_fft_report(fft.get(), json); }).is_array());
  EXPECT_EQ(graft_fft_workspace_bytes(fft.get(), 2), 0u);
  plan.length = 37 << 17;
  graft_fft* none = nullptr;
  expect_error(graft_fft_create(nullptr, &plan, nullptr, nullptr, nullptr, options.get(), &none),
               GRAFT_INVALID_ARGUMENT, "37");
}

TEST(CInterface, AnFftOfTwoDimensionsRunsOnTheHost) {
  graft_fft_plan plan = {};
  plan.shape[0] = 2;
  plan.shape[1] = 4;
  const auto options = host_options();
  const auto fft = made<graft_fft>([&](auto** result) {
    return graft_fft_create(nullptr, &plan, nullptr, nullptr, nullptr, options.get(), result);
  });
  // 1 in the second row: its frequencies are 1 and -1 in turn, row by row.
  std::vector<float> x(16), y(16);
  x[8] = 1;
  graft_array in = array_of(x, GRAFT_C64), out = array_of(y, GRAFT_C64);
  in.count = out.count = 8;
  expect_ok(graft_fft_execute_host(fft.get(), &in, 1, &out, GRAFT_FORWARD, nullptr));
  for (std::size_t k = 0; k < 8; ++k) EXPECT_NEAR(y[2 * k], k < 4 ? 1 : -1, 1e-6);
  graft_fft* none = nullptr;
  plan.length = 8;
  expect_error(graft_fft_create(nullptr, &plan, nullptr, nullptr, nullptr, options.get(), &none),
               GRAFT_INVALID_ARGUMENT, "graft_fft_plan::length is 8, and there is a graft_fft_plan::shape too");
  plan.length = plan.shape[0] = 0;
  expect_error(graft_fft_create(nullptr, &plan, nullptr, nullptr, nullptr, options.get(), &none),
               GRAFT_INVALID_ARGUMENT, "dimension 0");
}

TEST(CInterface, AnFftAlongAnAxisOfAViewRunsOnTheHost) {
  graft_fft_plan plan = {};
  plan.length = 4;
  plan.has_strides = 1;
  const auto options = host_options();
  const auto fft = made<graft_fft>([&](auto** result) {
    return graft_fft_create(nullptr, &plan, nullptr, nullptr, nullptr, options.get(), result);
  });
  // Column c of 4 rows and 3 columns is c + 1, then zeros.
  std::vector<float> x(24), y(24);
  for (std::size_t c = 0; c < 3; ++c) x[2 * c] = static_cast<float>(c + 1);
  const std::int64_t shape[] = {4, 3};
  graft_array in = array_of(x, GRAFT_C64), out = array_of(y, GRAFT_C64);
  for (graft_array* const array : {&in, &out}) {
    array->rank = 2;
    array->shape = shape;
  }
  graft_fft_launch launch = {};
  launch.axis_count = 1;
  expect_ok(graft_fft_execute_host(fft.get(), &in, 1, &out, GRAFT_FORWARD, &launch));
  for (std::size_t i = 0; i < 12; ++i) EXPECT_NEAR(y[2 * i], static_cast<float>(i % 3 + 1), 1e-6);
  launch.axis_count = 4;
  expect_error(graft_fft_execute_host(fft.get(), &in, 1, &out, GRAFT_FORWARD, &launch), GRAFT_INVALID_ARGUMENT,
               "axis_count is 4");
}

TEST(CInterface, ARealFftRunsOnTheHost) {
  graft_fft_plan plan = {};
  plan.length = 6;
  plan.is_real = 1;
  const auto options = host_options();
  const auto fft = made<graft_fft>([&](auto** result) {
    return graft_fft_create(nullptr, &plan, nullptr, nullptr, nullptr, options.get(), result);
  });
  std::vector<float> x(6, 1), spectrum(8), back(6);
  graft_array in = array_of(x, GRAFT_F32), half = array_of(spectrum, GRAFT_C64), out = array_of(back, GRAFT_F32);
  half.count = 4;
  expect_ok(graft_fft_execute_host(fft.get(), &in, 1, &half, GRAFT_FORWARD, nullptr));
  for (std::size_t k = 0; k < 8; ++k) EXPECT_NEAR(spectrum[k], k == 0 ? 6 : 0, 1e-5);
  expect_ok(graft_fft_execute_host(fft.get(), &half, 1, &out, GRAFT_INVERSE, nullptr));
  for (const float value : back) EXPECT_NEAR(value, 6, 1e-5);
  expect_error(graft_fft_execute_host(fft.get(), &half, 1, &out, GRAFT_FORWARD, nullptr), GRAFT_TYPE_MISMATCH,
               "must hold float");
  graft_fft* none = nullptr;
  plan.is_real = 2;
  expect_error(graft_fft_create(nullptr, &plan, nullptr, nullptr, nullptr, options.get(), &none),
               GRAFT_INVALID_ARGUMENT, "is_real");
}

TEST(CInterface, ACallbackOfTheInverseAloneIsNotForgotten) {
  const auto load = source("__device__ float2 load(float2 z) { return z; }");
  const auto options = host_options();
  graft_fft_plan plan = {};
  plan.length = 4;
  plan.inverse_load = load.get();
  graft_fft* none = nullptr;
  expect_error(graft_fft_create(nullptr, &plan, nullptr, nullptr, nullptr, options.get(), &none),
               GRAFT_INVALID_ARGUMENT, "has_inverse_callbacks is 0");
}

TEST(CInterface, AReductionRunsOnTheHost) {
  const auto map = source("__device__ float scale(float x, const float& a) { return a * x; }");
  const auto combine = source("__device__ float add(float a, float b) { return a + b; }");
  const auto options = host_options();
  expect_ok(graft_options_set(options.get(), GRAFT_OPTION_HOST_THREADS, 2));
  const float initial = 0, factor = 2;
  graft_reduce_callbacks callbacks = {};
  callbacks.map = map.get();
  callbacks.combine = combine.get();
  callbacks.initial = &initial;
  callbacks.initial_type = GRAFT_F32;
  const auto sum = made<graft_reduce>(
      [&](auto** result) { return graft_reduce_create(nullptr, &callbacks, options.get(), result); });
  std::vector<float> x(100000, 1), y(4);
  graft_array in = array_of(x, GRAFT_F32), out = array_of(y, GRAFT_F32);
  graft_launch launch = {};
  launch.state = &factor;
  launch.state_type = GRAFT_F32;

  out.count = 1;
  expect_ok(graft_reduce_execute_host(sum.get(), &in, 1, nullptr, &out, 1, &launch));
  EXPECT_EQ(y[0], 200000);

  const std::int64_t matrix[] = {4, 25000}, rows[] = {4, 1};
  graft_array in_rows = in, of_rows = out;
  in_rows.rank = of_rows.rank = 2;
  in_rows.shape = matrix;
  of_rows.shape = rows;
  expect_ok(graft_reduce_execute_host(sum.get(), &in_rows, 1, nullptr, &of_rows, 1, &launch));
  EXPECT_EQ(y, std::vector<float>(4, 50000));

  std::vector<std::int32_t> bounds = {0, 3, 3, 7};
  const graft_array offsets = array_of(bounds, GRAFT_I32);
  out.count = 3;
  expect_ok(graft_reduce_execute_host(sum.get(), &in, 1, &offsets, &out, 1, &launch));
  EXPECT_EQ(y, (std::vector<float>{6, 0, 8, 50000}));

  ASSERT_EQ(graft_reduce_accumulator_bytes(sum.get()), sizeof(float));
  std::vector<float> partials;
  for (std::uint32_t part = 0; part < 3; ++part) {
    graft_reduce_shard shard;
    expect_ok(graft_reduce_cut(sum.get(), x.size(), part, 3, &shard));
    partials.resize(shard.all_chunks);
    graft_array of_part = in;
    of_part.pointer = x.data() + shard.begin;
    of_part.count = shard.count;
    expect_ok(graft_reduce_partials_host(sum.get(), &of_part, 1, &shard, partials.data() + shard.first_chunk, &launch));
  }
  out.count = 1;
  expect_ok(graft_reduce_finish_host(sum.get(), partials.data(), x.size(), &out, 1, &launch));
  EXPECT_EQ(y[0], 200000);

  EXPECT_EQ(json_of([&](auto** json) { return graft_reduce_report(sum.get(), json); })["family"], "reduce");
  expect_error(graft_reduce_execute_host(sum.get(), &in, 1, nullptr, &out, 1, nullptr), GRAFT_TYPE_MISMATCH, "state");
  launch.count = 3;
  expect_error(graft_reduce_execute_host(sum.get(), &in, 1, nullptr, &out, 1, &launch), GRAFT_INVALID_ARGUMENT,
               "count");
  launch.count = 0;
  in.count = 0;
  out.count = 2;
  expect_error(graft_reduce_execute_host(sum.get(), &in, 1, nullptr, &out, 1, &launch), GRAFT_COUNT_MISMATCH,
               "output 0 has 2 elements");
  expect_ok(graft_reduce_prepare_segments(sum.get()));
  expect_ok(graft_reduce_prepare_shapes(sum.get(), &in_rows, 1, &of_rows, 1));
  expect_error(graft_reduce_prepare_shapes(nullptr, &in, 1, &out, 1), GRAFT_INVALID_ARGUMENT, "the reduction");
  expect_error(graft_reduce_prepare_segments(nullptr), GRAFT_INVALID_ARGUMENT, "the reduction");
  expect_error(graft_reduce_partials_host(sum.get(), &in, 1, nullptr, x.data(), &launch), GRAFT_INVALID_ARGUMENT,
               "the shard");
  graft_array shaped = of_rows;
  shaped.count = 1;
  expect_error(graft_reduce_execute_host(sum.get(), &in, 1, &shaped, &out, 1, &launch), GRAFT_TYPE_MISMATCH, "offsets");
  graft_reduce* none = nullptr;
  callbacks.initial_type = GRAFT_I32;
  expect_error(graft_reduce_create(nullptr, &callbacks, options.get(), &none), GRAFT_UNSUPPORTED_PARAMETER,
               "another type than graft_reduce_callbacks::initial");
  callbacks.combine = nullptr;
  expect_error(graft_reduce_create(nullptr, &callbacks, options.get(), &none), GRAFT_INVALID_ARGUMENT, "combine");
}

TEST(CInterface, BytesThatAreNoPackOfAReductionAreRefused) {
  const auto combine = source("__device__ float add(float a, float b) { return a + b; }");
  graft_reduce_callbacks callbacks = {};
  callbacks.combine = combine.get();
  const char* const architectures[] = {"75"};
  const auto pack = made<graft_bytes>([&](auto** result) {
    return graft_reduce_precompile(nullptr, &callbacks, architectures, 1, GRAFT_FORMAT_PACK, nullptr, result);
  });
  graft_reduce* none = nullptr;
  expect_error(
      graft_reduce_load(nullptr, graft_bytes_data(pack.get()), graft_bytes_size(pack.get()) - 1, nullptr, &none),
      GRAFT_IMAGE_REFUSED, "cut off");
  expect_error(graft_reduce_load(nullptr, nullptr, 0, nullptr, &none), GRAFT_INVALID_ARGUMENT, "the pack");
}

constexpr const char* kKernel =
    "#include \"point.h\"\n"
    "__device__ float metric(Point p, float b);\n"
    "__device__ bool filter(int id);\n"
    "extern __device__ const bool has_filter;\n"
    "extern __device__ const int tile;\n"
    "template <class T> __global__ void k(T* x) {\n"
    "  for (int i = 0; i < tile; ++i) if (!has_filter || filter(i)) x[i] = metric(Point{x[i], 1}, x[0]);\n"
    "}\n";

Own<graft_kernel_code> kernel_code() {
  auto code =
      made<graft_kernel_code>([](auto** result) { return graft_kernel_code_from_source(kKernel, "k.cu", result); });
  const std::int64_t tiles[] = {4, 8};
  expect_ok(graft_kernel_code_add_entry(code.get(), "k<float>"));
  expect_ok(graft_kernel_code_add_header(code.get(), "point.h", "#pragma once\nstruct Point { float x, y; };\n"));
  expect_ok(graft_kernel_code_set_optional(code.get(), "filter", "has_filter"));
  expect_ok(graft_kernel_code_set_constant(code.get(), "tile", tiles, 2));
  expect_ok(graft_kernel_code_set_inlining(code.get(), "metric", 1));
  expect_ok(graft_kernel_code_allow_thread_words(code.get(), "filter"));
  return code;
}

Own<graft_callback> callback_of(const char* text) {
  return made<graft_callback>([&](auto** result) { return graft_callback_from_source(text, nullptr, result); });
}

TEST(CInterface, OwnKernelsAreBuiltAndPacked) {
  const auto code = kernel_code();
  const nlohmann::json shape =
      json_of([&](auto** json) { return graft_kernel_code_describe(nullptr, code.get(), "sm_90", nullptr, json); });
  EXPECT_EQ(shape["entries"][0]["name"], "k<float>");
  EXPECT_EQ(shape["entries"][0]["parameters"][0], 8);
  EXPECT_EQ(shape["slots"].size(), 2u);
  EXPECT_EQ(shape["constants"].size(), 2u);

  const auto metric = callback_of("#include \"point.h\"\n__device__ float f(Point p, float b) { return p.x * b; }");
  const graft_slot slot = {"metric", metric.get()};
  const graft_constant tile = {"tile", 8};
  const auto image = made<graft_image>([&](auto** result) {
    return graft_kernel_build(nullptr, code.get(), &slot, 1, &tile, 1, "sm_90", nullptr, result);
  });
  EXPECT_GT(graft_image_size(image.get()), 0u);

  const char* const architectures[] = {"75"};
  const auto pack = made<graft_bytes>([&](auto** result) {
    return graft_kernel_code_precompile(nullptr, code.get(), architectures, 1, GRAFT_FORMAT_PACK, nullptr, result);
  });
  const auto packed = made<graft_kernel_code>([&](auto** result) {
    return graft_kernel_code_from_bytes(GRAFT_FORM_PACK, graft_bytes_data(pack.get()), graft_bytes_size(pack.get()),
                                        nullptr, result);
  });
  const auto compiled = made<graft_bytes>([&](auto** result) {
    return graft_kernel_code_precompile_for(nullptr, packed.get(), &slot, architectures, 1, nullptr, result);
  });
  const auto ready = made<graft_callback>([&](auto** result) {
    return graft_callback_from_bytes(GRAFT_FORM_PACK, graft_bytes_data(compiled.get()),
                                     graft_bytes_size(compiled.get()), nullptr, result);
  });
  const graft_slot filled = {"metric", ready.get()};
  const auto linked = made<graft_image>([&](auto** result) {
    return graft_kernel_build(nullptr, packed.get(), &filled, 1, &tile, 1, "sm_90", nullptr, result);
  });
  EXPECT_EQ(graft_image_size(linked.get()), graft_image_size(image.get()));

  expect_ok(graft_kernel_code_set_default(code.get(), "metric", metric.get()));
  const auto finished = made<graft_bytes>([&](auto** result) {
    return graft_kernel_code_precompile(nullptr, code.get(), architectures, 1, GRAFT_FORMAT_PACK_WITH_CUBINS, nullptr,
                                        result);
  });
  EXPECT_GT(graft_bytes_size(finished.get()), graft_bytes_size(pack.get()));
}

TEST(CInterface, OwnKernelsTakeLinkInputs) {
  const auto code = made<graft_kernel_code>([](auto** result) {
    return graft_kernel_code_from_source(
        "extern \"C\" __device__ float far(float x);\n"
        "__device__ float f(float x);\n"
        "extern \"C\" __global__ void k(float* x) { *x = far(f(*x)); }\n",
        nullptr, result);
  });
  const auto far = callback_of("extern \"C\" __device__ float far(float x) { return 2 * x; }");
  const char* const architectures[] = {"90"};
  const auto ltoir = made<graft_bytes>([&](auto** result) {
    return graft_precompile(nullptr, far.get(), architectures, 1, GRAFT_FORMAT_LTOIR, nullptr, result);
  });
  const auto binary = made<graft_callback>([&](auto** result) {
    return graft_callback_from_bytes(GRAFT_FORM_LTOIR, graft_bytes_data(ltoir.get()), graft_bytes_size(ltoir.get()),
                                     nullptr, result);
  });
  const auto callback = callback_of("[](float x) { return x + 1; }");
  const graft_slot slot = {"f", callback.get()};
  graft_image* none = nullptr;
  expect_error(graft_kernel_build(nullptr, code.get(), &slot, 1, nullptr, 0, "sm_90", nullptr, &none), GRAFT_SLOT_EMPTY,
               "far");
  expect_ok(graft_kernel_code_add_link_input(code.get(), binary.get()));
  const auto image = made<graft_image>([&](auto** result) {
    return graft_kernel_build(nullptr, code.get(), &slot, 1, nullptr, 0, "sm_90", nullptr, result);
  });
  EXPECT_GT(graft_image_size(image.get()), 0u);
}

TEST(CInterface, MistakesWithOwnKernelsAreErrors) {
  const auto code = kernel_code();
  graft_image* image = nullptr;
  expect_error(graft_kernel_build(nullptr, code.get(), nullptr, 0, nullptr, 0, "sm_90", nullptr, &image),
               GRAFT_SLOT_EMPTY, "calls metric(Point, float), and nothing defines it");
  EXPECT_EQ(image, nullptr);
  expect_error(graft_kernel_build(nullptr, code.get(), nullptr, 1, nullptr, 0, "sm_90", nullptr, &image),
               GRAFT_INVALID_ARGUMENT, "the list of slots");
  const graft_slot empty = {"metric", nullptr};
  expect_error(graft_kernel_build(nullptr, code.get(), &empty, 1, nullptr, 0, "sm_90", nullptr, &image),
               GRAFT_INVALID_ARGUMENT, "the callback of a slot");
  expect_error(graft_kernel_build(nullptr, nullptr, nullptr, 0, nullptr, 0, "sm_90", nullptr, &image),
               GRAFT_INVALID_ARGUMENT, "the kernel's code");
  expect_error(graft_kernel_code_set_inlining(code.get(), "metric", 3), GRAFT_INVALID_ARGUMENT, "inlining is 3");
  expect_error(graft_kernel_code_set_constant(code.get(), "tile", nullptr, 0), GRAFT_INVALID_ARGUMENT, "no value");
  graft_kernel_code* none = nullptr;
  expect_error(graft_kernel_code_from_bytes(GRAFT_FORM_NVVM, "", 0, nullptr, &none), GRAFT_INVALID_ARGUMENT, "form");
  expect_error(graft_kernel_code_from_file("none.cu", &none), GRAFT_FILE_UNREADABLE, "none.cu");
  EXPECT_EQ(none, nullptr);

  graft_kernel_launch_config how = {};
  void* function = &how;
  expect_error(graft_kernel_launch(nullptr, &how, nullptr, nullptr, 0), GRAFT_INVALID_ARGUMENT, "the kernel");
  expect_error(graft_kernel_function(nullptr, &function), GRAFT_INVALID_ARGUMENT, "the kernel");
  EXPECT_EQ(function, nullptr);
}

}  // namespace
