// Tests which arguments CMake's graft_add_callback passes to the program `graft`. In this test words_as_pack.sh stands
// in for `graft` and writes its arguments as the pack, so the embedded bytes are the arguments.
#include <cstdio>
#include <string>

#include "gain.hpp"
#include "louder.hpp"
#include "loudest.hpp"

namespace {

// Compares the arguments with `words`, except the last ones, which are paths of the pack.
bool is_asked(const graft::Callback& callback, const std::string& words) {
  if (callback.bytes.starts_with(words + "--depfile\n")) return true;
  std::printf("asked:\n%s\nexpected:\n%s\n", callback.bytes.c_str(), words.c_str());
  return false;
}

}  // namespace

int main() {
  const bool plain = is_asked(gain(), "precompile\n" SOURCE "/gain.cu\n--arch\n75\n");
  const bool full =
      is_asked(louder(), "precompile\n" SOURCE "/gain.cu\n--arch\n75,90a\n--entry\nscale<float, 2>\n--include\n" SOURCE
                         "/headers\n--define\nA\n--define\nB=x y\n");
  const bool flags = is_asked(loudest(), "precompile\n" SOURCE
                                         "/gain.cu\n--arch\n75\n--std\n20\n--max-registers\n64\n--fast-math\n"
                                         "--line-info\n--cubin\n");
  return plain && full && flags ? 0 : 1;
}
