// The names are one text, because a list with one name on each line would take a thousand lines. Braces hold
// alternatives, as in a shell: `f{min,max}` stands for `fmin fmax`. The text is split at the first question.
#include "reflect/callback/cuda_functions.hpp"

#include <algorithm>
#include <sstream>
#include <vector>

#include "base/immortal.hpp"

namespace graft::reflect {
namespace {

// Each name was tried with NVRTC 13.0. NVRTC declares most of them before the first line of a text, and the functions
// of halves and bfloat16s in cuda_fp16.h and cuda_bf16.h. Functions that only NVIDIA's own headers call are left out.
constexpr const char* kFunctions = R"(
__cluster_barrier_{arrive,arrive_relaxed,wait} __cvta_generic_to_{constant,global,grid_constant,local,shared}
__cvta_{constant,global,grid_constant,local,shared}_to_generic __double2float_{rd,rn,ru,rz}
__float2bfloat16_{rd,rn,ru,rz} __float2half_{rd,rn,ru,rz} __funnelshift_{l,lc,r,rc} __hb{eq,ne,ge,gt,le,lt}{,u}2
__hfma{,2}{,_relu,_sat} __h{add,sub,mul}{,2}{,_rn,_sat} __h{eq,ne,ge,gt,le,lt}{,u}{,2,2_mask} __h{max,min}{,2}{,_nan}
__is{Constant,Global,GridConstant,Local,Shared,CtaShared,ClusterShared} __ld{ca,cg,cs,cv,g,lu}
__match{_,32_,64_}{all,any}_sync __reduce_{add,min,max,and,or,xor}_sync __shfl_{,up_,down_,xor_}sync __st{cg,cs,wb,wt}
__syncthreads{,_and,_count,_or} __threadfence{,_block,_cluster,_system} __u128Atomic{CAS,Exch}{,_block,_system}
__viadd{max,min}_{s16x2,s32}{,_relu} __viadd{max,min}_{u16x2,u32} __vib{max,min}_{s16x2,s32,u16x2,u32}
__vi{max,min}_{s16x2,s32}_relu __vi{max3,min3}_{s16x2,s32}{,_relu} __vi{max3,min3}_{u16x2,u32}
__v{abs,absss,neg,negss,add,addss,addus,sub,subss,subus,avgs,avgu}{2,4}
__v{absdiffs,absdiffu,haddu,maxs,maxu,mins,minu,sads,sadu}{2,4}
__v{cmp,set}{eq,ne,ges,geu,gts,gtu,les,leu,lts,ltu}{2,4} __{,u}mul{24,hi,64hi} __{all,any,ballot}{,_sync}
__{brev,clz,ffs,popc}{,ll} __{ceil,floor,round,trunc}f
__{fadd,fsub,fmul,fdiv,frcp,fsqrt,fmaf,fmaf_ieee,dadd,dsub,dmul,ddiv,drcp,dsqrt,fma}_{rd,rn,ru,rz}
__{finite,isinf,isnan,signbit}{,f,l} __{float,double}2{int,uint,ll,ull}_{rd,rn,ru,rz}
__{half,bfloat16}2{char,uchar}_rz __{half,bfloat16}2{int,uint,ll,ull,short,ushort}_{rd,rn,ru,rz}
__{high,low}2{bfloat16,bfloat162,float,half,half2} __{highs,lows}2{bfloat162,half2}
__{int,uint,ll,ull,short,ushort}2{half,bfloat16}_{rd,rn,ru,rz} __{int,uint,ll,ull}2float_{rd,rn,ru,rz}
__{ll,ull}2double_{rd,rn,ru,rz} __{sin,cos,tan,exp,exp10,log,log2,log10,pow,tanh}f
atomic{Add,And,CAS,Dec,Exch,Inc,Max,Min,Or,Sub,Xor}{,_block,_system} cyl_bessel_i{0,1} double2{int,ll,uint,ull}
erf{,c,cinv,cx,inv} f{abs,dim,max,min,mod,ma}
make_{char,uchar,short,ushort,int,uint,long,ulong,longlong,ulonglong,float,double}{1,2,3,4} normcdf{,inv}
{abs,labs,llabs} {acos,asin,atan,cos,sin,tan}{,h} {int,uint,ll,ull,float}2double {j,y}{0,1,n} {ll,l,}{rint,round}
{log,exp}{,2,10} {norm,rnorm}{,3d,4d} {sin,cos,sincos}pi {u,ull,ll}{max,min}

__activemask __barrier_sync __barrier_sync_count __bfloat1622float2 __bfloat162bfloat162 __bfloat162float
__bfloat16_as_short __bfloat16_as_ushort __brkpt __byte_perm __clusterDim __clusterDimIsSpecified
__clusterGridDimInClusters __clusterIdx __clusterRelativeBlockIdx __clusterRelativeBlockRank __clusterSizeInBlocks
__cluster_map_shared_multicast __cluster_map_shared_rank __cluster_query_shared_rank __double2bfloat16 __double2half
__double2hiint __double2loint __double_as_longlong __dp2a_hi __dp2a_lo __dp4a __fdividef __float22bfloat162_rn
__float22half2_rn __float2bfloat16 __float2bfloat162_rn __float2half __float2half2_rn __float_as_int __float_as_uint
__floats2bfloat162_rn __floats2half2_rn __fns __frsqrt_rn __h2div __habs __habs2 __half22float2 __half2float
__half2half2 __half_as_short __half_as_ushort __halves2bfloat162 __halves2half2 __hcmadd __hdiv __hiloint2double
__hisinf __hisnan __hisnan2 __hneg __hneg2 __int2double_rn __int_as_float __longlong_as_double __lowhigh2highlow
__nanosleep __prof_trigger __rhadd __sad __saturatef __short_as_bfloat16 __short_as_half __sincosf __syncwarp __trap
__uhadd __uint2double_rn __uint_as_float __uni_sync __urhadd __usad __ushort_as_bfloat16 __ushort_as_half all any
atan2 ballot cbrt ceil clock clock64 copysign dadd dmul dsub expm1 fdivide floor free frexp hypot ilogb isfinite isinf
isnan ldexp lgamma log1p logb make_bfloat162 make_double4_16a make_double4_32a make_half2 make_longlong4_16a
make_longlong4_32a make_ulonglong4_16a make_ulonglong4_32a malloc max memcpy memset min modf nan nanf nearbyint
nextafter pow printf rcbrt remainder remquo rhypot rsqrt scalbln scalbn signbit sincos sqrt syncthreads_and
syncthreads_count syncthreads_or tgamma trunc
)";

// The functions of C that a host compiler's headers declare and CUDA does not.
constexpr const char* kFunctionsOfC = R"(
abort aligned_alloc at_quick_exit atexit atof atoi atol atoll bsearch calloc clearerr div exit fclose feof ferror
fflush fgetc fgetpos fgets fopen fprintf fputc fputs fread freopen fscanf fseek fsetpos ftell fwrite getc getchar
getenv getline ldiv lldiv mblen mbstowcs mbtowc memchr memcmp memmove perror putc putchar puts qsort quick_exit rand
realloc remove rename rewind scanf setbuf setvbuf snprintf sprintf srand sscanf strcat strchr strcmp strcoll strcpy
strcspn strerror strlen strncat strncmp strncpy strpbrk strrchr strspn strstr strtod strtof strtok strtol strtold
strtoll strtoul strtoull strxfrm system tmpfile tmpnam ungetc vfprintf vfscanf vprintf vscanf vsnprintf vsprintf
vsscanf wcstombs wctomb
)";

void add_expanded(const std::string& word, std::vector<std::string>& words) {
  const std::size_t open = word.find('{');
  if (open == word.npos) return words.push_back(word);
  const std::size_t close = word.find('}', open);
  for (std::size_t at = open; at < close;) {
    const std::size_t end = word.find_first_of(",}", at + 1);
    add_expanded(word.substr(0, open) + word.substr(at + 1, end - at - 1) + word.substr(close + 1), words);
    at = end;
  }
}

std::vector<std::string> split_words(const char* text) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) add_expanded(word, words);
  std::ranges::sort(words);
  return words;
}

}  // namespace

std::span<const std::string> functions_of_cuda() {
  static const auto& all = base::immortal(split_words(kFunctions));
  return all;
}

bool is_overloaded_by_cuda(std::string_view word) {
  return std::ranges::binary_search(functions_of_cuda(), word);
}

bool is_overloaded(std::string_view word) {
  static const auto& of_c = base::immortal(split_words(kFunctionsOfC));
  return is_overloaded_by_cuda(word) || std::ranges::binary_search(of_c, word);
}

}  // namespace graft::reflect
