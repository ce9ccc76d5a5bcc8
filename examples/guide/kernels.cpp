// Examples for the report of a kernel, for routes, options and errors, and for the host route.
#include <cstdio>
#include <string>

#include "chapter.hpp"

namespace guide {

void report(cudaStream_t) {
  // [report]
  const graft::Callback callback = "__device__ float f(float x) { return 2 * x; }";
  const graft::Image image = graft::build(callback, graft::Architecture(90));  // needs no GPU
  const graft::Report& report = image.report();
  if (!report.inlined()) std::puts(report.to_text().c_str());
  // [/report]
  expect(report.kernel.route == graft::Route::Program && report.inlined() && report.kernel.tuning["vector_width"] == 4);
}

void routes(cudaStream_t) {
  const graft::Callback callback = "__device__ float f(float x) { return 2 * x; }";
  // [routes]
  graft::Options inlined;
  inlined.routes.forbidden = {graft::Route::Ptx, graft::Route::Indirect};  // these two call the callback
  graft::Options program;
  program.routes.required = graft::Route::Program;  // build by this route, or throw
  // [/routes]
  expect(graft::build(callback, graft::Architecture(90), inlined).report().inlined());
  expect(graft::build(callback, graft::Architecture(90), program).report().kernel.route == graft::Route::Program);
}

void options(cudaStream_t) {
  // [options]
  const graft::Callback callback = R"(
      #include "shape.h"
      __device__ float f(float x) { return SLOPE * shape(x) + 1; }
  )";
  graft::Options options;
  options.headers = {{"shape.h", "__device__ inline float shape(float x) { return x * x; }"}};
  options.defines = {{"SLOPE", "0.125f"}};
  options.floating_point.contraction = false;  // a * b + c is not fused, so it is rounded twice
  options.max_registers = 64;
  options.line_info = true;  // profilers show the callback's own lines
  // [/options]
  const graft::Report report = graft::build(callback, graft::Architecture(90), options).report();
  expect(report.resources.registers > 0 && report.resources.registers <= 64);
}

void compiler(cudaStream_t) {
  // [compiler_options]
  const graft::Callback callback = R"(
      float square(float x) { return x * x; }
      float f(float x) { int spare; return square(x) + 1; }
  )";
  graft::Options options;
  options.entry = "f";
  options.compiler_options = {"--device-as-default-execution-space",  // functions need no __device__
                              "--diag-suppress=177"};                 // no warning about `spare`
  // [/compiler_options]
  const graft::Report report = graft::build(callback, graft::Architecture(90), options).report();
  expect(report.inlined() && report.compiler_log.empty());
}

void error(cudaStream_t) {
  std::string log;
  const auto show = [&](const std::string& words) { log += words; };
  // [error]
  try {
    graft::build("__device__ float f(float x) { return 2 * y; }", graft::Architecture(90));
  } catch (const graft::Error& error) {
    if (error.code() != graft::ErrorCode::CompileFailed) throw;
    show(error.log());  // callback.cu(1): error: identifier "y" is undefined
  }
  // [/error]
  expect(log.find("callback.cu(1): error: identifier \"y\" is undefined") != std::string::npos);
}

void diagnostics(cudaStream_t) {
  int line_marked = 0;
  int column_marked = 0;
  const auto mark = [&](int line, int column, const std::string&) {
    line_marked = line;
    column_marked = column;
  };
  // [diagnostics]
  try {
    graft::build("__device__ float f(float x) {\n  return 2 * y;\n}", graft::Architecture(90));
  } catch (const graft::Error& error) {
    for (const graft::Diagnostic& found : error.diagnostics())
      if (found.severity == graft::Diagnostic::Severity::Error)
        mark(found.line, found.column, found.text);  // 2, 14, identifier "y" is undefined
  }
  // [/diagnostics]
  expect(line_marked == 2 && column_marked == 14);
}

void formula(cudaStream_t) {
  std::string log;
  const auto show = [&](const std::string& words) { log = words; };
  // [formula]
  const std::string typed = "2 * y";  // by the user
  const std::string callback =
      "__device__ float formula(float x) { return\n"
      "#line 1 \"formula\"\n" +
      typed + "\n; }\n";
  try {
    graft::build(callback, graft::Architecture(90));
  } catch (const graft::Error& error) {
    show(error.log());  // formula(1): error: identifier "y" is undefined
  }
  // [/formula]
  expect(log.find("formula(1): error: identifier \"y\" is undefined") == 0);

  // What the guide says about texts without #line.
  const std::string text = "__device__ float formula(float x) { return\n" + typed + "\n; }\n";
  int line = 0;
  try {
    graft::build(graft::Callback::source(text, "formula"), graft::Architecture(90));
  } catch (const graft::Error& error) {
    line = error.diagnostics().at(0).line;
  }
  expect(line - 1 == 1);
}

void thread_words(cudaStream_t) {
  std::string message;
  const auto show = [&](const std::string& words) { message = words; };
  // [thread_words]
  const graft::Callback callback = R"(
      __device__ float shuffle(float x) { return x + __shfl_xor_sync(~0u, x, 1); }
  )";
  try {
    graft::build(callback, graft::Architecture(90));
  } catch (const graft::Error& error) {
    show(error.message());  // callback.cu(2): `__shfl_xor_sync` in a callback: which elements the threads ...
  }
  graft::Options options;
  options.allow_thread_words = true;  // which elements x comes from depends on the kernel
  const graft::Image image = graft::build(callback, graft::Architecture(90), options);
  // [/thread_words]
  expect(message.starts_with("callback.cu(2): `__shfl_xor_sync` in a callback: which elements the threads"));
  expect(!image.report().notes.empty());
}

void host(cudaStream_t) {
  // [host]
  const char* callback = "__device__ float relu(float x) { return x > 0 ? x : 0; }";
  const graft::Transform relu = graft::Transform::create(callback, graft::Options::cpu());
  const std::vector<float> in = {-1, 2, 3};
  std::vector<float> out(3);
  relu.execute(graft::host, in, out);  // out is {0, 2, 3}
  // [/host]
  expect(out == std::vector<float>{0, 2, 3});
}

}  // namespace guide
