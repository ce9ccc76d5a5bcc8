// Tests how reports are written as text and as JSON.
#include "graft/report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace graft {
namespace {

Report example() {
  Report report;
  report.kernel.name = "graft_transform_relu";
  report.kernel.signature = Signature::of<float(float)>();
  report.kernel.architecture = Architecture(90);
  report.routes_not_taken = {{Route::Host, "it runs on the CPU"}};
  report.kernel.tuning.set("vector_width", 4);
  report.shape = "vector, 4 elements x 1 per thread, 256 threads per block";
  report.policy_reason = "every array moves in 16-byte words";
  report.resources = {.registers = 18,
                      .stack_bytes = 16,
                      .spill_store_bytes = 8,
                      .spill_load_bytes = 4,
                      .local_bytes = 16,
                      .constant_bytes = 552};
  report.image_bytes = 4000;
  report.toolkit = "/opt/cuda";
  report.versions = {{"NVRTC", "13.0"}};
  report.steps = {{"compile", 8.25}, {"link", 18.5}};
  return report;
}

TEST(ReportText, OfAKernel) {
  EXPECT_EQ(example().to_text(),
            "graft_transform_relu\n"
            "  signature     float(float)\n"
            "  route         lto for sm_90\n"
            "                not host: it runs on the CPU\n"
            "  body          vector, 4 elements x 1 per thread, 256 threads per block (every array moves in 16-byte "
            "words)\n"
            "  resources     18 registers, 16 bytes of local memory, 12 bytes spilled\n"
            "  calls         callback inlined\n"
            "  image         4000 bytes\n"
            "  toolkit       /opt/cuda\n"
            "                NVRTC 13.0\n"
            "  times         compile        8.25 ms\n"
            "                link          18.50 ms\n");
}

TEST(ReportText, NamesWhatIsUnusual) {
  Report report = example();
  report.shape = "";  // then the report lists the numbers in kernel.tuning
  report.kernel.tuning.set("threads", 64);
  report.remaining_calls = {"slow(float)", "g(int)"};
  report.cuda_helpers = {"__internal_trig"};
  report.from_cache = true;
  report.notes = {"First.", "Second."};
  report.compiler_log = "a.cu(1): warning\n  x\n\n";
  report.linker_log = "ptxas info\n";
  const std::string text = report.to_text();
  for (const char* line :
       {"\n  body          vector_width 4, threads 64\n",
        "\n  calls         still called: slow(float), g(int); CUDA's helpers: __internal_trig\n",
        "\n  image         4000 bytes, from the cache\n", "\n  note          First.\n  note          Second.\n",
        "\n  compiler log\n    a.cu(1): warning\n      x\n  linker log\n    ptxas info\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  EXPECT_FALSE(report.inlined());
  EXPECT_DOUBLE_EQ(report.total_milliseconds(), 26.75);
}

TEST(ReportText, OfAHostImageHasNoResources) {
  Report report = example();
  report.kernel.route = Route::Host;
  const std::string text = report.to_text();
  EXPECT_NE(text.find("  route         host\n"), std::string::npos);
  EXPECT_EQ(text.find("registers"), std::string::npos);
  EXPECT_EQ(text.find("sm_90"), std::string::npos);
}

TEST(ReportJson, HoldsEverything) {
  Report report = example();
  report.source = "source";
  report.notes = {"note"};
  report.kernel.floating_point.contraction = false;
  report.kernel.max_registers = 32;
  report.kernel.shared_bytes = 1024;
  report.kernel.compiler_options = {"--diag-suppress=177"};
  const auto json = nlohmann::json::parse(report.to_json());
  EXPECT_EQ(json.at("kernel"), "graft_transform_relu");
  const auto expected = nlohmann::json::parse(R"json({
    "text": "float(float)", "index": false,
    "inputs": [{"type": "float", "size": 4, "alignment": 4}],
    "outputs": [{"type": "float", "size": 4, "alignment": 4}]})json");
  EXPECT_EQ(json.at("signature"), expected);
  EXPECT_EQ(json.at("route"), "lto");
  EXPECT_EQ(json.at("architecture"), "sm_90");
  EXPECT_EQ(json.at("routes_not_taken"),
            nlohmann::json::parse(R"([{"route": "host", "reason": "it runs on the CPU"}])"));
  EXPECT_EQ(json.at("schema"), 2);
  EXPECT_EQ(json.at("family"), "elementwise");
  EXPECT_EQ(json.at("tuning"), nlohmann::json::parse(R"({"vector_width": 4})"));
  EXPECT_EQ(json.at("shape"), "vector, 4 elements x 1 per thread, 256 threads per block");
  EXPECT_EQ(json.at("max_registers"), 32);
  EXPECT_EQ(json.at("shared_bytes"), 1024);
  EXPECT_EQ(json.at("compiler_options"), nlohmann::json::parse(R"(["--diag-suppress=177"])"));
  EXPECT_EQ(json.at("floating_point"), nlohmann::json::parse(R"({"fast_math": false, "contraction": false,
    "flush_to_zero": false, "precise_division": true, "precise_square_root": true})"));
  const auto resources = nlohmann::json::parse(R"({"registers": 18, "stack_bytes": 16, "spill_store_bytes": 8,
    "spill_load_bytes": 4, "local_bytes": 16, "constant_bytes": 552})");
  EXPECT_EQ(json.at("resources"), resources);
  EXPECT_EQ(json.at("inlined"), true);
  EXPECT_EQ(json.at("versions"), nlohmann::json::parse(R"({"NVRTC": "13.0"})"));
  EXPECT_EQ(
      json.at("steps"),
      nlohmann::json::parse(R"([{"name": "compile", "milliseconds": 8.25}, {"name": "link", "milliseconds": 18.5}])"));
  EXPECT_EQ(json.at("source"), "source");
  EXPECT_EQ(json.at("notes"), nlohmann::json::parse(R"(["note"])"));
  EXPECT_EQ(json.at("from_cache"), false);
}

TEST(ReportJson, TakesAnyBytesAndAState) {
  Report report;
  report.source = "\xff\x01\n";
  report.kernel.signature = Signature::of<float(const double&)>();
  const auto json = nlohmann::json::parse(report.to_json());
  EXPECT_EQ(json.at("source"), "\xEF\xBF\xBD\x01\n");
  EXPECT_EQ(json.at("signature").at("state").at("type"), "double");
}

}  // namespace
}  // namespace graft
