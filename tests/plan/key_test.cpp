// Request keys in pairs: what decides the kernel must tell two requests apart, and nothing else may.
#include "plan/key.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "graft/version.hpp"

namespace graft::plan {
namespace {

const std::string kSource = "__device__ float f(float x) { return x; }";

struct Request {
  Callback callback = kSource;
  std::optional<Architecture> architecture = Architecture(90);
  Options options = {};
};

std::string key(const Request& request) {
  return request_key(request.callback, request.architecture, request.options);
}

using Change = std::function<void(Request&)>;

Request changed(const Change& change) {
  Request request;
  change(request);
  return request;
}

struct Pair {
  const char* what;
  Change left;
  Change right;
};

void nothing(Request&) {}

TEST(RequestKey, TellsApart) {
  const std::vector<Pair> pairs = {
      {"source", nothing, [](Request& r) { r.callback = kSource + " "; }},
      {"name", nothing, [](Request& r) { r.callback = Callback::source(kSource, "gain.cu"); }},
      {"entry of the callback", nothing, [](Request& r) { r.callback = r.callback.with_entry("f"); }},
      {"entry of the options", nothing, [](Request& r) { r.options.entry = "f"; }},
      {"signature", nothing, [](Request& r) { r.callback = r.callback.with_signature("float(float)"); }},
      {"entry or signature", [](Request& r) { r.callback = r.callback.with_entry("f"); },
       [](Request& r) { r.callback = r.callback.with_signature("f"); }},
      {"architecture", nothing, [](Request& r) { r.architecture = Architecture(80); }},
      {"architecture suffix", nothing, [](Request& r) { r.architecture = Architecture(90, 'a'); }},
      {"architecture a or f", [](Request& r) { r.architecture = Architecture(100, 'f'); },
       [](Request& r) { r.architecture = Architecture(100, 'a'); }},
      {"no architecture", nothing, [](Request& r) { r.architecture.reset(); }},
      {"standard", nothing, [](Request& r) { r.options.standard = CppStandard::Cpp20; }},
      {"fast_math", nothing, [](Request& r) { r.options.floating_point.fast_math = true; }},
      {"contraction", nothing, [](Request& r) { r.options.floating_point.contraction = false; }},
      {"flush_to_zero", nothing, [](Request& r) { r.options.floating_point.flush_to_zero = true; }},
      {"precise_division", nothing, [](Request& r) { r.options.floating_point.precise_division = false; }},
      {"precise_square_root", nothing, [](Request& r) { r.options.floating_point.precise_square_root = false; }},
      {"which precision", [](Request& r) { r.options.floating_point.precise_division = false; },
       [](Request& r) { r.options.floating_point.precise_square_root = false; }},
      {"fast_math or its parts", [](Request& r) { r.options.floating_point.fast_math = true; },
       [](Request& r) {
         r.options.floating_point = {false, true, true, false, false};
       }},
      {"max_registers", nothing, [](Request& r) { r.options.max_registers = 32; }},
      {"line_info", nothing, [](Request& r) { r.options.line_info = true; }},
      {"vector_width", nothing, [](Request& r) { r.options.policy.vector_width = 4; }},
      {"vector_width's value", [](Request& r) { r.options.policy.vector_width = 1; },
       [](Request& r) { r.options.policy.vector_width = 16; }},
      {"vectors_per_thread", nothing, [](Request& r) { r.options.policy.vectors_per_thread = 1; }},
      {"body asked for", nothing, [](Request& r) { r.options.policy.body = Body::Vector; }},
      {"body", [](Request& r) { r.options.policy.body = Body::Vector; },
       [](Request& r) { r.options.policy.body = Body::Rolled; }},
      {"define", nothing,
       [](Request& r) {
         r.options.defines = {{"A", "1"}};
       }},
      {"define's value",
       [](Request& r) {
         r.options.defines = {{"A", "1"}};
       },
       [](Request& r) {
         r.options.defines = {{"A", "2"}};
       }},
      {"where a define's name ends",
       [](Request& r) {
         r.options.defines = {{"A", "B1"}};
       },
       [](Request& r) {
         r.options.defines = {{"AB", "1"}};
       }},
      {"one define or two",
       [](Request& r) {
         r.options.defines = {{"A", "1\ndefine 1:B\nvalue 1:2"}};
       },
       [](Request& r) {
         r.options.defines = {{"A", "1"}, {"B", "2"}};
       }},
      {"order of defines",
       [](Request& r) {
         r.options.defines = {{"A", "1"}, {"A", "2"}};
       },
       [](Request& r) {
         r.options.defines = {{"A", "2"}, {"A", "1"}};
       }},
      {"header", nothing,
       [](Request& r) {
         r.options.headers = {{"a.h", ""}};
       }},
      {"header's text",
       [](Request& r) {
         r.options.headers = {{"a.h", "int a;"}};
       },
       [](Request& r) {
         r.options.headers = {{"a.h", "int b;"}};
       }},
      {"header's name",
       [](Request& r) {
         r.options.headers = {{"a.h", "int a;"}};
       },
       [](Request& r) {
         r.options.headers = {{"b.h", "int a;"}};
       }},
      {"define or header",
       [](Request& r) {
         r.options.defines = {{"A", "1"}};
       },
       [](Request& r) {
         r.options.headers = {{"A", "1"}};
       }},
      {"include path", nothing, [](Request& r) { r.options.include_paths = {"/usr/include"}; }},
      {"order of include paths",
       [](Request& r) {
         r.options.include_paths = {"a", "b"};
       },
       [](Request& r) {
         r.options.include_paths = {"b", "a"};
       }},
      {"one include path or two", [](Request& r) { r.options.include_paths = {"ab"}; },
       [](Request& r) {
         r.options.include_paths = {"a", "b"};
       }},
      {"required route", nothing, [](Request& r) { r.options.routes.required = Route::Lto; }},
      {"which route", [](Request& r) { r.options.routes.required = Route::Host; },
       [](Request& r) { r.options.routes.required = Route::Lto; }},
      {"forbidden route", nothing, [](Request& r) { r.options.routes.forbidden = {Route::Lto}; }},
      {"zero byte in the source", [](Request& r) { r.callback = std::string("a\0b", 3); },
       [](Request& r) { r.callback = std::string("a\0c", 3); }},
      {"source that looks like fields", [](Request& r) { r.callback = Callback::source("x\nname 1:y", "z"); },
       [](Request& r) { r.callback = Callback::source("x", "y\nname 1:z"); }},
  };
  for (const Pair& pair : pairs) EXPECT_NE(key(changed(pair.left)), key(changed(pair.right))) << pair.what;
}

TEST(RequestKey, LeavesOutWhatDecidesNothing) {
  const std::vector<Pair> pairs = {
      {"nothing", nothing, nothing},
      {"copies of the text", nothing, [](Request& r) { r.callback = std::string_view(kSource); }},
      {"who names the entry", [](Request& r) { r.callback = r.callback.with_entry("f"); },
       [](Request& r) { r.options.entry = "f"; }},
      {"options' entry over the callback's", [](Request& r) { r.options.entry = "f"; },
       [](Request& r) {
         r.options.entry = "f";
         r.callback = r.callback.with_entry("g");
       }},
      {"devices", nothing,
       [](Request& r) {
         r.options.devices = {0, 1};
       }},
      {"parts of fast_math", [](Request& r) { r.options.floating_point.fast_math = true; },
       [](Request& r) {
         r.options.floating_point = {true, false, true, false, false};
       }},
      {"order of forbidden routes",
       [](Request& r) {
         r.options.routes.forbidden = {Route::Ptx, Route::Host};
       },
       [](Request& r) {
         r.options.routes.forbidden = {Route::Host, Route::Ptx, Route::Host};
       }},
      {"a signature's origin", [](Request& r) { r.callback = r.callback.with_signature("float(float)"); },
       [](Request& r) { r.callback = r.callback.with_signature(Signature::of<float(float)>()); }},
  };
  for (const Pair& pair : pairs) EXPECT_EQ(key(changed(pair.left)), key(changed(pair.right))) << pair.what;
}

TEST(RequestKey, ReadsAsText) {
  Request request;
  request.options.defines = {{"N", "3"}};
  const std::string text = key(request);
  EXPECT_EQ(text.find("graft " + std::to_string(sizeof(GRAFT_VERSION_STRING) - 1) + ":" GRAFT_VERSION_STRING "\n"), 0u);
  EXPECT_NE(text.find("\nsource 41:" + kSource + "\nname 11:callback.cu\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\narchitecture 5:sm_90\n"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("\ndefine 1:N\nvalue 1:3\n")) << text;
}

}  // namespace
}  // namespace graft::plan
