// Whether what a file says of a kernel can be true of one that graft made.
//
// A launch relies on a report without looking again: it writes a pointer for each array and the state's bytes into a
// parameter of fixed size, takes the logarithms of the kernel's counts, and hands the image to the driver or to the
// loader by its route. A checksum keeps out accidents and no forgers, so packs, cache entries and every other report
// that comes from outside the process pass these checks first. The limits are those of building_blocks/contract.h and
// of the policy (graft::PolicyOverrides), which no kernel of graft's exceeds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "graft/report.hpp"

namespace graft::format {

inline constexpr std::uint32_t kLargestStateAlignment = 64;  // the adapter refuses more

// Each gives the reason why no kernel of graft's is like that, as a clause ("its vector width is 3"), or nothing.

// Arrays, elements, state, roles.
std::string objection_to(const Signature& signature);

// The signature, and what a launch's geometry follows from: width, vectors, body, threads, tiles; route and registers.
std::string objection_to(const Report& report);

// A cache entry: a kernel for the GPU that its key names. The host route's images are never kept in files, and whatever
// a file says of one must not reach the loader, which runs what it loads.
std::string objection_to_entry(std::string_view key, const Report& report, std::span<const std::byte> image);

}  // namespace graft::format
