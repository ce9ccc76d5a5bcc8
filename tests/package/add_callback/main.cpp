// Tests which arguments CMake's graft_add_callback and graft_add_kernel pass to the program `graft`. In this test
// words_as_pack.sh stands in for `graft` and writes its arguments as the pack, so the embedded bytes are the arguments.
#include <cstdio>
#include <string>

#include "all.hpp"
#include "for_slot.hpp"
#include "gain.hpp"
#include "knn.hpp"
#include "louder.hpp"
#include "loudest.hpp"
#include "several.hpp"

namespace {

// Compares the arguments with `words`, except the last ones, which are paths of the pack.
template <class Packed>
bool is_asked(const Packed& callback, const std::string& words) {
  if (callback.bytes.starts_with(words + "--depfile\n")) return true;
  std::printf("asked:\n%s\nexpected:\n%s\n", callback.bytes.c_str(), words.c_str());
  return false;
}

}  // namespace

int main() {
  const bool plain = is_asked(gain(), "precompile\n" SOURCE "/gain.cu\n--arch\n75\n");
  const bool full =
      is_asked(louder(), "precompile\n" SOURCE "/gain.cu\n--entry\nscale<float, 2>\n--arch\n75,90a\n--include\n" SOURCE
                         "/headers\n--define\nA\n--define\nB=x y\n");
  const bool entries =
      is_asked(several(), "precompile\n" SOURCE "/gain.cu\n--entry\ngain\n--entry\nscale<float, 2>\n--arch\n75\n");
  const bool flags = is_asked(loudest(), "precompile\n" SOURCE
                                         "/gain.cu\n--arch\n75\n--std\n20\n--max-registers\n64\n--fast-math\n"
                                         "--line-info\n--cubin\n");
  const bool kernel = is_asked(knn(), "precompile\n--kernel\n" SOURCE "/knn.cu\n--arch\n75\n");
  const bool wishes =
      is_asked(all(), "precompile\n--kernel\n" SOURCE
                      "/knn.cu\n--kernel-entry\nknn<float, 8>\n--kernel-entry\nknn<int>\n"
                      "--optional-slot\nfilter=has_filter\n--constant\ntile=8,16\n--inlining\n"
                      "metric=never\n--thread-words-in\nfilter\n--slot-entry\nmetric=gain\n--slot\nmetric=" SOURCE
                      "/gain.cu\n--header\n" SOURCE "/graft/callback.hpp\n--arch\n75,90\n--no-contraction\n--cubin\n");
  const bool of_slot = is_asked(for_slot(), "precompile\n--kernel\n" PACKS "/all.graft\n--for\nmetric=" SOURCE
                                            "/gain.cu\n--slot-entry\nmetric=gain\n--arch\n75,90\n");
  return plain && full && entries && flags && kernel && wishes && of_slot ? 0 : 1;
}
