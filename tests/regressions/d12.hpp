// The fixture of the tests of defect D12 (d12_*_test.cpp). It runs the graft program in a folder of its own, which also
// contains the cache.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "cli/program.hpp"
#include "graft/graft.hpp"

namespace graft::test {

class D12 : public testing::Test {
 protected:
  std::filesystem::path folder() const { return graft_.path("own-cache"); }

  Report request(const std::string& own, const std::vector<std::filesystem::path>& layers = {}) const {
    EngineOptions options;
    options.cache.policy = CachePolicy::ReadWrite;
    options.cache.folder = own;
    options.cache.layers = layers;
    Engine engine(options);
    return build(engine, "__device__ float twice(float x) { return 2 * x; }", Architecture(90)).report();
  }
  static std::string notes(const Report& report) { return fmt::format("{}", fmt::join(report.notes, "\n")); }

  Program graft_;
};

}  // namespace graft::test
