// Tests handles that were moved from, and null pointers as text. In version 0.1, a moved-from handle crashed when it
// was used again. A null pointer in place of a string raised std::logic_error.
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/image_data.hpp"
#include "graft/graft.hpp"
#include "support/errors.hpp"

namespace graft {
namespace {

constexpr const char* kTwice = "__device__ float twice(float x) { return 2 * x; }";
constexpr const char* kThrice = "__device__ float thrice(float x) { return 3 * x; }";

Options on_host() {
  return {.routes = {.required = Route::Host}};
}

// One struct for each handle type, with three functions: one() and other() make two different handles, and use()
// returns a text that tells the two apart.
struct Callbacks {
  using Handle = Callback;
  static Callback one() { return Callback::source(kTwice, "twice.cu").with_entry("twice"); }
  static Callback other() { return kThrice; }
  static std::string use(const Callback& callback) {
    return callback.name() + callback.entry() + callback.text() + std::to_string(callback.hash());
  }
};

struct Transforms {
  using Handle = Transform;
  static Transform one() { return Transform::create(kTwice, on_host()); }
  static Transform other() { return Transform::create(kThrice, on_host()); }
  static std::string use(const Transform& transform) {
    const std::vector<float> in = {1.0f};
    std::vector<float> out = {0.0f};
    transform.execute(host, in, out);
    return transform.report().kernel.name + transform.signature().text() + transform.image().report().kernel.name +
           std::to_string(out[0]);
  }
};

struct Images {
  using Handle = Image;
  static Image one() { return Transforms::one().image(); }
  static Image other() { return Transforms::other().image(); }
  static std::string use(const Image& image) {
    return image.report().kernel.name + image.signature().text() + std::to_string(image.bytes().size()) +
           std::to_string(Image::Data::of(image) != nullptr);
  }
};

struct Errors {
  using Handle = Error;
  static Error one() { return Error(ErrorCode::Overlap, {"one", "do this", "log", {{"NVRTC", "13.0"}}}); }
  static Error other() { return Error(ErrorCode::NoDevice, {"other", "do that", {}, {}}); }
  static std::string use(const Error& error) {
    return error.what() + error.message() + error.remedy() + error.log() + std::string(name(error.code())) +
           std::to_string(error.versions().size());
  }
};

template <class Kind>
struct Checked {
  using Handle = typename Kind::Handle;
  const Handle one = Kind::one();
  const Handle other = Kind::other();
  const std::string one_says = Kind::use(one);
  const std::string other_says = Kind::use(other);

  void is_constructed() const {
    Handle from = one;
    const Handle to = std::move(from);
    EXPECT_EQ(Kind::use(from), one_says);
    EXPECT_EQ(Kind::use(to), one_says);
  }

  void is_assigned() const {
    Handle from = one;
    Handle to = other;
    to = std::move(from);
    EXPECT_EQ(Kind::use(from), one_says);
    EXPECT_EQ(Kind::use(to), one_says);
    from = other;
    EXPECT_EQ(Kind::use(from), other_says);
    EXPECT_EQ(Kind::use(to), one_says);
  }

  void is_moved_into_itself() const {
    Handle handle = one;
    Handle& same = handle;
    handle = std::move(same);
    EXPECT_EQ(Kind::use(handle), one_says);
    std::swap(handle, same);
    EXPECT_EQ(Kind::use(handle), one_says);
  }

  void is_swapped() const {
    Handle a = one;
    Handle b = other;
    std::swap(a, b);
    EXPECT_EQ(Kind::use(a), other_says);
    EXPECT_EQ(Kind::use(b), one_says);
  }

  void lives_in_containers() const {
    std::vector<Handle> all(5, one);
    all.push_back(other);
    std::vector<Handle> taken;
    for (Handle& handle : all) taken.push_back(std::move(handle));
    for (const Handle& handle : all) EXPECT_FALSE(Kind::use(handle).empty());
    all.erase(all.begin(), all.begin() + 5);
    all.insert(all.begin(), one);
    all.resize(2, other);
    EXPECT_EQ(Kind::use(all[0]), one_says);
    EXPECT_EQ(Kind::use(all[1]), other_says);
    EXPECT_EQ(Kind::use(taken[0]), one_says);
    std::optional<Handle> perhaps = one;
    const Handle out_of_it = std::move(*perhaps);
    EXPECT_EQ(Kind::use(*perhaps), one_says);
    std::pair pair(one, other);
    const std::pair moved = std::move(pair);
    EXPECT_EQ(Kind::use(pair.second), other_says);
  }

  void outlives_what_it_was_moved_to() const {
    std::optional<Handle> from(one);
    { const Handle to = std::move(*from); }
    EXPECT_EQ(Kind::use(*from), one_says);
    const std::optional<Handle> to(std::move(*from));
    from.reset();
    EXPECT_EQ(Kind::use(*to), one_says);
  }

  void all() const {
    is_constructed();
    is_assigned();
    is_moved_into_itself();
    is_swapped();
    lives_in_containers();
    outlives_what_it_was_moved_to();
    EXPECT_TRUE(std::is_nothrow_move_constructible_v<Handle> && std::is_nothrow_move_assignable_v<Handle>);
  }
};

TEST(MovedFrom, AMovedFromCallbackStaysWhatItWas) {
  Checked<Callbacks>().all();
}
TEST(MovedFrom, AMovedFromTransformStaysWhatItWas) {
  Checked<Transforms>().all();
}
TEST(MovedFrom, AMovedFromImageStaysWhatItWas) {
  Checked<Images>().all();
}
TEST(MovedFrom, AMovedFromErrorStaysWhatItWas) {
  Checked<Errors>().all();
}

TEST(MovedFrom, MovedFromStagesAndPartsStayWhatTheyWere) {
  Stages from{.load = {}, .op = kTwice, .store = kThrice};
  const Stages to = std::move(from);
  EXPECT_EQ(Callback(from), Callback(to));
  std::vector<Callback> parts = {kTwice, kThrice};
  const Callback both = chain(std::move(parts[0]), std::move(parts[1]));
  EXPECT_EQ(chain(parts), both);
}

// ---- null pointers and empty strings ----

void expect_refusal(const Error& error, const std::string& words) {
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument) << error.what();
  EXPECT_NE(error.message().find(words), std::string::npos) << error.what();
  EXPECT_FALSE(error.remedy().empty());
}

TEST(MovedFrom, ANullPointerIsRefusedAsText) {
  const char* const null = nullptr;
  for (const Error& error :
       {test::error_of([&] { Callback{null}; }), test::error_of([] { Callback{nullptr}; }),
        test::error_of([&] { Callback::source(null); }), test::error_of([&] { Callback::source(null, "gain.cu"); }),
        test::error_of([&] { Callback::ptx(null); }), test::error_of([&] { Callback::nvvm(null); }),
        test::error_of([&] { Transform::create(null); }), test::error_of([&] { build(null, Architecture(90)); }),
        test::error_of([&] { chain(kTwice, null); }), test::error_of([&] { Stages{.op = null}; })})
    expect_refusal(error, "null pointer");
}

TEST(MovedFrom, ANullPointerIsRefusedAsEntrySignatureAndFile) {
  const char* const null = nullptr;
  const Callback callback = kTwice;
  expect_refusal(test::error_of([&] { callback.with_entry(null); }), "null pointer");
  expect_refusal(test::error_of([&] { callback.with_signature(null); }), "null pointer");
  expect_refusal(test::error_of([&] { Callback::file(null); }), "null pointer");
}

// Only graft can make an Image, so an Image made from a null pointer must not compile.
static_assert(!std::is_constructible_v<Image, std::nullptr_t>);
static_assert(!std::is_constructible_v<Image, std::shared_ptr<const Image::Data>>);

TEST(MovedFrom, EmptyTextHasNoFunction) {
  const Callback empty[] = {Callback(""),         Callback(std::string()), Callback(std::string_view()),
                            Callback::source(""), chain("", kTwice),       Stages{.load = "", .op = kTwice}};
  for (const Callback& callback : empty)
    for (const Options& options : {Options(), on_host()}) {
      const Error error = test::error_of([&] { build(callback, Architecture(90), options); });
      EXPECT_EQ(error.code(), ErrorCode::NoSuchEntry) << error.what();
      EXPECT_NE(error.message().find("callback.cu"), std::string::npos) << error.what();
      EXPECT_FALSE(error.remedy().empty());
    }
  for (const Callback& callback : {Callback::ptx(std::string()), Callback::nvvm(std::string_view()),
                                   Callback::ltoir({}), Callback::fatbin({}), Callback::object({})})
    EXPECT_FALSE(
        test::error_of([&] { build(callback.with_signature("float f(float)"), Architecture(90)); }).remedy().empty());
  EXPECT_FALSE(test::error_of([] { Callback::pack({}); }).remedy().empty());
}

// graft accepts every kind of C++ string as text.
TEST(MovedFrom, TextOfEveryKindIsTaken) {
  const std::string text = kTwice;
  const std::string_view view = text;
  for (const Callback& callback :
       {Callback(kTwice), Callback(text), Callback(view), Callback::source(kTwice), Callback::source(text)})
    EXPECT_EQ(callback.text(), kTwice);
  EXPECT_EQ(Callback::source(kTwice, "twice.cu").name(), "twice.cu");
  EXPECT_EQ(Callback::ptx("text", "a").text(), Callback::ptx(std::string("text"), "a").text());
  const Callback from_view = Callback::nvvm(std::string_view("text"), Libdevice::With, "a");
  EXPECT_EQ(Callback::nvvm("text", Libdevice::With, "a"), from_view);
  EXPECT_EQ(Callback(text).with_entry("f"), Callback(text).with_entry(std::string("f")));
  EXPECT_EQ(Callback(text).with_signature("int(int)").signature(), "int(int)");
}

}  // namespace
}  // namespace graft
