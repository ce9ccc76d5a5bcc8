// Tests the messages from a child process to its parent. The parent must read what the child wrote. From a truncated
// message, the parent must read neither an image nor an error.
#include "cli/child/child_message.hpp"

#include <gtest/gtest.h>

#include "contract.h"
#include "core/image_data.hpp"
#include "support/cubins.hpp"
#include "support/reports.hpp"

namespace graft::cli {
namespace {

bool is_any(const ChildMessage& message) {
  return message.image || message.kept || message.precompiled || message.error;
}

std::shared_ptr<Image::Data> image() {
  auto data = std::make_shared<Image::Data>();
  data->report = test::full_report();
  data->bytes = test::cubin(3);
  return data;
}

// Returns one message of each kind.
std::vector<ChildMessage> messages() {
  return {
      {.image = image()},
      {.kept = CachedKernel{"0123", true, false}},
      {.precompiled = base::Bytes(5, std::byte{7})},
      {.error = Error(ErrorCode::LinkFailed,
                      {.message = "m\xff", .remedy = "r", .log = "l", .versions = {{"NVRTC", "13.0"}, {"x", "y"}}})}};
}

TEST(ChildMessage, AnImageComesBack) {
  auto data = std::make_shared<Image::Data>();
  data->report = test::full_report();
  data->bytes = test::cubin(3);
  const ChildMessage read = read_message(write_message({.image = data}));
  ASSERT_TRUE(read.image);
  EXPECT_EQ(read.image->bytes, data->bytes);
  EXPECT_EQ(read.image->report.to_json(), data->report.to_json());
  data->is_from_disk = true;
  EXPECT_TRUE(read_message(write_message({.image = data})).image->report.from_cache);
  EXPECT_FALSE(read.image->depends_on_tools);
  data->depends_on_tools = true;
  EXPECT_TRUE(read_message(write_message({.image = data})).image->depends_on_tools);
  EXPECT_FALSE(read.error);
}

TEST(ChildMessage, AnErrorComesBack) {
  const Error error(ErrorCode::LinkFailed,
                    {.message = "m", .remedy = "r", .log = "l", .versions = {{"NVRTC", "13.0"}, {"x", "y"}}});
  const ChildMessage read = read_message(write_message({.error = error}));
  ASSERT_TRUE(read.error);
  EXPECT_EQ(read.error->code(), error.code());
  EXPECT_STREQ(read.error->what(), error.what());
  EXPECT_EQ(read.error->versions(), error.versions());
}

TEST(ChildMessage, WhatWasKeptComesBack) {
  const ChildMessage read = read_message(write_message({.kept = CachedKernel{"0123", true, false}}));
  ASSERT_TRUE(read.kept);
  EXPECT_EQ(read.kept->name, "0123");
  EXPECT_TRUE(read.kept->was_there);
  EXPECT_FALSE(read.kept->is_source);
  EXPECT_FALSE(read.image || read.error);
}

TEST(ChildMessage, WhatWasPrecompiledComesBack) {
  for (const base::Bytes& bytes : {base::Bytes{}, base::Bytes(5, std::byte{7})})
    EXPECT_EQ(read_message(write_message({.precompiled = bytes})).precompiled, bytes);
}

TEST(ChildMessage, AHostImageComesBack) {
  auto data = std::make_shared<Image::Data>();
  data->report = test::full_report();
  data->report.kernel.route = Route::Host;
  data->bytes = {std::byte{1}};
  EXPECT_TRUE(read_message(write_message({.image = data})).image);
}

TEST(ChildMessage, AnImpossibleKernelIsNothing) {
  using Change = void (*)(Image::Data&);
  const Change changes[] = {
      [](Image::Data& data) { data.bytes = {std::byte{1}}; },
      [](Image::Data& data) { data.report.kernel.tuning.set("vector_width", 3); },
      [](Image::Data& data) { data.report.kernel.tuning.set("block_threads", 0); },
      [](Image::Data& data) { data.report.kernel.signature = Signature(); },
      [](Image::Data& data) {
        data.report.kernel.signature =
            Signature({Role::Output, {ElementKind::Float, 4, 4}, "float"},
                      std::vector<Parameter>(GRAFT_MAX_INPUTS + 1, {Role::Input, {ElementKind::Float, 4, 4}, "float"}));
      },
  };
  for (const Change change : changes) {
    auto data = std::make_shared<Image::Data>();
    data->report = test::full_report();
    data->bytes = test::cubin(3);
    change(*data);
    EXPECT_FALSE(read_message(write_message({.image = data})).image) << &change - changes;
  }
}

TEST(ChildMessage, NothingAndSeveralAreNothing) {
  EXPECT_FALSE(is_any(read_message(write_message({}))));
  const std::vector<ChildMessage> all = messages();
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_TRUE(is_any(read_message(write_message(all[i])))) << i;
    ChildMessage two = all[i];
    if (two.kept) two.precompiled.emplace();
    else two.kept.emplace();
    EXPECT_FALSE(is_any(read_message(write_message(two)))) << i;
  }
}

TEST(ChildMessage, EveryCutIsNothing) {
  for (const ChildMessage& message : messages()) {
    const base::Bytes whole = write_message(message);
    for (std::size_t size = 0; size < whole.size(); ++size)
      EXPECT_FALSE(is_any(read_message(std::span(whole).first(size)))) << size;
  }
}

// Changes each byte of a message. If the reader accepts the changed message, then what it reads must be the same after
// it is written and read again.
TEST(ChildMessage, EveryChangedByteIsReadOrRefused) {
  for (const ChildMessage& message : messages()) {
    const base::Bytes whole = write_message(message);
    std::size_t reads = 0;
    for (std::size_t i = 0; i < whole.size(); ++i)
      for (int bit = 0; bit < 8; ++bit) {
        base::Bytes changed = whole;
        changed[i] ^= std::byte{1} << bit;
        const ChildMessage read = read_message(changed);
        if (!is_any(read)) continue;
        ++reads;
        const base::Bytes again = write_message(read);
        EXPECT_EQ(write_message(read_message(again)), again) << i;
      }
    EXPECT_GT(reads, 0u);
  }
}

}  // namespace
}  // namespace graft::cli
