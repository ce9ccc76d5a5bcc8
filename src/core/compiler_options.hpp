// Checks Options::compiler_options against the list of NVRTC's options that graft passes on, and brings them into one
// form.
//
// Options may be spelled in several ways: "-w" is "--disable-warnings", and "--diag-suppress=20,177" is two options.
// The canonical form has one option for each number, the long names with two dashes, in alphabetical order and each
// once. Different canonical forms are different requests: caches, packs and reports contain the canonical form. The
// order of the options never has a meaning, because options that contradict each other are refused.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace graft {

// Throws Error(InvalidArgument) for an option that graft does not pass on. The message names the option, and the remedy
// names the member of Options to use instead, if there is one.
std::vector<std::string> canonical_compiler_options(const std::vector<std::string>& given);

// Whether canonical_compiler_options returns `options` unchanged. For options from a file.
bool are_canonical_compiler_options(const std::vector<std::string>& options) noexcept;

// Whether the option, in its canonical form, makes a warning an error.
bool makes_an_error(std::string_view option) noexcept;

// Whether the option, in its canonical form, also holds on the host route: because the host route does what the option
// says (--disable-warnings), or because host compilers do so anyway (--device-as-default-execution-space).
bool holds_on_the_host(std::string_view option) noexcept;

// Whether the caller's options, in any form, contain --disable-warnings, or --device-as-default-execution-space.
// Options that graft does not pass on are ignored.
bool has_warnings_disabled(const std::vector<std::string>& given) noexcept;
bool are_device_by_default(const std::vector<std::string>& given) noexcept;

}  // namespace graft
