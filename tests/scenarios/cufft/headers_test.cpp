// graft's <cufft.h> and <cufftXt.h> are there for callbacks whose author gives none: a header of the user's, in memory
// or in a folder, is used in their place.
#include <gtest/gtest.h>

#include "graft/graft.hpp"
#include "support/compile.hpp"
#include "support/headers.hpp"

namespace graft::test {
namespace {

constexpr const char* kOfUser = "struct cufftOfUser { float x, y; };\ntypedef cufftOfUser cufftComplex;\n";

// A callback that compiles only with the user's header.
std::string callback_for_users(const char* include) {
  return std::string("#include ") + include +
         "\n__device__ cufftOfUser load(void* data, size_t offset, void*, void*) {\n"
         "  return static_cast<cufftComplex*>(data)[offset]; }";
}
// A callback that compiles only with graft's header, or a complete one.
std::string callback_for_grafts(const char* include) {
  return std::string("#include ") + include +
         "\n__device__ float2 load(void* data, size_t offset, void*, void*) {\n"
         "  return static_cast<cufftComplex*>(data)[offset]; }\n";
}

void expect_built(const Callback& callback, Options options) {
  for (const Route route : {Route::Lto, Route::Program, Route::Ptx}) {
    SCOPED_TRACE(name(route));
    options.routes.required = route;
    EXPECT_NO_THROW(build({.length = 8, .directions = FftDirections::Forward}, {.load = callback}, 90, options));
  }
  options.routes.required = Route::Host;
  EXPECT_NO_THROW(Fft::create({.length = 8, .directions = FftDirections::Forward}, {.load = callback}, options));
}

TEST(CufftHeaders, AreThereForEveryCallback) {
  for (const char* include : {"<cufft.h>", "<cufftXt.h>", "\"cufft.h\"", "\"cufftXt.h\""})
    expect_built(callback_for_grafts(include), {});
}

TEST(CufftHeaders, AreThereForHeadersOfTheUser) {
  const HeaderFolder folder;
  folder.write("types.h", "#pragma once\n#include <cufftXt.h>\ntypedef cufftCallbackLoadC Loader;\n");
  Options options;
  options.include_paths = {folder.path()};
  const std::string pointer = "__device__ Loader d_load = load;\n";
  expect_built(callback_for_grafts("\"types.h\"") + pointer, options);
  expect_built(Callback(callback_for_grafts("\"types.h\"") + pointer).with_folder(folder.path()), {});
  Options in_memory;
  in_memory.headers = {{"types.h", "#include <cufftXt.h>\ntypedef cufftCallbackLoadC Loader;\n"}};
  expect_built(callback_for_grafts("\"types.h\"") + pointer, in_memory);
}

TEST(CufftHeaders, GiveWayToAHeaderInMemory) {
  Options options;
  options.headers = {{"cufft.h", kOfUser}};
  expect_built(callback_for_users("<cufft.h>"), options);
}

TEST(CufftHeaders, GiveWayToAFileInAnIncludeFolder) {
  const HeaderFolder folder;
  folder.write("cufft.h", kOfUser);
  Options options;
  options.include_paths = {folder.path()};
  expect_built(callback_for_users("<cufft.h>"), options);
  expect_built(callback_for_users("\"cufft.h\""), options);
  // graft's <cufftXt.h> then has the user's types.
  folder.write("cufft.h", "#pragma once\n" + std::string(kOfUser) +
                              "typedef float cufftReal;\ntypedef double cufftDoubleReal;\n"
                              "typedef double2 cufftDoubleComplex;\n");
  expect_built(callback_for_users("<cufft.h>\n#include <cufftXt.h>"), options);
  expect_built(callback_for_users("<cufftXt.h>"), options);
}

TEST(CufftHeaders, GiveWayToAFileBesideTheIncludingFile) {
  const HeaderFolder folder;
  folder.write("cufft.h", kOfUser);
  expect_built(Callback(callback_for_users("\"cufft.h\"")).with_folder(folder.path()), {});
  folder.write("sub/types.h", "#include \"cufft.h\"\n");
  folder.write("sub/cufft.h", kOfUser);
  std::filesystem::remove(folder.path("cufft.h"));
  Options options;
  options.include_paths = {folder.path()};
  expect_built(callback_for_users("<sub/types.h>"), options);
}

// A file of this name that no #include means is none of the user's headers.
TEST(CufftHeaders, AreThereBesideAFileThatIsNotIncluded) {
  const HeaderFolder folder;
  folder.write("cufft.h", kOfUser);
  expect_built(Callback(callback_for_grafts("<cufft.h>")).with_folder(folder.path()), {});
}

// NVIDIA's own header has functions of the host, which no route compiles.
TEST(CufftHeaders, StandInForNvidiasInAnIncludeFolder) {
  const std::filesystem::path toolkit = toolbox().toolkit().include_folder();
  ASSERT_TRUE(std::filesystem::exists(toolkit / "cufftXt.h")) << toolkit;
  Options options;
  options.include_paths = {toolkit.string()};
  expect_built(callback_for_grafts("<cufftXt.h>") + "__device__ cufftCallbackLoadC d_load = load;\n", options);
}

// A program for cuFFT sets the table with cudaMemcpyToSymbol, which does not reach graft's kernel.
TEST(CufftCallbacks, HaveANoteOnConstantsWithoutAValue) {
  const std::string text =
      "#include <cufft.h>\n__constant__ float taps[4], *unknown; __constant__ cufftComplex table [ 2 * 4 ];\n"
      "static __constant__ float set = 2; extern __constant__ float other;\n"
      "__device__ cufftComplex load(void* data, size_t i, void*, void*) {\n"
      "  return make_float2(((cufftComplex*)data)[i].x * set + table[i % 8].x, 0); }";
  for (const Route route : {Route::Lto, Route::Program, Route::Ptx}) {
    Options options;
    options.routes.required = route;
    for (const Image& image : build({.length = 8, .directions = FftDirections::Forward}, {.load = text}, 90, options)) {
      const std::vector<std::string>& notes = image.report().notes;
      const auto is_about_constants = [](const std::string& note) {
        return note.find("is a __constant__") != note.npos;
      };
      EXPECT_EQ(std::ranges::count_if(notes, is_about_constants), 2);
      for (const char* name : {"`taps`", "`table`"})
        EXPECT_TRUE(std::ranges::any_of(notes, [&](const std::string& note) { return note.starts_with(name); }))
            << name;
      EXPECT_GT(image.report().resources.registers, 0);
    }
  }
}

// With this option NVRTC compiles NVIDIA's header, which declares more than graft's.
TEST(CufftHeaders, GiveWayToNvidiasWhereItCompiles) {
  Options options;
  options.include_paths = {toolbox().toolkit().include_folder().string()};
  options.compiler_options = {"--device-as-default-execution-space"};
  options.routes.required = Route::Lto;
  const std::string text = callback_for_grafts("<cufft.h>") + "__device__ cufftHandle handle;\n";
  EXPECT_NO_THROW(build({.length = 8, .directions = FftDirections::Forward}, {.load = text}, 90, options));
}

}  // namespace
}  // namespace graft::test
