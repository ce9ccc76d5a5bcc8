// Scans sources that are not valid C++. The scanner must not crash, and must take time linear in the source's size.
#include "reflect/callback/scan.hpp"

#include <gtest/gtest.h>

#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "reflect/callback/thread_words.hpp"

namespace graft::reflect {
namespace {

void scan_all_ways(const std::string& text) {
  const SourceScan found = scan(text);
  for (const FunctionFound& f : found.functions) ASSERT_FALSE(f.name.empty());
  choose_entry(found, "");
  choose_entry(found, std::string_view(text).substr(0, 100));
  examine_lambda(text);
  find_thread_words(text + " threadIdx", "f");
  find_thread_words(text, std::string_view(text).substr(0, 100));
}

TEST(Scan, TakesAnyBytes) {
  std::mt19937 random(3);
  std::string garbage(1 << 20, '\0');
  scan_all_ways(garbage);
  for (char& c : garbage) c = static_cast<char>(random());
  scan_all_ways(garbage);
  for (char& c : garbage) c = static_cast<char>(' ' + random() % 95);
  scan_all_ways(garbage);
}

TEST(Scan, TakesDeepAndDamagedNesting) {
  for (const char* piece : {"(",
                            ")",
                            "{",
                            "}",
                            "[",
                            "]",
                            "<",
                            ">",
                            "a<",
                            "f(",
                            "namespace a{",
                            "template<",
                            "extern \"C\"{",
                            "x::",
                            "#if X\n",
                            "#endif\n",
                            "\"",
                            "'",
                            "/*",
                            "R\"(",
                            "operator",
                            "requires ",
                            "~",
                            "A::~",
                            "struct ",
                            "f(){",
                            "__device__ int f(int){}",
                            "\\\n",
                            "a&&",
                            "a,",
                            "=",
                            ":",
                            "->",
                            "namespace a{int f(){}",
                            "threadIdx ",
                            "threadIdx.x;",
                            "int threadIdx;",
                            "asm ",
                            "asm(",
                            "asm(\"%tid\")",
                            "#define threadIdx threadIdx\n",
                            "int f(){threadIdx;}"}) {
    std::string text;
    while (text.size() < 200000) text += piece;
    // The test measures CPU time of this process, because the machine may be busy with other work.
    const std::clock_t begin = std::clock();
    scan_all_ways(text);
    EXPECT_LT((std::clock() - begin) / CLOCKS_PER_SEC, 4) << piece;
  }
}

TEST(Scan, TakesEveryPrefixAndAnyPieces) {
  const std::string source =
      "#include <a>\n#if X\nnamespace a { template <class T> __device__ T f(T x) requires C<T> { return x; } "
      "}\n#endif\n"
      "struct A : B { __device__ A(); int x; } a = {1}; __device__ A::A() : x{1} {}\n"
      "extern \"C\" { __device__ auto g(float x) -> decltype(x) { return \"}\"[0]; } }\n#define M(x) "
      "_Pragma(\"unroll\") x\n";
  for (std::size_t size = 0; size <= source.size(); ++size) scan_all_ways(source.substr(0, size));
  const std::vector<std::string> pieces = {
      "(",          ")",          "{",        "}",         "[",        "]",       "<",           ">",      ";",
      ",",          "=",          ":",        "::",        "->",       "~",       "&&",          "\"C\"",  "extern ",
      "namespace ", "template ",  "operator", "requires ", "struct ",  "inline ", "__device__ ", "float ", "f",
      " x ",        "#define M ", "\n",       "#if 0\n",   "#endif\n", "_Pragma", "[["};
  std::mt19937 random(4);
  for (int round = 0; round < 5000; ++round) {
    std::string text;
    for (int i = 0; i < 30; ++i) text += pieces[random() % pieces.size()];
    scan_all_ways(text);
  }
}

}  // namespace
}  // namespace graft::reflect
