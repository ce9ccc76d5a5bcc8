// Engines with tuning files: in a cache's folder, or by name. The device is that of a test double of the driver
// (support/fake_driver.hpp).
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "format/tuning_file.hpp"
#include "graft/graft.hpp"
#include "store/tuning_place.hpp"

namespace graft::test {

inline const int version_is_set = setenv("GRAFT_FAKE_DRIVER_VERSION", "13090", 1);

constexpr const char* kTuned = "tuned on this GPU";
inline const format::TunedGpu kGpu = {"Test double", 1024};

class TunedEngines : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(version_is_set, 0); }

  std::filesystem::path cache() const { return folder_.path() / "cache"; }
  std::filesystem::path named() const { return folder_.path() / "named.json"; }

  void put(const format::TuningFile& file) const {
    ASSERT_EQ(store::put_tuning(cache(), format::tuning_file_name(kGpu), format::write_tuning_file(file)), "");
  }
  void name(const std::string& text) const { ASSERT_TRUE(base::write_file(named(), base::as_bytes(text))); }

  EngineOptions options(bool is_named = false) {
    EngineOptions options;
    options.cache.policy = CachePolicy::ReadWrite;
    options.cache.folder = cache();
    options.cache.layers.emplace();
    if (is_named) options.tuning_file = named();
    options.log = [this](const LogEvent& event) {
      if (event.kind == LogKind::CacheProblem) problems_.emplace_back(event.text);
    };
    return options;
  }

  base::TemporaryFolder folder_;
  std::vector<std::string> problems_;
};

}  // namespace graft::test
