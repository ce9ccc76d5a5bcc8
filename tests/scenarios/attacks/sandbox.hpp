// Runs the program in a folder and checks that the neighbouring folders stay unchanged. No input may make the program
// write outside its folder, hang, crash, or send control characters to a terminal.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "cli/program.hpp"
#include "scenarios/attacks/attack.hpp"
#include "scenarios/attacks/printable_text.hpp"

namespace graft::attacks {

namespace fs = std::filesystem;

// Quotes a word so that a shell passes it unchanged.
inline std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

class Sandbox : public testing::Test {
 protected:
  Sandbox() {
    fs::create_directory(graft_.path("work"));
    write("gain.cu", "__device__ float gain(float x) { return 3 * x; }\n");
    write("list.txt", "gain.cu --arch 90\n");
    EXPECT_EQ(run("warm list.txt").exit_code, 0);
    EXPECT_EQ(run("cache export --all good.kernels").exit_code, 0);
  }

  fs::path cache() const { return graft_.path("own-cache"); }
  // The file of the kernel in the cache.
  fs::path entry() const {
    for (const auto& one : fs::recursive_directory_iterator(cache()))
      if (one.path().extension() == ".entry") return one.path();
    return {};
  }

  std::string path(const std::string& name) const { return graft_.path("work/" + name); }
  void write(const std::string& name, std::string_view content) const { graft_.write("work/" + name, content); }

  // Runs the program in the folder `work`. The program's cache, cache(), is next to `work`.
  test::Result run(const std::string& words, const std::string& environment = "") const {
    return graft_.shell("cd work && " + environment + " timeout 20 graft " + words);
  }

  // Runs the program. The program must end by itself with a result or an error message, and its output must be safe for
  // a terminal.
  test::Result attack(const std::string& words, const std::string& environment = "") {
    SCOPED_TRACE(words.substr(0, 200) + " " + environment.substr(0, 200));
    test::Result result = run(words, environment);
    ++runs_;
    refused_ += result.exit_code != 0 ? 1 : 0;
    EXPECT_TRUE(result.exit_code == 0 || result.exit_code == 1 || result.exit_code == kWrongUsage)
        << (result.exit_code == kTimedOut ? "it did not end" : "it crashed") << ", exit code " << result.exit_code
        << result.err;
    EXPECT_TRUE(result.exit_code == 0 || !result.err.empty() || !result.out.empty())
        << "the program failed without a message";
    for (const std::string& text : {result.out, result.err}) {
      EXPECT_EQ(objection_to_text(text), "") << text;
      EXPECT_EQ(text.find("std::"), text.npos) << text;
    }
    const bool is_json = result.exit_code == 0 && words.find("--json") != words.npos;
    EXPECT_TRUE(!is_json || nlohmann::json::accept(result.out)) << result.out;
    return result;
  }

  // Returns the names of the files next to the folder `work`, except those that contain the program's captured output.
  std::set<std::string> neighbours() const {
    std::set<std::string> names;
    for (const auto& one : fs::directory_iterator(graft_.path("."))) {
      const std::string name = one.path().filename();
      if (name != ".out" && name != ".err") names.insert(name);
    }
    return names;
  }

  void print_counts() const {
    attacks::print_counts(std::to_string(runs_) + " runs, " + std::to_string(refused_) + " refused with a reason");
  }

  test::Program graft_;
  int runs_ = 0;
  int refused_ = 0;

 private:
  static constexpr int kTimedOut = 124;
  static constexpr int kWrongUsage = 2;
};

}  // namespace graft::attacks
