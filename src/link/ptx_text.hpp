// Four operations on PTX text that graft needs because linkers check too little, or check wrongly. graft hands out some
// PTX without linking it, for example in packs, so graft itself must find functions without a definition in this PTX,
// and measure the local memory of its kernels. Before graft links PTX, it must remove the types of parameters, because
// nvJitLink misreads these types. Before the driver links PTX without contraction, graft must round the products,
// because the driver has no option for it.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "toolchain/nvjitlink.hpp"

namespace graft::link {

// Throws Error(LinkFailed) if the PTX declares a function without defining it, and names the function. The driver's own
// functions (vprintf, malloc, ...) count as defined.
void check_defined(const base::Bytes& ptx, const std::string& title);

// Returns the local memory, in bytes, that the kernels in the text need for variables that the compiler could not keep
// in registers:
//
//     .visible .entry graft_transform_f( ... ) { .local .align 16 .b8 __local_depot0[16400];
//
// A kernel may need more local memory in the end, because ptxas may spill registers. The result is the sum for all
// kernels in the text. The local memory of other functions is not counted. graft compares the results for the two
// bodies of a kernel: the vector body, which unrolls the callback over a thread's elements, and the rolled body, which
// does not (routes/best_body.hpp). Functions other than kernels do not count for two reasons: a callback that the
// kernel calls needs the same local memory in both bodies, and a callback that was inlined is in the text twice, as a
// function and inside the kernel, but needs its local memory once.
std::uint64_t ptx_frame_bytes(std::string_view ptx);

// Rewrites numeric parameters to untyped bits, as NVIDIA's compilers declare them: `.param .f32` becomes `.param .b32`.
// Returns the rewritten PTX, or nothing if the PTX has no numeric parameters.
//
// graft's adapter declares the callback with untyped parameters. nvJitLink 13.0 compares the types of a declaration and
// its definition, writes "Prototype doesn't match" for .b32 and .f32 to standard error, and then crashes in some
// processes. Typed and untyped parameters are passed in the same way, so the rewriting changes nothing else.
std::optional<std::string> with_untyped_parameters(std::string_view ptx);

// Does the same for the PTX among a linker's inputs. `texts` owns the rewritten texts.
std::vector<toolchain::LinkInput> with_untyped_parameters(std::vector<toolchain::LinkInput> inputs,
                                                          std::deque<std::string>& texts);

// Gives every floating-point product without a rounding modifier the modifier that it has by default: `mul.f16x2`
// becomes `mul.rn.f16x2`. The assembler may fuse a product with a sum only if the product has no modifier. Returns the
// rewritten PTX, or nothing if every product has a modifier.
std::optional<std::string> with_rounded_products(std::string_view ptx);

// Does the same for the PTX among a linker's inputs. `texts` owns the rewritten texts.
std::vector<toolchain::LinkInput> with_rounded_products(std::vector<toolchain::LinkInput> inputs,
                                                        std::deque<std::string>& texts);

}  // namespace graft::link
