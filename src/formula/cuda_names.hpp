// Names of CUDA's functions of floats and of its intrinsic functions, and what formulas call them:
//
//     fmaxf             ->   fmax
//     __expf            ->   exp
//     __fmul_rn         ->   x * y
//     __float2int_rd    ->   i32(floor(x))
#pragma once

#include <string>
#include <string_view>

namespace graft::formulas {

// "sqrt" of "sqrtf", "__sqrtf" and "__fsqrt_rn", whose names have no meaning of their own; empty for names that are not
// made so. The result may be no function at all.
std::string_view plain_name(std::string_view name);

// The formula of an intrinsic function that converts or is an operator, of x and y; empty for other names.
std::string formula_of_intrinsic(std::string_view name);

bool is_intrinsic(std::string_view name);
// Whether an intrinsic function rounds otherwise than to the nearest number: "__fadd_rz".
bool rounds_elsewhere(std::string_view name);

}  // namespace graft::formulas
