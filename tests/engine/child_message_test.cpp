// Tests the messages between a process and the child process that makes a kernel for it. Every field of a request must
// arrive, because a field lost on the way would lead to another kernel. Damaged or forged bytes must be refused without
// harm.
#include "engine/child_message.hpp"
#include "core/version.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <span>
#include <vector>

#include "base/record.hpp"
#include "core/fields.hpp"
#include "core/image_data.hpp"
#include "plan/key.hpp"
#include "support/cubins.hpp"
#include "support/reports.hpp"

namespace graft::engine {
namespace {

using namespace std::chrono_literals;

const base::Bytes kBytes = {std::byte{0}, std::byte{0xff}, std::byte{'\n'}};
constexpr const char* kText = "__device__ float f(float x) { return x; }";

Question plain() {
  Question question{.step = {kText}, .closed = Question::Closed{}};
  question.options.closed.emplace();
  return question;
}

using Change = void (*)(Question&);

// Each function changes one field of the request that plain() returns.
constexpr Change kChanges[] = {
    [](Question& q) { q.step.callback = Callback::source("text of any bytes \xff", "name.cu"); },
    [](Question& q) { q.step.callback = q.step.callback.with_entry("f<float>"); },
    [](Question& q) { q.step.callback = q.step.callback.with_signature("float f(float)"); },
    [](Question& q) { q.step.callback = q.step.callback.with_signature(Signature::of<float(float, const double&)>()); },
    [](Question& q) { q.step.callback = q.step.callback.with_floating_point({}); },
    [](Question& q) {
      q.step.callback = q.step.callback.with_floating_point({.fast_math = true, .contraction = false});
    },
    [](Question& q) { q.step.callback = chain(q.step.callback, Callback::source("b", "b.cu").with_entry("e")); },
    [](Question& q) { q.step.callback = chain({q.step.callback}).with_signature("float(float)"); },
    [](Question& q) { q.step.callback = Stages{.load = q.step.callback}; },
    [](Question& q) { q.step.callback = Stages{.store = q.step.callback}; },
    [](Question& q) { q.step.callback = Stages{.op = q.step.callback, .store = "s"}; },
    [](Question& q) { q.step.callback = q.step.callback.with_folder("/a folder"); },
    [](Question& q) { q.step.callback = Callback::ltoir(kBytes, "a.ltoir"); },
    [](Question& q) { q.step.callback = Callback::fatbin(kBytes); },
    [](Question& q) { q.step.callback = Callback::ptx("text"); },
    [](Question& q) { q.step.callback = Callback::object(kBytes).with_entry("e"); },
    [](Question& q) { q.step.callback = Callback::nvvm(kBytes); },
    [](Question& q) { q.step.callback = Callback::nvvm(kBytes, Libdevice::With); },
    [](Question& q) {
      q.step.callback = q.step.callback.with_link_input(Callback::ptx("p")).with_link_input(Callback::object({}));
    },
    [](Question& q) { q.step.callback = chain({q.step.callback.with_link_input(Callback::ptx("p"))}); },
    // This callback is the most deeply nested one that a user can make.
    [](Question& q) {
      const Callback typed = q.step.callback.with_signature(Signature::of<float(float)>()).with_floating_point({});
      q.step.callback = Stages{.load = typed, .op = chain(typed, typed, typed), .store = typed};
    },

    [](Question& q) { q.options.entry = "f"; },
    [](Question& q) {
      q.options.headers = {{"a.h", ""}, {"", "text"}};
    },
    [](Question& q) {
      q.options.include_paths = {"", "/usr/include"};
    },
    [](Question& q) {
      q.options.defines = {{"A", ""}, {"F(x)", "(x)"}};
    },
    [](Question& q) { q.options.standard = CppStandard::Cpp20; },
    [](Question& q) { q.options.floating_point.fast_math = true; },
    [](Question& q) { q.options.floating_point.contraction = false; },
    [](Question& q) { q.options.floating_point.flush_to_zero = true; },
    [](Question& q) { q.options.floating_point.precise_division = false; },
    [](Question& q) { q.options.floating_point.precise_square_root = false; },
    [](Question& q) { q.options.max_registers = 64; },
    // The message carries an invalid value unchanged. The code that builds the kernel refuses it later.
    [](Question& q) { q.options.max_registers = -64; },
    [](Question& q) { q.options.line_info = true; },
    [](Question& q) {
      q.options.compiler_options = {"-w", "", "--diag-error=20"};
    },
    [](Question& q) { q.options.bake(7.0f); },
    [](Question& q) {
      q.options.baked_type = {ElementKind::Opaque, 3, 5};
    },
    [](Question& q) { q.options.shared_bytes = 1024; },
    [](Question& q) { q.options.shared_bytes = -1; },
    [](Question& q) { q.options.policy.vector_width = 0; },
    [](Question& q) { q.options.policy.vectors_per_thread = -2; },
    [](Question& q) { q.options.policy.body = Body::Vector; },
    [](Question& q) { q.options.policy.block_threads = 64; },
    [](Question& q) { q.options.policy.programmatic_launch = false; },
    [](Question& q) { q.options.routes.required = Route::Lto; },
    [](Question& q) {
      q.options.routes.forbidden = {Route::Host, Route::Lto, Route::Host};
    },
    [](Question& q) { q.options.closed->max_registers = 64; },
    [](Question& q) { q.options.closed->time = 1ms; },
    [](Question& q) { q.options.closed->memory = std::uint64_t{1} << 40; },
    [](Question& q) { q.options.allow_thread_words = true; },
    [](Question& q) { q.options.architecture = Architecture(90, 'a'); },

    [](Question& q) { q.architecture = Architecture(120, 'f'); },
    [](Question& q) { q.work = Question::Work::StateObject; },
    [](Question& q) { q.format = PrecompileFormat::Cubin; },
    [](Question& q) {
      q.architectures = {Architecture(75), Architecture(90, 'a')};
    },
    [](Question& q) { q.closed->cuda_path = "/opt/\xff"; },
    [](Question& q) { q.closed->driver_major = 13; },
    [](Question& q) { q.closed.reset(); },
    [](Question& q) { q.options.closed.reset(), q.closed.reset(); },
    [](Question& q) {
      q.step = {q.step.callback, "fft", base::Bytes(3, std::byte{0xff})};
    },
};

Question changed(Change change) {
  Question question = plain();
  change(question);
  return question;
}

TEST(ChildMessage, AQuestionComesBack) {
  const base::Bytes usual = write_question(plain());
  for (const Change& change : kChanges) {
    SCOPED_TRACE(&change - kChanges);
    const Question question = changed(change);
    const std::optional<Question> read = read_question(write_question(question));
    ASSERT_TRUE(read);
    EXPECT_TRUE(read->step == question.step);
    EXPECT_EQ(read->work, question.work);
    EXPECT_EQ(plan::options_key(read->options), plan::options_key(question.options));
    EXPECT_EQ(read->options.baked_type, question.options.baked_type);
    EXPECT_EQ(read->options.closed, question.options.closed);
    EXPECT_EQ(read->architecture, question.architecture);
    EXPECT_EQ(read->format, question.format);
    EXPECT_EQ(read->architectures, question.architectures);
    ASSERT_EQ(read->closed.has_value(), question.closed.has_value());
    if (read->closed) {
      EXPECT_EQ(read->closed->cuda_path, question.closed->cuda_path);
      EXPECT_EQ(read->closed->driver_major, question.closed->driver_major);
    }

    EXPECT_EQ(write_question(*read), write_question(question));
    EXPECT_NE(write_question(*read), usual);
  }
}

TEST(ChildMessage, DevicesStayWithTheProcessThatAsks) {
  Question question = plain();
  question.options.devices = {0, -1};
  EXPECT_EQ(write_question(question), write_question(plain()));
}

TEST(ChildMessage, AQuestionWithValuesThatThereAreNotIsNone) {
  constexpr Change kWrong[] = {
      [](Question& q) { q.options.closed.reset(); },
      [](Question& q) { q.options.closed->time = -1ms; },
      [](Question& q) { q.options.standard = static_cast<CppStandard>(0); },
      [](Question& q) { q.options.standard = static_cast<CppStandard>(18); },
      [](Question& q) { q.options.standard = static_cast<CppStandard>(98); },
      [](Question& q) { q.options.policy.body = static_cast<Body>(2); },
      [](Question& q) { q.options.routes.required = static_cast<Route>(5); },
      [](Question& q) {
        q.options.routes.forbidden = {Route::Lto, static_cast<Route>(255)};
      },
      [](Question& q) { q.options.baked_type.kind = static_cast<ElementKind>(10); },
      [](Question& q) { q.options.architecture = Architecture(90, 'x'); },
      [](Question& q) { q.architecture = Architecture(-1); },
      [](Question& q) { q.architecture = Architecture(10'000); },
      [](Question& q) { q.work = static_cast<Question::Work>(5); },
      [](Question& q) { q.format = static_cast<PrecompileFormat>(6); },
      [](Question& q) { q.closed->driver_major = -1; },
  };
  EXPECT_TRUE(read_question(write_question(plain())));
  for (const Change& change : kWrong) EXPECT_FALSE(read_question(write_question(changed(change)))) << &change - kWrong;
}

// ---- messages that the test assembles itself, with the field tags that child_message.cpp writes ----

constexpr std::uint64_t kChain = Callback::Composition::Chain;
constexpr std::uint64_t kStaged = Callback::Composition::Staged;
constexpr std::uint64_t kSlots = Callback::Composition::Slots;

struct Part {
  bool is_missing = false;
  std::string text = {};
  std::optional<std::uint64_t> composition = {};
  std::vector<Part> parts = {};
  std::vector<Part> link_inputs = {};
  std::uint64_t form = 0;
};

template <class Codec, base::Is<Part> T>
void fields(Codec& codec, T& part) {
  codec.field(1, part.is_missing);
  codec.field(2, part.text);
  codec.field(8, part.composition);
  codec.field(9, part.parts);
  codec.field(11, part.form);
  codec.field(13, part.link_inputs);
}

struct QuestionOfParts {
  Part callback;
  Options options;
};

template <class Codec, base::Is<QuestionOfParts> T>
void fields(Codec& codec, T& question) {
  codec.field(1, question.callback);
  codec.field(2, question.options);
}

std::optional<Question> read_of_parts(const Part& callback) {
  return read_question(
      base::write_record(Envelope{this_build(), base::write_record(QuestionOfParts{callback, plain().options})}));
}

Part source() {
  return {.text = kText};
}
Part missing() {
  return {.is_missing = true};
}
Part composed(std::uint64_t composition, std::vector<Part> parts) {
  return {.composition = composition, .parts = std::move(parts)};
}

TEST(ChildMessage, CompositionsThatThereCannotBeAreNone) {
  const Part one = composed(kChain, {source()});
  const Part staged = composed(kStaged, {source(), missing(), missing()});
  for (const Part& good :
       {source(), one, staged, composed(kChain, {one, source()}), composed(kStaged, {source(), one, source()}),
        composed(kStaged, {missing(), missing(), missing()}), composed(kStaged, {missing(), source(), missing()}),
        composed(kStaged, {one, missing(), missing()}), composed(kSlots, {source()}),
        composed(kSlots, {source(), source(), source()})})
    EXPECT_TRUE(read_of_parts(good));

  const Part bad[] = {
      missing(),
      composed(kSlots, {}),
      composed(kSlots, {missing()}),
      composed(kSlots, {source(), missing()}),
      composed(kSlots, {{.text = "no pack", .form = static_cast<std::uint64_t>(Form::Pack)}, source()}),
      composed(kSlots + 1, {source(), source(), source()}),
      composed(kChain, {}),
      composed(kChain, std::vector<Part>(9, source())),
      composed(kChain, {one, composed(kChain, std::vector<Part>(8, source()))}),
      composed(kChain, {source(), missing()}),
      composed(kChain, {staged}),
      composed(kStaged, {}),
      composed(kStaged, {source(), source()}),
      composed(kStaged, {source(), source(), source(), source()}),
      composed(kStaged, {source(), staged, missing()}),
      composed(kStaged, {source(), composed(kChain, {missing()}), missing()}),
      {.text = kText, .link_inputs = {source()}},
      {.text = kText, .link_inputs = {missing()}},
      {.text = "no pack", .form = static_cast<std::uint64_t>(Form::Pack)},
      {.text = kText, .form = 99},
  };
  for (const Part& part : bad) EXPECT_FALSE(read_of_parts(part)) << &part - bad;
}

TEST(ChildMessage, DepthIsBounded) {
  const auto nested = [](int depth) {
    Part part = source();
    for (int i = 0; i < depth; ++i) part = composed(kChain, {part});
    return part;
  };
  const std::optional<Question> read = read_of_parts(nested(20));
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->step.callback == chain({Callback::source(kText, "")}));
  for (const int depth : {40, 500}) EXPECT_FALSE(read_of_parts(nested(depth))) << depth;
}

// ---- the answers of the child process ----

// Returns one answer of each kind that a child process can send.
std::vector<Answer> answers() {
  return {
      {.is_out_of_memory = true},
      {.error = Error(ErrorCode::CompileFailed,
                      {.message = "m\xff", .remedy = "r", .log = "l", .versions = {{"NVRTC", "13.0"}, {"x", "y"}}})},
      {.image = Image::Data{test::cubin(3), test::full_report()}},
      {.bytes = base::Bytes(5, std::byte{7})},
      {.bytes = base::Bytes()},
      {.cached = CachedKernel{"0123", true}},
  };
}

TEST(ChildMessage, AnAnswerComesBack) {
  for (const Answer& answer : answers()) {
    const std::optional<Answer> read = read_answer(write_answer(answer));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->other_build, "");
    EXPECT_EQ(read->is_out_of_memory, answer.is_out_of_memory);
    ASSERT_EQ(read->error.has_value(), answer.error.has_value());
    if (read->error) {
      EXPECT_EQ(read->error->code(), answer.error->code());
      EXPECT_STREQ(read->error->what(), answer.error->what());
      EXPECT_EQ(read->error->versions(), answer.error->versions());
    }
    ASSERT_EQ(read->image.has_value(), answer.image.has_value());
    if (read->image) {
      EXPECT_EQ(read->image->bytes, answer.image->bytes);
      EXPECT_EQ(read->image->report.to_json(), answer.image->report.to_json());
    }
    EXPECT_EQ(read->bytes, answer.bytes);
    ASSERT_EQ(read->cached.has_value(), answer.cached.has_value());
    if (read->cached) {
      EXPECT_EQ(read->cached->name, answer.cached->name);
      EXPECT_EQ(read->cached->was_there, answer.cached->was_there);
    }
  }
}

TEST(ChildMessage, AnImageSaysWhereItComesFrom) {
  Image::Data image{test::cubin(3), test::full_report()};
  image.is_from_disk = image.depends_on_tools = true;
  const std::optional<Answer> read = read_answer(write_answer({.image = image}));
  ASSERT_TRUE(read && read->image);
  EXPECT_TRUE(read->image->report.from_cache);
  EXPECT_TRUE(read->image->depends_on_tools);
}

TEST(ChildMessage, NothingAndSeveralAreNoAnswer) {
  EXPECT_FALSE(read_answer(write_answer({})));
  for (Answer answer : answers()) {
    if (answer.bytes) answer.is_out_of_memory = true;
    else answer.bytes.emplace();
    EXPECT_FALSE(read_answer(write_answer(answer)));
  }
}

// ---- messages from another build of graft, and damaged messages ----

TEST(ChildMessage, AnotherBuildIsToldFromDamage) {
  const base::Bytes contents[] = {{}, base::Bytes(9, std::byte{0xff}), write_answer(answers().front())};
  for (const base::Bytes& content : contents) {
    const base::Bytes message = base::write_record(Envelope{"another build", content});
    EXPECT_FALSE(read_question(message));
    const std::optional<Answer> answer = read_answer(message);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->other_build, "another build");
    EXPECT_FALSE(read_answer(base::write_record(Envelope{this_build(), content})));
    EXPECT_FALSE(read_answer(base::write_record(Envelope{"", content})));
  }
}

TEST(ChildMessage, EveryCutIsNone) {
  const auto expect_whole = [](base::Bytes whole, auto read) {
    EXPECT_TRUE(read(whole));
    for (std::size_t size = 0; size < whole.size(); ++size) EXPECT_FALSE(read(std::span(whole).first(size))) << size;
    whole.push_back(std::byte{0});
    EXPECT_FALSE(read(whole));
  };
  for (const Change change : kChanges) expect_whole(write_question(changed(change)), read_question);
  for (const Answer& answer : answers()) expect_whole(write_answer(answer), read_answer);
}

// Changes each byte in turn. If a changed message is accepted, then what was read from it must be the same after it is
// written and read again. Returns how many changed messages were accepted.
template <class Read, class Write>
std::size_t reads_of_changed(const base::Bytes& whole, Read read, Write write) {
  std::size_t reads = 0;
  for (std::size_t i = 0; i < whole.size(); ++i)
    for (const unsigned mask : {0x01u, 0x80u, 0xffu}) {
      base::Bytes changed = whole;
      changed[i] ^= static_cast<std::byte>(mask);
      const auto once = read(changed);
      if (!once) continue;
      ++reads;
      const base::Bytes again = write(*once);
      const auto twice = read(again);
      EXPECT_TRUE(twice && write(*twice) == again) << i;
    }
  return reads;
}

TEST(ChildMessage, EveryChangedByteOfAQuestionIsReadOrRefused) {
  for (const Change change : kChanges)
    EXPECT_GT(reads_of_changed(write_question(changed(change)), read_question, write_question), 0u);
}

TEST(ChildMessage, EveryChangedByteOfAnAnswerIsReadOrRefused) {
  const auto read = [](std::span<const std::byte> bytes) {
    std::optional<Answer> answer = read_answer(bytes);
    return answer && answer->other_build.empty() ? answer : std::nullopt;
  };
  std::size_t reads = 0;
  for (const Answer& answer : answers()) reads += reads_of_changed(write_answer(answer), read, write_answer);
  EXPECT_GT(reads, 0u);
}

}  // namespace
}  // namespace graft::engine
