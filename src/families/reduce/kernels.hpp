// The kernels of a reduction. All make the same bits; which of them serves a call decides its speed alone:
//
//     whole      one result of arrays of one dimension
//     tiny       hardly any elements for each result: a thread makes several
//     short      few elements for each result: some threads of a warp make it
//     long       many elements for each result: a thread block makes it, or one for each chunk
//     chunks     several chunks of elements for each of many results: warps make them
//     columns    results that lie side by side in the inputs
//     short segments, long segments    a result of each segment: the elements between two offsets
//
// From `tiny` to `columns` they serve views (graft/view.hpp). A schedule has a method for each kernel, by which a job
// asks for it (Options::any_shape, Reduce::prepare_shapes, Reduce::prepare_segments). The host has one kernel, which
// serves every call.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "graft/element.hpp"

namespace graft::families::reduce {

enum class KernelKind : std::uint8_t {
  Whole = 0,
  Short = 1,
  Long = 2,
  Columns = 3,
  ShortSegments = 4,
  LongSegments = 5,
  Tiny = 6,
  Chunks = 7,
};
inline constexpr std::array kKinds = {KernelKind::Whole,   KernelKind::Short,         KernelKind::Long,
                                      KernelKind::Columns, KernelKind::ShortSegments, KernelKind::LongSegments,
                                      KernelKind::Tiny,    KernelKind::Chunks};

// Returns what messages call the kernel, which is also the end of its function's name: "short_segments".
const char* name(KernelKind kind);

// Returns the name of the kernel's method. That of the first kernel is empty, as in a family with one kernel.
std::string method_of(KernelKind kind);
// Returns nothing if no method has the name.
std::optional<KernelKind> kernel_of(std::string_view method);

// The methods of a job that takes every shape (families::Job::methods), and those for segments.
std::vector<std::string> methods_for_any_shape();
std::vector<std::string> methods_for_segments();
std::vector<std::string> all_methods();

// What a kernel is asked for. A kernel of another order makes other bits, so the order is part of the bytes.
struct KernelRequest {
  KernelKind kind = KernelKind::Whole;
  // The accumulator for results without elements, and its kind; none if there is none.
  base::Bytes initial = {};
  ElementKind initial_kind = ElementKind::Class;
  std::string inexact_function = {};  // arithmetic.hpp; for the report
};
base::Bytes request_of(const KernelRequest& request);
// Returns nothing if the bytes are no request, and puts the reason into `why`, as a clause ("its order is 7").
std::optional<KernelRequest> read_request(std::span<const std::byte> request, std::string& why);

}  // namespace graft::families::reduce
