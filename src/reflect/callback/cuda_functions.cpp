// The names are one text, because a list with one name on each line would take a thousand lines. The text is split at
// the first question.
#include "reflect/callback/cuda_functions.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace graft::reflect {
namespace {

// Each name was tried with NVRTC 13.0. NVRTC declares most of them before the first line of a text, and the functions
// of halves and bfloat16s in cuda_fp16.h and cuda_bf16.h. Functions that only NVIDIA's own headers call are left out.
constexpr std::string_view kFunctions = R"(
abs acos acosh all any asin asinh atan atan2 atanh ballot cbrt ceil clock clock64 copysign cos cosh cospi
cyl_bessel_i0 cyl_bessel_i1 dadd dmul double2int double2ll double2uint double2ull dsub erf erfc erfcinv erfcx erfinv
exp exp10 exp2 expm1 fabs fdim fdivide float2double floor fma fmax fmin fmod free frexp hypot ilogb int2double
isfinite isinf isnan j0 j1 jn labs ldexp lgamma ll2double llabs llmax llmin llrint llround log log10 log1p log2 logb
lrint lround malloc max memcpy memset min modf nan nanf nearbyint nextafter norm norm3d norm4d normcdf normcdfinv
pow printf rcbrt remainder remquo rhypot rint rnorm rnorm3d rnorm4d round rsqrt scalbln scalbn signbit sin sincos
sincospi sinh sinpi sqrt syncthreads_and syncthreads_count syncthreads_or tan tanh tgamma trunc uint2double
ull2double ullmax ullmin umax umin y0 y1 yn

make_bfloat162 make_char1 make_char2 make_char3 make_char4 make_double1 make_double2 make_double3 make_double4
make_double4_16a make_double4_32a make_float1 make_float2 make_float3 make_float4 make_half2 make_int1 make_int2
make_int3 make_int4 make_long1 make_long2 make_long3 make_long4 make_longlong1 make_longlong2 make_longlong3
make_longlong4 make_longlong4_16a make_longlong4_32a make_short1 make_short2 make_short3 make_short4 make_uchar1
make_uchar2 make_uchar3 make_uchar4 make_uint1 make_uint2 make_uint3 make_uint4 make_ulong1 make_ulong2 make_ulong3
make_ulong4 make_ulonglong1 make_ulonglong2 make_ulonglong3 make_ulonglong4 make_ulonglong4_16a make_ulonglong4_32a
make_ushort1 make_ushort2 make_ushort3 make_ushort4

atomicAdd atomicAdd_block atomicAdd_system atomicAnd atomicAnd_block atomicAnd_system atomicCAS atomicCAS_block
atomicCAS_system atomicDec atomicDec_block atomicDec_system atomicExch atomicExch_block atomicExch_system atomicInc
atomicInc_block atomicInc_system atomicMax atomicMax_block atomicMax_system atomicMin atomicMin_block
atomicMin_system atomicOr atomicOr_block atomicOr_system atomicSub atomicSub_block atomicSub_system atomicXor
atomicXor_block atomicXor_system

__activemask __all __all_sync __any __any_sync __ballot __ballot_sync __barrier_sync __barrier_sync_count
__bfloat1622float2 __bfloat162bfloat162 __bfloat162char_rz __bfloat162float __bfloat162int_rd __bfloat162int_rn
__bfloat162int_ru __bfloat162int_rz __bfloat162ll_rd __bfloat162ll_rn __bfloat162ll_ru __bfloat162ll_rz
__bfloat162short_rd __bfloat162short_rn __bfloat162short_ru __bfloat162short_rz __bfloat162uchar_rz
__bfloat162uint_rd __bfloat162uint_rn __bfloat162uint_ru __bfloat162uint_rz __bfloat162ull_rd __bfloat162ull_rn
__bfloat162ull_ru __bfloat162ull_rz __bfloat162ushort_rd __bfloat162ushort_rn __bfloat162ushort_ru
__bfloat162ushort_rz __bfloat16_as_short __bfloat16_as_ushort __brev __brevll __brkpt __byte_perm __ceilf
__clusterDim __clusterDimIsSpecified __clusterGridDimInClusters __clusterIdx __clusterRelativeBlockIdx
__clusterRelativeBlockRank __clusterSizeInBlocks __cluster_barrier_arrive __cluster_barrier_arrive_relaxed
__cluster_barrier_wait __cluster_map_shared_multicast __cluster_map_shared_rank __cluster_query_shared_rank __clz
__clzll __cosf __cvta_constant_to_generic __cvta_generic_to_constant __cvta_generic_to_global
__cvta_generic_to_grid_constant __cvta_generic_to_local __cvta_generic_to_shared __cvta_global_to_generic
__cvta_grid_constant_to_generic __cvta_local_to_generic __cvta_shared_to_generic __dadd_rd __dadd_rn __dadd_ru
__dadd_rz __ddiv_rd __ddiv_rn __ddiv_ru __ddiv_rz __dmul_rd __dmul_rn __dmul_ru __dmul_rz __double2bfloat16
__double2float_rd __double2float_rn __double2float_ru __double2float_rz __double2half __double2hiint __double2int_rd
__double2int_rn __double2int_ru __double2int_rz __double2ll_rd __double2ll_rn __double2ll_ru __double2ll_rz
__double2loint __double2uint_rd __double2uint_rn __double2uint_ru __double2uint_rz __double2ull_rd __double2ull_rn
__double2ull_ru __double2ull_rz __double_as_longlong __dp2a_hi __dp2a_lo __dp4a __drcp_rd __drcp_rn __drcp_ru
__drcp_rz __dsqrt_rd __dsqrt_rn __dsqrt_ru __dsqrt_rz __dsub_rd __dsub_rn __dsub_ru __dsub_rz __exp10f __expf
__fadd_rd __fadd_rn __fadd_ru __fadd_rz __fdiv_rd __fdiv_rn __fdiv_ru __fdiv_rz __fdividef __ffs __ffsll __finite
__finitef __finitel __float22bfloat162_rn __float22half2_rn __float2bfloat16 __float2bfloat162_rn
__float2bfloat16_rd __float2bfloat16_rn __float2bfloat16_ru __float2bfloat16_rz __float2half __float2half2_rn
__float2half_rd __float2half_rn __float2half_ru __float2half_rz __float2int_rd __float2int_rn __float2int_ru
__float2int_rz __float2ll_rd __float2ll_rn __float2ll_ru __float2ll_rz __float2uint_rd __float2uint_rn
__float2uint_ru __float2uint_rz __float2ull_rd __float2ull_rn __float2ull_ru __float2ull_rz __float_as_int
__float_as_uint __floats2bfloat162_rn __floats2half2_rn __floorf __fma_rd __fma_rn __fma_ru __fma_rz __fmaf_ieee_rd
__fmaf_ieee_rn __fmaf_ieee_ru __fmaf_ieee_rz __fmaf_rd __fmaf_rn __fmaf_ru __fmaf_rz __fmul_rd __fmul_rn __fmul_ru
__fmul_rz __fns __frcp_rd __frcp_rn __frcp_ru __frcp_rz __frsqrt_rn __fsqrt_rd __fsqrt_rn __fsqrt_ru __fsqrt_rz
__fsub_rd __fsub_rn __fsub_ru __fsub_rz __funnelshift_l __funnelshift_lc __funnelshift_r __funnelshift_rc __h2div
__habs __habs2 __hadd __hadd2 __hadd2_rn __hadd2_sat __hadd_rn __hadd_sat __half22float2 __half2char_rz __half2float
__half2half2 __half2int_rd __half2int_rn __half2int_ru __half2int_rz __half2ll_rd __half2ll_rn __half2ll_ru
__half2ll_rz __half2short_rd __half2short_rn __half2short_ru __half2short_rz __half2uchar_rz __half2uint_rd
__half2uint_rn __half2uint_ru __half2uint_rz __half2ull_rd __half2ull_rn __half2ull_ru __half2ull_rz
__half2ushort_rd __half2ushort_rn __half2ushort_ru __half2ushort_rz __half_as_short __half_as_ushort
__halves2bfloat162 __halves2half2 __hbeq2 __hbequ2 __hbge2 __hbgeu2 __hbgt2 __hbgtu2 __hble2 __hbleu2 __hblt2
__hbltu2 __hbne2 __hbneu2 __hcmadd __hdiv __heq __heq2 __heq2_mask __hequ __hequ2 __hequ2_mask __hfma __hfma2
__hfma2_relu __hfma2_sat __hfma_relu __hfma_sat __hge __hge2 __hge2_mask __hgeu __hgeu2 __hgeu2_mask __hgt __hgt2
__hgt2_mask __hgtu __hgtu2 __hgtu2_mask __high2bfloat16 __high2bfloat162 __high2float __high2half __high2half2
__highs2bfloat162 __highs2half2 __hiloint2double __hisinf __hisnan __hisnan2 __hle __hle2 __hle2_mask __hleu __hleu2
__hleu2_mask __hlt __hlt2 __hlt2_mask __hltu __hltu2 __hltu2_mask __hmax __hmax2 __hmax2_nan __hmax_nan __hmin
__hmin2 __hmin2_nan __hmin_nan __hmul __hmul2 __hmul2_rn __hmul2_sat __hmul_rn __hmul_sat __hne __hne2 __hne2_mask
__hneg __hneg2 __hneu __hneu2 __hneu2_mask __hsub __hsub2 __hsub2_rn __hsub2_sat __hsub_rn __hsub_sat
__int2bfloat16_rd __int2bfloat16_rn __int2bfloat16_ru __int2bfloat16_rz __int2double_rn __int2float_rd
__int2float_rn __int2float_ru __int2float_rz __int2half_rd __int2half_rn __int2half_ru __int2half_rz __int_as_float
__isClusterShared __isConstant __isCtaShared __isGlobal __isGridConstant __isLocal __isShared __isinf __isinff
__isinfl __isnan __isnanf __isnanl __ldca __ldcg __ldcs __ldcv __ldg __ldlu __ll2bfloat16_rd __ll2bfloat16_rn
__ll2bfloat16_ru __ll2bfloat16_rz __ll2double_rd __ll2double_rn __ll2double_ru __ll2double_rz __ll2float_rd
__ll2float_rn __ll2float_ru __ll2float_rz __ll2half_rd __ll2half_rn __ll2half_ru __ll2half_rz __log10f __log2f
__logf __longlong_as_double __low2bfloat16 __low2bfloat162 __low2float __low2half __low2half2 __lowhigh2highlow
__lows2bfloat162 __lows2half2 __match32_all_sync __match32_any_sync __match64_all_sync __match64_any_sync
__match_all_sync __match_any_sync __mul24 __mul64hi __mulhi __nanosleep __popc __popcll __powf __prof_trigger
__reduce_add_sync __reduce_and_sync __reduce_max_sync __reduce_min_sync __reduce_or_sync __reduce_xor_sync __rhadd
__roundf __sad __saturatef __shfl_down_sync __shfl_sync __shfl_up_sync __shfl_xor_sync __short2bfloat16_rd
__short2bfloat16_rn __short2bfloat16_ru __short2bfloat16_rz __short2half_rd __short2half_rn __short2half_ru
__short2half_rz __short_as_bfloat16 __short_as_half __signbit __signbitf __signbitl __sincosf __sinf __stcg __stcs
__stwb __stwt __syncthreads __syncthreads_and __syncthreads_count __syncthreads_or __syncwarp __tanf __tanhf
__threadfence __threadfence_block __threadfence_cluster __threadfence_system __trap __truncf __u128AtomicCAS
__u128AtomicCAS_block __u128AtomicCAS_system __u128AtomicExch __u128AtomicExch_block __u128AtomicExch_system __uhadd
__uint2bfloat16_rd __uint2bfloat16_rn __uint2bfloat16_ru __uint2bfloat16_rz __uint2double_rn __uint2float_rd
__uint2float_rn __uint2float_ru __uint2float_rz __uint2half_rd __uint2half_rn __uint2half_ru __uint2half_rz
__uint_as_float __ull2bfloat16_rd __ull2bfloat16_rn __ull2bfloat16_ru __ull2bfloat16_rz __ull2double_rd
__ull2double_rn __ull2double_ru __ull2double_rz __ull2float_rd __ull2float_rn __ull2float_ru __ull2float_rz
__ull2half_rd __ull2half_rn __ull2half_ru __ull2half_rz __umul24 __umul64hi __umulhi __uni_sync __urhadd __usad
__ushort2bfloat16_rd __ushort2bfloat16_rn __ushort2bfloat16_ru __ushort2bfloat16_rz __ushort2half_rd
__ushort2half_rn __ushort2half_ru __ushort2half_rz __ushort_as_bfloat16 __ushort_as_half __vabs2 __vabs4
__vabsdiffs2 __vabsdiffs4 __vabsdiffu2 __vabsdiffu4 __vabsss2 __vabsss4 __vadd2 __vadd4 __vaddss2 __vaddss4
__vaddus2 __vaddus4 __vavgs2 __vavgs4 __vavgu2 __vavgu4 __vcmpeq2 __vcmpeq4 __vcmpges2 __vcmpges4 __vcmpgeu2
__vcmpgeu4 __vcmpgts2 __vcmpgts4 __vcmpgtu2 __vcmpgtu4 __vcmples2 __vcmples4 __vcmpleu2 __vcmpleu4 __vcmplts2
__vcmplts4 __vcmpltu2 __vcmpltu4 __vcmpne2 __vcmpne4 __vhaddu2 __vhaddu4 __viaddmax_s16x2 __viaddmax_s16x2_relu
__viaddmax_s32 __viaddmax_s32_relu __viaddmax_u16x2 __viaddmax_u32 __viaddmin_s16x2 __viaddmin_s16x2_relu
__viaddmin_s32 __viaddmin_s32_relu __viaddmin_u16x2 __viaddmin_u32 __vibmax_s16x2 __vibmax_s32 __vibmax_u16x2
__vibmax_u32 __vibmin_s16x2 __vibmin_s32 __vibmin_u16x2 __vibmin_u32 __vimax3_s16x2 __vimax3_s16x2_relu __vimax3_s32
__vimax3_s32_relu __vimax3_u16x2 __vimax3_u32 __vimax_s16x2_relu __vimax_s32_relu __vimin3_s16x2 __vimin3_s16x2_relu
__vimin3_s32 __vimin3_s32_relu __vimin3_u16x2 __vimin3_u32 __vimin_s16x2_relu __vimin_s32_relu __vmaxs2 __vmaxs4
__vmaxu2 __vmaxu4 __vmins2 __vmins4 __vminu2 __vminu4 __vneg2 __vneg4 __vnegss2 __vnegss4 __vsads2 __vsads4 __vsadu2
__vsadu4 __vseteq2 __vseteq4 __vsetges2 __vsetges4 __vsetgeu2 __vsetgeu4 __vsetgts2 __vsetgts4 __vsetgtu2 __vsetgtu4
__vsetles2 __vsetles4 __vsetleu2 __vsetleu4 __vsetlts2 __vsetlts4 __vsetltu2 __vsetltu4 __vsetne2 __vsetne4 __vsub2
__vsub4 __vsubss2 __vsubss4 __vsubus2 __vsubus4
)";

// The functions of C that a host compiler's headers declare and CUDA does not.
constexpr std::string_view kFunctionsOfC = R"(
abort aligned_alloc at_quick_exit atexit atof atoi atol atoll bsearch calloc clearerr div exit fclose feof ferror
fflush fgetc fgetpos fgets fopen fprintf fputc fputs fread freopen fscanf fseek fsetpos ftell fwrite getc getchar
getenv getline ldiv lldiv mblen mbstowcs mbtowc memchr memcmp memmove perror putc putchar puts qsort quick_exit rand
realloc remove rename rewind scanf setbuf setvbuf snprintf sprintf srand sscanf strcat strchr strcmp strcoll strcpy
strcspn strerror strlen strncat strncmp strncpy strpbrk strrchr strspn strstr strtod strtof strtok strtol strtold
strtoll strtoul strtoull strxfrm system tmpfile tmpnam ungetc vfprintf vfscanf vprintf vscanf vsnprintf vsprintf
vsscanf wcstombs wctomb
)";

std::vector<std::string_view> split_words(std::string_view text) {
  constexpr std::string_view kBlanks = " \n";
  std::vector<std::string_view> words;
  for (std::size_t at = text.find_first_not_of(kBlanks); at != std::string_view::npos;
       at = text.find_first_not_of(kBlanks, at)) {
    const std::size_t end = text.find_first_of(kBlanks, at);
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  std::ranges::sort(words);
  return words;
}

}  // namespace

std::span<const std::string_view> functions_of_cuda() {
  static const std::vector<std::string_view> all = split_words(kFunctions);
  return all;
}

bool is_overloaded_by_cuda(std::string_view word) {
  return std::ranges::binary_search(functions_of_cuda(), word);
}

bool is_overloaded(std::string_view word) {
  static const std::vector<std::string_view> of_c = split_words(kFunctionsOfC);
  return is_overloaded_by_cuda(word) || std::ranges::binary_search(of_c, word);
}

}  // namespace graft::reflect
