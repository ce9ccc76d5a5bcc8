// PTX text as far as linking asks: its version and target, and each function's name, linkage and parameters.
//
//     .visible .func (.param .align 4 .b8 r[8]) _Z5scale7ComplexRd(.param .align 4 .b8 p0[8], .param .b64 p1) { ... }
//
// Tokens, not patterns: comments and strings may hold anything, and bodies are left out by counting braces. PTX keeps
// few types: what can be compared with a signature is the number of parameters, their sizes and their alignments.
// Integers below 4 bytes are passed as 4; references and pointers as 8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "format/outcome.hpp"
#include "graft/architecture.hpp"
#include "toolchain/version.hpp"

namespace graft::format {

struct PtxParameter {
  // As it is declared: .s32 and .u64, or .f32. NVIDIA's compilers (seen: 12.4 to 13.0) declare .b32 and .b64 for all.
  enum Number : std::uint8_t { Unknown, Integer, Float };
  std::uint64_t size = 0;
  std::uint64_t alignment = 1;
  Number number = Unknown;
  bool operator==(const PtxParameter&) const = default;
};

struct PtxFunction {
  // What stands in front of it. Only Visible and Weak ones can be called from another module.
  enum Linkage : std::uint8_t { Local, Visible, Weak, Extern };
  std::string_view name;
  Linkage linkage = Local;
  bool is_kernel = false;             // .entry
  bool is_defined = false;            // has a body
  std::vector<PtxParameter> results;  // at most one, as compilers write it
  std::vector<PtxParameter> parameters;
};

// Views the text that it was read from.
struct Ptx {
  toolchain::Version version;
  Architecture target;
  std::vector<PtxFunction> functions;  // each name once: a definition stands for its declarations

  const PtxFunction* find(std::string_view name) const noexcept;
};

// Whether the first thing that is no comment is `.version`.
bool is_ptx(std::string_view text) noexcept;
Outcome<Ptx> read_ptx(std::string_view text);

}  // namespace graft::format
