// Holds kPackings, the table of conversions between elements and 4-byte words. The conversions use CUDA's functions
// that change a value's type and keep its bits, such as __uint_as_float.
#include "families/elementwise/exact_types.hpp"

#include <algorithm>
#include <iterator>

#include "core/element_spelling.hpp"
#include "core/named_elements.hpp"

namespace graft::elementwise {
namespace {

// The texts of conversions between 4-byte words and types with two members, such as float2. Several rows of kPackings
// use them.
constexpr std::string_view kFloatsFromWords = "{{__uint_as_float({0}), __uint_as_float({1})}}";
constexpr std::string_view kWordsFromFloats =
    "__float_as_uint(graft_first_of({0})), __float_as_uint(graft_second_of({0}))";
constexpr std::string_view kDoublesFromWords =
    "{{__hiloint2double(static_cast<int>({1}), static_cast<int>({0})), "
    "__hiloint2double(static_cast<int>({3}), static_cast<int>({2}))}}";
constexpr std::string_view kWordsFromDoubles =
    "static_cast<unsigned int>(__double2loint(graft_first_of({0}))), "
    "static_cast<unsigned int>(__double2hiint(graft_first_of({0}))), "
    "static_cast<unsigned int>(__double2loint(graft_second_of({0}))), "
    "static_cast<unsigned int>(__double2hiint(graft_second_of({0})))";

constexpr Packing kPackings[] = {
    {"bool", "({0} & 255) != 0", "static_cast<unsigned char>({0})"},
    {"char", "static_cast<char>({0})", "static_cast<unsigned char>({0})"},
    {"signed char", "static_cast<signed char>({0})", "static_cast<unsigned char>({0})"},
    {"unsigned char", "static_cast<unsigned char>({0})", "static_cast<unsigned char>({0})"},
    {"short", "static_cast<short>({0})", "static_cast<unsigned short>({0})"},
    {"unsigned short", "static_cast<unsigned short>({0})", "static_cast<unsigned short>({0})"},
    {"__half", "__ushort_as_half(static_cast<unsigned short>({0}))", "__half_as_ushort({0})"},
    {"__nv_bfloat16", "__ushort_as_bfloat16(static_cast<unsigned short>({0}))", "__bfloat16_as_ushort({0})"},
    {"int", "static_cast<int>({0})", "static_cast<unsigned int>({0})"},
    {"unsigned int", "{0}", "{0}"},
    {"float", "__uint_as_float({0})", "__float_as_uint({0})"},
    {"long", "static_cast<long>({0} | static_cast<unsigned long>({1}) << 32)",
     "static_cast<unsigned int>({0}), static_cast<unsigned int>(static_cast<unsigned long>({0}) >> 32)"},
    {"unsigned long", "({0} | static_cast<unsigned long>({1}) << 32)",
     "static_cast<unsigned int>({0}), static_cast<unsigned int>({0} >> 32)"},
    {"long long", "static_cast<long long>({0} | static_cast<unsigned long long>({1}) << 32)",
     "static_cast<unsigned int>({0}), static_cast<unsigned int>(static_cast<unsigned long long>({0}) >> 32)"},
    {"unsigned long long", "({0} | static_cast<unsigned long long>({1}) << 32)",
     "static_cast<unsigned int>({0}), static_cast<unsigned int>({0} >> 32)"},
    {"double", "__hiloint2double(static_cast<int>({1}), static_cast<int>({0}))",
     "static_cast<unsigned int>(__double2loint({0})), static_cast<unsigned int>(__double2hiint({0}))"},
    {"float2", kFloatsFromWords, kWordsFromFloats},
    {"graft::complex<float>", kFloatsFromWords, kWordsFromFloats},
    {"double2", kDoublesFromWords, kWordsFromDoubles},
    {"graft::complex<double>", kDoublesFromWords, kWordsFromDoubles},
};

static_assert(std::ranges::all_of(kPackings,
                                  [](const Packing& packing) { return element_in_cpp(packing.type).has_value(); }),
              "every type is in the table of named elements");

constexpr Pair kPairs[] = {{"float2", "float", "x", "y"},
                           {"double2", "double", "x", "y"},
                           {"graft::complex<float>", "float", "re", "im"},
                           {"graft::complex<double>", "double", "re", "im"}};

}  // namespace

const Packing* packing_of(const Parameter& parameter) {
  const auto* const found = std::ranges::find(kPackings, element_spelling(parameter.spelling), &Packing::type);
  return found == std::end(kPackings) ? nullptr : found;
}

std::span<const Pair> pairs() {
  return kPairs;
}

}  // namespace graft::elementwise
