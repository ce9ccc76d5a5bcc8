// Compares the keys of pairs of requests. Requests whose kernels may differ must have different keys, and all others
// must have equal keys.
#include "plan/key.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/version.hpp"
#include "format/key_fields.hpp"

namespace graft::plan {
namespace {

const std::string kSource = "__device__ float f(float x) { return x; }";

struct Request {
  Callback callback = kSource;
  std::optional<Architecture> architecture = Architecture(90);
  Options options = {};
  std::map<std::string, std::string> disk = {};
  std::string tools = {};
};

std::string key(const Request& request) {
  return request_key(request.callback, request.architecture, request.options);
}

base::FileIdentity identity_of(const std::string& path) {
  return {1, base::hash(path).low};
}

HeaderWorld world_of(const Request& request) {
  const auto read = [disk = request.disk](const std::string& path) {
    base::SeenFile file;
    const auto found = disk.find(path);
    if (found == disk.end()) return file;
    file.kind = base::SeenFile::Kind::Readable;
    file.text = found->second;
    file.size = file.text.size();
    file.identity = identity_of(path);
    file.folder = identity_of(base::folder_of(path));
    return file;
  };
  const auto toolkit_in = [](const std::string& folder) {
    return std::string(folder == "/cuda/include" ? "13.0" : "");
  };
  return {.read = read, .working_folder = [] { return std::string("/here"); }, .toolkit_in = toolkit_in, .see = read};
}

DiskKey on_disk(const Request& request) {
  return disk_key(request.callback, *request.architecture, request.options, world_of(request), request.tools);
}

const std::string kIncluding = "#include \"a.h\"\n" + kSource;

// Returns a request whose callback includes a.h. The header is in the folder /inc and has the given text.
Request including(std::string text) {
  return {kIncluding, Architecture(90), {.include_paths = {"/inc"}}, {{"/inc/a.h", std::move(text)}}};
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
      {"folder of an includer", [](Request& r) { r.callback = kIncluding; },
       [](Request& r) { r.callback = Callback(kIncluding).with_folder("/a"); }},
      {"which part has a folder",
       [](Request& r) { r.callback = chain(Callback(kIncluding).with_folder("/a"), kIncluding); },
       [](Request& r) { r.callback = chain(kIncluding, Callback(kIncluding).with_folder("/a")); }},
      {"which stage has a folder",
       [](Request& r) { r.callback = Stages{.load = Callback(kIncluding).with_folder("/a"), .op = kIncluding}; },
       [](Request& r) { r.callback = Stages{.load = kIncluding, .op = Callback(kIncluding).with_folder("/a")}; }},
      {"entry of the callback", nothing, [](Request& r) { r.callback = r.callback.with_entry("f"); }},
      {"entry of the options", nothing, [](Request& r) { r.options.entry = "f"; }},
      {"signature", nothing, [](Request& r) { r.callback = r.callback.with_signature("float(float)"); }},
      {"link input", nothing, [](Request& r) { r.callback = r.callback.with_link_input(Callback::ptx("a")); }},
      {"link input's bytes", [](Request& r) { r.callback = r.callback.with_link_input(Callback::ptx("a")); },
       [](Request& r) { r.callback = r.callback.with_link_input(Callback::ptx("b")); }},
      {"link input's form", [](Request& r) { r.callback = r.callback.with_link_input(Callback::ptx("")); },
       [](Request& r) { r.callback = r.callback.with_link_input(Callback::ltoir({})); }},
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
      {"contraction beside fast_math", [](Request& r) { r.options.floating_point.fast_math = true; },
       [](Request& r) { r.options.floating_point = {.fast_math = true, .contraction = false}; }},
      {"max_registers", nothing, [](Request& r) { r.options.max_registers = 32; }},
      {"line_info", nothing, [](Request& r) { r.options.line_info = true; }},
      {"allow_thread_words", nothing, [](Request& r) { r.options.allow_thread_words = true; }},
      {"compiler option", nothing, [](Request& r) { r.options.compiler_options = {"-w"}; }},
      {"compiler option's number", [](Request& r) { r.options.compiler_options = {"--diag-error=20"}; },
       [](Request& r) { r.options.compiler_options = {"--diag-error=21"}; }},
      {"shared_bytes", nothing, [](Request& r) { r.options.shared_bytes = 16; }},
      {"baked state", nothing, [](Request& r) { r.options.bake(1.0f); }},
      {"baked type", [](Request& r) { r.options.bake(0.0f); }, [](Request& r) { r.options.bake(0); }},
      {"vector_width", nothing, [](Request& r) { r.options.policy.vector_width = 4; }},
      {"vector_width's value", [](Request& r) { r.options.policy.vector_width = 1; },
       [](Request& r) { r.options.policy.vector_width = 16; }},
      {"vectors_per_thread", nothing, [](Request& r) { r.options.policy.vectors_per_thread = 1; }},
      {"block_threads", nothing, [](Request& r) { r.options.policy.block_threads = 128; }},
      {"programmatic_launch", nothing, [](Request& r) { r.options.policy.programmatic_launch = false; }},
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
         r.options.floating_point = {true, true, true, false, false};
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
  request.options.max_registers = 32;
  EXPECT_EQ(key(request), "architecture 5:sm_90\nform 6:source\nsource 41:" + kSource +
                              "\nname 11:callback.cu\nmax_registers 2:32\ndefine 1:N\nvalue 1:3\n");
}

// A kernel with line information contains the path of the working folder. If the working folder was removed, the
// request is still valid. Its kernel is then kept in memory only, because its key could be equal to that of a request
// from another folder.
TEST(DiskKey, OfLineInfoWithoutAWorkingFolderStaysInMemory) {
  Request request;
  request.options.line_info = true;
  EXPECT_TRUE(on_disk(request).memory_only.empty());
  EXPECT_NE(on_disk(request).text.find("name 17:/here/callback.cu\n"), std::string::npos) << on_disk(request).text;
  HeaderWorld world = world_of(request);
  world.working_folder = [] { return std::string(); };
  const DiskKey key = disk_key(request.callback, *request.architecture, request.options, world);
  ASSERT_EQ(key.memory_only.size(), 1u);
  EXPECT_EQ(key.memory_only[0], "its line tables name the working folder, which was removed");
  request.options.line_info = false;
  EXPECT_TRUE(disk_key(request.callback, *request.architecture, request.options, world).memory_only.empty());
}

TEST(OptionsKey, IsEmptyForDefaultOptions) {
  EXPECT_EQ(options_key({}), "");
}

TEST(OptionsKey, HasEverything) {
  const std::function<void(Options&)> changes[] = {
      [](Options& o) { o.entry = "f"; },
      [](Options& o) {
        o.headers = {{"a.h", ""}};
      },
      [](Options& o) { o.include_paths = {"/inc"}; },
      [](Options& o) {
        o.defines = {{"A", "1"}};
      },
      [](Options& o) { o.standard = CppStandard::Cpp20; },
      [](Options& o) { o.floating_point.fast_math = true; },
      [](Options& o) { o.max_registers = 32; },
      [](Options& o) { o.line_info = true; },
      [](Options& o) { o.compiler_options = {"-w"}; },
      [](Options& o) { o.shared_bytes = 16; },
      [](Options& o) { o.bake(0.0f); },
      [](Options& o) { o.bake(0); },
      [](Options& o) { o.closed.emplace(); },
      [](Options& o) { o.allow_thread_words = true; },
      [](Options& o) { o.policy.body = Body::Rolled; },
      [](Options& o) { o.routes.required = Route::Lto; },
      [](Options& o) { o.architecture = Architecture(90); },
      [](Options& o) { o.devices = {1}; },
      [](Options& o) {
        o.devices = {1, 0};
      },
  };
  std::set<std::string> keys = {options_key({})};
  for (const auto& change : changes) {
    Options options;
    change(options);
    keys.insert(options_key(options));
  }
  EXPECT_EQ(keys.size(), std::size(changes) + 1);
}

TEST(DiskKey, TellsApart) {
  const std::vector<Pair> pairs = {
      {"source", nothing, [](Request& r) { r.callback = kSource + " "; }},
      {"entry", nothing, [](Request& r) { r.options.entry = "f"; }},
      {"signature", nothing, [](Request& r) { r.callback = r.callback.with_signature("float(float)"); }},
      {"link input", nothing, [](Request& r) { r.callback = r.callback.with_link_input(Callback::ptx("a")); }},
      {"link input's bytes", [](Request& r) { r.callback = r.callback.with_link_input(Callback::ptx("a")); },
       [](Request& r) { r.callback = r.callback.with_link_input(Callback::ptx("b")); }},
      {"link input's form", [](Request& r) { r.callback = r.callback.with_link_input(Callback::ptx("")); },
       [](Request& r) { r.callback = r.callback.with_link_input(Callback::ltoir({})); }},
      {"entry or signature", [](Request& r) { r.callback = r.callback.with_entry("f"); },
       [](Request& r) { r.callback = r.callback.with_signature("f"); }},
      {"architecture", nothing, [](Request& r) { r.architecture = Architecture(80); }},
      {"architecture suffix", nothing, [](Request& r) { r.architecture = Architecture(90, 'a'); }},
      {"standard", nothing, [](Request& r) { r.options.standard = CppStandard::Cpp20; }},
      {"fast_math", nothing, [](Request& r) { r.options.floating_point.fast_math = true; }},
      {"contraction", nothing, [](Request& r) { r.options.floating_point.contraction = false; }},
      {"flush_to_zero", nothing, [](Request& r) { r.options.floating_point.flush_to_zero = true; }},
      {"precise_division", nothing, [](Request& r) { r.options.floating_point.precise_division = false; }},
      {"precise_square_root", nothing, [](Request& r) { r.options.floating_point.precise_square_root = false; }},
      {"contraction beside fast_math", [](Request& r) { r.options.floating_point.fast_math = true; },
       [](Request& r) { r.options.floating_point = {.fast_math = true, .contraction = false}; }},
      {"max_registers", nothing, [](Request& r) { r.options.max_registers = 32; }},
      {"line_info", nothing, [](Request& r) { r.options.line_info = true; }},
      {"compiler option", nothing, [](Request& r) { r.options.compiler_options = {"-w"}; }},
      {"compiler option's number", [](Request& r) { r.options.compiler_options = {"--diag-error=20"}; },
       [](Request& r) { r.options.compiler_options = {"--diag-error=21"}; }},
      {"shared_bytes", nothing, [](Request& r) { r.options.shared_bytes = 16; }},
      {"baked state", nothing, [](Request& r) { r.options.bake(1.0f); }},
      {"baked type", [](Request& r) { r.options.bake(0.0f); }, [](Request& r) { r.options.bake(0); }},
      {"name with line_info", [](Request& r) { r.options.line_info = true; },
       [](Request& r) {
         r.options.line_info = true;
         r.callback = Callback::source(kSource, "gain.cu");
       }},
      {"vector_width", nothing, [](Request& r) { r.options.policy.vector_width = 4; }},
      {"vectors_per_thread", nothing, [](Request& r) { r.options.policy.vectors_per_thread = 1; }},
      {"block_threads", nothing, [](Request& r) { r.options.policy.block_threads = 128; }},
      {"programmatic_launch", nothing, [](Request& r) { r.options.policy.programmatic_launch = false; }},
      {"body", [](Request& r) { r.options.policy.body = Body::Vector; },
       [](Request& r) { r.options.policy.body = Body::Rolled; }},
      {"required route", nothing, [](Request& r) { r.options.routes.required = Route::Lto; }},
      {"forbidden route", nothing, [](Request& r) { r.options.routes.forbidden = {Route::Lto}; }},
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
      {"order of defines of one name",
       [](Request& r) {
         r.options.defines = {{"A", "1"}, {"A", "2"}};
       },
       [](Request& r) {
         r.options.defines = {{"A", "2"}, {"A", "1"}};
       }},
      {"order of defines of one macro",
       [](Request& r) {
         r.options.defines = {{"F", "1"}, {"F(x)", "2"}};
       },
       [](Request& r) {
         r.options.defines = {{"F(x)", "2"}, {"F", "1"}};
       }},
      {"exact tools", nothing, [](Request& r) { r.tools = "13.0"; }},
      {"which exact tools", [](Request& r) { r.tools = "13.1"; }, [](Request& r) { r.tools = "13.0"; }},
      {"header's text on disk", [](Request& r) { r = including("int a;"); },
       [](Request& r) { r = including("int b;"); }},
      {"header on disk or nowhere", [](Request& r) { r = including("int a;"); },
       [](Request& r) {
         r = including("");
         r.disk.clear();
       }},
      {"empty header or none", [](Request& r) { r = including(""); },
       [](Request& r) {
         r = including("");
         r.disk.clear();
       }},
      {"header in memory or on disk", [](Request& r) { r = including("int a;"); },
       [](Request& r) {
         r = including("int a;");
         r.options.headers = {{"a.h", "int a;"}};
       }},
      {"header's text in memory",
       [](Request& r) {
         r.callback = kIncluding;
         r.options.headers = {{"a.h", "int a;"}};
       },
       [](Request& r) {
         r.callback = kIncluding;
         r.options.headers = {{"a.h", "int b;"}};
       }},
      {"nested header's text",
       [](Request& r) {
         r = including("#include <b.h>");
         r.disk["/inc/b.h"] = "1";
       },
       [](Request& r) {
         r = including("#include <b.h>");
         r.disk["/inc/b.h"] = "2";
       }},
      {"nested header beside its includer",
       [](Request& r) {
         r.callback = "#include <x/a.h>\n" + kSource;
         r.options.include_paths = {"/inc"};
         r.disk = {{"/inc/x/a.h", "#include \"b.h\""}, {"/inc/x/b.h", "1"}};
       },
       [](Request& r) {
         r.callback = "#include <x/a.h>\n" + kSource;
         r.options.include_paths = {"/inc"};
         r.disk = {{"/inc/x/a.h", "#include \"b.h\""}, {"/inc/x/b.h", "2"}};
       }},
      {"header beside a file or found from the working folder",
       [](Request& r) {
         r.callback = Callback(kIncluding).with_folder("/here");
         r.disk = {{"/here/a.h", "1"}};
       },
       [](Request& r) {
         r.callback = kIncluding;
         r.disk = {{"/here/a.h", "1"}};
       }},
      {"which part has the header beside it",
       [](Request& r) {
         r.callback = chain(Callback(kIncluding).with_folder("/a"), Callback(kIncluding).with_folder("/b"));
         r.disk = {{"/a/a.h", "1"}};
       },
       [](Request& r) {
         r.callback = chain(Callback(kIncluding).with_folder("/b"), Callback(kIncluding).with_folder("/a"));
         r.disk = {{"/a/a.h", "1"}};
       }},
      {"which part has a folder",
       [](Request& r) {
         r.callback = chain(Callback(kIncluding).with_folder("/here"), kIncluding);
         r.disk = {{"/here/a.h", "1"}};
       },
       [](Request& r) {
         r.callback = chain(kIncluding, Callback(kIncluding).with_folder("/here"));
         r.disk = {{"/here/a.h", "1"}};
       }},
      {"nested header in memory",
       [](Request& r) {
         r.callback = "#include <x/a.h>\n" + kSource;
         r.options.headers = {{"x/a.h", "#include \"b.h\""}, {"x/b.h", "1"}};
       },
       [](Request& r) {
         r.callback = "#include <x/a.h>\n" + kSource;
         r.options.headers = {{"x/a.h", "#include \"b.h\""}, {"x/b.h", "2"}};
       }},
      {"header that a dead branch includes",
       [](Request& r) {
         r = including("#if 0\n#include <b.h>\n#endif");
         r.disk["/inc/b.h"] = "1";
       },
       [](Request& r) {
         r = including("#if 0\n#include <b.h>\n#endif");
         r.disk["/inc/b.h"] = "2";
       }},
      {"which folder comes first",
       [](Request& r) {
         r = including("1");
         r.options.include_paths = {"/inc", "/other"};
         r.disk["/other/a.h"] = "2";
       },
       [](Request& r) {
         r = including("1");
         r.options.include_paths = {"/other", "/inc"};
         r.disk["/other/a.h"] = "2";
       }},
      {"beside the includer or in a folder",
       [](Request& r) {
         r = including("#include <b.h>");
         r.options.include_paths = {"/inc", "/other"};
         r.disk["/inc/b.h"] = "1";
         r.disk["/other/b.h"] = "2";
       },
       [](Request& r) {
         r = including("#include <b.h>");
         r.options.include_paths = {"/inc", "/other"};
         r.disk["/inc/b.h"] = "2";
         r.disk["/other/b.h"] = "1";
       }},
      {"header behind a byte order mark",
       [](Request& r) {
         r = including("\xef\xbb\xbf#include <b.h>");
         r.disk["/inc/b.h"] = "1";
       },
       [](Request& r) {
         r = including("\xef\xbb\xbf#include <b.h>");
         r.disk["/inc/b.h"] = "2";
       }},
      {"header's path with line_info",
       [](Request& r) {
         r = including("int a;");
         r.options.line_info = true;
       },
       [](Request& r) {
         r = including("");
         r.options = {.include_paths = {"/other"}, .line_info = true};
         r.disk = {{"/other/a.h", "int a;"}};
       }},
      {"header's absolute name",
       [](Request& r) {
         r = {"#include \"/x/a.h\"\n" + kSource, Architecture(90), {}, {{"/x/a.h", "1"}}};
       },
       [](Request& r) {
         r = {"#include \"/x/a.h\"\n" + kSource, Architecture(90), {}, {{"/x/a.h", "2"}}};
       }},
      {"header beside a header in memory",
       [](Request& r) {
         r.options.headers = {{"x/b.h", "#include \"c.h\""}};
         r.callback = "#include \"x/b.h\"\n" + kSource;
         r.disk = {{"/here/x/c.h", "1"}};
       },
       [](Request& r) {
         r.options.headers = {{"x/b.h", "#include \"c.h\""}};
         r.callback = "#include \"x/b.h\"\n" + kSource;
         r.disk = {{"/here/x/c.h", "2"}};
       }},
      {"header in memory that graft's own lines include", nothing,
       [](Request& r) {
         r.options.headers = {{"cuda_fp16.h", "int a;"}};
       }},
      {"header in memory that the tools' headers may include",
       [](Request& r) { r.callback = "#include <tools.h>\n" + kSource; },
       [](Request& r) {
         r.callback = "#include <tools.h>\n" + kSource;
         r.options.headers = {{"unused.h", "int a;"}};
       }},
      {"user's header or a toolkit's",
       [](Request& r) {
         r = including("1");
         r.options.include_paths = {"/inc", "/cuda/include"};
         r.disk["/cuda/include/a.h"] = "1";
       },
       [](Request& r) {
         r = including("1");
         r.options.include_paths = {"/cuda/include", "/inc"};
         r.disk["/cuda/include/a.h"] = "1";
       }},
      {"zero byte in the source", [](Request& r) { r.callback = std::string("a\0b", 3); },
       [](Request& r) { r.callback = std::string("a\0c", 3); }},
      {"source that looks like fields", [](Request& r) { r.callback = Callback("x\nentry 1:y\n"); },
       [](Request& r) { r.callback = Callback("x").with_entry("y"); }},
  };
  EXPECT_GE(pairs.size(), 40u);
  for (const Pair& pair : pairs) {
    const DiskKey left = on_disk(changed(pair.left));
    const DiskKey right = on_disk(changed(pair.right));
    EXPECT_NE(left.text, right.text) << pair.what;
    EXPECT_NE(left.hash, right.hash) << pair.what;
  }
}

TEST(DiskKey, LeavesOutWhatDecidesNothing) {
  const std::vector<Pair> pairs = {
      {"nothing", nothing, nothing},
      {"name", nothing, [](Request& r) { r.callback = Callback::source(kSource, "/home/me/gain.cu"); }},
      {"who names the entry", [](Request& r) { r.callback = r.callback.with_entry("f"); },
       [](Request& r) { r.options.entry = "f"; }},
      {"devices", nothing,
       [](Request& r) {
         r.options.devices = {0, 1};
       }},
      // The engine checks the callback before it searches the disk.
      {"allow_thread_words", nothing, [](Request& r) { r.options.allow_thread_words = true; }},
      {"architecture said twice", nothing, [](Request& r) { r.options.architecture = Architecture(90); }},
      {"parts of fast_math", [](Request& r) { r.options.floating_point.fast_math = true; },
       [](Request& r) {
         r.options.floating_point = {true, true, true, false, false};
       }},
      {"order of defines",
       [](Request& r) {
         r.options.defines = {{"A", "1"}, {"B", "2"}};
       },
       [](Request& r) {
         r.options.defines = {{"B", "2"}, {"A", "1"}};
       }},
      {"order of forbidden routes",
       [](Request& r) {
         r.options.routes.forbidden = {Route::Ptx, Route::Program};
       },
       [](Request& r) {
         r.options.routes.forbidden = {Route::Program, Route::Ptx, Route::Program};
       }},
      {"host route, which is never taken unasked", nothing,
       [](Request& r) { r.options.routes.forbidden = {Route::Host}; }},
      {"header in memory that nothing includes", nothing,
       [](Request& r) {
         r.options.headers = {{"unused.h", "int a;"}};
       }},
      {"folder in which nothing is found", nothing, [](Request& r) { r.options.include_paths = {"/inc"}; }},
      {"header on disk that nothing includes", nothing,
       [](Request& r) {
         r.options.include_paths = {"/inc"};
         r.disk = {{"/inc/unused.h", "1"}};
       }},
      {"a toolkit's header, which is known by its toolkit",
       [](Request& r) {
         r = including("");
         r.options.include_paths = {"/cuda/include"};
         r.disk = {{"/cuda/include/a.h", "1"}};
       },
       [](Request& r) {
         r = including("");
         r.options.include_paths = {"/cuda/include"};
         r.disk = {{"/cuda/include/a.h", "2"}};
       }},
      {"where a header lies", [](Request& r) { r = including("int a;"); },
       [](Request& r) {
         r = including("");
         r.options.include_paths = {"/empty", "/other/place"};
         r.disk = {{"/other/place/a.h", "int a;"}};
       }},
      {"order of headers in memory",
       [](Request& r) {
         r.callback = kIncluding;
         r.options.headers = {{"a.h", "#include <b.h>"}, {"b.h", "2"}};
       },
       [](Request& r) {
         r.callback = kIncluding;
         r.options.headers = {{"b.h", "2"}, {"a.h", "#include <b.h>"}};
       }},
      {"a signature's origin", [](Request& r) { r.callback = r.callback.with_signature("float(float)"); },
       [](Request& r) { r.callback = r.callback.with_signature(Signature::of<float(float)>()); }},
  };
  for (const Pair& pair : pairs) {
    const DiskKey left = on_disk(changed(pair.left));
    const DiskKey right = on_disk(changed(pair.right));
    EXPECT_EQ(left.text, right.text) << pair.what;
    EXPECT_EQ(left.hash, right.hash) << pair.what;
  }
}

TEST(DiskKey, ReadsAsFields) {
  Request request = including("int a;");
  request.options.defines = {{"N", "3"}};
  const auto fields = format::parse_key(on_disk(request).text);
  ASSERT_TRUE(fields);
  const std::vector<format::KeyField> expected = {
      {"key", "2"},
      {"architecture", "sm_90"},
      {"form", "source"},
      {"source", kIncluding},
      {"define", "N"},
      {"value", "3"},
      {"header", "a.h folder 6 " + base::hash("int a;").hex() + " 0 1 1"},
  };
  EXPECT_EQ(*fields, expected);
  EXPECT_EQ(on_disk(request).hash, base::hash(on_disk(request).text));
}

TEST(DiskKey, WhatAScanCannotSeeStaysInMemory) {
  const std::pair<const char*, Request> requests[] = {
      {"computed include", {"#include HEADER\n" + kSource}},
      {"include_next", {"#include_next <a.h>\n" + kSource}},
      {"has_include", {"#if __has_include(<a.h>)\n#endif\n" + kSource}},
      {"file", {"__device__ const char* f(int) { return __FILE__; }"}},
      {"assert", {"__device__ float f(float x) { assert(x > 0); return x; }"}},
      {"date", {"__device__ const char* f(int) { return __DATE__; }"}},
      {"time", {"__device__ const char* f(int) { return __TIME__; }"}},
      {"digraph", {"%:include \"a.h\"\n" + kSource}},
      {"in a header", including("#define NOW __TIME__")},
      {"in a header in memory", {kIncluding, Architecture(90), {.headers = {{"a.h", "__FILE__"}}}}},
      {"in a define", {kSource, Architecture(90), {.defines = {{"N", "__TIME__"}}}}},
      {"in the entry", {kSource, Architecture(90), {.entry = "Named{__FILE__}"}}},
      {"embed", {"#embed \"a.h\"\n" + kSource}},
      {"import", {"import <a.h>;\n" + kSource}},
      {"pasted", {"#define P(a, b) a##b\nconst char* n = P(__FI, LE__);\n" + kSource}},
      {"zero byte in a header", including(std::string("a\0b", 3))},
      {"backslash and blank, which some compilers take for a line continuation",
       {"// a \\ \n#include \"a.h\"\n" + kSource}},
  };
  for (const auto& [what, request] : requests) EXPECT_EQ(on_disk(request).memory_only.size(), 1u) << what;
  for (const Request& request : {Request{}, including("int a; // file and time")})
    EXPECT_TRUE(on_disk(request).memory_only.empty());
}

TEST(DiskKey, CirclesAndCrowdsOfHeadersEnd) {
  EXPECT_TRUE(on_disk(including("#include \"a.h\"")).memory_only.empty());
  Request crowd = including("#include <0.h>");
  for (int i = 0; i < 3000; ++i)
    crowd.disk["/inc/" + std::to_string(i) + ".h"] = "#include <" + std::to_string(i + 1) + ".h>";
  EXPECT_EQ(on_disk(crowd).memory_only.size(), 1u);

  Request large = including("#include <b.h>");
  large.disk["/inc/b.h"] = std::string(kLargestHeader, ' ');
  EXPECT_EQ(on_disk(large).memory_only.size(), 1u);

  std::string names;
  for (int i = 0; i < 60'000; ++i) names += "#include <" + std::to_string(i) + ".h>\n";
  EXPECT_EQ(on_disk(including(names)).memory_only.size(), 1u);
}

// A header includes itself by a path that leaves its folder and returns (../inc/a.h). The paths a/../a/../a.h grow, but
// they name the same file, so the search for headers must end.
TEST(DiskKey, ARoundOfPathsEnds) {
  Request request = including("#include \"../inc/a.h\"");
  HeaderWorld world = world_of(request);
  int reads = 0;
  world.read = [&](const std::string& path) {
    base::SeenFile file;
    if (!path.ends_with("/inc/a.h")) return file;
    ++reads;
    file.kind = base::SeenFile::Kind::Readable;
    file.text = "#include \"../inc/a.h\"";
    file.identity = identity_of("/inc/a.h");
    file.folder = identity_of("/inc");
    return file;
  };
  const DiskKey key = disk_key(request.callback, Architecture(90), request.options, world);
  EXPECT_TRUE(key.memory_only.empty());
  EXPECT_LT(reads, 10);
}

TEST(DiskKey, AnUnusableHeaderIsAReason) {
  Request request = including("");
  HeaderWorld world = world_of(request);
  world.read = [&](const std::string& path) {
    base::SeenFile file;
    if (path != "/inc/a.h") return file;
    file.kind = base::SeenFile::Kind::Unusable;
    file.problem = "cannot be read (Permission denied)";
    return file;
  };
  const DiskKey key = disk_key(request.callback, Architecture(90), request.options, world);
  EXPECT_EQ(key.memory_only, std::vector<std::string>{"the header /inc/a.h cannot be read (Permission denied)"});
}

TEST(DiskKey, LooksWhereCompilersLook) {
  const Request request = {"#include \"x/a.h\"\n" + kSource,
                           Architecture(90),
                           {.include_paths = {"/inc", "relative"}},
                           {{"/inc/x/a.h", "#include \"../b.h\"\n#include <c.h>"}}};
  std::vector<std::string> searched;
  for (const HeaderLook& look : on_disk(request).headers.looks)
    if (look.is_searched) searched.push_back(look.path);
  const std::vector<std::string> expected = {"/here/x/a.h",   "/inc/x/a.h",        "/here/relative/x/a.h",
                                             "/inc/x/../b.h", "/inc/../b.h",       "/here/relative/../b.h",
                                             "/inc/c.h",      "/here/relative/c.h"};
  EXPECT_EQ(searched, expected);
}

TEST(DiskKey, OfAnotherRecipeIsAnotherKey) {
  const DiskKey plain = on_disk({kIncluding, Architecture(90), {}, {{"/here/a.h", "int a;"}}});
  DiskKey other = plain;
  add_recipe(other, "00112233445566778899aabbccddeeff");
  EXPECT_TRUE(other.has_recipe);
  EXPECT_NE(other.hash, plain.hash);
  EXPECT_EQ(other.hash, base::hash(other.text));
  EXPECT_EQ(format::find_field(other.text, "recipe"), "00112233445566778899aabbccddeeff");
}

TEST(ThisBuild, IsNamedByVersionAndSources) {
  EXPECT_EQ(hash_of_sources().size(), 32u);
  EXPECT_EQ(hash_of_sources().find_first_not_of("0123456789abcdef"), std::string_view::npos);
  EXPECT_TRUE(this_build().ends_with(hash_of_sources()));
}

}  // namespace
}  // namespace graft::plan
