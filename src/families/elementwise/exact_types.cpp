// Holds kPackings, the table of conversions between elements and registers. The conversions that change no bits use
// CUDA's functions for them, such as __ushort_as_half.
#include "families/elementwise/exact_types.hpp"

#include <algorithm>
#include <iterator>

#include "core/element_spelling.hpp"
#include "core/named_elements.hpp"

namespace graft::elementwise {
namespace {

constexpr RegisterKind kFloat = {"float", "f32", "f", 4};
constexpr RegisterKind kWide = {"unsigned long long", "u64", "l", 8};
constexpr RegisterKind kDouble = {"double", "f64", "d", 8};

// The texts for types with two members, such as float2.
constexpr std::string_view kFromTwo = "{{{0}, {1}}}";
constexpr std::array<std::string_view, 2> kToTwo = {"graft_first_of({0})", "graft_second_of({0})"};

constexpr Packing kPackings[] = {
    {"bool", kWordRegister, "({0} & 255) != 0", {"static_cast<unsigned char>({0})"}},
    {"char", kWordRegister, "static_cast<char>({0})", {"static_cast<unsigned char>({0})"}},
    {"signed char", kWordRegister, "static_cast<signed char>({0})", {"static_cast<unsigned char>({0})"}},
    {"unsigned char", kWordRegister, "static_cast<unsigned char>({0})", {"static_cast<unsigned char>({0})"}},
    {"short", kWordRegister, "static_cast<short>({0})", {"static_cast<unsigned short>({0})"}},
    {"unsigned short", kWordRegister, "static_cast<unsigned short>({0})", {"static_cast<unsigned short>({0})"}},
    {"__half", kWordRegister, "__ushort_as_half(static_cast<unsigned short>({0}))", {"__half_as_ushort({0})"}},
    {"__nv_bfloat16",
     kWordRegister,
     "__ushort_as_bfloat16(static_cast<unsigned short>({0}))",
     {"__bfloat16_as_ushort({0})"}},
    {"int", kWordRegister, "static_cast<int>({0})", {"static_cast<unsigned int>({0})"}},
    {"unsigned int", kWordRegister, "{0}", {"{0}"}},
    {"float", kFloat, "{0}", {"{0}"}},
    {"long", kWide, "static_cast<long>({0})", {"static_cast<unsigned long long>({0})"}},
    {"unsigned long", kWide, "static_cast<unsigned long>({0})", {"static_cast<unsigned long long>({0})"}},
    {"long long", kWide, "static_cast<long long>({0})", {"static_cast<unsigned long long>({0})"}},
    {"unsigned long long", kWide, "{0}", {"{0}"}},
    {"double", kDouble, "{0}", {"{0}"}},
    {"float2", kFloat, kFromTwo, kToTwo},
    {"graft::complex<float>", kFloat, kFromTwo, kToTwo},
    {"double2", kDouble, kFromTwo, kToTwo},
    {"graft::complex<double>", kDouble, kFromTwo, kToTwo},
};

static_assert(std::ranges::all_of(kPackings,
                                  [](const Packing& packing) { return element_in_cpp(packing.type).has_value(); }),
              "every type is in the table of named elements");

}  // namespace

const Packing* packing_of(const Parameter& parameter) {
  const auto* const found = std::ranges::find(kPackings, element_spelling(parameter.spelling), &Packing::type);
  return found == std::end(kPackings) ? nullptr : found;
}

}  // namespace graft::elementwise
