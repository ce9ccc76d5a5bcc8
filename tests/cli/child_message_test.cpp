// What a child tells its parent comes back; what was cut off is neither an image nor an error.
#include "cli/child_message.hpp"

#include <gtest/gtest.h>

#include "support/cubins.hpp"
#include "support/reports.hpp"

namespace graft::cli {
namespace {

TEST(ChildMessage, AnImageComesBack) {
  auto data = std::make_shared<Image::Data>();
  data->report = test::full_report();
  data->bytes = test::cubin(3);
  const ChildMessage read = read_message(write_message({.image = data}));
  ASSERT_TRUE(read.image);
  EXPECT_EQ(read.image->bytes, data->bytes);
  EXPECT_EQ(read.image->report.to_json(), data->report.to_json());
  data->report.from_cache = true;
  EXPECT_TRUE(read_message(write_message({.image = data})).image->report.from_cache);
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
  const ChildMessage read = read_message(write_message({.kept = Kept{"0123", true, false}}));
  ASSERT_TRUE(read.kept);
  EXPECT_EQ(read.kept->name, "0123");
  EXPECT_TRUE(read.kept->was_there);
  EXPECT_FALSE(read.kept->is_source);
  EXPECT_FALSE(read.image || read.error);
}

TEST(ChildMessage, AHostImageComesBack) {
  auto data = std::make_shared<Image::Data>();
  data->report = test::full_report();
  data->report.route = Route::Host;
  data->bytes = {std::byte{1}};
  EXPECT_TRUE(read_message(write_message({.image = data})).image);
}

TEST(ChildMessage, AnImpossibleKernelIsNothing) {
  using Change = void (*)(Image::Data&);
  const Change changes[] = {
      [](Image::Data& data) { data.bytes = {std::byte{1}}; },
      [](Image::Data& data) { data.report.tuning.vector_width = 3; },
      [](Image::Data& data) { data.report.tuning.block_threads = 0; },
      [](Image::Data& data) { data.report.signature = Signature(); },
      [](Image::Data& data) {
        data.report.signature =
            Signature({Role::Output, {ElementKind::Float, 4, 4}, "float"},
                      std::vector<Parameter>(13, {Role::Input, {ElementKind::Float, 4, 4}, "float"}));
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

TEST(ChildMessage, EveryCutIsNothing) {
  auto data = std::make_shared<Image::Data>();
  data->report = test::full_report();
  data->bytes = test::cubin(3);
  const base::Bytes whole = write_message({.image = data});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const ChildMessage read = read_message(std::span(whole).first(size));
    EXPECT_FALSE(read.image || read.kept || read.error) << size;
  }
}

}  // namespace
}  // namespace graft::cli
