// Tests that the kind of a file is recognised by its content. The files that compilers wrote are in
// binary_contents_test.cpp.
#include "format/file_kind.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/bytes.hpp"

namespace graft::format {
namespace {

TEST(FileKind, OfOtherBytes) {
  struct Row {
    std::string bytes;
    const char* expected;
  };
  const Row rows[] = {
      {"float f(float x) { return x; }\n", "CUDA C++ source"},
      {"[](float x) { return x; }", "CUDA C++ source"},
      {"\xEF\xBB\xBF// \xC3\xA9\n__device__ int f();", "CUDA C++ source"},
      {"float f();\n" + std::string(1, '\0'), "CUDA C++ source"},
      {"// .version 9.0\nfloat f();", "CUDA C++ source"},
      {"const char* s = R\"(\ntarget triple = \"nvptx64\"\n)\";", "CUDA C++ source"},
      {"/* c */ // d\n .version 9.0\n.target sm_75\n", "PTX"},
      {"; ModuleID = 'x'\nsource_filename = \"x\"\n", "NVVM IR (text)"},
      {"\n\ntarget datalayout = \"e\"\ntarget triple = \"nvptx64-nvidia-cuda\"\n", "NVVM IR (text)"},
      {"define float @f(float %x) {\n ret float %x\n}\n", "NVVM IR (text)"},
      {"%S = type { float }\n", "NVVM IR (text)"},
      {"BC\xc0\xde rest", "NVVM IR (bitcode)"},
      {"", "the file is empty"},
      {std::string(10, '\0'), "this is neither text nor any kind of device code"},
      {"a\x01z", "this is neither text nor any kind of device code"},
      {"\x7f"
       "EL",
       "this is neither text nor any kind of device code"},
  };
  for (const Row& row : rows) {
    const auto kind = file_kind(base::as_bytes(row.bytes));
    EXPECT_EQ(kind ? to_string(*kind) : kind.error().message, row.expected) << row.bytes;
  }
}

TEST(FileKind, SaysHowLargeACallbackIsByItsBeginning) {
  EXPECT_EQ(largest_callback("float f(float x) { return x; }\n"), kLargestSource);
  for (const char* binary : {".version 9.0\n.target sm_75\n", "!<arch>\n", "BC\xc0\xde rest", "\x89GRAFT\r\n",
                             "\x7f"
                             "ELF",
                             "\x50\xed\x55\xba", "source_filename = \"x\"\n"})
    EXPECT_EQ(largest_callback(binary), kLargestCallback) << binary;
  for (const std::string& unknown : {std::string(1 << 16, '\0'), std::string("a\x01z"), std::string()})
    EXPECT_EQ(largest_callback(unknown), 0u) << unknown;
}

}  // namespace
}  // namespace graft::format
