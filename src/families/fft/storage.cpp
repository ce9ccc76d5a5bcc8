#include "families/fft/storage.hpp"

#include <string>

#include "base/format.hpp"

namespace graft::families::fft {
namespace {

struct Words {
  const char *header, *type, *load, *store;
};

Words words_of(FftStorage storage) {
  if (storage == FftStorage::F16) return {"cuda_fp16.h", "__half", "__half2float", "__float2half_rn"};
  return {"cuda_bf16.h", "__nv_bfloat16", "__bfloat162float", "__float2bfloat16_rn"};
}

}  // namespace

Callback loading_callback(FftStorage storage, bool is_number) {
  const Words words = words_of(storage);
  std::string text = base::format("#include <{}>\n", words.header);
  if (is_number)
    base::append(text, "__device__ float from_storage({} x) {{ return {}(x); }}\n", words.type, words.load);
  else
    base::append(text, "__device__ float2 from_storage(graft::complex<{0}> z) {{ return {{{1}(z.re), {1}(z.im)}}; }}\n",
                 words.type, words.load);
  return Callback::source(text, "FftPlan::storage_in");
}

Callback storing_callback(FftStorage storage, bool is_number) {
  const Words words = words_of(storage);
  std::string text = base::format("#include <{}>\n", words.header);
  if (is_number) base::append(text, "__device__ {} to_storage(float x) {{ return {}(x); }}\n", words.type, words.store);
  else
    base::append(text, "__device__ graft::complex<{0}> to_storage(float2 z) {{ return {{{1}(z.x), {1}(z.y)}}; }}\n",
                 words.type, words.store);
  return Callback::source(text, "FftPlan::storage_out");
}

}  // namespace graft::families::fft
