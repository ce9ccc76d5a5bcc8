// A report in which no field has its default value. Tests write this report and read it back. If writing or reading
// loses a field, the two reports differ.
#pragma once

#include "graft/report.hpp"

namespace graft::test {

inline Report full_report() {
  Report report;
  report.kernel.name = "graft_transform_scale";
  report.kernel.signature = Signature({Role::Output, {ElementKind::Float, 4, 4}, "float"},
                                      {{Role::Input, {ElementKind::Signed, 2, 2}, "short"},
                                       {Role::Output, {ElementKind::Complex, 16, 8}, "double2&"},
                                       {Role::State, {ElementKind::Class, 12, 4}, "const Scale&"},
                                       {Role::Index, {}, "graft::Index"}});
  report.kernel.route = Route::Program;
  report.routes_not_taken = {{Route::Lto, "no nvJitLink"}, {Route::Host, "it runs on the CPU"}};
  report.kernel.architecture = Architecture(90, 'a');
  report.kernel.tuning.set("vector_width", 8);
  report.kernel.tuning.set("vectors_per_thread", 2);
  report.kernel.tuning.set("block_threads", 128);
  report.kernel.tuning.set("programmatic_launch", true);
  report.kernel.tuning.set("single_below", 4096);
  report.kernel.tuning.set("few_tiles", 12);
  report.kernel.tuning.set("body", static_cast<int>(Body::Rolled));
  report.shape = "rolled";
  report.kernel.floating_point = {.fast_math = true, .contraction = false};
  report.kernel.max_registers = 64;
  report.kernel.shared_bytes = 1024;
  report.kernel.compiler_options = {"--diag-suppress=177", "--disable-warnings"};
  report.policy_reason = "asked for";
  report.resources = {.registers = 18,
                      .stack_bytes = 16,
                      .spill_store_bytes = 8,
                      .spill_load_bytes = 4,
                      .local_bytes = 24,
                      .constant_bytes = 552};
  report.remaining_calls = {"slow(float)"};
  report.cuda_helpers = {"__internal_trig", "__internal_pow"};
  report.image_bytes = 4000;
  report.toolkit = "/opt/cuda (CUDA_HOME)";
  report.versions = {{"NVRTC", "13.0"}, {"nvJitLink", "13.0"}};
  report.steps = {{"compile", 8.25}, {"link", 18.0 / 7}};
  report.notes = {"First.", "Second."};
  report.compiler_log = "a.cu(1): warning\n";
  report.linker_log = "ptxas info\n";
  report.source = "text of any bytes: \xff\x01";
  return report;
}

}  // namespace graft::test
