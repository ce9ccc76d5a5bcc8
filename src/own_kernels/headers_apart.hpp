// Keeps the headers of a callback apart from those of the kernel and of other callbacks.
//
// An inline function of a header is a weak symbol. If two sides of a link have headers that define it differently, the
// linker takes one for both. So each header that a callback includes gets an inline namespace of the callback's own
// around its code (codegen::in_inline_namespace), which changes its symbols and not its names.
//
// This must not be done with a header that declares what another file defines, that adds to a namespace of the tools',
// or that has variables, which both sides may share. If one header of a callback is such a header, all of them stay as
// they are.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "graft/callback.hpp"
#include "graft/options.hpp"
#include "plan/header_scan.hpp"

namespace graft::own_kernels {

// Whether the callback includes headers that are neither NVIDIA's nor of the standard library.
bool includes_own_headers(const Callback& callback, const Options& options);

// What a callback is compiled with in place of the request's options and of what was scanned.
struct HeadersApart {
  Options options;
  std::optional<plan::HeaderScan> files;  // nothing if it includes no file
};

// Returns null if the callback includes no header of a user's, or if its headers must stay as they are. `number` is the
// callback's, as in slot_program.hpp. `scan` has the files from which the request is compiled, or is null.
std::unique_ptr<const HeadersApart> headers_apart(const Callback& callback, std::size_t number, const Options& options,
                                                  const plan::HeaderScan* scan);

}  // namespace graft::own_kernels
